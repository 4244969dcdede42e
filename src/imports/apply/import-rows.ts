import type { FindingRecord } from '../../findings/finding-record.ts'
import type { FindingLedger } from '../../findings/ledger.store.ts'
import { ownText } from '../../kernel/safe-text.ts'
import type { FindingLine } from '../read/import-row.ts'

/** The stored asset of a line. */
export interface SavedAsset {
  assetId: number
  /** The asset was inserted by this import, so most likely its findings are new, too. */
  isNew: boolean
}

const asNew = { known: false, resolved: false }
const asResolved = { known: false, resolved: true }

/** Inserts the finding of a line, or updates it. */
export function storeRow(
  ledger: FindingLedger,
  { assetId, isNew }: SavedAsset,
  line: FindingLine,
): { known: boolean; resolved: boolean } {
  const { fp, facets, firstDetectedAt, confidence, resolvedAt, excerpt } = line
  if (!isNew) {
    const before = ledger.find(assetId, fp)
    if (before !== undefined) return { known: true, resolved: applyLine(ledger, before, line) }
  }
  const lastDetectedAt = line.lastDetectedAt ?? firstDetectedAt
  const id = ledger.insertIfNew({
    assetId,
    fp,
    facets,
    firstDetectedAt,
    confidence,
    lastDetectedAt,
    resolvedAt,
    excerpt,
    location: null,
  })
  if (id === undefined) {
    const before = ledger.find(assetId, fp)
    if (before === undefined) throw new RangeError('a finding exists but was not found')
    return { known: true, resolved: applyLine(ledger, before, line) }
  }
  if (resolvedAt === null) return asNew
  ledger.appendFirst(id, { at: resolvedAt, to: 'RESOLVED', actor: ownText('import'), scanId: line.scanId })
  return asResolved
}

/** Updates a finding from a line; returns whether the line resolved it. */
export function applyLine(ledger: FindingLedger, before: FindingRecord, line: FindingLine): boolean {
  if (ledger.deferLine(before, line)) return false
  const isResolved = updateRow(ledger, before, line)
  ledger.keepLine(before, line)
  return isResolved
}

function updateRow(ledger: FindingLedger, before: FindingRecord, row: FindingLine): boolean {
  const { facets, scanId, at, confidence, excerpt, resolvedAt, undated } = row
  const { status } = facets
  const lastDetectedAt = row.lastDetectedAt ?? before.lastDetectedAt
  const present = before.facets.status
  const patch = { confidence, lastDetectedAt, excerpt, facets: { ...facets, status: present } }
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
