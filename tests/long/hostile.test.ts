import { describe, expect, it } from 'vitest'
import { hostileCases } from '../e2e/hostile/cases.ts'
import { openHostileBench, withOwnDatabase } from '../e2e/hostile/run.ts'
import { missingPrograms } from '../support/postgres.ts'

/** Cases that one server runs, because what the C library keeps for later grows with the number of large replies. */
const CASES_PER_SERVER = 20

/** Runs all cases; returns what went wrong, by case. */
async function runAll(store?: string): Promise<string[]> {
  const problems: string[] = []
  let largest = 0
  for (let at = 0; at < hostileCases.length; at += CASES_PER_SERVER) {
    const bench = await openHostileBench(store)
    try {
      for (const hostile of hostileCases.slice(at, at + CASES_PER_SERVER)) {
        const result = await bench.run(hostile)
        largest = Math.max(largest, result.peakMegabytes)
        problems.push(...result.problems.map((problem) => `${hostile.name}: ${problem}`))
      }
    } finally {
      await bench.close()
    }
  }
  process.stdout.write(`${hostileCases.length} hostile cases, at most ${largest} MB\n`)
  return problems
}

describe('all hostile replies of a tenant', () => {
  it('stop neither the server nor other scans', async () => {
    expect(await runAll()).toEqual([])
  })

  it.skipIf(missingPrograms !== undefined)(
    `stop neither the server nor other scans on PostgreSQL ${missingPrograms ?? ''}`,
    () => withOwnDatabase(async (store) => expect(await runAll(store)).toEqual([])),
  )
})
