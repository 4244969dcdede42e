import type { Connector } from '../connectors/connector.ts'
import { reasonOf } from '../connectors/failure.ts'
import type { UpstreamTally } from '../connectors/http/upstream.ts'
import {
  openSafeSession,
  type SafeScope,
  type SafeSession,
  type SafeSessionOptions,
} from '../connectors/safe-session.ts'
import { createNumberer } from '../detectors/fingerprint.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import { listKnownChecksums } from '../findings/assets.store.ts'
import { listReadings } from '../findings/readings.store.ts'
import { AppError } from '../kernel/errors.ts'
import { toInstant } from '../kernel/instant.ts'
import type { Log } from '../runtime/log.ts'
import {
  type ChosenDetector,
  hashContentDetectors,
  hashListing,
  hashScopes,
  type ParsedConfig,
} from '../sources/config.ts'
import type { SourceRecord } from '../sources/model.ts'
import { isContentDetector, needsContent, type Plugins } from '../sources/plugins.ts'
import { openConfig } from '../sources/secrets.ts'
import { findSourceById, rememberTenant, saveCoverage, setLastCompletedScan } from '../sources/sources.store.ts'
import { isStoreAway } from '../store/faults.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Reader, Store } from '../store/store.ts'
import { AssetMasking } from './asset-masking.ts'
import { readAudiences } from './audiences.ts'
import { type BatchOptions, processBatch, toNote } from './batch.ts'
import type { CrossAssetCheck, Detect } from './cross-asset-check.ts'
import type { RunDetection } from './detection.ts'
import { readEarlierVersions } from './earlier-versions.ts'
import { LeaseStopped, ScanLease, whileLeased } from './lease.ts'
import { findLeftScopes, listScopesToScan } from './left-scopes.ts'
import { listLeftScopes, resolveMissingAssets } from './missing-assets.ts'
import type { ScanNoteDraft, ScanStatus, ScopeRecord } from './model.ts'
import type { Owner } from './owner.ts'
import { addNotes, dropOldScans, finishScan, getCheckCursor, restartScan, type ScanOutcome } from './scans.store.ts'
import { addScopes, closeScopes, hasStoredResults, listScopes, saveScopeStep } from './scopes.store.ts'
import { reportUnread } from './unread.ts'

const HEARTBEAT_MS = 2_000
/** Number of scans of each source that are kept. */
const KEPT_SCANS = 200
/** Delay before a scan that met a full disk resumes. */
const STORAGE_RETRY_MS = 30_000
/** One document may crash the detectors; after this many in a row, the detectors themselves are considered broken. */
const MAX_CONSECUTIVE_FAILURES = 10

export interface CrawlOptions {
  store: Store
  vault: Vault
  plugins: Plugins
  detect: Detect
  /** Adds settings from the database to those of the detectors. */
  completeDetectors?: (
    reader: Reader,
    chosen: readonly ChosenDetector[],
    source: SourceRecord,
  ) => readonly ChosenDetector[]
  /** Checks that are evaluated once the assets are known, such as links between them. */
  crossAssetChecks: readonly CrossAssetCheck[]
  owner: Owner
  log: Log
  now: () => number
  signal: AbortSignal
  upstream?: UpstreamTally | undefined
  heartbeatMs?: number
  /** Applies an accepted import whose lease was claimed here. */
  applyImport: (lease: ScanLease, context: Pick<CrawlOptions, 'store' | 'now' | 'signal'>) => Promise<ScanStatus>
  /** Called once the lease is claimed. */
  onLease?: (lease: ScanLease) => void
}

/** Reasons of errors that end a scan, regardless of their scope. */
const fatal = new Set(['auth_failed', 'auth_expired', 'retry_later', 'detectors_failed'])
/** Reasons of errors at the start of a listing that mean that the platform no longer knows its cursor. */
const staleCursor = new Set(['bad_request', 'cursor_refused', 'gone'])

interface Run extends CrawlOptions {
  lease: ScanLease
  source: SourceRecord
  parsed: ParsedConfig
  detectorsHash: string
  /** Consecutive documents for which detection failed. */
  consecutiveFailures: number
  masking: AssetMasking
}

/**
 * Runs a scan from its current state to its end. Returns its status; undefined if another process holds the lease or
 * the lease was released so that the scan can be resumed.
 */
export async function runScan(scanUid: string, options: CrawlOptions): Promise<ScanStatus | undefined> {
  const { store, owner, now, signal, heartbeatMs = HEARTBEAT_MS, log } = options
  const lease = ScanLease.claim(scanUid, { store, owner, now, signal, heartbeatMs })
  if (lease === undefined) return undefined
  options.onLease?.(lease)
  try {
    return await runLeased(lease, options)
  } catch (error) {
    if (!isStoreAway(error)) throw error
    log.warn('a scan was interrupted, because the database cannot be used; it resumes later', { scan: scanUid, error })
    try {
      lease.release()
    } catch {
      // Another process claims the scan when its heartbeat is too old.
    }
    return undefined
  } finally {
    lease.close()
  }
}

