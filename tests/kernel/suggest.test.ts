import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { closest, editDistance, likeness } from '../../src/kernel/suggest.ts'

const names = [
  'severity',
  'detectorType',
  'open-findings',
  'false-positive-rate',
  'mean-time-to-resolve',
  'scan-coverage',
]
const closestNames = (wanted: string) => closest(wanted, names, (name) => name)

describe('closest', () => {
  it.each([
    ['severty', 'severity'],
    ['detector_type', 'detectorType'],
    ['Detector Type', 'detectorType'],
    ['open findings', 'open-findings'],
    ['openFindings', 'open-findings'],
    ['fals positive rate', 'false-positive-rate'],
    ['coverage', 'scan-coverage'],
  ])('%s is closest to %s', (wanted, name) => {
    expect(closestNames(wanted)[0]).toBe(name)
  })

  it('suggests nothing for a name without similar ones', () => {
    expect(closestNames('zzzzqqqq')).toEqual([])
  })
})

describe('editDistance', () => {
  it('is zero for equal names only, symmetric, and at most the longer length', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 12 }), fc.string({ maxLength: 12 }), (a, b) => {
        const distance = editDistance(a, b)
        expect(distance === 0).toBe(a === b)
        expect(distance).toBe(editDistance(b, a))
        expect(distance).toBeLessThanOrEqual(Math.max(a.length, b.length))
      }),
    )
  })

  it('counts a swap of adjacent characters once', () => {
    expect(editDistance('metric', 'mertic')).toBe(1)
  })
})

describe('likeness', () => {
  it('is between 0 and 1', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(likeness(a, b)).toBeGreaterThanOrEqual(0)
        expect(likeness(a, b)).toBeLessThanOrEqual(1)
      }),
    )
  })
})
