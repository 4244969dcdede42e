import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cases, isLong } from '../support/long.ts'
import { createDatabase, missingPostgres, type PostgresServer, startPostgres } from '../support/postgres.ts'
import { runWriters } from './writers.ts'

const [WRITERS, BATCHES] = [cases(2, 6), cases(5, 40)]

describe.skipIf(missingPostgres !== undefined)(`several writers on PostgreSQL ${missingPostgres ?? ''}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await startPostgres()
  }, 60_000)
  afterAll(() => server?.stop())

  it('lose nothing and double nothing when they are killed and cut off, and a follower misses nothing', async () => {
    const { connectionString, drop } = createDatabase(server)
    const estate = { batches: BATCHES, groups: isLong ? 10 : 3, assets: isLong ? 100 : 5, findings: 5 }
    const [killMs, cutMs] = isLong ? [6_000, 1_500] : [2_000, 1_000]
    const result = await runWriters({ connectionString, writers: WRITERS, estate, pauseMs: 20, killMs, cutMs })
    drop()
    const { faults, batches, kills, cuts, batchMs, elapsedMs } = result
    const sorted = batchMs.toSorted((a, b) => a - b)
    const [half, most] = [0.5, 0.99].map((part) => sorted[Math.floor(part * sorted.length)])
    if (isLong) {
      process.stdout.write(
        `${WRITERS} writers, ${batches} batches in ${Math.round(elapsedMs / 1000)} s, ${kills} kills, ${cuts} cuts; ` +
          `a batch took ${half} ms (p50), ${most} ms (p99)\n`,
      )
    }
    expect(faults).toEqual([])
    expect(cuts).toBeGreaterThan(0)
  }, 3_600_000)
})
