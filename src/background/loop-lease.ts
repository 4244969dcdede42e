import { isCertainlyDead } from '../scans/owner.ts'
import { dropLease, findLease, type Lease, saveLease } from '../store/lease.store.ts'
import type { Reader, Store } from '../store/store.ts'

const NAME = 'loop'
const LEASE_MS = 30_000

export interface LoopLeaseOptions {
  store: Store
  holder: string
  now: () => number
  leaseMs?: number
}

/**
 * The exclusive right of one process to run scheduled work. A holder counts as dead when its process is gone, or when
 * its lease was not renewed for a full lease period as measured by this process; wall clocks are not compared.
 */
export class LoopLease {
  readonly #options: Required<LoopLeaseOptions>
  #seen: Lease | undefined
  #seenAt = 0
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(options: LoopLeaseOptions) {
    this.#options = { leaseMs: LEASE_MS, ...options }
  }

  /** The state of the lease now; `free` means that it can be taken, or is due for renewal. */
  stateOf(reader: Reader): 'ours' | 'theirs' | 'free' {
    const { holder, leaseMs } = this.#options
    const lease = findLease(reader, NAME)
    if (lease === undefined) return 'free'
    if (lease.holder === holder) return performance.now() - this.#renewedAt < leaseMs / 3 ? 'ours' : 'free'
    if (!isSame(lease, this.#seen)) {
      this.#seen = lease
      this.#seenAt = performance.now()
    }
    return isCertainlyDead(lease.holder) || performance.now() - this.#seenAt > leaseMs ? 'free' : 'theirs'
  }

  /** Takes or renews the lease if needed; usually no write is necessary. */
  hold(): boolean {
    const { store, holder, now, leaseMs } = this.#options
    const { lease, state } = store.read((reader) => ({
      lease: findLease(reader, NAME),
      state: this.stateOf(reader),
    }))
    if (state !== 'free') return state === 'ours'
    const taken = store.write(
      (writer) => {
        if (!isSame(findLease(writer, NAME), lease)) return false
        const expiresAt = (writer.time?.() ?? now()) + leaseMs
        // The value must change even if the clock does not advance.
        saveLease(writer, NAME, { holder, expiresAt: expiresAt === lease?.expiresAt ? expiresAt + 1 : expiresAt })
        return true
      },
      { essential: true, scope: 'loop' },
    )
    if (taken) this.#renewedAt = performance.now()
    return taken
  }

  drop(): void {
    const { store, holder } = this.#options
    store.write((writer) => dropLease(writer, NAME, holder), { essential: true, scope: 'loop' })
  }
}

const isSame = (one: Lease | undefined, other: Lease | undefined): boolean =>
  one?.holder === other?.holder && one?.expiresAt === other?.expiresAt
