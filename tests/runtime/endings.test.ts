import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { takeFaults } from '../support/endings.ts'

const atExit = (code: string) =>
  `--import data:text/javascript,${encodeURIComponent(`process.on('exit', () => { ${code} })`)}`

it('a program that aborts at its end is a fault, although it has printed all that it should', async () => {
  const { home, remove } = makeHome()
  const { stdout } = await runAssay(['--version'], { home, env: { NODE_OPTIONS: atExit('process.abort()') } })
  expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(takeFaults()).toEqual([expect.stringMatching(/main\.js --version ended with SIGABRT: /i)])
  remove()
})

it('so is a server that aborts when it is stopped', async () => {
  const { home, remove } = makeHome()
  const server = await serveAssay(home, [], { NODE_OPTIONS: atExit('process.abort()') })
  await expect(server.stop()).rejects.toThrow('assay serve ended with SIGABRT when it was stopped')
  expect(takeFaults()).toEqual([expect.stringMatching(/serve --port 0 ended with SIGABRT/)])
  remove()
})

it('a server that is stopped and ends with another code than 0 fails the test that stops it', async () => {
  const { home, remove } = makeHome()
  const server = await serveAssay(home, [], { NODE_OPTIONS: atExit('process.exitCode = 3') })
  await expect(server.stop()).rejects.toThrow('assay serve ended with 3 when it was stopped')
  remove()
})

it.each([
  ['a signal that no test sends', () => once(spawn('sh', ['-c', 'kill -KILL $$']), 'close'), /SIGKILL/],
  ['the code by which a shell tells of a signal', () => once(spawn('sh', ['-c', 'exit 139']), 'close'), /139/],
  [
    'an error of a thread',
    async () => {
      const worker = new Worker('throw new Error("broken")', { eval: true })
      await new Promise((resolve) => worker.on('error', () => {}).once('exit', resolve))
    },
    /a thread ended with 1: Error: broken/,
  ],
])('%s is a fault', async (_name, end, fault) => {
  await end()
  expect(takeFaults()).toEqual([expect.stringMatching(fault)])
})

it('ends that a test asks for are none', async () => {
  const asked = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
  await once(asked, 'spawn')
  asked.kill('SIGKILL')
  const worker = new Worker('setInterval(() => {}, 1000)', { eval: true })
  await Promise.all([once(asked, 'close'), worker.terminate()])
  await once(spawn('sh', ['-c', 'exit 1']), 'close')
  expect(takeFaults()).toEqual([])
})
