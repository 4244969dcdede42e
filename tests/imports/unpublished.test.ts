import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { backUp } from '../../src/store/backup.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { copyHome, drawLine, importInterrupted, type Line, newHome, Process, removeHome } from './unpublished.ts'

const SEED = Number(process.env.ASSAY_IMPORT_SEED ?? 20_261_122)
const ROUNDS = Number(process.env.ASSAY_IMPORT_ROUNDS ?? 1)

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

const changes: { name: string; act: (person: Process) => Promise<unknown> }[] = [
  {
    name: 'triage',
    act: (person) =>
      person.run('triage_findings', {
        filters: { detectorTypes: ['SECRETS'], severities: ['HIGH'] },
        status: 'FALSE_POSITIVE',
        reason: 'looked at',
      }),
  },
  {
    name: 'a suppression',
    act: (person) => person.run('create_suppression', { filters: { detectorTypes: ['PII'] }, reason: 'known' }),
  },
  { name: 'a suppression deleted', act: (person) => person.run('delete_suppression', { id: '1' }) },
]

describe.each(Array.from({ length: ROUNDS }, (_, round) => SEED + round))('an import of seed %i', (seed) => {
  it('is visible completely or not visible to SQL and the engine, wherever its process dies', async () => {
    const random = new SeededRandom(seed)
    const home = keepHome(newHome())
    const most = 60 + random.below(250)
    await importInterrupted(home, drawLines(random, 90, 60), { source: 'another' })
    // The source may be empty.
    await importInterrupted(home, drawLines(random, random.chance(0.8) ? 300 : 0, most))
    const lines = drawLines(random, 350, random.pick([most, 2 * most]))
    const oracle = keepHome(copyHome(home))
    await importInterrupted(oracle, lines)
    const readers = [open(home), open(home, { engine: true })]
    const before = await Promise.all(readers.map((reader) => reader.look()))
    let turns = 0
    const onTurn = async () => {
      if (readers[0]?.isImporting() !== true) return
      turns += 1
      for (const [index, reader] of readers.entries()) expect(await reader.look()).toBe(before[index])
    }
    await importInterrupted(home, lines, { onTurn, dies: () => random.chance(0.15) })
    expect(turns).toBeGreaterThan(3)
    const expected = open(oracle).facts()
    for (const reader of readers) expect(reader.facts()).toEqual(expected)
    expect(await readers[1]?.look()).toBe(await readers[0]?.look())
    // The engine has followed the log all the way.
    expect(readers[1]?.built).toBe(1)
    await importInterrupted(home, [])
    expect(readers[0]?.leftovers()).toEqual({ kept: 0, miscounted: 0 })
  }, 60_000)

  it.each(changes)(
    'treats concurrent changes by people as if they had preceded it: $name',
    async ({ act }) => {
      const random = new SeededRandom(seed)
      const home = keepHome(newHome())
      await importInterrupted(home, drawLines(random, 180, 110))
      const person = open(home)
      await person.run('create_suppression', { filters: { severities: ['LOW'] }, reason: 'not ours' })
      await importInterrupted(home, drawLines(random, 50, 150))
      const lines = drawLines(random, 250, 200)
      person.settle()
      const oracle = open(keepHome(copyHome(home)), { engine: true })
      await act(oracle)
      // As texts, which are compared many times as fast.
      const preceded = JSON.stringify(oracle.facts())
      const engine = open(home, { engine: true })
      await engine.look()
      const actsAt = random.below(4)
      let turns = 0
      const onTurn = async () => {
        if (!person.isImporting()) return
        if (turns++ === actsAt) await act(person)
        if (turns > actsAt) for (const reader of [person, engine]) expect(JSON.stringify(reader.facts())).toBe(preceded)
        // What is visible without a change is compared above.
        if (turns === actsAt + 1) expect(await engine.look()).toBe(await person.look())
      }
      await importInterrupted(home, lines, { onTurn, dies: () => random.chance(0.1) })
      expect(turns).toBeGreaterThan(actsAt)
      await importInterrupted(oracle.home, lines)
      expect(person.facts().findings).toEqual(oracle.facts().findings)
      expect(await engine.look()).toBe(await person.look())
      await importInterrupted(home, [])
      expect(person.leftovers()).toEqual({ kept: 0, miscounted: 0 })
    },
    60_000,
  )
})

