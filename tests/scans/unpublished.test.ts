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
})