async function runLeased(lease: ScanLease, options: CrawlOptions): Promise<ScanStatus | undefined> {
  const { now, log } = options
  if (lease.scan.trigger === 'IMPORT') return await options.applyImport(lease, options)
  let outcome: NotedOutcome
  try {
    outcome = lease.scan.cancelRequested ? { status: 'CANCELLED' } : await runClaimed(lease, options)
  } catch (error) {
    if (error instanceof LeaseStopped) {
      if (error.stop === 'lost') return undefined
      if (error.stop === 'shutdown') {
        lease.release()
        return undefined
      }
      outcome = { status: 'CANCELLED' }
    } else {
      if (isStoreAway(error)) throw error
      outcome = toOutcome(error, lease, options)
      if (!(error instanceof AppError)) log.error('a scan failed', { scan: lease.scan.uid, error })
    }
  }
  const kept = lease.end((writer) => {
    const at = now()
    const { note } = outcome
    if (note !== undefined) addNotes(writer, lease.scan.id, 'failures', [note])
    if (outcome.retryAt === undefined)
      closeScopes(writer, lease.scan.id, toSafeText(outcome.reason ?? outcome.status.toLowerCase(), 'prose'))
    finishScan(writer, lease.scan.id, outcome, at)
    dropOldScans(writer, lease.scan.sourceId, KEPT_SCANS)
    if (outcome.status === 'COMPLETED') setLastCompletedScan(writer, lease.scan.sourceId, at)
  })
  return kept ? outcome.status : undefined
}

/** A list without an end is no failure: the platform answered, and only a part of it was read. */
const isPartial = (reason: string) => reason === 'list_too_long'

/** The outcome of a scan that stopped early: partial if any of its results are stored, failed otherwise. */
function toOutcome(error: unknown, lease: ScanLease, { store, now }: CrawlOptions): NotedOutcome {
  const retryAfter = error instanceof AppError ? error.facts.retryAfterSeconds : undefined
  const reason = reasonOf(error)
  const message = error instanceof AppError ? error.message : 'The scan failed; see the log.'
  const note = { code: reason, message }
  if (reason === 'retry_later' && retryAfter !== undefined) {
    return { status: 'PARTIAL', reason, note, retryAt: now() + retryAfter * 1000 }
  }
  if (reason === 'storage_full') return { status: 'PARTIAL', reason, note, retryAt: now() + STORAGE_RETRY_MS }
  const hasStored = store.read((reader) => hasStoredResults(reader, lease.scan.id))
  return { status: hasStored || isPartial(reason) ? 'PARTIAL' : 'FAILED', reason, note }
}

interface NotedOutcome extends ScanOutcome {
  note?: ScanNoteDraft
}

async function runClaimed(lease: ScanLease, options: CrawlOptions): Promise<NotedOutcome> {
  const { store, vault, plugins, log, now } = options
  const source = store.read((reader) => findSourceById(reader, lease.scan.sourceId))
  if (source === undefined) throw new LeaseStopped('lost')
  const parsed = withCompleted(openConfig(plugins, vault, source), source, options)
  const detectorsHash = hashContentDetectors(parsed.detectors)
  const sampled = parsed.sampling.strategy !== 'ALL'
  const present = { configHash: hashListing(parsed), scopeHash: hashScopes(parsed), detectorsHash, sampled }
  if (present.configHash !== lease.scan.configHash || detectorsHash !== lease.scan.detectorsHash) {
    lease.write((writer) => restartScan(writer, lease.scan.id, present))
    Object.assign(lease.scan, present)
  }
  const run: Run = {
    ...options,
    lease,
    source,
    parsed,
    detectorsHash,
    consecutiveFailures: 0,
    masking: new AssetMasking(),
  }
  const session = openSession(parsed.connector, run)
  try {
    const listing = await listScopesToScan(session, run)
    lease.write((writer) => {
      addScopes(writer, lease.scan.id, listing.scopes)
      addNotes(
        writer,
        lease.scan.id,
        'warnings',
        listing.warnings.map((warning) => toNote(warning)),
      )
    })
    const waiting = store.read((reader) => listScopes(reader, lease.scan.id))
    for (const scope of waiting.filter(({ state }) => state === 'PENDING' || state === 'RUNNING')) {
      log.debug('scope started', { source: source.name, scope: scope.key })
      await crawlScope(session, scope, run)
    }
    const isListedWhole = listing.warnings.every(({ incomplete }) => incomplete !== true)
    const left = isListedWhole ? await findLeftScopes(session, run) : new Map()
    const { held, isTrashLost } = await resolveMissingAssets({ lease, store, now, left, session, mode: source.history })
    await readAudiences({ lease, store, session, log, now })
    const isHistoryLost = await readEarlierVersions({
      lease,
      store,
      session,
      mode: source.history,
      detectorTypes: parsed.detectors.map(({ detector }) => detector.type),
      detect: toDetection(run),
      now,
    })
    await runCrossAssetChecks(run)
    storeCoverage(session, run)
    const unread = store.read((reader) => reportUnread(reader, lease.scan.id))
    lease.write((writer) => addNotes(writer, lease.scan.id, 'warnings', unread.notes))
    const isUndecided = listing.scopes.length === 0 && store.read((reader) => listLeftScopes(reader, lease)).length > 0
    return conclude(
      store.read((reader) => listScopes(reader, lease.scan.id)),
      { held, isRightLost: unread.isRightLost || isHistoryLost || isTrashLost, isUndecided },
    )
  } finally {
    await closeSession(session, log)
    options.upstream?.ended(source.uid)
  }
}

