import { describe, expect, it } from 'vitest'
import { ScanPace, toPauseLine, toStatusLine } from '../../src/cli/scan-pace.ts'
import type { Scan } from '../../src/scans/model.ts'

const scanOf = (scanned: number, discovered: number) =>
  ({
    source: { id: 's', name: 'Company wiki' },
    progress: { discovered, scanned, unchanged: 0 },
    scopes: [
      { name: 'Engineering', state: 'RUNNING', discovered },
      { name: 'People', state: 'RUNNING', discovered: 4 },
    ],
  }) as unknown as Scan

describe('the status line of a scan', () => {
  it('states the speed of the last ten seconds, and the time left once everything is listed', () => {
    const pace = new ScanPace()
    const at = (second: number, scanned: number, discovered: number) => {
      const scan = scanOf(scanned, discovered)
      pace.add(scan, second * 1_000)
      return toStatusLine(scan, pace, undefined, second * 1_000)
    }
    expect(at(0, 0, 50)).toBe('  reading Engineering and 1 more, 0 of 50')
    expect(at(2, 10, 120)).toBe('  reading Engineering and 1 more, 10 of 120, 5.0 items a second')
    expect(at(6, 40, 120)).toBe('  reading Engineering and 1 more, 40 of 120, 6.7 items a second, about 12 s left')
    expect(at(20, 40, 120)).toBe('  reading Engineering and 1 more, 40 of 120')
  })

  it('states neither a total nor the time left where pages are read as they are listed', () => {
    const pace = new ScanPace()
    const at = (second: number) => {
      pace.add(scanOf(40, 40), second * 1_000)
      return toStatusLine(scanOf(40, 40), pace, undefined, second * 1_000)
    }
    pace.add(scanOf(0, 0), 0)
    expect([2, 4, 6].map(at).at(-1)).toBe('  reading Engineering and 1 more, 40 so far, 6.7 items a second')
  })

  it('states what is being listed', () => {
    const scan = { ...scanOf(0, 0), scopes: [] }
    expect(toStatusLine(scan, new ScanPace(), undefined, 0)).toBe('  listing')
    expect(toStatusLine(scanOf(0, 0), new ScanPace(), undefined, 0)).toBe('  listing Engineering and 1 more')
  })

  it('states a wait that the platform requested, while it lasts', () => {
    const pause = { until: 12_000, status: 429 }
    expect(toStatusLine(scanOf(1, 2), new ScanPace(), pause, 0)).toBe('  waiting 12 s, asked by Company wiki (429)')
    expect(toStatusLine(scanOf(1, 2), new ScanPace(), pause, 12_000)).toContain('reading')
    expect(toPauseLine({ ...scanOf(1, 2), source: { id: 's', name: 'a\nb' } }, { until: 150_000 }, 0)).toBe(
      "waiting 3 min, asked by 'a\\nb'",
    )
  })
})
