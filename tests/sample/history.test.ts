import { describe, expect, it } from 'vitest'
import { findImportLine } from '../../src/imports/read/import-line.ts'
import { inventHistory } from '../../src/sample/history.ts'

const DAY = 86_400_000
const noon = Date.UTC(2026, 10, 1, 12)
const findings = [...inventHistory(noon)]
const firsts = findings.map(({ firstDetectedAt }) => Date.parse(firstDetectedAt))

describe('the invented history of the demo', () => {
  it('covers the year before today, in order, with at least one finding in each week', () => {
    const today = Date.UTC(2026, 10, 1)
    expect(firsts).toEqual(firsts.toSorted((a, b) => a - b))
    expect(
      Math.max(...findings.flatMap(({ resolvedAt }) => Date.parse(resolvedAt ?? '')).filter(Number.isFinite)),
    ).toBeLessThan(today)
    expect(firsts.at(-1)).toBeLessThan(today)
    const weeks = new Set(firsts.map((time) => Math.floor((today - time) / (7 * DAY))))
    expect([...weeks].toSorted((a, b) => a - b)).toEqual(Array.from({ length: 53 }, (_, week) => week))
  })

  it('is a file that can be imported, with a fingerprint for each finding', () => {
    expect(findings.filter((finding) => findImportLine(finding, noon) === undefined)).toEqual([])
    expect(new Set(findings.map(({ fingerprint }) => fingerprint)).size).toBe(findings.length)
    expect(new Set(findings.map(({ status }) => status))).toEqual(
      new Set(['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED']),
    )
  })

  it('is the same on the whole day, and as large on any other', () => {
    expect([...inventHistory(noon + 11 * 3_600_000)]).toEqual(findings)
    const later = [...inventHistory(noon + 3 * DAY)]
    expect(later.map(({ asset, findingType }) => [asset.key, findingType])).toEqual(
      findings.map(({ asset, findingType }) => [asset.key, findingType]),
    )
  })
})
