import type { Facets } from '../findings/facets.store.ts'
import type { FindingLedger, FindingRecord } from '../findings/ledger.store.ts'
import type { ImportRow } from './import-line.ts'

export interface RowPlace {
  row: ImportRow
  /** Those of the row, in the source of the import. */
  facets: Facets
  assetId: number
  /** The asset came with this import: most likely its findings did, too. */
  isNew: boolean
  scanId: number
  at: number
}

/** Adds the finding of a line, or brings it up to date. */
export function storeRow(ledger: FindingLedger, place: RowPlace): { known: boolean; resolved: boolean } {
  const { row, facets, assetId, isNew, scanId } = place
  if (!isNew) {
    const before = ledger.find(assetId, row.fp)
    if (before !== undefined) return { known: true, resolved: updateRow(ledger, before, place) }
  }
  const { fp, firstDetectedAt, confidence, resolvedAt, excerpt } = row
  const lastDetectedAt = row.lastDetectedAt ?? firstDetectedAt
  const told = { confidence, lastDetectedAt, resolvedAt, excerpt, location: null }
  const id = ledger.insertIfNew({ assetId, fp, facets, firstDetectedAt, ...told })
  if (id === undefined) {
    const before = ledger.find(assetId, fp)
    if (before === undefined) throw new RangeError('a finding is there and is not')
    return { known: true, resolved: updateRow(ledger, before, place) }
  }
  if (resolvedAt !== null) {
    ledger.appendFirst(id, { at: resolvedAt, to: 'RESOLVED', actor: 'import', scanId })
  }
  return { known: false, resolved: resolvedAt !== null }
}

/** Says whether the finding was resolved by it. */
function updateRow(ledger: FindingLedger, before: FindingRecord, { row, facets, scanId, at }: RowPlace): boolean {
  const { confidence, excerpt, resolvedAt, undated = false } = row
  const { status } = facets
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
  if (row.facets.status === 'RESOLVED') return (row.resolvedAt ?? 0) <= decision.at
  return row.facets.status !== 'OPEN' || (row.lastDetectedAt ?? 0) <= decision.at
}
