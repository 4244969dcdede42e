import { expect, test } from 'vitest'
import { verifyEngine } from '../../src/query/engine/verify.ts'
import { makeEstate, NOW } from '../properties/query-data.ts'
import { type EstateSeed, openStore, plant } from './estate.ts'

test('the engine and SQL agree, and the engine answers nearly all queries', () => {
  const store = openStore(() => NOW)
  plant(store, makeEstate(9, 2500) as EstateSeed)
  const { differences, left, findings } = verifyEngine(store, { questions: 250, seed: 3, now: NOW })
  expect(differences).toEqual([])
  expect(findings).toBe(2500)
  expect(left).toBeLessThan(30)
}, 120_000)