function storeCoverage(session: SafeSession, { lease, now }: Run): void {
  const coverage = session.coverage?.()
  if (coverage === undefined) return
  lease.write((writer) => saveCoverage(writer, lease.scan.sourceId, { at: toInstant(now()), ...coverage }))
}

function withCompleted(parsed: ParsedConfig, source: SourceRecord, { store, completeDetectors }: CrawlOptions) {
  if (completeDetectors === undefined) return parsed
  const detectors = store.read((reader) => completeDetectors(reader, parsed.detectors, source))
  return { ...parsed, detectors }
}

function openSession(
  connector: Connector,
  { lease, source, parsed, store, vault, log, now, upstream }: Run,
): SafeSession {
  const options: SafeSessionOptions = {
    config: parsed.payload,
    sampling: { ...parsed.sampling, seed: lease.scan.seed },
    signal: lease.signal,
    log,
    now,
    watch: upstream?.of(source.uid),
    ...(source.tenantId === null ? {} : { tenantId: source.tenantId }),
    rememberTenantId: (tenantId) => {
      store.write((writer) => rememberTenant(writer, source.id, tenantId), { scope: { source: source.id } })
    },
  }
  return openSafeSession(connector, options, createNumberer(vault.fingerprintKey()))
}

async function closeSession(session: SafeSession, log: Log): Promise<void> {
  try {
    await session.close()
  } catch (error) {
    log.warn('a connector session did not close', { error })
  }
}

/** Crawls one scope completely; an error fails this scope only, unless it concerns the whole scan. */
async function crawlScope(session: SafeSession, scope: ScopeRecord, run: Run): Promise<void> {
  const { lease } = run
  let cursor = scope.cursor ?? undefined
  for (;;) {
    const state = { started: false }
    try {
      await crawlFrom(session, scope, cursor, run, state)
      lease.write((writer) => {
        const gaps = listScopes(writer, lease.scan.id).find(({ key }) => key === scope.key)?.reason ?? null
        saveScopeStep(writer, lease.scan.id, scope.key, {
          state: gaps === null ? 'COMPLETE' : 'PARTIAL',
          cursor: null,
        })
      })
      return
    } catch (error) {
      if (error instanceof LeaseStopped || error instanceof StorageFailedError) throw unwrap(error)
      const reason = reasonOf(error)
      if (fatal.has(reason) || isStoreAway(error)) throw error
      if (cursor !== undefined && !state.started && staleCursor.has(reason)) {
        cursor = undefined
        continue
      }
      failScope(scope, error, run)
      return
    }
  }
}

function failScope(scope: SafeScope, error: unknown, { lease, log }: Run): void {
  const reason = reasonOf(error)
  const message = error instanceof AppError ? error.message : 'The listing failed; see the log.'
  if (!(error instanceof AppError)) log.error('a scope could not be listed', { scope: scope.key, error })
  lease.write((writer) => {
    const discovered = listScopes(writer, lease.scan.id).find(({ key }) => key === scope.key)?.discovered ?? 0
    saveScopeStep(writer, lease.scan.id, scope.key, {
      state: discovered > 0 || isPartial(reason) ? 'PARTIAL' : 'FAILED',
      reason: toSafeText(reason, 'prose'),
      gap: true,
    })
    addNotes(writer, lease.scan.id, 'failures', [{ code: reason, message, scope: scope.key }])
  })
}

/** A failure of the local store, not of the platform: it ends the scan. */
class StorageFailedError extends Error {
  constructor(cause: unknown) {
    super('a batch could not be stored', { cause })
    this.name = 'StorageFailedError'
  }
}

const unwrap = (error: unknown) => (error instanceof StorageFailedError ? error.cause : error)

