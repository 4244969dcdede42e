import { assetKinds, type Unlisted } from '../connectors/connector.ts'
import { reasonOf } from '../connectors/failure.ts'
import type { SafeAsset, SafeBatch, SafeScope, SafeWarning } from '../connectors/safe-session.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import type { AssayDocument } from '../documents/document.ts'
import { isWithin, type UnreadReason } from '../documents/section.ts'
import {
  type AssetRecord,
  findAsset,
  findAssets,
  markUnchanged,
  saveAsset,
  saveLinks,
  wordsOf,
} from '../findings/assets.store.ts'
import {
  applyDetection,
  type DetectionCounts,
  listDecisions,
  moveFindingsOf,
  resolveFindingsOf,
} from '../findings/detected.ts'
import { saveDigests } from '../findings/digests.store.ts'
import { FindingLedger } from '../findings/ledger.store.ts'
import { markDeleted } from '../findings/missing-assets.store.ts'
import { saveReadings } from '../findings/readings.store.ts'
import { suppressOpened } from '../findings/suppressions/suppressions.ts'
import {
  listSectionsWithFindings,
  listUnlistedIds,
  markUnchangedDependants,
  markUnlisted,
  saveUnread,
  type UnreadRecord,
} from '../findings/unread.store.ts'
import { AppError } from '../kernel/errors.ts'
import { ownText, type Safe } from '../kernel/safe-text.ts'
import type { Log } from '../runtime/log.ts'
import { writeAfterImports } from '../store/import-lock.store.ts'
import type { Store } from '../store/store.ts'
import type { AssetMasking } from './asset-masking.ts'
import { completeTypes, cutsShort, type DetectionResult, type RunDetection } from './detection.ts'
import { LeaseStopped, type ScanLease, whileLeased } from './lease.ts'
import type { ScanNoteDraft } from './model.ts'
import { addNotes, addProgress } from './scans.store.ts'
import { saveScopeStep } from './scopes.store.ts'
import { judgeUnread, type UnreadSections, withKnown } from './unread.ts'

/** Assets detected and stored in one transaction: few enough that other writers wait only milliseconds. */
const CHUNK = 40
/** Documents fetched and processed concurrently. */
const SIDE_BY_SIDE = 4

export interface BatchOptions {
  lease: ScanLease
  store: Store
  scope: SafeScope
  /** Types of the enabled content detectors. */
  detectorTypes: readonly string[]
  detectorsHash: string
  detect: RunDetection
  /** Whether earlier versions are searched for findings that vanished. */
  hasHistory: boolean
  masking: AssetMasking
  log: Log
  now: () => number
}

interface Outcome {
  draft: SafeAsset
  before: AssetRecord | undefined
  unread: UnreadSections
  /** Undefined: unchanged, or without a document. */
  detected?: DetectionResult
  failure?: ScanNoteDraft
}

/** Reasons of document errors that end the whole scan. */
const fatal = new Set(['auth_failed', 'auth_expired', 'retry_later', 'detectors_failed', 'aborted'])

/**
 * Runs detectors on the new and changed assets of a batch, and stores assets, links, findings and counts with the
 * checkpoint. Storing a batch twice has the same effect as once.
 */
export async function processBatch(batch: SafeBatch, options: BatchOptions): Promise<void> {
  const { store, lease } = options
  options.masking.startBatch()
  const chunks: SafeAsset[][] = []
  const assets = withoutRepeats(batch.assets)
  for (let at = 0; at < assets.length; at += CHUNK) chunks.push(assets.slice(at, at + CHUNK))
  if (chunks.length === 0) chunks.push([])
  for (const [index, chunk] of chunks.entries()) {
    const outcomes = await processChunk(chunk, options)
    const last = index === chunks.length - 1 ? batch : undefined
    await writeAfterImports(() => storeChunk(outcomes, last, options), { store, signal: lease.signal })
    await store.yieldBetweenBatches(lease.signal)
  }
}

/** An asset that moved while it was listed appears twice: the later entry is the newer. */
function withoutRepeats(assets: readonly SafeAsset[]): SafeAsset[] {
  return [...new Map(assets.map((draft) => [draft.key, draft])).values()]
}

