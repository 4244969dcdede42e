import { statSync } from 'node:fs'
import type { AppError } from '../kernel/errors.ts'
import { toDamagedError } from './place.ts'

/** The suffixes of the database, its write-ahead log and the index of the log. */
export const PARTS = ['', '-wal', '-shm'] as const
/** Minimum interval between two checks by reads. */
const MIN_INTERVAL_MS = 50
const RESTART = 'stop every assay process that uses the data folder and start again, or'

interface Part {
  name: string
  dev: number
  ino: number
}

/**
 * Detects that the files of an open database were removed, replaced or truncated. SQLite continues with the files that
 * it has open, and everything written to those is lost.
 */
export class FileGuard {
  readonly #file: string
  readonly #isWhole: () => boolean
  readonly #parts: readonly Part[]
  #checkedAt = Number.NEGATIVE_INFINITY
  #bytes: number
  #cutAt: number | undefined

  /**
   * To be created once the database is open. `isWhole` re-reads the file from disk; it is called when the file has
   * become smaller.
   */
  constructor(file: string, isWhole: () => boolean) {
    this.#file = file
    this.#isWhole = isWhole
    this.#parts = PARTS.map((part) => {
      const { dev, ino } = statSync(`${file}${part}`)
      return { name: `${file}${part}`, dev, ino }
    })
    this.#bytes = statSync(file).size
  }

  /**
   * @throws AppError `unavailable`, reason `database_missing`, `database_replaced`, `log_missing` or `database_damaged`.
   */
  check(): void {
    this.#checkedAt = performance.now()
    for (const [index, { name, dev, ino }] of this.#parts.entries()) {
      const found = statSync(name, { throwIfNoEntry: false })
      if (found?.ino !== ino || found.dev !== dev) throw this.#lose(index > 0, found === undefined)
      if (index === 0) this.#checkSize(found.size)
    }
  }

  /** Whether the open files are those in the data folder. */
  isIntact(): boolean {
    try {
      this.check()
      return true
    } catch {
      return false
    }
  }

  /** `check`, unless the last one was less than MIN_INTERVAL_MS ago. */
  checkIfStale(): void {
    if (performance.now() - this.#checkedAt > MIN_INTERVAL_MS) this.check()
  }

  #checkSize(bytes: number): void {
    if (bytes < this.#bytes && (bytes === this.#cutAt || !this.#isWhole())) {
      this.#cutAt = bytes
      throw toDamagedError(
        this.#file,
        'database_damaged',
        `The database file was truncated while it was in use; ${RESTART}`,
      )
    }
    this.#bytes = bytes
  }

  #lose(isLog: boolean, isMissing: boolean): AppError {
    // Reads must check again until a check succeeds.
    this.#checkedAt = Number.NEGATIVE_INFINITY
    return toLostError(this.#file, { isLog, isMissing })
  }
}

/** The error where the files of a database are not those that a process has open. */
export function toLostError(file: string, { isLog, isMissing }: { isLog: boolean; isMissing: boolean }): AppError {
  const reason = isLog ? 'log_missing' : isMissing ? 'database_missing' : 'database_replaced'
  const what = isLog ? 'write-ahead log of the database' : 'database file'
  const how = isMissing ? 'removed' : 'replaced'
  const text = `The ${what} was ${how} while it was in use, so nothing more is written or answered; ${RESTART}`
  return toDamagedError(file, reason, text)
}
