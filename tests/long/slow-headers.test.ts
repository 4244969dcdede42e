import { connect, type Socket } from 'node:net'
import { expect, it } from 'vitest'
import { makeHome, serveAssay } from '../support/assay.ts'

it('endless headers and silent connections are closed after ten seconds; 300 idle connections do not slow down /health', async () => {
  const { home, remove } = makeHome()
  const { url, stop } = await serveAssay(home, ['--no-background'])
  const { hostname, port } = new URL(url)
  const open = () =>
    new Promise<Socket>((resolve) => {
      const socket = connect(Number(port), hostname, () => resolve(socket))
      socket.on('error', () => {})
    })
  const begun = performance.now()
  const [slow, silent] = await Promise.all([open(), open()])
  slow.write('GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n')
  const drip = setInterval(() => slow.write('X-Slow: 1\r\n'), 500)
  const times = await Promise.all(
    [slow, silent].map((socket) => new Promise<number>((done) => socket.once('close', () => done(performance.now())))),
  )
  clearInterval(drip)
  for (const at of times) {
    expect(at - begun).toBeGreaterThan(9_900)
    expect(at - begun).toBeLessThan(11_500)
  }
  const idle = await Promise.all(Array.from({ length: 300 }, open))
  const replies: number[] = []
  for (let n = 0; n < 100; n++) {
    const asked = performance.now()
    await (await fetch(`${url}/health`, { headers: { connection: 'close' } })).text()
    replies.push(performance.now() - asked)
  }
  replies.sort((a, b) => a - b)
  process.stderr.write(
    `cut after ${times.map((at) => Math.round(at - begun))} ms; /health ${replies[50]} ms, 95 % ${replies[95]} ms\n`,
  )
  expect(replies[95]).toBeLessThan(50)
  for (const socket of idle) socket.destroy()
  await stop()
  remove()
})
