import type { FindingLedger, FindingRecord } from '../findings/ledger.store.ts'
import type { ImportRow } from './import-line.ts'

export interface RowPlace {
  row: ImportRow
  assetId: number
  /** The asset came with this import: most likely its findings did, too. */
  isNew: boolean
  sourceId: number
  scanId: number
  at: number
}

/** Adds the finding of a line, or brings it up to date. */
export function storeRow(ledger: FindingLedger, place: RowPlace): { known: boolean; resolved: boolean } {
  const { row, assetId, isNew, sourceId, scanId } = place
  const { detectorType, findingType, category, customDetectorKey, severity, status } = row
  const facets = { sourceId, detectorType, findingType, category, customDetectorKey, severity, status }
  if (!isNew) {
    const before = ledger.find(assetId, row.fp)
    if (before !== undefined) return { known: true, resolved: updateRow(ledger, before, facets, place) }
  }
  const { fp, firstDetectedAt, confidence, resolvedAt, excerpt } = row
  const lastDetectedAt = row.lastDetectedAt ?? firstDetectedAt
  const told = { confidence, lastDetectedAt, resolvedAt, excerpt, location: null }
  const id = ledger.insertIfNew({ assetId, fp, facets, firstDetectedAt, ...told })
  if (id === undefined) {
    const before = ledger.find(assetId, fp)
    if (before === undefined) throw new RangeError('a finding is there and is not')
    return { known: true, resolved: updateRow(ledger, before, facets, place) }
  }
  if (resolvedAt !== null) {
    ledger.appendFirst(id, { at: resolvedAt, to: 'RESOLVED', actor: 'import', scanId })
  }
  return { known: false, resolved: resolvedAt !== null }
}

/** Says whether the finding was resolved by it. */
function updateRow(
  ledger: FindingLedger,
  before: FindingRecord,
  facets: FindingRecord['facets'],
  { row, scanId, at }: RowPlace,
): boolean {
  const { confidence, excerpt, resolvedAt, status, undated = false } = row
  const lastDetectedAt = row.lastDetectedAt ?? before.lastDetectedAt
  const present = before.facets.status
  const patch = { confidence, lastDetectedAt, excerpt, facets: { ...facets, status: present } }
  if (status === present) {
    const corrected = status === 'RESOLVED' && !undated && ledger.lastDecision(before.id)?.by !== 'person'
    if (corrected && resolvedAt !== null && resolvedAt !== before.resolvedAt) {
      ledger.correctResolution(before.id, resolvedAt)
      ledger.update(before, { ...patch, resolvedAt })
    } else {
      ledger.update(before, patch)
    }
    return false
  }
  if (personDecides(ledger, before, row)) {
    ledger.update(before, patch)
    return false
  }
  const since = {
    RESOLVED: resolvedAt ?? at,
    OPEN: at,
    FALSE_POSITIVE: row.firstDetectedAt,
    IGNORED: row.firstDetectedAt,
  }
  ledger.changeStatus(before, { at: since[status], to: status, actor: 'import', scanId }, { ...patch, resolvedAt })
  return status === 'RESOLVED'
}

/** A person's word stands, unless the scanner saw the finding go or come back after it. */
function personDecides(ledger: FindingLedger, before: FindingRecord, row: ImportRow): boolean {
  const decision = ledger.lastDecision(before.id)
  if (decision?.by !== 'person') return false
  if (before.facets.status === 'FALSE_POSITIVE' || before.facets.status === 'IGNORED') return true
  if (row.status === 'RESOLVED') return (row.resolvedAt ?? 0) <= decision.at
  return row.status !== 'OPEN' || (row.lastDetectedAt ?? 0) <= decision.at
}