async function processChunk(chunk: readonly SafeAsset[], options: BatchOptions): Promise<Outcome[]> {
  const { lease, store } = options
  const outcomes = store.read((reader) => {
    const keys = chunk.map(({ key }) => key)
    const stored = findAssets(reader, lease.scan.sourceId, keys)
    return chunk.flatMap((draft, index): Outcome[] => {
      const before = stored[index]
      if (draft.isUncertain === true && before?.status !== 'ACTIVE') return []
      return [{ draft, before, unread: judgeUnread(reader, draft.unread ?? [], { before, scanId: lease.scan.id }) }]
    })
  })
  const waiting = outcomes.filter((outcome) => outcome.draft.document && !isUnchanged(outcome, options.detectorsHash))
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await processAsset(next, options)
  }
  await whileLeased(lease, Promise.all(Array.from({ length: SIDE_BY_SIDE }, work)))
  for (const outcome of outcomes) {
    const { draft, detected, before } = outcome
    const isAll = detected !== undefined && !detected.warnings.some(({ code }) => cutsShort.has(code))
    outcome.draft = options.masking.hide(draft, { values: detected?.values ?? [], isAll }, before)
  }
  return outcomes
}

function isUnchanged({ draft, before, unread }: Outcome, detectorsHash: string): boolean {
  return (
    before !== undefined &&
    before.status === 'ACTIVE' &&
    before.checksum === draft.checksum &&
    before.detectorsHash === detectorsHash &&
    unread.isAsBefore
  )
}

async function processAsset(outcome: Outcome, options: BatchOptions): Promise<void> {
  const { lease, scope, log } = options
  const { draft } = outcome
  if (lease.signal.aborted) return
  try {
    const document = await draft.document?.()
    if (document !== undefined) await detectInDocument(document, outcome, options)
  } catch (error) {
    if (lease.signal.aborted) throw new LeaseStopped(lease.stop)
    if (fatal.has(reasonOf(error))) throw error
    if (!(error instanceof AppError)) log.error('an asset could not be read', { assetKey: draft.key, error })
    outcome.failure = {
      code: reasonOf(error),
      message: error instanceof AppError ? error.message : 'The asset could not be read; see the log.',
      scope: scope.key,
      assetKey: draft.key,
    }
    if (draft.outline !== undefined)
      await detectInDocument(toUnreadOutline(draft.outline, outcome.failure), outcome, options)
  }
}

const refusals: ReadonlySet<string> = new Set(['forbidden', 'gone', 'bad_request'])
const toUnreadReason = ({ code }: ScanNoteDraft): UnreadReason => (refusals.has(code) ? 'refused' : 'failed')

const toUnreadOutline = (outline: AssayDocument, failure: ScanNoteDraft): AssayDocument => ({
  ...outline,
  unread: (outline.unread ?? []).map((section) => ({
    ...section,
    reason: toUnreadReason(failure),
    detail: failure.code,
  })),
})

/** Runs the detectors on a document, and records the sections that turned out to be unreadable. */
async function detectInDocument(document: AssayDocument, outcome: Outcome, options: BatchOptions): Promise<void> {
  const { draft, before } = outcome
  if (document.unread !== undefined) {
    const sections = [...(draft.unread ?? []), ...document.unread]
    const { id: scanId } = options.lease.scan
    outcome.unread = options.store.read((reader) => judgeUnread(reader, sections, { before, scanId }))
  }
  outcome.detected = await options.detect(document, draft)
}

