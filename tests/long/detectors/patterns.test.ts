import { expect, it } from 'vitest'
import { findFaults, listPatterns } from '../../detectors/patterns.ts'

/** Long enough for the automaton to read most of the patterns that are long lists of words. */
const AUTOMATON_MS = 60_000

it('finds every built-in pattern linear with all the time that the automaton wants', async () => {
  expect(await findFaults(listPatterns(), AUTOMATON_MS)).toEqual([])
}, 3_600_000)
