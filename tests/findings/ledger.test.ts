import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RedactedFinding } from '../../src/detectors/detector.ts'
import { saveAsset } from '../../src/findings/assets.store.ts'
import { applyDetection } from '../../src/findings/detected.ts'
import { ChangeEncoder, decodeChanges, type FacetChange } from '../../src/findings/facet-log.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { findingStatuses } from '../../src/findings/model.ts'
import { insertSource } from '../../src/sources/sources.store.ts'
import { openContext, type TestContext } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'

const SIX_BYTES = 2 ** 48 - 1
const change: fc.Arbitrary<FacetChange> = fc.record({
  findingId: fc.integer({ min: 0, max: SIX_BYTES }),
  assetId: fc.integer({ min: 0, max: SIX_BYTES }),
  firstDetectedAt: fc.integer({ min: -(2 ** 47), max: 2 ** 47 - 1 }),
  fromCombo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  toCombo: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
  fromConfidence: fc.integer({ min: 0, max: 10_000 }),
  toConfidence: fc.integer({ min: 0, max: 10_000 }),
  isRewritten: fc.boolean(),
})

describe('the change log', () => {
  it('returns the rows that were written', () => {
    const encoder = new ChangeEncoder()
    fc.assert(
      fc.property(fc.array(change, { maxLength: 50 }), (changes) => {
        for (const one of changes) encoder.add(one)
        expect(decodeChanges(encoder.take())).toEqual(changes)
      }),
    )
  })

  it('refuses a truncated row', () => {
    expect(() => decodeChanges(new Uint8Array(33))).toThrow(RangeError)
  })
})

const types = ['SECRETS', 'PII']
const found = fc.record({
  fingerprint: fc.integer({ min: 1, max: 6 }).map((value) => value.toString(16).padStart(12, '0')),
  severity: fc.constantFrom('LOW' as const, 'HIGH' as const),
  confidence: fc.constantFrom(0.5, 0.9),
})
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      scan: fc.uniqueArray(found, { selector: ({ fingerprint }) => fingerprint }),
      whole: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ decide: fc.constantFrom(...findingStatuses), mark: fc.integer({ min: 1, max: 6 }) }),
  },
)
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

const toFound = (value: { fingerprint: string; severity: 'LOW' | 'HIGH'; confidence: number }): RedactedFinding => ({
  detectorType: 'SECRETS',
  findingType: 'KEY',
  category: 'SECURITY',
  location: { path: 'body' },
  excerpt: '****',
  ...value,
})

function openAsset(context: TestContext): { sourceId: number; assetId: number } {
  return context.store.write((writer) => {
    const draft = {
      uid: crypto.randomUUID(),
      name: crypto.randomUUID(),
      type: 'WIKI',
      config: {},
      secrets: {},
      nextRunAt: null,
    }
    const sourceId = insertSource(writer, draft, 0)
    const assetId = FindingLedger.keep(writer, 0, (ledger) =>
      saveAsset(writer, ledger.facets, {
        sourceId,
        scopeKey: safe(''),
        scanId: 1,
        at: 0,
        detectorsHash: null,
        scanned: true,
        draft: { key: safe('k'), kind: 'wiki.page', name: safe('n'), url: safe(''), checksum: safe(''), links: [] },
      }),
    )
    return { sourceId, assetId }
  })
}

function take(context: TestContext, place: { sourceId: number; assetId: number }, at: number, taken: Step): void {
  context.store.write((writer) =>
    FindingLedger.keep(writer, at, (ledger) => {
      if ('scan' in taken) {
        applyDetection(ledger, {
          asset: { id: place.assetId, sourceId: place.sourceId, lastScannedAt: at - 1 },
          found: taken.scan.map(toFound),
          examinedTypes: new Set(types),
          complete: new Set(taken.whole ? types : []),
          scanId: 1,
          at,
        })
        return
      }
      const finding = ledger.find(place.assetId, taken.mark)
      if (finding !== undefined && finding.facets.status !== taken.decide) {
        ledger.changeStatus(finding, { at, to: taken.decide, actor: safe('ada') })
      }
    }),
  )
}

interface Row {
  id: number
  fp: number
  combo_id: number
  status: number
  conf_q: number
  severity: number
}
const rowsOf = (context: TestContext, assetId: number) =>
  context.read(
    (reader) =>
      reader
        .prepare(
          `SELECT f.id, f.fp, f.combo_id, c.status, f.conf_q, c.severity FROM finding f JOIN combo c ON c.id = f.combo_id
           WHERE f.asset_id = ? ORDER BY f.id`,
        )
        .all(assetId) as Row[],
  )