it('a paged list that continues after an import does not show it', async () => {
  const random = new SeededRandom(SEED)
  const home = keepHome(newHome())
  await importInterrupted(home, drawLines(random, 60, 40), { source: 'another' })
  await importInterrupted(home, drawLines(random, 200, 100))
  const reader = open(home)
  const walk = async (first: Page): Promise<string[]> => {
    const ids = first.items.map(({ id }) => id)
    if (first.nextCursor === undefined) return ids
    return [...ids, ...(await walk(await reader.run<Page>('search_findings', { limit: 7, cursor: first.nextCursor })))]
  }
  const begin = () => reader.run<Page>('search_findings', { limit: 7 })
  const before = await walk(await begin())
  const begun: Page[] = [await begin()]
  const onTurn = async () => {
    if (reader.isImporting()) begun.push(await begin())
  }
  await importInterrupted(home, drawLines(random, 250, 300), { onTurn })
  expect(begun.length).toBeGreaterThan(2)
  for (const first of begun) expect(await walk(first)).toEqual(before)
  expect((await walk(await begin())).length).toBeGreaterThan(before.length)
})

interface Page {
  items: { id: string }[]
  nextCursor?: string
}

describe('a running import', () => {
  const lines = (from: number, count: number, name: string): Line[] =>
    Array.from({ length: count }, (_, index) => ({
      asset: { key: `k${from + index}`, name, container: name },
      detectorType: 'SECRETS',
      findingType: 'TOKEN',
      severity: 'HIGH',
      firstDetectedAt: '2026-01-04T12:00:00Z',
      fingerprint: `f${from + index}`,
    }))
  const mixed = (name: string) => [...lines(0, 250, name), ...lines(250, 250, name)]

  it('is in a backup completely or not at all, and resumes after a restore', async () => {
    const home = keepHome(newHome())
    await importInterrupted(home, lines(0, 250, 'before'))
    const earlier = open(home).facts()
    const copies: string[] = []
    const onTurn = async () => {
      const copy = keepHome(newHome())
      rmSync(join(copy, 'assay.db'), { force: true })
      backUp(join(home, 'assay.db'), join(copy, 'assay.db'))
      copies.push(copy)
    }
    await importInterrupted(home, mixed('after'), { onTurn })
    const later = open(home).facts()
    expect(later.findings).toHaveLength(500)
    const seen = copies.map((copy) => JSON.stringify(open(copy).facts()))
    const count = (facts: unknown) => seen.filter((each) => each === JSON.stringify(facts)).length
    expect(count(earlier)).toBeGreaterThan(2)
    expect(count(earlier) + count(later)).toBe(copies.length)
    const last = copies[seen.lastIndexOf(JSON.stringify(earlier))] ?? ''
    await importInterrupted(last, mixed('after'), { isBegun: true })
    expect(open(last).facts()).toEqual(later)
  }, 60_000)

  it('is not listed partially when pages are read before and after its publication', async () => {
    const home = keepHome(newHome())
    await importInterrupted(home, lines(0, 100, 'before'))
    const reader = open(home)
    interface Page {
      items: { key: string }[]
      nextCursor?: string
    }
    const list = (cursor?: string) =>
      reader.run<Page>('list_assets', { limit: 30, ...(cursor === undefined ? {} : { cursor }) })
    const readers: { keys: string[]; cursor: string | undefined; isOver: boolean }[] = []
    const turn = async (one: (typeof readers)[number]) => {
      if (one.isOver) return
      const { items, nextCursor } = await list(one.cursor)
      one.keys.push(...items.map(({ key }) => key))
      one.cursor = nextCursor
      one.isOver = nextCursor === undefined
    }
    const onTurn = async () => {
      readers.push({ keys: [], cursor: undefined, isOver: false })
      for (const one of readers.slice(-4)) await turn(one)
    }
    await importInterrupted(home, lines(100, 300, 'after'), { onTurn })
    for (const one of readers) while (!one.isOver) await turn(one)
    const sizes = readers.map(({ keys }) => new Set(keys).size)
    expect(readers.map(({ keys }) => keys.length)).toEqual(sizes)
    expect(new Set(sizes)).toEqual(new Set([100, 400]))
  }, 60_000)
})
