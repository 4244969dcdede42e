import { recordExpiries } from '../findings/expiries.ts'
import { sweepImports } from '../imports/apply/apply-import.ts'
import { isObject } from '../kernel/json-object.ts'
import type { ScanRunner } from '../operation/context.ts'
import type { Log } from '../runtime/log.ts'
import type { ScanRecord } from '../scans/model.ts'
import { createOwner } from '../scans/owner.ts'
import {
  dropRetry,
  findActiveScan,
  findNewestScan,
  listDueRetries,
  listOpenScans,
  requeueScan,
} from '../scans/scans.store.ts'
import { watchHeartbeats } from '../scans/silence.ts'
import { finishDeletions } from '../scans/source-deletion.ts'
import { isAbandoned, queueScan } from '../scans/start.ts'
import type { SourceRecord } from '../sources/model.ts'
import { nextRunAt, Schedule } from '../sources/schedule.ts'
import { findSourceById, listDueSources, listSourcesPlannedAfter, setNextRun } from '../sources/sources.store.ts'
import type { Store, Writer } from '../store/store.ts'
import type { WatchKeeper } from '../watches/keeper.ts'
import { LoopLease } from './loop-lease.ts'

const TICK_MS = 1_000
/** While nothing is written and no scan is open, most ticks are left out. */
const TICKS_AT_REST = 5
/**
 * After a smaller backward jump of the clock, schedules wait for it to catch up, so that no run is repeated; after a
 * larger one, the clock must have been wrong before.
 */
const CLOCK_TRUST_MS = 48 * 3_600_000
const CLOCK_JUMP_MS = 30_000

export interface LoopOptions {
  store: Store
  scans: ScanRunner
  log: Log
  now: () => number
  signal: AbortSignal
  /** Evaluates watches and sends their messages; absent: this loop does neither. */
  watches?: WatchKeeper
  /** Runs the tests of metrics. */
  tests?: { tick(): void; settled(): Promise<void> }
  tickMs?: number
  leaseMs?: number
}

interface TickOptions extends LoopOptions {
  /** Whether the owner of a scan that seems abandoned has shown no sign of activity. */
  isHeartbeatStale?: (scan: ScanRecord) => boolean
}

export interface Loop {
  stop(): Promise<void>
}

/**
 * Starts due scans, and resumes interrupted and parked ones, in the one process on the database that holds the lease. A
 * dead holder loses it at the next tick of another process. On a server of databases, the others run waiting scans, too.
 */
export function startLoop(options: LoopOptions): Loop {
  const { store, log, now, signal, tickMs = TICK_MS, leaseMs } = options
  const owner = createOwner()
  const lease = new LoopLease({ store, holder: owner.name, now, ...(leaseMs === undefined ? {} : { leaseMs }) })
  const watch = watchClock(now)
  const isHeartbeatStale = watchHeartbeats()
  let isPaused = false
  let isFailing = false
  let turning = false
  let stopped = false
  const isOver = () => stopped || signal.aborted
  const isOurs = () => !isOver() && store.read((reader) => lease.stateOf(reader)) !== 'theirs'
  const isAtRest = watchRest(store)
  const tick = async () => {
    if (isOver() || turning) return
    turning = true
    try {
      if (!isFailing && isAtRest()) return
      if (isWriting(store, lease, now())) await store.waitForWriteLock({ signal })
      if (isOver()) return
      if (!lease.hold()) {
        // Machines share the work of one database; processes on one data folder would only share its machine.
        if (store.files === undefined) startAbandoned({ ...options, isHeartbeatStale })
        return
      }
      const jumpMs = watch()
      if (jumpMs !== 0) log.warn('clock_jump', { jumpMs })
      if ((store.files?.space.isLow() ?? false) !== isPaused) {
        isPaused = !isPaused
        log.warn(
          isPaused ? 'the disk is nearly full: scans are paused' : 'there is enough disk space again: scans resume',
        )
      }
      if (isPaused) return
      store.files?.space.keepBallast()
      runTick({ ...options, isHeartbeatStale })
      if ((await finishDeletions(options)) > 0) log.info('the remaining data of a deleted source was removed')
      sweepImports(options)
      await recordExpiries({ store, now, signal })
      options.tests?.tick()
      options.watches?.tick(isOurs)
      isFailing = false
    } catch (error) {
      if (!isOver() && !isFailing) log.warn('the background loop failed and tries again', { error })
      isFailing = true
    } finally {
      turning = false
    }
  }
  const timer = setInterval(() => void tick(), tickMs)
  timer.unref()
  setImmediate(() => void tick())
  const stop = async () => {
    stopped = true
    clearInterval(timer)
    signal.removeEventListener('abort', onAbort)
    await Promise.all([options.tests?.settled(), options.watches?.settled()])
    try {
      lease.drop()
    } catch (error) {
      log.warn('the lease of the background loop could not be released; it will expire', { error })
    }
    owner.release()
  }
  const onAbort = () => clearInterval(timer)
  signal.addEventListener('abort', onAbort, { once: true })
  return { stop }
}

