import type { Facets } from '../../../src/findings/facets.store.ts'
import type { FindingStatus } from '../../../src/findings/model.ts'
import type { Writer } from '../../../src/store/store.ts'
import { Dice } from '../../properties/query-data.ts'

export const START = Date.UTC(2025, 0, 1)
const BATCH = 500
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
  detectorType: `DETECTOR_${number % 5}`,
  findingType: `TYPE_${number % 30}`,
  category: 'SECURITY',
  customDetectorKey: '',
  severity: severities[number % severities.length] ?? 'INFO',
  status,
})

/** Batches of 500, asset after asset: 60 % seen before and as it was, 30 % new, 10 % of another status. */
export function planBatches(rows: number, perAsset: number, count: number): Batch[] {
  const dice = new Dice(7)
  const assets = Math.floor(rows / perAsset)
  const statuses = new Map<number, FindingStatus>()
  let next = rows
  return Array.from({ length: count }, (_, round) => {
    const byAsset = new Map<number, Seen[]>()
    let left = BATCH
    for (let asset = dice.below(assets); left > 0; asset = (asset + 1) % assets) {
      const seen: Seen[] = []
      for (let number = 0; number < perAsset && left > 0; number++, left--) {
        const [draw, assetId, confidence] = [dice.next(), asset + 1, 5_000 + dice.below(5_000)]
        const fp = asset * perAsset + number
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
    return { at: START + (800 + round) * 86_400_000, byAsset }
  })
}

/** The same writer, but what goes to the change log goes nowhere. */
export function withoutLog(writer: Writer): Writer {
  return new Proxy(writer, {
    get: (target, name) => {
      if (name === 'prepare') {
        return (sql: string) =>
          sql.startsWith('INSERT INTO facet_log') ? { run: () => ({ lastInsertRowid: 1 }) } : target.prepare(sql)
      }
      const member: unknown = Reflect.get(target, name)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
}