describe('any sequence of scans and decisions', () => {
  const OPEN = 0
  const RESOLVED = 1

  it('ends with the findings of the last scan, with decisions and ids kept and nothing lost', () => {
    const context = openContext()
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const place = openAsset(context)
        const ids = new Map<number, number>()
        const expected = new Map<number, number>()
        steps.forEach((taken, index) => {
          take(context, place, 1000 + index, taken)
          if ('scan' in taken) {
            const marks = new Set(taken.scan.map(({ fingerprint }) => Number.parseInt(fingerprint, 16)))
            for (const mark of marks) {
              const before = expected.get(mark)
              expected.set(mark, before === undefined || before === RESOLVED ? OPEN : before)
            }
            for (const [mark, status] of expected) {
              if (taken.whole && !marks.has(mark) && status === OPEN) expected.set(mark, RESOLVED)
            }
          } else if (expected.has(taken.mark)) {
            expected.set(taken.mark, findingStatuses.indexOf(taken.decide))
          }
          for (const row of rowsOf(context, place.assetId)) {
            expect(ids.get(row.fp) ?? row.id).toBe(row.id)
            ids.set(row.fp, row.id)
          }
        })
        const rows = rowsOf(context, place.assetId)
        expect(new Map(rows.map(({ fp, status }) => [fp, status]))).toEqual(expected)
        for (const { id, status } of rows) expect(replayHistory(context, id)).toBe(status)
      }),
      { numRuns: 60 },
    )
    expect(replayLog(context)).toEqual(presentFacets(context))
    expect(comboCounts(context, 'counted')).toEqual(comboCounts(context, 'stored'))
  })

  it('writes nothing when a scan finds the same again', () => {
    const context = openContext()
    const place = openAsset(context)
    const scan: Step = { scan: [{ fingerprint: '00000000000a', severity: 'LOW', confidence: 0.5 }], whole: true }
    take(context, place, 1000, scan)
    const changes = () => context.read((reader) => reader.prepare('SELECT max(seq) AS n FROM facet_log').get())
    const before = changes()
    take(context, place, 2000, scan)
    expect(changes()).toEqual(before)
  })
})

/** The status that the history ends in; OPEN without one. Each change begins where the one before ended. */
function replayHistory(context: TestContext, findingId: number): number {
  const changes = context.read(
    (reader) =>
      reader
        .prepare('SELECT at, from_status, to_status FROM status_change WHERE finding_id = ? ORDER BY seq')
        .all(findingId) as { at: number; from_status: number; to_status: number }[],
  )
  let status = 0
  let at = 0
  for (const change of changes) {
    expect(change.from_status).toBe(status)
    expect(change.at).toBeGreaterThanOrEqual(at)
    status = change.to_status
    at = change.at
  }
  return status
}

/** What a follower of the log holds after reading all of it. */
function replayLog(context: TestContext): Map<number, { combo: number; confidence: number }> {
  const rows = context.read(
    (reader) =>
      reader.prepare('SELECT n, delta FROM facet_log ORDER BY seq').all() as { n: number; delta: Uint8Array }[],
  )
  const held = new Map<number, { combo: number; confidence: number }>()
  for (const { n, delta } of rows) {
    const changes = decodeChanges(delta)
    expect(changes).toHaveLength(n)
    for (const { findingId, fromCombo, fromConfidence, toCombo, toConfidence } of changes) {
      const before = held.get(findingId) ?? { combo: 0, confidence: 0 }
      expect(before).toEqual({ combo: fromCombo, confidence: fromConfidence })
      held.set(findingId, { combo: toCombo, confidence: toConfidence })
    }
  }
  return held
}

function presentFacets(context: TestContext): Map<number, { combo: number; confidence: number }> {
  const rows = context.read(
    (reader) =>
      reader.prepare('SELECT id, combo_id, conf_q FROM finding').all() as {
        id: number
        combo_id: number
        conf_q: number
      }[],
  )
  return new Map(rows.map(({ id, combo_id, conf_q }) => [id, { combo: combo_id, confidence: conf_q }]))
}

function comboCounts(context: TestContext, how: 'counted' | 'stored'): unknown[] {
  return context.read((reader) =>
    reader
      .prepare(
        how === 'stored'
          ? 'SELECT id, n FROM combo WHERE n <> 0 ORDER BY id'
          : 'SELECT combo_id AS id, count(*) AS n FROM finding GROUP BY combo_id ORDER BY combo_id',
      )
      .all(),
  )
}
