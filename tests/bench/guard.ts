import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { createToken, findHolder } from '../../src/access/tokens.ts'
import type { Caller } from '../../src/operation/context.ts'
import { Store } from '../../src/store/store.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import { describeMachine, print, quantile, readCount, readFlags, readMemory, saveResults } from '../support/bench.ts'

// What an attacker from the network costs: whether time tells a token that is nearly right, and a thousand slow clients.
// npm run bench -- guard [--lookups 200000] [--sockets 1000] [--questions 500] [--json FILE]

const flags = readFlags({ lookups: '200000', sockets: '1000', questions: '500' })
const MAX_DIFFERENCE_US = 1
const MAX_P99_MS = 200
const MAX_MEGABYTES = 50
const MEGABYTE = 1024 * 1024
const BATCH = 200

/** The difference of the medians, in microseconds, between a wrong secret of a known token and of one that is not there. */
function timeTokens(lookups: number): number {
  const folder = mkdtempSync(join(tmpdir(), 'assay-bench-guard-'))
  const store = Store.open(join(folder, 'assay.db'), { now: Date.now })
  try {
    const caller: Caller = { name: 'bench', via: 'cli', scopes: new Set(['admin']) }
    const { id, token } = createToken({ store, caller, now: Date.now }, { name: 'ci', scopes: ['read'] })
    const withSum = (body: string) => body + crc32(body).toString(16).padStart(8, '0')
    const secret = token.slice(-72, -8)
    const wrong = secret.replace(/.$/, (last) => (last === '0' ? '1' : '0'))
    const texts = [withSum(`assay_${id}_${wrong}`), withSum(`assay_${'0'.repeat(16)}_${wrong}`)]
    const times: [number[], number[]] = [[], []]
    for (let batch = 0; batch < lookups / BATCH; batch++) {
      for (const at of [0, 1] as const) {
        const from = performance.now()
        for (let lookup = 0; lookup < BATCH; lookup++) {
          if (findHolder(store, texts[at] ?? '', 0) !== undefined) throw new Error('a wrong token was let in')
        }
        times[at].push(((performance.now() - from) * 1000) / BATCH)
      }
    }
    return Math.abs(quantile(times[0], 0.5) - quantile(times[1], 0.5))
  } finally {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Milliseconds of answers while so many clients dawdle, and by how many bytes the server has grown. */
async function askAmongSlow(sockets: number, questions: number): Promise<{ times: number[]; grownBytes: number }> {
  const { home, remove } = makeHome()
  const server = await serveAssay(home)
  const open: Socket[] = []
  try {
    const { hostname, port } = new URL(server.url)
    const ask = async () => {
      const from = performance.now()
      const reply = await fetch(`${server.url}/health`)
      await reply.text()
      if (!reply.ok) throw new Error(`/health was answered with ${reply.status}`)
      return performance.now() - from
    }
    for (let turn = 0; turn < questions; turn++) await ask()
    const before = readMemory(server.child.pid ?? 0)?.now ?? 0
    for (let number = 0; number < sockets; number++) {
      const socket = connect(Number(port), hostname)
      socket.on('error', () => {})
      open.push(socket)
      await once(socket, 'connect')
      socket.write('POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ')
    }
    const drip = setInterval(() => {
      for (const socket of open) if (socket.writable) socket.write('a')
    }, 200)
    const times: number[] = []
    for (let turn = 0; turn < questions; turn++) times.push(await ask())
    clearInterval(drip)
    return { times, grownBytes: (readMemory(server.child.pid ?? 0)?.now ?? 0) - before }
  } finally {
    for (const socket of open) socket.destroy()
    await server.stop()
    remove()
  }
}

print(`machine ${JSON.stringify(describeMachine())}`)
const difference = timeTokens(readCount('lookups', flags.lookups))
print(
  `a wrong secret of a known token and of an unknown one: medians ${difference.toFixed(3)} us apart (may be ${MAX_DIFFERENCE_US})`,
)
const sockets = readCount('sockets', flags.sockets)
const { times, grownBytes } = await askAmongSlow(sockets, readCount('questions', flags.questions))
const p99 = quantile(times, 0.99)
const grown = grownBytes / MEGABYTE
print(
  `among ${sockets} slow clients: answers in ${quantile(times, 0.5).toFixed(1)} ms (p50), ${p99.toFixed(1)} ms (p99; may be ${MAX_P99_MS}), ` +
    `the server grown by ${grown.toFixed(0)} MB (may be ${MAX_MEGABYTES})`,
)
saveResults(flags.json, { difference, times, grownBytes })
if (difference > MAX_DIFFERENCE_US || p99 > MAX_P99_MS || grown > MAX_MEGABYTES) process.exitCode = 1