/** A function that returns whether a tick can be left out. */
function watchRest(store: Store): () => boolean {
  let seen: number | undefined
  let leftOut = 0
  return () =>
    store.read((reader) => {
      const { dataVersion } = reader
      const isSame = dataVersion !== undefined && dataVersion === seen
      if (isSame && ++leftOut < TICKS_AT_REST) return true
      leftOut = 0
      seen = listOpenScans(reader).length === 0 ? dataVersion : undefined
      return false
    })
}

/** A function that returns by how much the wall clock has diverged from the monotonic clock since the last call. */
function watchClock(now: () => number): () => number {
  let gap = now() - performance.now()
  return () => {
    const present = now() - performance.now()
    const jumpMs = Math.round(present - gap)
    if (Math.abs(jumpMs) <= CLOCK_JUMP_MS) return 0
    gap = present
    return jumpMs
  }
}

/** Whether this tick will write: to renew the lease, or because something is due. */
function isWriting(store: Store, lease: LoopLease, now: number): boolean {
  return store.read((reader) => {
    const state = lease.stateOf(reader)
    if (state !== 'ours') return state === 'free'
    const due = [listSourcesPlannedAfter(reader, now + CLOCK_TRUST_MS), listDueSources(reader, now)]
    return [...due, listDueRetries(reader, now)].some((each) => each.length > 0)
  })
}

/** One tick of the loop: runs everything that is due now. */
export function runTick({ store, scans, log, now: clock, isHeartbeatStale = () => true }: TickOptions): void {
  const now = clock()
  for (const source of store.read((reader) => listSourcesPlannedAfter(reader, now + CLOCK_TRUST_MS))) {
    if (rescheduleSource(store, source, now))
      log.warn('the clock was set back; the next run of a schedule was recomputed', { source: source.name })
  }
  for (const source of store.read((reader) => listDueSources(reader, now))) {
    const scanUid = startDue(store, source, now)
    log.info(scanUid === undefined ? 'a due scan was skipped' : 'a due scan was started', { source: source.name })
    if (scanUid !== undefined) scans.start(scanUid)
  }
  for (const scan of store.read((reader) => listDueRetries(reader, now))) {
    if (resumeParked(store, scan.id, scan.sourceId, now)) scans.start(scan.uid)
  }
  startAbandoned({ store, scans, now: clock, isHeartbeatStale })
}

/** Starts the scans that wait for any process; whichever claims one first runs it. */
function startAbandoned({
  store,
  scans,
  now,
  isHeartbeatStale,
}: Pick<LoopOptions, 'store' | 'scans' | 'now'> & Required<Pick<TickOptions, 'isHeartbeatStale'>>): void {
  for (const scan of store.read(listOpenScans)) {
    if (isHeartbeatStale(scan) && isAbandoned(scan, now())) scans.start(scan.uid)
  }
}

/** Starts one scan regardless of the number of missed runs; a run that is due during an active scan is skipped. */
function startDue(store: Store, { id }: SourceRecord, now: number): string | undefined {
  const start = (writer: Writer) => {
    const source = findSourceById(writer, id)
    if (source === undefined || source.nextRunAt === null || source.nextRunAt > now) return undefined
    setNextRun(writer, id, nextRunAt(scheduleOf(source), now) ?? null)
    if (findActiveScan(writer, id) !== undefined) return undefined
    return queueScan(writer, source, { trigger: 'SCHEDULE', requestedBy: 'schedule', at: now })
  }
  return store.write(start, { scope: { source: id } })
}

/**
 * Reschedules a source and returns true if its next run is so far beyond its schedule that the clock must have been
 * wrong.
 */
function rescheduleSource(store: Store, source: SourceRecord, now: number): boolean {
  const next = nextRunAt(scheduleOf(source), now)
  if (next === undefined || source.nextRunAt === null || source.nextRunAt <= next + CLOCK_TRUST_MS) return false
  store.write((writer) => setNextRun(writer, source.id, next), { scope: { source: source.id } })
  return true
}

function scheduleOf(source: SourceRecord): Schedule | undefined {
  const { schedule } = source.config
  return isObject(schedule) ? Schedule.parse(schedule) : undefined
}

/** Resumes a parked scan unless the source has a newer one. */
function resumeParked(store: Store, scanId: number, sourceId: number, now: number): boolean {
  const resume = (writer: Writer) => {
    const newest = findNewestScan(writer, sourceId)
    if (newest?.id !== scanId || newest.retryAt === null || newest.retryAt > now) {
      dropRetry(writer, scanId)
      return false
    }
    requeueScan(writer, scanId)
    return true
  }
  return store.write(resume, { scope: { source: sourceId } })
}
