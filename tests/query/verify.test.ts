import { expect, test } from 'vitest'
import { verifyEngine } from '../../src/query/engine/verify.ts'
import { plantPolicies, plantTerm } from '../properties/plant-metrics.ts'
import { makeEstate, NOW, namedTerms } from '../properties/query-data.ts'
import { policiesOf } from '../properties/query-terms.ts'
import { type EstateSeed, openStore, plant } from './estate.ts'

test.each([false, true])(
  'the engine and SQL agree, and the engine answers most queries (policies: %s)',
  (hasPolicies) => {
    const store = openStore(() => NOW)
    plant(store, makeEstate(9, 1000) as EstateSeed)
    for (const [slug, mapping] of Object.entries(namedTerms)) plantTerm(store, slug, mapping)
    if (hasPolicies) plantPolicies(store, policiesOf(1))
    const { differences, left, findings } = verifyEngine(store, { questions: 80, seed: 3, now: NOW })
    expect(differences).toEqual([])
    expect(findings).toBe(1000)
    expect(left).toBeLessThan(32)
  },
  120_000,
)
