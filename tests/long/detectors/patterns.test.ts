import { expect, it } from 'vitest'
import { repeat } from '../../detectors/hostile.ts'
import { attackPieces, findFaults, listPatterns, toLinearList } from '../../detectors/patterns.ts'

/** Long enough for the automaton to read most of the patterns that are long lists of words. */
const AUTOMATON_MS = 60_000
const WINDOW = 64 * 1024
const WINDOWS = 16
const MAX_MS = 50

it('every built-in pattern is linear when the analysis has no time limit', async () => {
  const patterns = listPatterns()
  expect(await findFaults(patterns, AUTOMATON_MS)).toEqual([])
  // The list spares the short form their check; `-u` writes it.
  await expect(toLinearList(patterns)).toMatchFileSnapshot('../../detectors/linear-patterns.txt')
}, 3_600_000)

it('no built-in pattern takes more than 50 ms of CPU time for 64 KB of an attack string of 1 MB', () => {
  const costs = listPatterns().flatMap(({ source, flags }) =>
    attackPieces.map((piece) => {
      const pattern = new RegExp(source, `${flags.replace(/[gy]/g, '')}g`)
      const text = repeat(piece, WINDOW)
      const before = process.cpuUsage()
      for (let window = 0; window < WINDOWS; window++) text.match(pattern)
      const { user, system } = process.cpuUsage(before)
      return { source, piece, ms: (user + system) / 1_000 / WINDOWS }
    }),
  )
  const worst = costs.reduce((most, cost) => (cost.ms > most.ms ? cost : most))
  process.stdout.write(
    `${costs.length} pairs of a pattern and an attack: at most ${worst.ms.toFixed(2)} ms for 64 KB, ` +
      `${worst.source.slice(0, 60)} with ${JSON.stringify(worst.piece)}\n`,
  )
  expect(costs.filter(({ ms }) => ms > MAX_MS)).toEqual([])
}, 3_600_000)
