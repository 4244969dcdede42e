import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Store } from '../../src/store/store.ts'
import { fillStore, NOW } from '../bench/query/estate.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import { readMemory } from '../support/bench.ts'

/** A million, unless fewer are asked for. */
const FINDINGS = Number(process.env.ASSAY_EXPORT_FINDINGS ?? 1_000_000)
/** From this number on, the server builds a columnar index first. */
const INDEXED = 50_000
const MEGABYTE = 1024 * 1024
const MAX_GROWTH = 100 * MEGABYTE

/** A text that a file has once for each finding. */
const marks: Readonly<Record<string, string>> = {
  'text/csv': '\r\n',
  'application/sarif+json': '"partialFingerprints"',
  'application/x-ndjson': '\n',
}

async function countMarks(url: string, accept: string): Promise<{ count: number; bytes: number }> {
  const reply = await fetch(`${url}/findings`, { headers: { accept } })
  expect([reply.status, reply.headers.get('content-type')]).toEqual([200, expect.stringContaining(accept)])
  const mark = Buffer.from(marks[accept] ?? '')
  let [count, bytes, left] = [0, 0, Buffer.alloc(0)]
  for await (const part of reply.body ?? []) {
    bytes += part.byteLength
    const text = Buffer.concat([left, part])
    let from = 0
    for (let at = text.indexOf(mark); at >= 0; at = text.indexOf(mark, from)) {
      count++
      from = at + mark.length
    }
    left = text.subarray(Math.max(from, text.length - mark.length + 1))
  }
  return { count, bytes }
}

it.runIf(process.platform === 'linux')(
  `an export of ${FINDINGS} findings takes at most 100 MB of the server's memory`,
  async () => {
    const { home, remove } = makeHome()
    mkdirSync(home, { recursive: true })
    const store = Store.open(join(home, 'assay.db'), { now: () => NOW })
    fillStore(store, FINDINGS, home)
    store.close()
    const server = await serveAssay(home, ['--no-background'])
    try {
      const indexed = new Promise<void>((resolve) => {
        if (FINDINGS < INDEXED) resolve()
        server.child.stderr?.on('data', (text: string) => {
          if (text.includes('the engine is ready')) resolve()
        })
      })
      await indexed
      await (await fetch(`${server.url}/findings?limit=500`)).text()
      const read = () => readMemory(server.child.pid ?? 0)?.now ?? Number.NaN
      for (const accept of Object.keys(marks)) {
        const before = read()
        let peak = before
        const timer = setInterval(() => {
          peak = Math.max(peak, read())
        }, 20)
        const started = performance.now()
        const { count, bytes } = await countMarks(server.url, accept)
        clearInterval(timer)
        const seconds = (performance.now() - started) / 1000
        process.stdout.write(
          `${accept}: ${count} in ${seconds.toFixed(1)} s, ${(bytes / MEGABYTE).toFixed(0)} MB, ` +
            `resident ${(before / MEGABYTE).toFixed(0)} MB and ${((peak - before) / MEGABYTE).toFixed(0)} MB more\n`,
        )
        expect(count).toBe(accept === 'text/csv' ? FINDINGS + 1 : FINDINGS)
        expect(peak - before).toBeLessThan(MAX_GROWTH)
      }
    } finally {
      await server.stop()
      remove()
    }
  },
  3_600_000,
)
