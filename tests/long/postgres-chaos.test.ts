import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { hasStoredCounts } from '../../src/engine/snapshot/snapshot.store.ts'
import { verifyEngine } from '../../src/query/engine/verify.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { listContradictions, watchLogs, watchParts } from '../e2e/chaos/checks.ts'
import { Database } from '../e2e/chaos/database.ts'
import { countFindings } from '../e2e/chaos/model.ts'
import { createDice, Servers } from '../e2e/chaos/servers.ts'
import { ChaosWriter, createTally } from '../e2e/chaos/writer.ts'
import { inParallel } from '../support/parallel.ts'
import { missingPrograms, type OwnPostgresServer, openPostgresStore, startOwnPostgres } from '../support/postgres.ts'

const SECONDS = Number(process.env.ASSAY_CHAOS_SECONDS ?? 3_600)
const SEED = Number(process.env.ASSAY_CHAOS_SEED ?? 1)
const [SERVERS, WRITERS] = [4, 12]
/** Files of each source. The last one has so many that its imports take several transactions, and all have enough findings for an engine. */
const FILES = Number(process.env.ASSAY_CHAOS_FILES ?? 11)
const MANY_FILES = Number(process.env.ASSAY_CHAOS_MANY_FILES ?? 26)
const MIN_FINDINGS_FOR_INDEX = 50_000
const PATIENCE = { timeout: 120_000, interval: 200 }

describe.skipIf(missingPrograms !== undefined)(`many machines ${missingPrograms ?? ''}`, () => {
  let server: OwnPostgresServer
  let servers: Servers
  let url: string
  const dice = createDice(createRandom(`chaos ${SEED}`))
  beforeAll(async () => {
    server = await startOwnPostgres({ settings: '-c max_connections=200' })
    server.run('CREATE DATABASE chaos')
    url = `${server.url}/chaos`
    servers = await Servers.start(url, SERVERS, dice)
  }, 300_000)
  afterAll(async () => {
    await servers?.stop()
    server?.stop()
  }, 120_000)

  it(`${WRITERS} writers on ${SERVERS} servers that are killed, paused and cut off lose and double nothing in ${SECONDS} s`, async () => {
    const [faults, tally] = [[] as string[], createTally()]
    const databases = await Promise.all(Array.from({ length: WRITERS + 1 }, () => Database.open(url)))
    const database = databases[WRITERS] as Database
    const writers = Array.from({ length: WRITERS }, (_, number) => {
      const files = number === WRITERS - 1 ? MANY_FILES : FILES
      return new ChaosWriter({ number, files, servers, database: databases[number] as Database, dice, tally, faults })
    })
    for (const writer of writers) await writer.begin()
    const total = writers.reduce((sum, { state }) => sum + countFindings(state), 0)

    const until = performance.now() + SECONDS * 1000
    const isOver = () => performance.now() > until || faults.length > 20
    let isQuiet = false
    const logs = watchLogs(await Database.open(url), () => isQuiet, faults)
    const seen = watchParts({ servers, writers, dice, faults }, isOver)
    const harm = servers.harass(isOver)
    const work = inParallel(WRITERS, async (number) => {
      while (!isOver()) await writers[number]?.step()
    })
    await Promise.all([work, harm])
    await vi.waitFor(() => expect(servers.urls).toHaveLength(SERVERS), PATIENCE)
    for (const { source } of writers) await database.settle(source)
    isQuiet = true
    const [head, parts] = await Promise.all([logs, seen])

    for (const writer of writers) await writer.compareNow()
    const hasEngine = total >= MIN_FINDINGS_FOR_INDEX
    if (hasEngine)
      await vi.waitFor(() => expect(servers.urls.every((each) => servers.hasEngine(each))).toBe(true), PATIENCE)
    const before = tally.checkedAnswers
    for (const each of servers.urls) for (const writer of writers) await writer.ask(each, 'everything')
    expect(tally.checkedAnswers - before).toBe(SERVERS * WRITERS * 4)
    // What is kept for readers of imports that are over is deleted after them.
    await vi.waitFor(async () => expect(await listContradictions(database)).toEqual([]), PATIENCE)
    const store = openPostgresStore(url, Date.now)
    const trail = store.read((reader) => {
      if (!hasStoredCounts(reader, buildEngine(reader))) faults.push('the counts of an engine differ')
      return verifyAudit(reader)
    })
    const { differences, ...verified } = verifyEngine(store, { questions: 40, seed: SEED, now: Date.now() })
    store.close()

    const { refusals, answerMs, ...counts } = tally
    const sorted = answerMs.toSorted((one, other) => one - other)
    const [half, most] = [0.5, 0.99].map((share) => Math.round(sorted[Math.floor(share * sorted.length)] ?? 0))
    process.stdout.write(
      `${[
        `${SECONDS} s, seed ${SEED}: ${JSON.stringify({ ...servers.counts, cuts: servers.cuts, ...counts })}`,
        `refusals ${JSON.stringify(refusals)}; requests took ${half} ms (p50), ${most} ms (p99), ${Math.round(sorted.at(-1) ?? 0)} ms (most)`,
        `${parts} answers looked for parts of files; the log has ${head} entries, the audit trail ${trail.entries}; ${JSON.stringify(verified)}`,
        ...servers.listLog(/"level":"error"/).slice(0, 10),
      ].join('\n')}\n`,
    )
    expect(faults).toEqual([])
    expect(differences).toEqual([])
    expect(trail).toMatchObject({ unchained: 0 })
    expect(trail.brokenAt).toBeUndefined()
    expect(tally.acknowledged).toBeGreaterThan(WRITERS)
    expect(tally.unknown).toBeGreaterThan(0)
    expect(servers.counts.kills).toBeGreaterThan(0)
    await Promise.all(databases.map((each) => each.close()))
  })
})
