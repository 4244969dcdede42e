import { FindingLedger } from '../../findings/ledger.store.ts'
import {
  findSuppressionChanges,
  hasDeferredLines,
  isHeld,
  type PendingImport,
  publishImport,
  saveSuppressions,
  takeDeferredLines,
} from '../../findings/pending-imports.store.ts'
import { findSuppression, listDecidedBy, listSuppressible } from '../../findings/suppressions/suppressions.store.ts'
import { actorOf, compilePatterns, suppressFindings, suppressOpened } from '../../findings/suppressions/suppressions.ts'
import { ownText } from '../../kernel/safe-text.ts'
import type { ScanLease } from '../../scans/lease.ts'
import { finishScan } from '../../scans/scans.store.ts'
import { extendObservation, setLastCompletedScan } from '../../sources/sources.store.ts'
import type { Store, Writer } from '../../store/store.ts'
import type { FindingLine } from '../read/import-row.ts'
import { dropImportFile, findEarliest } from '../stage/imports.store.ts'
import { applyLine } from './import-rows.ts'

/** Findings processed in one transaction. */
const FINDINGS_AT_ONCE = 500
const unpublished = { unpublished: true }

export interface Publishing {
  lease: ScanLease
  pending: PendingImport
  store: Store
  now: () => number
}

/**
 * Publishes an import whose findings are all stored and completes its scan, in one transaction. Findings that people
 * changed after the import processed them are updated first.
 */
export async function publish(publishing: Publishing): Promise<void> {
  const { lease, pending, store, now } = publishing
  const { id, uid, sourceId } = lease.scan
  const tryToPublish = (writer: Writer): boolean => {
    if (hasDeferredLines(writer, pending) || findSuppressionChanges(writer, pending) !== undefined) return false
    const at = now()
    publishImport(writer, pending, at)
    const earliest = findEarliest(writer, uid)
    if (earliest !== undefined) extendObservation(writer, sourceId, earliest)
    dropImportFile(writer, uid)
    finishScan(writer, id, { status: 'COMPLETED' }, at)
    setLastCompletedScan(writer, sourceId, at)
    return true
  }
  for (;;) {
    store.files?.emptyLog()
    if (lease.write(tryToPublish, unpublished)) return lease.close()
    await applyDeferred(publishing)
    await followSuppressions(publishing)
  }
}

/** Reapplies lines whose findings were changed in the meantime. */
async function applyDeferred({ lease, pending, store, now }: Publishing): Promise<void> {
  const applySome = (writer: Writer): boolean => {
    const deferred = takeDeferredLines(writer, pending, FINDINGS_AT_ONCE)
    const at = now()
    const apply = (ledger: FindingLedger) => {
      for (const { findingId, lines } of deferred) {
        for (const line of lines as FindingLine[]) {
          const before = ledger.findById(findingId)
          if (before !== undefined) applyLine(ledger, before, line)
        }
      }
      suppressOpened(writer, ledger, at)
    }
    FindingLedger.keep(writer, at, apply, pending)
    return deferred.length > 0
  }
  while (lease.write(applySome, unpublished)) await store.yieldBetweenBatches(lease.signal)
}

/** Applies to the unpublished findings the suppressions that were created or deleted in the meantime. */
async function followSuppressions({ lease, pending, store, now }: Publishing): Promise<void> {
  const changes = store.read((reader) => findSuppressionChanges(reader, pending))
  if (changes === undefined) return
  const changeSome = async (change: (writer: Writer, ledger: FindingLedger, after: number) => number | undefined) => {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after
      const keep = (writer: Writer) => {
        const at = now()
        return FindingLedger.keep(writer, at, (ledger) => change(writer, ledger, from), pending)
      }
      after = lease.write(keep, unpublished)
      await store.yieldBetweenBatches(lease.signal)
    }
  }
  const isOurs = (writer: Writer, ledger: FindingLedger, id: number) =>
    isHeld(writer, pending, id) && ledger.findById(id)?.facets.sourceId === pending.sourceId
  for (const id of changes.removed) {
    await changeSome((writer, ledger, after) => {
      const page = listDecidedBy(writer, actorOf(id), { after, limit: FINDINGS_AT_ONCE })
      for (const found of page.filter((one) => isOurs(writer, ledger, one.id))) {
        const before = ledger.findById(found.id)
        const change = { at: now(), to: 'OPEN', actor: ownText('import'), scanId: lease.scan.id } as const
        if (before !== undefined) ledger.changeStatus(before, { ...change, reason: ownText('suppression deleted') })
      }
      suppressOpened(writer, ledger, now())
      return page.at(-1)?.id
    })
  }
  for (const id of changes.added) {
    await changeSome((writer, ledger, after) => {
      const suppression = findSuppression(writer, id)
      if (suppression === undefined) return undefined
      const page = listSuppressible(writer, suppression, { at: now(), after, limit: FINDINGS_AT_ONCE })
      const found = page.filter(compilePatterns(suppression)).filter((one) => isOurs(writer, ledger, one.id))
      suppressFindings(ledger, suppression, found, now())
      return page.at(-1)?.id
    })
  }
  lease.write((writer) => saveSuppressions(writer, pending, changes.present))
}
