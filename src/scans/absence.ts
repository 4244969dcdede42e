import {
  countActive,
  listAssetScopes,
  listMissing,
  type MissingAsset,
  markDeleted,
  markMissed,
} from '../findings/absence.store.ts'
import { resolveFindingsOf } from '../findings/detected.ts'
import { FindingLedger } from '../findings/ledger.store.ts'
import type { Store } from '../store/store.ts'
import type { Drive } from './drive.ts'
import { addNotes, addProgress } from './scans.store.ts'
import { listScopes, listWholeScopes, wasListedBefore } from './scopes.store.ts'

/** More than this share of a scope, and at least so many assets, going at once is held back for a second look. */
const MASS_SHARE = 0.3
const MASS_COUNT = 10
/** Complete scans in a row that an asset must be absent from. */
const ABSENCES = 2
const CHUNK = 100

export interface AbsenceOptions {
  drive: Drive
  store: Store
  now: () => number
  /** The listing of scopes itself had no gaps: a scope that is not in it is gone. */
  scopesComplete: boolean
}

/**
 * Draws the conclusions from what a scan did not list, for scopes that it listed to their end: an asset that is absent
 * for the second time is deleted and its open findings are resolved.
 * Returns true when so much vanished at once that it waits for the next complete scan to agree.
 */
export async function concludeAbsence(options: AbsenceOptions): Promise<boolean> {
  const { drive, store } = options
  if (drive.scan.sampled) return false
  let held = false
  for (const scopeKey of store.read((reader) => listCompleteScopes(reader, options))) {
    const plan = store.read((reader) => {
      const missing = listMissing(reader, drive.scan.sourceId, scopeKey, drive.scan.id)
      return { missing, total: countActive(reader, drive.scan.sourceId, scopeKey) }
    })
    const vanished = plan.missing.filter(({ missedBefore }) => missedBefore === 0).length
    const hold = vanished >= MASS_COUNT && vanished > plan.total * MASS_SHARE
    held ||= hold
    for (let at = 0; at < plan.missing.length; at += CHUNK) {
      storeAbsence(plan.missing.slice(at, at + CHUNK), hold, options)
      await store.giveWay(drive.signal)
    }
    if (hold) {
      const message = `${vanished} of ${plan.total} assets are gone at once; the next complete scan decides.`
      drive.write((writer) =>
        addNotes(writer, drive.scan.id, 'warnings', [{ code: 'mass_vanishing', message, scope: scopeKey }]),
      )
    }
  }
  return held
}

function listCompleteScopes(
  reader: Parameters<Parameters<Store['read']>[0]>[0],
  { drive, scopesComplete }: AbsenceOptions,
): string[] {
  const scopes = listScopes(reader, drive.scan.id)
  const listed = listWholeScopes(reader, drive.scan.id)
  if (!scopesComplete) return listed
  const known = new Set(scopes.map(({ key }) => key))
  const gone = listAssetScopes(reader, drive.scan.sourceId).filter(
    (key) => !known.has(key) && wasListedBefore(reader, drive.scan, key),
  )
  return [...listed, ...gone]
}

function storeAbsence(missing: readonly MissingAsset[], hold: boolean, { drive, now }: AbsenceOptions): void {
  const at = now()
  const { id: scanId, sourceId } = drive.scan
  drive.write((writer) => {
    let resolved = 0
    FindingLedger.keep(writer, at, (ledger) => {
      for (const asset of missing) {
        markMissed(writer, asset.id, scanId)
        if (hold || asset.missedBefore + 1 < ABSENCES) continue
        resolved += resolveFindingsOf(ledger, { asset: { ...asset, sourceId }, scanId, at }, 'asset deleted')
        markDeleted(writer, asset.id, at)
      }
    })
    addProgress(writer, scanId, {
      discovered: 0,
      scanned: 0,
      unchanged: 0,
      findings: { new: 0, again: 0, resolved },
    })
  })
}
