import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, describe, expect, it } from 'vitest'
import { SeededRandom } from '../properties/query-data.ts'
import { copyHome, drawLine, importLines, type Line, newHome, Process, removeHome } from './process.ts'

const SEED = Number(process.env.ASSAY_IMPORT_SEED ?? 20_261_122)
const ROUNDS = Number(process.env.ASSAY_IMPORT_ROUNDS ?? 2)

const homes: string[] = []
const processes: Process[] = []
afterEach(() => {
  for (const one of processes.splice(0)) one.close()
  for (const home of homes.splice(0)) removeHome(home)
})

function keepHome(home: string): string {
  homes.push(home)
  return home
}

function open(home: string, options: { engine?: boolean } = {}): Process {
  const opened = new Process(home, options)
  processes.push(opened)
  return opened
}

const drawLines = (random: SeededRandom, count: number, findings: number): Line[] =>
  Array.from({ length: count }, () => drawLine(random, random.below(findings)))

describe.each(Array.from({ length: ROUNDS }, (_, round) => SEED + round))('a file of seed %i', (seed) => {
  /** Suppressions apply to what is open at the end of a file, so lines that follow each other would see their effect. */
  it.each([
    ['that repeat findings', false],
    ['under a suppression', true],
  ])(
    'changes what its lines would change one by one, and the engine follows: lines %s',
    async (_, isSuppressed) => {
      const random = new SeededRandom(seed)
      const home = keepHome(newHome())
      await importLines(home, drawLines(random, 60, 40), 'another')
      await importLines(home, drawLines(random, 150, 90))
      const person = open(home)
      await person.run('triage_findings', {
        filters: { detectorTypes: ['SECRETS'], severities: ['HIGH'] },
        status: 'FALSE_POSITIVE',
        reason: 'looked at',
      })
      if (isSuppressed) await person.run('create_suppression', { filters: { severities: ['LOW'] }, reason: 'known' })
      await importLines(home, drawLines(random, 30, 120))
      const engine = open(home, { engine: true })
      await engine.look()
      person.settle()
      const oracle = keepHome(copyHome(home))
      const drawn = drawLines(random, 120, random.pick([100, 400]))
      const lines = isSuppressed ? [...new Map(drawn.map((line) => [line.fingerprint, line])).values()] : drawn
      await importLines(home, lines)
      for (const line of lines) await importLines(oracle, [line])
      expect(person.facts()).toEqual(open(oracle).facts())
      expect(await engine.look()).toBe(await person.look())
      expect(engine.built).toBe(1)
      const before = JSON.stringify(person.facts())
      await importLines(home, [])
      expect(JSON.stringify(person.facts())).toBe(before)
      expect(person.leftovers()).toEqual({ kept: 0, miscounted: 0 })
    },
    120_000,
  )
})

it('a paged list that continues after an import does not show it', async () => {
  const random = new SeededRandom(SEED)
  const home = keepHome(newHome())
  await importLines(home, drawLines(random, 200, 100))
  const reader = open(home)
  const walk = async (first: Page): Promise<string[]> => {
    const ids = first.items.map(({ id }) => id)
    if (first.nextCursor === undefined) return ids
    return [...ids, ...(await walk(await reader.run<Page>('search_findings', { limit: 7, cursor: first.nextCursor })))]
  }
  const begin = () => reader.run<Page>('search_findings', { limit: 7 })
  const before = await walk(await begin())
  const begun = await begin()
  await importLines(home, drawLines(random, 250, 300))
  expect(await walk(begun)).toEqual(before)
  expect((await walk(await begin())).length).toBeGreaterThan(before.length)
})

interface Page {
  items: { id: string }[]
  nextCursor?: string
}

it('another write is told that an import is in progress, and when to try again', async () => {
  const home = keepHome(newHome())
  await importLines(home, drawLines(new SeededRandom(SEED), 10, 10))
  const { store } = open(home)
  const other = new Database(join(home, 'assay.db'))
  const write = () => store.write((writer) => writer.prepare('DELETE FROM dashboard').run())
  const inProgress = { code: 'unavailable', facts: { reason: 'import_in_progress', retryAfterSeconds: 5 } }
  try {
    other.exec('BEGIN IMMEDIATE')
    await expect(store.waitForWriteLock({ limitMs: 20 })).rejects.toMatchObject({ facts: { reason: 'busy' } })
    other.exec('ROLLBACK')
    other.exec(`UPDATE scan SET status = 'RUNNING'`)
    other.exec('BEGIN IMMEDIATE')
    await expect(store.waitForWriteLock({ limitMs: 20 })).rejects.toMatchObject(inProgress)
    expect(write).toThrow(expect.objectContaining(inProgress))
    const waiting = store.waitForWriteLock()
    other.exec('COMMIT')
    await waiting
    expect(write).not.toThrow()
  } finally {
    other.close()
  }
}, 20_000)
