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
 * The right to drive scheduled work. A holder is taken for gone when its process is, or when its lease was not renewed
 * for as long as it lasts while this process looked on: what clocks say of each other has no part in it.
 */
export class LoopLease {
  readonly #options: Required<LoopLeaseOptions>
  #seen: Lease | undefined
  #seenAt = 0
  #renewedAt = Number.NEGATIVE_INFINITY

  constructor(options: LoopLeaseOptions) {
    this.#options = { leaseMs: LEASE_MS, ...options }
  }

  /** Whose it is for this turn; free: to be taken, or renewed. */
  look(reader: Reader): 'ours' | 'theirs' | 'free' {
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

  /** Takes or renews it; a look without a write decides nearly always. */
  hold(): boolean {
    const { store, holder, now, leaseMs } = this.#options
    const { lease, standing } = store.read((reader) => ({
      lease: findLease(reader, NAME),
      standing: this.look(reader),
    }))
    if (standing !== 'free') return standing === 'ours'
    const expiresAt = now() + leaseMs
    const taken = store.write(
      (writer) => {
        if (!isSame(findLease(writer, NAME), lease)) return false
        // A clock that stands still renews it too.
        saveLease(writer, NAME, { holder, expiresAt: expiresAt === lease?.expiresAt ? expiresAt + 1 : expiresAt })
        return true
      },
      { essential: true },
    )
    if (taken) this.#renewedAt = performance.now()
    return taken
  }

  drop(): void {
    const { store, holder } = this.#options
    store.write((writer) => dropLease(writer, NAME, holder), { essential: true })
  }
}

const isSame = (one: Lease | undefined, other: Lease | undefined): boolean =>
  one?.holder === other?.holder && one?.expiresAt === other?.expiresAt
