import type { Store, WriteOptions, Writer, WriteScope } from '../store/store.ts'
import type { ScanRecord } from './model.ts'
import { isCertainlyDead, type Owner } from './owner.ts'
import { checkToken, claimScan, findScan, releaseScan, saveHeartbeat } from './scans.store.ts'

/** These writes are tried on a full disk, too, because they need next to no space. */
const essential = { essential: true }
/** A lease without a heartbeat for this long is lost. */
export const SILENCE_MS = 30_000

/** Why a lease ended before its scan was done. */
export type StopReason = 'cancelled' | 'lost' | 'shutdown'

export class LeaseStopped extends Error {
  readonly stop: StopReason

  constructor(stop: StopReason) {
    super(stop)
    this.name = 'LeaseStopped'
    this.stop = stop
  }
}

/** Whether no process holds the lease of an unfinished scan, so that it may be claimed. */
export function isOrphaned(scan: ScanRecord, now: number): boolean {
  if (scan.status === 'QUEUED') return true
  if (scan.status !== 'RUNNING') return false
  if (scan.owner === null || scan.heartbeatAt === null || isCertainlyDead(scan.owner)) return true
  return Math.abs(now - scan.heartbeatAt) > SILENCE_MS
}

export interface LeaseOptions {
  store: Store
  owner: Owner
  now: () => number
  signal: AbortSignal
  heartbeatMs: number
}

/** The exclusive right to write for one scan, held by a heartbeat and fenced by a token. */
export class ScanLease {
  readonly scan: ScanRecord
  readonly signal: AbortSignal
  readonly #options: LeaseOptions
  readonly #token: number
  readonly #scope: WriteScope
  readonly #stopping = new AbortController()
  readonly #timer: NodeJS.Timeout
  /** Other scans wait: it is to be released after the next batch and resumed later. */
  isToYield = false

  private constructor(scan: ScanRecord, options: LeaseOptions) {
    this.scan = scan
    this.#token = scan.token
    this.#scope = { source: scan.sourceId }
    this.#options = options
    this.signal = AbortSignal.any([options.signal, this.#stopping.signal])
    this.#timer = setInterval(() => this.#beat(), options.heartbeatMs)
    this.#timer.unref()
  }

  /** Claims a queued or orphaned scan; undefined if another process holds its lease or it is over. */
  static claim(scanUid: string, options: LeaseOptions): ScanLease | undefined {
    const waiting = options.store.read((reader) => findScan(reader, scanUid))
    if (waiting === undefined) return undefined
    const claim = (writer: Writer) => {
      const [now, at] = [options.now(), writer.time?.() ?? options.now()]
      const scan = findScan(writer, scanUid)
      if (scan === undefined || !isOrphaned(scan, at)) return undefined
      const startedAt = scan.startedAt ?? now
      const token = claimScan(writer, scan, { owner: options.owner.name, startedAt, heartbeatAt: at })
      return { ...scan, token, startedAt }
    }
    const claimed = options.store.write(claim, { scope: { source: waiting.sourceId } })
    return claimed === undefined ? undefined : new ScanLease(claimed, options)
  }

  /** Why the signal was aborted. */
  get stop(): StopReason {
    return this.#stopping.signal.aborted ? (this.#stopping.signal.reason as StopReason) : 'shutdown'
  }

  /** Runs `work` in one transaction, only while the lease is held. @throws LeaseStopped */
  write<T>(work: (writer: Writer) => T, options: WriteOptions = {}): T {
    if (this.signal.aborted) throw new LeaseStopped(this.stop)
    const guarded = (writer: Writer) => {
      const state = checkToken(writer, this.scan.id, this.#token)
      return state === 'mine' ? { done: work(writer) } : { state }
    }
    const result = this.#options.store.write(guarded, { scope: this.#scope, ...options })
    if ('done' in result) return result.done
    this.cancel(result.state)
    throw new LeaseStopped(result.state)
  }

  /** Writes the ending, even after a cancellation; false if the lease was lost. */
  end(work: (writer: Writer) => void): boolean {
    this.close()
    const end = (writer: Writer) => {
      if (checkToken(writer, this.scan.id, this.#token) === 'lost') return false
      work(writer)
      return true
    }
    return this.#options.store.write(end, { ...essential, scope: this.#scope })
  }

  /** Releases the lease, so that any process may claim the scan. */
  release(): void {
    this.close()
    const release = (writer: Writer) => releaseScan(writer, this.scan.id, this.#token)
    this.#options.store.write(release, { ...essential, scope: this.#scope })
  }

  cancel(stop: StopReason): void {
    if (!this.#stopping.signal.aborted) this.#stopping.abort(stop)
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #beat(): void {
    try {
      const beat = (writer: Writer) => {
        saveHeartbeat(writer, this.scan.id, this.#token, writer.time?.() ?? this.#options.now())
        return checkToken(writer, this.scan.id, this.#token)
      }
      const state = this.#options.store.write(beat, { ...essential, scope: this.#scope })
      if (state !== 'mine') this.cancel(state)
    } catch {
      // A missed heartbeat is harmless: the next one follows long before the scan counts as orphaned.
      return
    }
  }
}

/** Waits for `promise` until the signal of the lease is aborted. @throws LeaseStopped */
export async function whileLeased<T>(lease: ScanLease, promise: Promise<T>): Promise<T> {
  const { signal } = lease
  if (signal.aborted) {
    promise.catch(() => {})
    throw new LeaseStopped(lease.stop)
  }
  const { promise: stopped, reject } = Promise.withResolvers<never>()
  const stop = () => reject(new LeaseStopped(lease.stop))
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([promise, stopped])
  } catch (error) {
    promise.catch(() => {})
    throw signal.aborted && !(error instanceof LeaseStopped) ? new LeaseStopped(lease.stop) : error
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
