import type { EarlierVersion, VersionRequest } from '../connectors/connector.ts'
import { endsScan, reasonOf } from '../connectors/failure.ts'
import type { SafeSession } from '../connectors/safe-session.ts'
import type { RedactedFinding } from '../detectors/detector.ts'
import { ReportedValues } from '../detectors/reported-values.ts'
import { addEarlierFindings, type Remains, resolveFindingsOf } from '../findings/detected.ts'
import {
  type HistoryAsset,
  listHistoryAssets,
  listSought,
  markHistoryRead,
} from '../findings/earlier-versions.store.ts'
import { toFp } from '../findings/finding-record.ts'
import { FindingLedger } from '../findings/ledger.store.ts'
import { suppressOpened } from '../findings/suppressions/suppressions.ts'
import { ownText } from '../kernel/safe-text.ts'
import type { HistoryMode } from '../sources/model.ts'
import type { Store } from '../store/store.ts'
import { cutsShort, type RunDetection } from './detection.ts'
import { LeaseStopped, type ScanLease, whileLeased } from './lease.ts'
import { addNotes, addProgress } from './scans.store.ts'

const DAY_MS = 86_400_000
/** Earlier versions of an item that are read for findings of their own. */
const MAX_NEW_VERSIONS = 50

export interface EarlierVersionsOptions {
  lease: ScanLease
  store: Store
  session: Pick<SafeSession, 'earlierVersions'>
  mode: HistoryMode
  /** Types of the detectors that run; findings of others are left as they are. */
  detectorTypes: readonly string[]
  detect: RunDetection
  now: () => number
}

/**
 * Looks for findings that vanished from their items in earlier versions, and with `all` for others there. What was stored
 * of an asset is not looked for again when the scan resumes. Returns whether a right was lost.
 */
export async function readEarlierVersions(options: EarlierVersionsOptions): Promise<boolean> {
  const { lease, store, session, mode, now } = options
  if (mode === 'off' || session.earlierVersions === undefined) return false
  const { id: scanId, sourceId } = lease.scan
  const request = { scanId, sourceId, every: mode === 'all', readBefore: now() - DAY_MS }
  let isRightLost = false
  for (let after = 0; ; ) {
    const assets = store.read((reader) => listHistoryAssets(reader, { ...request, after }))
    for (const asset of assets) isRightLost = (await searchAsset(asset, options)) || isRightLost
    const last = assets.at(-1)
    if (last === undefined) return isRightLost
    after = last.id
  }
}

/** Reasons that will be the same tomorrow: all others are tried again by the next scan. */
const lasting: ReadonlySet<string> = new Set([
  ...['forbidden', 'bad_request', 'refused', 'missing', 'not_available', 'limit', 'unsupported'],
  ...cutsShort,
])

/** What earlier versions of one asset have. */
interface Searched {
  found: RedactedFinding[]
  /** The newest version that was seen; 0: none. */
  version: number
  /** Why some could not be read. */
  unread?: string | undefined
}

async function searchAsset(asset: HistoryAsset, options: EarlierVersionsOptions): Promise<boolean> {
  const { lease, store, mode, detectorTypes, now } = options
  const { id: scanId, sourceId } = lease.scan
  const request = { known: asset.version, limit: MAX_NEW_VERSIONS }
  const fresh = mode === 'all' ? await search(asset, request, () => false, options) : undefined
  const sought = store
    .read((reader) => listSought(reader, asset.id))
    .filter(({ detectorType }) => detectorTypes.includes(detectorType))
  const open = new Set(sought.map(({ id }) => id))
  const meet = ({ fingerprint, valueFingerprint }: RedactedFinding) => {
    const [fp, valueFp] = [toFp(fingerprint), valueFingerprint === undefined ? null : toFp(valueFingerprint)]
    for (const one of sought) if (one.fp === fp || (valueFp !== null && one.valueFp === valueFp)) open.delete(one.id)
    return open.size === 0
  }
  const isMet = (fresh?.found ?? []).map(meet).includes(true)
  const again =
    open.size === 0 || isMet ? undefined : await search(asset, { limit: Number.MAX_SAFE_INTEGER }, meet, options)
  const unread = again?.unread ?? fresh?.unread
  const whereIs = ({ id }: { id: number }): Remains | undefined => {
    if (!sought.some((one) => one.id === id)) return undefined
    if (!open.has(id)) return 'history'
    return unread === undefined ? 'gone' : 'unknown'
  }
  const at = now()
  lease.write((writer) => {
    const findings = { new: 0, again: 0, resolved: 0 }
    FindingLedger.keep(writer, at, (ledger) => {
      const absence = { asset: { ...asset, sourceId }, scanId, at }
      findings.new = addEarlierFindings(ledger, { ...absence, found: fresh?.found ?? [] })
      findings.resolved = resolveFindingsOf(ledger, absence, ownText('no longer in any version'), whereIs)
      suppressOpened(writer, ledger, at)
    })
    if (unread === undefined || lasting.has(unread)) {
      markHistoryRead(writer, asset.id, { at, version: fresh?.version ?? 0 })
    }
    addProgress(writer, scanId, { discovered: 0, scanned: 0, unchanged: 0, findings })
    if (unread !== undefined) {
      const message = `Earlier versions of an item were not read (${unread}); findings that may be in them are kept.`
      addNotes(writer, scanId, 'warnings', [{ code: 'not_read', message, assetKey: asset.key }])
    }
  })
  return unread === 'forbidden' && sought.some(({ id, wasFound }) => wasFound === 1 && open.has(id))
}

/** Runs the detectors on versions, newest first, until `isEnough` of a finding; a refusal ends the search. */
async function search(
  { key, kind, name, url }: HistoryAsset,
  request: VersionRequest,
  isEnough: (finding: RedactedFinding) => boolean,
  { lease, session, detect }: EarlierVersionsOptions,
): Promise<Searched> {
  const found = new Map<string, RedactedFinding>()
  const searched: Searched = { found: [], version: 0 }
  const listed = session.earlierVersions?.(key, request)[Symbol.asyncIterator]()
  try {
    for (;;) {
      const { done = true, value } = listed === undefined ? {} : await whileLeased(lease, listed.next())
      if (done || value === undefined) break
      const { version, document, unread } = value as EarlierVersion
      searched.version = Math.max(searched.version, version)
      if (document === undefined) searched.unread = unread ?? 'missing'
      else {
        const asset = { original: { key, kind, name, url }, values: new ReportedValues() }
        const { findings, warnings } = await whileLeased(lease, detect(document, asset))
        searched.unread ??= warnings.find(({ code }) => cutsShort.has(code))?.code
        for (const finding of findings) if (!found.has(finding.fingerprint)) found.set(finding.fingerprint, finding)
        if (findings.map(isEnough).includes(true)) break
      }
    }
  } catch (error) {
    if (error instanceof LeaseStopped || endsScan(error)) throw error
    searched.unread = reasonOf(error)
  } finally {
    void listed?.return?.().catch(() => {})
  }
  return { ...searched, found: [...found.values()] }
}
