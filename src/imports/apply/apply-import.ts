import { addToScopes } from '../../findings/import-scopes.store.ts'
import { saveImportedAssets } from '../../findings/imported-assets.store.ts'
import { FindingLedger } from '../../findings/ledger.store.ts'
import { suppressOpened } from '../../findings/suppressions/suppressions.ts'
import { AppError } from '../../kernel/errors.ts'
import { LeaseStopped, type ScanLease } from '../../scans/lease.ts'
import type { ScanRecord } from '../../scans/model.ts'
import { addProgress, finishScan, isOpenScan } from '../../scans/scans.store.ts'
import { extendObservation, setLastCompletedScan } from '../../sources/sources.store.ts'
import type { Store, Writer } from '../../store/store.ts'
import type { ImportFacets } from '../read/import-row.ts'
import {
  countAssets,
  countStaged,
  dropImportFile,
  findCompleteFile,
  listAssets,
  listFacets,
  listStagedFindings,
  listStaleImports,
  saveAssetId,
  saveComboId,
} from '../stage/imports.store.ts'
import { applyLine } from './apply-line.ts'
import { countScopes, resolveAbsent } from './resolve-absent.ts'

/** Assets, or findings, that are in memory at the same time. */
const ROWS_AT_ONCE = 1_000
/** With more findings, the change log gets no entry for each of them, and its followers start again. */
const MAX_LOGGED_ROWS = 200_000
/** A file that was not completely read for this long is abandoned. */
const STALE_MS = 86_400_000

interface ApplyContext {
  store: Store
  now: () => number
  signal: AbortSignal
}

/**
 * Applies an accepted file in one transaction, and ends its scan as completed or cancelled.
 * @throws AppError `unavailable` if it was interrupted; it is applied when assay runs again. `conflict`, reason
 *   `mass_vanishing`, if too many findings are not in a complete file: nothing was applied, and its scan has failed.
 */
export async function applyStagedImport(lease: ScanLease, context: ApplyContext): Promise<'COMPLETED' | 'CANCELLED'> {
  const { store, now } = context
  const { id, uid } = lease.scan
  try {
    await store.waitForWriteLock({ signal: lease.signal })
    store.files?.emptyLog()
    lease.write((writer) => applyFile(writer, lease.scan, now), { large: true })
    lease.close()
    return 'COMPLETED'
  } catch (error) {
    const isOver = () => !store.read((reader) => isOpenScan(reader, uid))
    if (error instanceof LeaseStopped && (error.stop === 'cancelled' || isOver())) {
      lease.end((writer) => finishScan(writer, id, { status: 'CANCELLED' }, now()))
      sweepImports(context)
      return 'CANCELLED'
    }
    if (error instanceof AppError && error.facts.reason === 'mass_vanishing') {
      const { reason } = error.facts
      lease.end((writer) => finishScan(writer, id, { status: 'FAILED', reason }, now()))
      sweepImports(context)
      throw error
    }
    lease.release()
    throw error instanceof LeaseStopped
      ? new AppError('unavailable', 'The import was interrupted; it resumes when Assay runs again.')
      : error
  }
}

/** Applies an accepted file in the transaction of `writer`, and completes its scan. */
export function applyFile(
  writer: Writer,
  { id: scanId, uid, sourceId }: Pick<ScanRecord, 'id' | 'uid' | 'sourceId'>,
  now: () => number,
): void {
  const at = now()
  const complete = findCompleteFile(writer, uid)
  const openBefore = complete && countScopes(writer, complete, sourceId)
  const { findings: lines, earliest } = countStaged(writer, uid)
  const apply = (ledger: FindingLedger) => {
    saveAssets(writer, ledger, { uid, sourceId, at })
    const facets = saveFacets(writer, ledger, { uid, sourceId })
    const { added, resolved, changed } = ledger.insertStaged({ uid, sourceId, scanId, lines })
    const findings = { new: added, again: lines - added, resolved }
    for (let from = 0; from < changed.length; from += ROWS_AT_ONCE) {
      const rows = listStagedFindings(writer, uid, changed.slice(from, from + ROWS_AT_ONCE))
      if (writer.time !== undefined) ledger.readAheadByFp(rows.map(({ assetId, fp }) => [assetId, fp]))
      for (const { assetId, ...row } of rows) {
        const [before, stated] = [ledger.find(assetId, row.fp), facets.get(row.facets)]
        if (before === undefined || stated === undefined)
          throw new RangeError('a staged finding refers to missing rows')
        if (applyLine(ledger, before, { ...row, facets: { sourceId, ...stated }, scanId, at })) findings.resolved++
      }
    }
    addToScopes(writer, uid)
    if (complete !== undefined)
      findings.resolved += resolveAbsent(writer, ledger, complete, { uid, sourceId, scanId, at }, openBefore ?? [])
    suppressOpened(writer, ledger, at)
    return findings
  }
  const findings = FindingLedger.keep(writer, at, apply, { isFollowed: lines <= MAX_LOGGED_ROWS })
  const assets = countAssets(writer, uid)
  addProgress(writer, scanId, { discovered: assets, scanned: assets, unchanged: 0, findings })
  if (earliest !== null) extendObservation(writer, sourceId, earliest)
  dropImportFile(writer, uid)
  const finishedAt = now()
  finishScan(writer, scanId, { status: 'COMPLETED' }, finishedAt)
  setLastCompletedScan(writer, sourceId, finishedAt)
}

function saveAssets(
  writer: Writer,
  { facets: dictionary }: FindingLedger,
  { uid, sourceId, at }: { uid: string; sourceId: number; at: number },
): void {
  for (let after = 0; ; ) {
    const page = listAssets(writer, uid, { after, limit: ROWS_AT_ONCE })
    const last = page.at(-1)
    if (last === undefined) return
    after = last.number
    const ids = saveImportedAssets(
      { writer, dictionary, sourceId, at },
      page.map(({ asset }) => asset),
    )
    for (const [index, { number }] of page.entries()) saveAssetId(writer, uid, number, ids[index] as number)
  }
}

/** Returns the combinations of facets by their numbers in the file. */
function saveFacets(
  writer: Writer,
  { facets: dictionary }: FindingLedger,
  { uid, sourceId }: { uid: string; sourceId: number },
): Map<number, ImportFacets> {
  const staged = listFacets(writer, uid)
  const all = [...staged].map(([number, facets]) => ({ number, facets: { sourceId, ...facets } }))
  dictionary.learn(all.map(({ facets }) => facets))
  for (const { number, facets } of all) saveComboId(writer, uid, number, dictionary.comboId(facets))
  return staged
}

/** Deletes what is staged of files that will not be applied: their process died, or they were cancelled. */
export function sweepImports({ store, now }: Pick<ApplyContext, 'store' | 'now'>): void {
  for (const uid of store.read((reader) => listStaleImports(reader, now() - STALE_MS))) discardImport(uid, store)
}

/**
 * Deletes a staged file that will not be applied. Its acceptance may have been under way when the caller looked for its
 * scan, so the transaction looks again.
 */
export function discardImport(uid: string, store: Store): void {
  store.write((writer) => {
    if (!isOpenScan(writer, uid)) dropImportFile(writer, uid)
  })
}