function storeChunk(outcomes: readonly Outcome[], last: SafeBatch | undefined, options: BatchOptions): void {
  const { lease, scope, now, detectorsHash } = options
  const { id: scanId, sourceId } = lease.scan
  const at = now()
  lease.write((writer) => {
    const counts = { discovered: 0, scanned: 0, unchanged: 0 }
    const findings: DetectionCounts = { new: 0, again: 0, resolved: 0 }
    const kept = new Set<string>()
    FindingLedger.keep(writer, at, (ledger) => {
      const changed = outcomes.filter(
        (outcome) => outcome.detected !== undefined || !isUnchanged(outcome, detectorsHash),
      )
      ledger.readAhead(changed.flatMap(({ before }) => before?.id ?? []))
      ledger.facets.learnWords(changed.flatMap(({ draft }) => wordsOf(draft)))
      for (const outcome of outcomes) {
        const { before } = outcome
        // Already counted if an interrupted run of this scan stored it.
        const counted = before?.seenScanId === scanId || kept.has(outcome.draft.key)
        const result = storeOutcome(outcome)
        if (!counted) counts.discovered++
        if (!counted || (result === 'scanned' && before?.detectorsHash === null)) {
          if (result !== 'failed') counts[result]++
        }
      }
      for (const [keys, isChecked] of [[last?.unchanged, true] as const, [last?.deferred, false] as const]) {
        for (const parentKey of keys ?? []) {
          for (const through of [{ key: parentKey }, { parentKey }]) {
            countUnchanged(
              markUnchangedDependants(writer, { sourceId, through, kinds: assetKinds, scanId, at, isChecked }),
            )
          }
        }
      }
      for (const { kinds, reason } of last?.unlisted ?? []) {
        if (reason !== 'unchanged') continue
        countUnchanged(
          markUnchangedDependants(writer, { sourceId, through: { scopeKey: scope.key }, kinds, scanId, at }),
        )
      }
      suppressOpened(writer, ledger, at)

      function countUnchanged(keys: readonly string[]) {
        for (const key of keys) kept.add(key)
        counts.discovered += keys.length
        counts.unchanged += keys.length
      }

      function markDependantsUnchanged(parentKey: string, unlisted: readonly Safe<Unlisted>[] = []) {
        for (const { kinds, reason, detail } of unlisted) {
          const dependants = { sourceId: lease.scan.sourceId, through: { parentKey }, kinds, scanId }
          if (reason === 'unchanged') countUnchanged(markUnchangedDependants(writer, { ...dependants, at }))
          else markUnlisted(writer, { ...dependants, reason, detail })
        }
      }

      function listAbsorbed({ key, absorbs = [], unread = [] }: SafeAsset): number[] {
        if (absorbs.length === 0) return []
        const isRead = (place: string) => !unread.some(({ section }) => isWithin(place, section))
        const through = { parentKey: key }
        const ids = listUnlistedIds(writer, { sourceId: lease.scan.sourceId, through, kinds: absorbs, scanId })
        return ids.filter((id) => [...listSectionsWithFindings(writer, id)].every(isRead))
      }

      function absorb(id: number, { name }: SafeAsset) {
        const asset = { id, sourceId: lease.scan.sourceId, lastScannedAt: null }
        findings.resolved += resolveFindingsOf(
          ledger,
          { asset, scanId, at },
          toSafeText(`now part of ${name}`, 'prose'),
        )
        markDeleted(writer, id, at)
      }

      function storeOutcome(outcome: Outcome): 'scanned' | 'unchanged' | 'failed' {
        const { before, detected, failure } = outcome
        const { records } = outcome.unread
        if (before !== undefined && detected === undefined && isUnchanged(outcome, detectorsHash)) {
          const { presence = 'current' } = outcome.draft
          if (before.isArchived !== (presence === 'archived')) moveFindingsOf(ledger, before.id, presence)
          markUnchanged(writer, ledger.facets, before, { scanId, scopeKey: scope.key, at, draft: outcome.draft })
          saveUnread(writer, before.id, scanId, records)
          markDependantsUnchanged(before.key, outcome.draft.unlisted)
          return 'unchanged'
        }
        const draft = withKnown(writer, outcome.draft, before, records)
        const failedWholly = detected === undefined ? failure : undefined
        const seen = { draft, scanId, scopeKey: scope.key, at, sourceId: lease.scan.sourceId }
        const processed = {
          detectorsHash: failure === undefined ? detectorsHash : null,
          scanned: isWholeText(outcome),
        }
        const assetId = saveAsset(writer, ledger.facets, { ...seen, ...processed }, before ?? null)
        const absorbed = listAbsorbed(draft)
        saveLinks(writer, assetId, draft.links)
        saveUnread(
          writer,
          assetId,
          scanId,
          failedWholly === undefined ? records : [toWhollyUnread(before, scanId, failedWholly)],
        )
        markDependantsUnchanged(draft.key, draft.unlisted)
        if (detected?.digests !== undefined && !records.some(({ wasRead }) => wasRead)) {
          const whole = isWholeText(outcome) && !detected.warnings.some(({ code }) => code === 'truncated')
          saveDigests(writer, ledger.facets, assetId, { digests: detected.digests, whole })
        }
        const whole = draft.partOf === undefined ? undefined : findAsset(writer, lease.scan.sourceId, draft.partOf)
        const result = applyDetection(ledger, {
          decided: listDecisions(ledger, [...absorbed, ...(whole === undefined ? [] : [whole.id])]),
          asset: { id: assetId, sourceId: lease.scan.sourceId, lastScannedAt: before?.lastScannedAt ?? null },
          presence: draft.presence ?? 'current',
          hasHistory: options.hasHistory,
          found: detected?.findings ?? [],
          examinedTypes: new Set(failedWholly === undefined ? options.detectorTypes : []),
          complete: completeTypes(options.detectorTypes, detected),
          unread: records.map(({ section }) => section),
          scanId,
          at,
        })
        for (const id of absorbed) absorb(id, draft)
        findings.new += result.new
        findings.again += result.again
        findings.resolved += result.resolved
        return failure === undefined ? 'scanned' : 'failed'
      }
    })
    addProgress(writer, scanId, { ...counts, findings })
    addNotes(
      writer,
      scanId,
      'failures',
      outcomes.flatMap(({ failure }) => failure ?? []),
    )
    addNotes(
      writer,
      scanId,
      'warnings',
      outcomes.flatMap((outcome) => toNotes(outcome, scope)),
    )
    if (last !== undefined) {
      storeWarnings(last.warnings)
      storeUnlisted(last.unlisted)
      saveReadings(writer, { sourceId, scanStartedAt: lease.scan.startedAt ?? at }, last.readings ?? [])
    }
    saveScopeStep(writer, scanId, scope.key, { state: 'RUNNING', cursor: last?.cursor, counts })

    function storeWarnings(warnings: readonly SafeWarning[]) {
      addNotes(
        writer,
        scanId,
        'warnings',
        warnings.map((warning) => toNote(warning, scope)),
      )
      for (const { incomplete, code } of warnings) {
        if (incomplete === true) saveScopeStep(writer, scanId, scope.key, { state: 'RUNNING', reason: code, gap: true })
      }
    }

    function storeUnlisted(unlisted: readonly Safe<Unlisted>[] = []) {
      for (const { kinds, reason, detail } of unlisted) {
        if (reason === 'unchanged') continue
        const through = { scopeKey: scope.key }
        markUnlisted(writer, { sourceId: lease.scan.sourceId, through, kinds, scanId, reason, detail })
        if (reason !== 'switched_off') {
          saveScopeStep(writer, scanId, scope.key, { state: 'RUNNING', reason: detail ?? ownText(reason) })
        }
      }
    }
  })
}

/** Whether there is a text and everything readable in it was read. */
function isWholeText({ draft, failure, unread }: Outcome): boolean {
  const status = draft.facts?.contentStatus
  if (failure !== undefined || (status !== undefined && status !== 'read')) return false
  return !unread.records.some(({ reason }) => reason === 'failed' || reason === 'limit')
}

/** The record of a listed asset of which nothing could be read. */
const toWhollyUnread = (before: AssetRecord | undefined, scanId: number, failure: ScanNoteDraft): UnreadRecord => ({
  section: '',
  reason: toUnreadReason(failure),
  detail: failure.code,
  wasRead: before !== undefined && before.detectorsHash !== null,
  scanId,
})

function toNotes({ draft, detected }: Outcome, scope: SafeScope): ScanNoteDraft[] {
  return (detected?.warnings ?? []).map(({ code, message }) => ({
    code,
    message,
    scope: scope.key,
    assetKey: draft.key,
  }))
}

export function toNote({ code, message, scope, assetKey }: SafeWarning, within?: SafeScope): ScanNoteDraft {
  const key = scope ?? within?.key
  return {
    code,
    message,
    ...(key === undefined ? {} : { scope: key }),
    ...(assetKey === undefined ? {} : { assetKey }),
  }
}