async function crawlFrom(
  session: SafeSession,
  scope: SafeScope,
  cursor: string | undefined,
  run: Run,
  state: { started: boolean },
): Promise<void> {
  const { lease, store, detectorsHash } = run
  const known = (keys: readonly string[]) =>
    store.read((reader) => listKnownChecksums(reader, lease.scan.sourceId, detectorsHash, keys))
  const readings = (keys: readonly string[]) =>
    store.read((reader) => listReadings(reader, lease.scan.sourceId, detectorsHash, keys))
  const request = {
    scope: { key: scope.key, name: scope.name },
    known,
    readings,
    ...(cursor === undefined ? {} : { cursor }),
  }
  const batches = session.crawl(request)[Symbol.asyncIterator]()
  const options = toBatchOptions(scope, session, run)
  let place = cursor ?? null
  let ahead: ReturnType<typeof batches.next> | undefined
  try {
    for (;;) {
      const { done, value: batch } = await whileLeased(lease, ahead ?? batches.next())
      if (done === true) return
      state.started = true
      // A further batch of the same listing page is fetched while this one is processed. The next page is requested
      // only once this one is stored, so that a crash costs at most the current page.
      ahead = batch.cursor !== undefined && batch.cursor === place ? batches.next() : undefined
      ahead?.catch(() => {})
      place = batch.cursor ?? place
      await storing(() => processBatch(batch, options))
      if (lease.isToYield) throw new LeaseStopped('shutdown')
    }
  } finally {
    void batches.return?.().catch(() => {})
  }
}

async function storing(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (error instanceof LeaseStopped || fatal.has(reasonOf(error))) throw error
    throw new StorageFailedError(error)
  }
}

function toBatchOptions(scope: SafeScope, session: SafeSession, run: Run): BatchOptions {
  const { lease, store, source, parsed, detectorsHash, log, now } = run
  const detectorTypes = parsed.detectors.flatMap(({ detector }) => (isContentDetector(detector) ? detector.type : []))
  return {
    lease,
    store,
    scope,
    detectorTypes,
    detectorsHash,
    hasHistory: source.history !== 'off' && session.earlierVersions !== undefined,
    masking: run.masking,
    detect: toDetection(run),
    log,
    now,
  }
}

function toDetection(run: Run): RunDetection {
  const { parsed, detect, now } = run
  const detectors = parsed.detectors.flatMap(({ detector, config }) =>
    needsContent(detector) ? [{ type: detector.type, config }] : [],
  )
  return async (document, { original: asset, values }) => {
    try {
      const looked = await detect(document, { asset, detectors, values: [...values], now: now() })
      run.consecutiveFailures = 0
      return looked
    } catch (error) {
      if (++run.consecutiveFailures < MAX_CONSECUTIVE_FAILURES) throw error
      const message = 'The detectors cannot run; see the log for the cause, then start the scan again.'
      throw new AppError('unavailable', message, { reason: 'detectors_failed', cause: error })
    }
  }
}

async function runCrossAssetChecks(run: Run): Promise<void> {
  const { lease, crossAssetChecks, parsed, store, source, vault, log, now, upstream } = run
  const { connector, payload, detectors } = parsed
  const reached = store.read((reader) => getCheckCursor(reader, lease.scan.id)).step
  const done = crossAssetChecks.findIndex(({ type }) => type === reached)
  for (const step of crossAssetChecks.slice(Math.max(0, done))) {
    const chosen = detectors.find(({ detector }) => detector.type === step.type)
    if (chosen === undefined) continue
    const leavesOut = connector.leavesOut?.(payload) ?? { kinds: [], scopes: true }
    const fingerprintKey = vault.fingerprintKey()
    const shared = { lease, store, source, leavesOut, fingerprintKey, log, now, upstream }
    log.debug('cross-asset check started', { source: source.name, type: step.type })
    await step.evaluate({ ...shared, config: chosen.config })
  }
}

function conclude(
  scopes: readonly ScopeRecord[],
  { held, isRightLost, isUndecided }: { held: boolean; isRightLost: boolean; isUndecided: boolean },
): NotedOutcome {
  const broken = scopes.filter(({ state }) => state !== 'COMPLETE')
  const [first] = broken
  if (first !== undefined) {
    const nothing = scopes.every(({ state, discovered }) => state === 'FAILED' && discovered === 0)
    return { status: nothing ? 'FAILED' : 'PARTIAL', reason: first.reason ?? 'scope_incomplete' }
  }
  if (held) return { status: 'PARTIAL', reason: 'mass_vanishing' }
  if (isRightLost) return { status: 'PARTIAL', reason: 'right_lost' }
  return isUndecided ? { status: 'PARTIAL', reason: 'nothing_visible' } : { status: 'COMPLETED' }
}
