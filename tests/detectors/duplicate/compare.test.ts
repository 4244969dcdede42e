import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { compareTexts, findNearPairs } from '../../../src/detectors/duplicate/compare.ts'
import { DuplicateConfig } from '../../../src/detectors/duplicate/config.ts'
import { isLong } from '../../support/long.ts'
import { createRandom, editWords, listAlikePairs, makeTexts, makeWords, runToEnd, toCorpus } from './texts.ts'

const config = DuplicateConfig.parse({})
const likenesses = (texts: readonly (readonly string[])[], more: object = {}) => {
  const { texts: compared, shinglesOf } = toCorpus(texts)
  const found = runToEnd(compareTexts(compared, shinglesOf, DuplicateConfig.parse({ ...config, ...more })))
  return found.sort((a, b) => a.id - b.id)
}
const nearPairs = (texts: readonly (readonly string[])[], similarity: number) => {
  const { texts: compared, shinglesOf } = toCorpus(texts)
  const pairs = runToEnd(findNearPairs(compared, shinglesOf, similarity))
  return new Map(pairs.map(({ older, newer, share }) => [`${older.id} ${newer.id}`, share]))
}
const words = (seed: number, length: number) => makeWords(createRandom(seed), length)
/** Replaces one word in every `every`. */
const thin = (text: readonly string[], every: number) => text.map((word, at) => (at % every === 0 ? `x${at}` : word))

test('of many generated texts, at least 99 % of the similar pairs are found, and nothing else', () => {
  const texts = makeTexts(isLong ? 2_500 : 900, 11)
  const truth = listAlikePairs(texts, 0.85)
  const found = nearPairs(texts, 0.85)
  expect(truth.size).toBeGreaterThan(isLong ? 500 : 180)
  expect([...found.keys()].filter((pair) => !truth.has(pair))).toEqual([])
  expect(found.size / truth.size).toBeGreaterThanOrEqual(0.99)
  for (const [pair, share] of found) expect(share).toBeCloseTo(truth.get(pair) ?? 0, 6)
})

test('for any texts, every reported pair is similar', () => {
  const property = fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 0, max: 40 }), (seed, edits) => {
    const original = words(seed, 120)
    const texts = [original, editWords(original, createRandom(seed + 1), edits), words(seed + 2, 120)]
    const truth = listAlikePairs(texts, 0.85)
    for (const pair of nearPairs(texts, 0.85).keys()) expect(truth.has(pair)).toBe(true)
  })
  fc.assert(property, { numRuns: 60 })
})

describe('the newer of two similar texts is reported with the older one', () => {
  const original = words(1, 200)

  test('when they are equal', () => {
    expect(likenesses([original, words(2, 200), original, original])).toEqual([
      { type: 'EXACT_DUPLICATE', id: 2, of: 0, share: 1 },
      { type: 'EXACT_DUPLICATE', id: 3, of: 0, share: 1 },
    ])
  })

  test('when they are nearly equal, with the most similar of several originals', () => {
    const near = thin(original, 100)
    const nearer = original.map((word, at) => (at === 50 ? 'other' : word))
    expect(likenesses([near, original, nearer])).toMatchObject([
      { type: 'NEAR_DUPLICATE', id: 1, of: 0 },
      { type: 'NEAR_DUPLICATE', id: 2, of: 1 },
    ])
  })

  test('only when they share at least the threshold', () => {
    const alike = thin(original, 100)
    const [found] = likenesses([original, alike])
    expect(found?.share).toBeGreaterThan(0.85)
    expect(found?.share).toBeLessThan(0.97)
    expect(likenesses([original, alike], { similarity: 0.97 })).toEqual([])
    expect(likenesses([original, thin(original, 20)])).toEqual([])
  })

  test('when one contains the other, whichever is older', () => {
    const large = [...words(3, 150), ...original, ...words(4, 150)]
    expect(likenesses([original, large])).toMatchObject([
      { type: 'CONTAINED_DUPLICATE', id: 1, of: 0, holds: true, share: 1 },
    ])
    expect(likenesses([large, original])).toMatchObject([
      { type: 'CONTAINED_DUPLICATE', id: 1, of: 0, holds: false, share: 1 },
    ])
  })

  test('when one contains the other with a few edits, but not when it contains only half', () => {
    const large = (part: readonly string[]) => [...words(3, 150), ...part, ...words(4, 150)]
    expect(likenesses([original, large(thin(original, 70))])).toMatchObject([{ type: 'CONTAINED_DUPLICATE' }])
    expect(likenesses([original, large(original.slice(0, 120))])).toEqual([])
  })
})

describe('texts that are not reported as duplicates', () => {
  test('short texts', () => {
    const short = words(1, 49)
    expect(likenesses([short, short])).toEqual([])
    expect(likenesses([short, short], { minimumWords: 49 })).toHaveLength(1)
  })

  test('a paragraph that many pages contain', () => {
    const boilerplate = words(1, 80)
    const pages = Array.from({ length: 30 }, (_, index) => [...boilerplate, ...words(index + 10, 200)])
    expect(likenesses([boilerplate, ...pages])).toEqual([])
  })

  test('pages from one template, unless they are exactly the same', () => {
    const template = words(1, 200)
    const filled = Array.from({ length: 60 }, (_, index) => [...template, `team${index}`])
    expect(likenesses([...filled, filled[0] ?? []])).toMatchObject([{ type: 'EXACT_DUPLICATE', id: 60, of: 0 }])
    expect(likenesses(filled.slice(0, 50))).toHaveLength(49)
  })

  test('texts of different groups', () => {
    const { texts, shinglesOf } = toCorpus([words(1, 200), words(1, 200)])
    const apart = texts.map((text) => ({ ...text, group: `workspace ${text.id}` }))
    expect(runToEnd(compareTexts(apart, shinglesOf, config))).toEqual([])
  })

  test('types that are turned off', () => {
    const original = words(1, 200)
    const large = [...original, ...words(2, 300)]
    const texts = [original, original, thin(original, 100), large]
    expect(likenesses(texts, { types: [] })).toEqual([])
    expect(likenesses(texts, { types: ['NEAR_DUPLICATE'] }).map(({ id }) => id)).toEqual([2])
    expect(likenesses(texts, { types: ['CONTAINED_DUPLICATE'] }).map(({ id }) => id)).toEqual([3])
  })
})
