import { closeSync, lstatSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../kernel/errors.ts'

const MB = 1024 * 1024
/** With less free space, writes are refused, so that existing data stays intact and readable. */
export const MIN_FREE_BYTES = 64 * MB
const BALLAST_BYTES = 16 * MB
const BALLAST_NAME = 'ballast'
/** Free space is read from the disk at most once in this time. */
const FREE_SPACE_CACHE_MS = 1_000

export function readFreeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}

/** Free space on the disk of a data folder. */
export class Space {
  readonly #folder: string
  readonly #freeBytes: () => number
  #askedAt = Number.NEGATIVE_INFINITY
  #free = Number.POSITIVE_INFINITY

  constructor(folder: string, freeBytes: () => number = () => readFreeBytes(folder)) {
    this.#folder = folder
    this.#freeBytes = freeBytes
  }

  isLow(): boolean {
    const now = performance.now()
    if (now - this.#askedAt > FREE_SPACE_CACHE_MS) {
      this.#askedAt = now
      this.#free = this.#freeBytes()
    }
    // When space is low it is read again each time, because some may have been freed.
    if (this.#free < MIN_FREE_BYTES) this.#askedAt = Number.NEGATIVE_INFINITY
    return this.#free < MIN_FREE_BYTES
  }

  /** @throws AppError `unavailable`, reason `storage_full`. */
  require(): void {
    if (!this.isLow()) return
    const left = `${Math.floor(this.#free / MB)} of at least ${MIN_FREE_BYTES / MB} MB are free`
    throw new AppError(
      'unavailable',
      `The disk of the data folder is nearly full (${left}); free some space. Queries are still answered.`,
      { reason: 'storage_full' },
    )
  }

  /** Reserves a file that can be deleted on a full disk, where even deleting rows needs space. */
  keepBallast(): void {
    const file = join(this.#folder, BALLAST_NAME)
    const found = lstatSync(file, { throwIfNoEntry: false })
    if (found?.isFile() === true && found.size === BALLAST_BYTES) return
    if (this.#freeBytes() < MIN_FREE_BYTES + 2 * BALLAST_BYTES) return
    let handle: number
    try {
      this.dropBallast()
      handle = openSync(file, 'wx', 0o600)
    } catch {
      return
    }
    try {
      const block = Buffer.alloc(MB, 0xa5)
      for (let written = 0; written < BALLAST_BYTES; written += MB) writeSync(handle, block)
    } catch {
      this.dropBallast()
    } finally {
      closeSync(handle)
    }
  }

  dropBallast(): void {
    rmSync(join(this.#folder, BALLAST_NAME), { force: true })
  }
}
