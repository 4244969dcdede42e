import type { Facets } from '../../findings/facets.store.ts'
import type { FindingRecord } from '../../findings/finding-record.ts'
import type { FindingLedger } from '../../findings/ledger.store.ts'
import { isDecided } from '../../findings/model.ts'
import { ownText } from '../../kernel/safe-text.ts'
import type { ImportRow } from '../read/import-row.ts'
import { NOT_IN_IMPORT } from './resolve-absent.ts'

/** What a line states about a stored finding. */
export interface FindingLine extends ImportRow {
  /** Those of the line with the source of the import. */
  facets: Facets
  scanId: number
  at: number
}

/**
 * Updates a finding from a line; returns whether the line resolved it. One that a complete file did not contain is
 * opened again since it was detected, and not by an older file.
 */
export function applyLine(ledger: FindingLedger, before: FindingRecord, row: FindingLine): boolean {
  const { facets, scanId, at, confidence, excerpt, resolvedAt, undated } = row
  const { status } = facets
  const lastDetectedAt = row.lastDetectedAt ?? before.lastDetectedAt
  const present = before.facets.status
  const location = row.location ?? before.location
  const valueId = row.valueId ?? before.valueId
  const patch = { confidence, lastDetectedAt, excerpt, location, valueId, facets: { ...facets, status: present } }
  if (status === present) {
    const corrected = status === 'RESOLVED' && !undated && ledger.lastDecision(before.id)?.by !== 'person'
    if (corrected && resolvedAt !== null && resolvedAt !== before.resolvedAt) {
      ledger.correctResolution(before, resolvedAt)
      ledger.update(before, { ...patch, resolvedAt })
    } else {
      ledger.update(before, patch)
    }
    return false
  }
  const leftAt = ledger.lastChange(before.id)?.reason === NOT_IN_IMPORT ? before.resolvedAt : null
  const isOlder = leftAt !== null && row.lastDetectedAt !== null && row.lastDetectedAt < leftAt
  if (isOlder || personDecides(ledger, before, row)) {
    ledger.update(before, patch)
    if (isDecided(present) && status === 'OPEN') ledger.noteEvidence(before.id, false)
    return false
  }
  const since = {
    RESOLVED: resolvedAt ?? at,
    OPEN: leftAt === null ? at : Math.min(row.lastDetectedAt ?? at, at),
    FALSE_POSITIVE: row.firstDetectedAt,
    IGNORED: row.firstDetectedAt,
  }
  ledger.changeStatus(
    before,
    { at: since[status], to: status, actor: ownText('import'), scanId },
    { ...patch, resolvedAt },
  )
  return status === 'RESOLVED'
}

/** A person's decision is kept, unless the scanner reports that the finding was resolved or detected again after it. */
function personDecides(ledger: FindingLedger, before: FindingRecord, row: FindingLine): boolean {
  const decision = ledger.lastDecision(before.id)
  if (decision?.by !== 'person') return false
  if (before.facets.status === 'FALSE_POSITIVE' || before.facets.status === 'IGNORED') return true
  if (row.facets.status === 'RESOLVED') return (row.resolvedAt ?? 0) <= decision.at
  return row.facets.status !== 'OPEN' || (row.lastDetectedAt ?? 0) <= decision.at
}
