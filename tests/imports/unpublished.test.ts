import { afterEach, describe, expect, it } from 'vitest'
import { Dice } from '../properties/query-data.ts'
import { copyHome, drawLine, importInterrupted, type Line, newHome, Process, removeHome } from './unpublished.ts'

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

const drawLines = (dice: Dice, count: number, findings: number): Line[] =>
  Array.from({ length: count }, () => drawLine(dice, dice.below(findings)))

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
  it('is seen whole or not at all by SQL and an engine, wherever its process dies', async () => {
    const dice = new Dice(seed)
    const home = keepHome(newHome())
    const most = 60 + dice.below(250)
    await importInterrupted(home, drawLines(dice, 90, 60), { source: 'another' })
    // The source may be empty.
    await importInterrupted(home, drawLines(dice, dice.chance(0.8) ? 300 : 0, most))
    const lines = drawLines(dice, 350, dice.pick([most, 2 * most]))
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
    await importInterrupted(home, lines, { onTurn, dies: () => dice.chance(0.15) })
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
    'meets what people do meanwhile as if they had done it before: $name',
    async ({ act }) => {
      const dice = new Dice(seed)
      const home = keepHome(newHome())
      await importInterrupted(home, drawLines(dice, 250, 150))
      const person = open(home)
      await person.run('create_suppression', { filters: { severities: ['LOW'] }, reason: 'not ours' })
      await importInterrupted(home, drawLines(dice, 50, 150))
      const lines = drawLines(dice, 350, 300)
      person.settle()
      const oracle = open(keepHome(copyHome(home)), { engine: true })
      await act(oracle)
      const engine = open(home, { engine: true })
      await engine.look()
      const actsAt = dice.below(4)
      let turns = 0
      const onTurn = async () => {
        if (!person.isImporting()) return
        if (turns++ === actsAt) await act(person)
        if (turns > actsAt) for (const reader of [person, engine]) expect(reader.facts()).toEqual(oracle.facts())
        expect(await engine.look()).toBe(await person.look())
      }
      await importInterrupted(home, lines, { onTurn, dies: () => dice.chance(0.1) })
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

it('a list that goes on after an import shows nothing of it, wherever it began', async () => {
  const dice = new Dice(SEED)
  const home = keepHome(newHome())
  await importInterrupted(home, drawLines(dice, 60, 40), { source: 'another' })
  await importInterrupted(home, drawLines(dice, 200, 100))
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
  await importInterrupted(home, drawLines(dice, 250, 300), { onTurn })
  expect(begun.length).toBeGreaterThan(2)
  for (const first of begun) expect(await walk(first)).toEqual(before)
  expect((await walk(await begin())).length).toBeGreaterThan(before.length)
})

interface Page {
  items: { id: string }[]
  nextCursor?: string
}
