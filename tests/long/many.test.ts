import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Store } from '../../src/store/store.ts'
import { shareFolder } from '../e2e/many.ts'
import { makeHome, runAssay } from '../support/assay.ts'
import { quantile } from '../support/bench.ts'

/** Half an hour, unless fewer minutes are asked for. */
const MINUTES = Number(process.env.ASSAY_LONG_MINUTES ?? 30)
const PROCESSES = 9
const FINDINGS = 20_000
const MEGABYTE = 1024 * 1024

it('nine processes keep the write-ahead log below 64 MB while findings come and go', async () => {
  const { home, remove } = makeHome()
  try {
    const generated = await runAssay(['generate', '--findings', String(FINDINGS), '--seed', '3'], { home })
    let over = false
    let rounds = 0
    const refused: string[] = []
    const flood = async () => {
      for (; !over; rounds++) {
        const imported = await runAssay(['import', '-', '--source', 'flood'], { home, stdin: generated.stdout })
        const deleted = await runAssay(['call', 'delete_source', '{"id":"flood"}'], { home })
        refused.push(...[imported, deleted].filter(({ code }) => code !== 0).map(({ stderr }) => stderr))
      }
    }
    const flooding = flood()
    const { reports, codes, drivers, mostLogBytes } = await shareFolder(home, {
      processes: PROCESSES,
      seconds: MINUTES * 60,
    })
    over = true
    await flooding
    const waits = reports.flatMap(({ waitsMs }) => waitsMs)
    process.stdout.write(
      `${MINUTES} minutes: ${reports.reduce((sum, { done }) => sum + done, 0)} calls, ${waits.length} writes, ` +
        `${rounds} imports of ${FINDINGS} findings, ${refused.length} refused; log at most ${(mostLogBytes / MEGABYTE).toFixed(1)} MB, ` +
        `database ${(statSync(join(home, 'assay.db')).size / MEGABYTE).toFixed(0)} MB; ` +
        `a write waited ${quantile(waits, 0.5)} ms (p50), ${quantile(waits, 0.99)} ms (p99), ${Math.max(0, quantile(waits, 1))} ms at most\n`,
    )
    expect(reports.map(({ failures }) => failures)).toEqual(Array.from({ length: PROCESSES }, () => ({})))
    expect(codes).toEqual(Array.from({ length: PROCESSES }, () => 0))
    expect(refused).toEqual([])
    expect(drivers.size).toBe(1)
    expect(mostLogBytes).toBeLessThan(64 * MEGABYTE)
    const store = Store.open(join(home, 'assay.db'), { now: Date.now })
    expect(store.examine('full')).toMatchObject({ integrity: 'ok', foreignKeys: 0 })
    store.close()
  } finally {
    remove()
  }
})
