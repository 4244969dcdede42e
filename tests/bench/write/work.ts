import type { Facets } from '../../../src/findings/facets.store.ts'
import type { FindingStatus } from '../../../src/findings/model.ts'
import type { Writer } from '../../../src/store/store.ts'
import { SeededRandom } from '../../properties/query-data.ts'
import { safe } from '../../support/safe-text.ts'

export const START = Date.UTC(2025, 0, 1)
export const BATCH = 500
export const PER_ASSET = 5
const DAY = 86_400_000
const DAYS = 730
/** Any prime that does not divide the number of findings spreads those of an asset over all the time. */
const STRIDE = 7_368_787
const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const

export interface Seen {
  assetId: number
  fp: number
  status: FindingStatus
  confidence: number
}
export interface Batch {
  at: number
  byAsset: Map<number, Seen[]>
}

export const toFacets = (sourceId: number, number: number, status: FindingStatus): Facets => ({
  sourceId,
  detectorType: safe(`DETECTOR_${number % 5}`),
  findingType: safe(`TYPE_${number % 30}`),
  category: safe('SECURITY'),
  customDetectorKey: safe(''),
  severity: severities[number % severities.length] ?? 'INFO',
  status,
})

/** The findings that all begin with, over two years; the findings of an asset come at all times. */
export class Estate {
  readonly rows: number
  readonly #back: number

  constructor(rows: number) {
    this.rows = rows
    this.#back = invert(STRIDE % rows, rows)
  }

  /** The finding that came as the `order`th. */
  arrived(order: number): Seen {
    return this.ofFingerprint((order * (STRIDE % this.rows)) % this.rows)
  }

  ofFingerprint(fp: number): Seen {
    return { assetId: 1 + Math.floor(fp / PER_ASSET), fp, status: 'OPEN', confidence: 5_000 + ((fp * 31) % 5_000) }
  }

  detectedAt(fp: number): number {
    return START + Math.floor((((fp * this.#back) % this.rows) / this.rows) * DAYS * DAY)
  }
}

/** The number that brings a product with `value` back to 1. */
function invert(value: number, modulus: number): number {
  let [low, high, next, inverse] = [value, modulus, 1, 0]
  while (low > 0) {
    const times = Math.floor(high / low)
    ;[low, high, next, inverse] = [high - times * low, low, inverse - times * next, next]
  }
  return ((inverse % modulus) + modulus) % modulus
}

/** Batches of 500, asset after asset: 60 % seen before and as it was, 30 % new, 10 % of another status. */
export function planBatches(rows: number, count: number): Batch[] {
  const random = new SeededRandom(7)
  const assets = Math.floor(rows / PER_ASSET)
  const statuses = new Map<number, FindingStatus>()
  let next = rows
  return Array.from({ length: count }, (_, round) => {
    const byAsset = new Map<number, Seen[]>()
    let left = BATCH
    for (let asset = random.below(assets); left > 0; asset = (asset + 1) % assets) {
      const seen: Seen[] = []
      for (let number = 0; number < PER_ASSET && left > 0; number++, left--) {
        const [draw, assetId, confidence] = [random.next(), asset + 1, 5_000 + random.below(5_000)]
        const fp = asset * PER_ASSET + number
        if (draw < 0.3) seen.push({ assetId, fp: next++, status: 'OPEN', confidence })
        else {
          const before = statuses.get(fp) ?? 'OPEN'
          const status = draw < 0.4 ? (before === 'OPEN' ? 'RESOLVED' : 'OPEN') : before
          statuses.set(fp, status)
          seen.push({ assetId, fp, status, confidence })
        }
      }
      byAsset.set(asset + 1, seen)
    }
    return { at: START + (DAYS + 70 + round) * DAY, byAsset }
  })
}

/** The same writer, but what goes to the change log goes nowhere. */
export function withoutLog(writer: Writer): Writer {
  const nowhere = { run: () => ({ changes: 1 }) } as unknown as ReturnType<Writer['prepare']>
  return {
    dataVersion: writer.dataVersion,
    seesEnds: writer.seesEnds,
    hasEndBefore: (moment) => writer.hasEndBefore(moment),
    seeAsOf: (moment, work) => writer.seeAsOf(moment, work),
    all: (query) => writer.all(query),
    first: (query) => writer.first(query),
    run: (query) => writer.run(query),
    insert: (query) => writer.insert(query),
    firstOfEach: (query, rows) => writer.firstOfEach(query, rows),
    runRow: (statement, values) => writer.runRow(statement, values),
    insertRows: (statement, rows) => writer.insertRows(statement, rows),
    prepare: (sql) => (sql.startsWith('INSERT INTO facet_log') ? nowhere : writer.prepare(sql)),
  }
}
