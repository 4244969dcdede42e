import { closeSync, statSync, utimesSync } from 'node:fs'
import { openForAppending } from '../runtime/regular-file.ts'

/**
 * Signals to batch writers, in any process, that another writer waits: through the modification time of an empty file.
 */
export class WriterSignal {
  readonly #file: string
  #heardAt = 0

  constructor(file: string) {
    this.#file = file
    this.#heardAt = this.#rangAt()
  }

  signal(): void {
    try {
      const now = new Date()
      try {
        utimesSync(this.#file, now, now)
      } catch {
        closeSync(openForAppending(this.#file))
      }
      this.#heardAt = this.#rangAt()
    } catch {
      // Without the signal the caller only waits a little longer.
      return
    }
  }

  /** Whether another writer has signalled since the last call. */
  wasSignalled(): boolean {
    const at = this.#rangAt()
    if (at === this.#heardAt) return false
    this.#heardAt = at
    return true
  }

  #rangAt(): number {
    return statSync(this.#file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  }
}
