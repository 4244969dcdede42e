import type { FindingRecord, NewFinding, NewFindings } from '../../findings/finding-record.ts'
import type { FindingLedger } from '../../findings/ledger.store.ts'
import { ownText } from '../../kernel/safe-text.ts'
import type { FindingLine } from '../read/import-row.ts'

/** The stored asset of a line. */
export interface SavedAsset {
  assetId: number
  /** The asset was inserted by this import, so most likely its findings are new, too. */
  isNew: boolean
  /** It was inserted just now, so it has no findings yet. */
  isInserted: boolean
}

const asNew = { known: false, resolved: false }
const asResolved = { known: false, resolved: true }

/** Inserts the finding of a line, or updates it. */
export function storeRow(
  ledger: FindingLedger,
  { assetId, isNew }: Omit<SavedAsset, 'isInserted'>,
  line: FindingLine,
): { known: boolean; resolved: boolean } {
  const { fp, resolvedAt } = line
  if (!isNew) {
    const before = ledger.find(assetId, fp)
    if (before !== undefined) return { known: true, resolved: applyLine(ledger, before, line) }
  }
  const id = ledger.insertIfNew(toFinding(assetId, line))
  if (id === undefined) {
    const before = ledger.find(assetId, fp)
    if (before === undefined) throw new RangeError('a finding exists but was not found')
    return { known: true, resolved: applyLine(ledger, before, line) }
  }
  if (resolvedAt === null) return asNew
  ledger.appendFirst(id, { at: resolvedAt, to: 'RESOLVED', actor: importer, scanId: line.scanId })
  return asResolved
}

const importer = ownText('import')

const toFinding = (assetId: number, line: FindingLine): NewFinding => ({
  assetId,
  fp: line.fp,
  facets: line.facets,
  firstDetectedAt: line.firstDetectedAt,
  confidence: line.confidence,
  lastDetectedAt: line.lastDetectedAt ?? line.firstDetectedAt,
  resolvedAt: line.resolvedAt,
  excerpt: line.excerpt,
  location: null,
})

/**
 * Inserts the findings of assets that were just inserted, many at a time. Lines of one asset follow each other; one
 * that repeats a finding is left to `storeRow`.
 */
export class FreshFindings {
  readonly #ledger: FindingLedger
  readonly #rows: Omit<NewFindings, 'places' | 'assetIds'>
  readonly #scanId: number
  #places: number[] = []
  #assetIds: number[] = []
  #assetId = 0
  /** The findings of this asset so far. */
  readonly #fps = new Set<number>()

  constructor(ledger: FindingLedger, rows: Omit<NewFindings, 'places' | 'assetIds'>, scanId: number) {
    this.#ledger = ledger
    this.#rows = rows
    this.#scanId = scanId
  }

  /** False if the line at a place of the columns is not about a finding that is certainly new. */
  add({ assetId, isInserted }: SavedAsset, place: number): boolean {
    if (!isInserted) return false
    if (assetId !== this.#assetId) this.#fps.clear()
    this.#assetId = assetId
    const fp = this.#rows.columns.fp[place] ?? 0
    if (this.#fps.has(fp)) return false
    this.#fps.add(fp)
    this.#places.push(place)
    this.#assetIds.push(assetId)
    return true
  }

  /** To be called before another finding is stored, and at the end. */
  store(): void {
    if (this.#places.length === 0) return
    const findings = { ...this.#rows, places: this.#places, assetIds: this.#assetIds }
    this.#ledger.insertAll(findings, { actor: importer, scanId: this.#scanId })
    this.#places = []
    this.#assetIds = []
  }
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
  ledger.changeStatus(before, { at: since[status], to: status, actor: importer, scanId }, { ...patch, resolvedAt })
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
