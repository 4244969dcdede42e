import { renameSync } from 'node:fs'
import { sleepSync } from './pause.ts'

const MAX_ATTEMPTS = 10
const RETRY_MS = 20
const busy = new Set(['EPERM', 'EACCES', 'EBUSY'])

/**
 * Renames a file, in place of another one if there is one. Windows refuses that while a program has either of them
 * open, as virus scanners have new files for a moment.
 */
export function replaceFile(from: string, to: string, { platform = process.platform, rename = renameSync } = {}): void {
  for (let attempt = 1; ; attempt++) {
    try {
      rename(from, to)
      return
    } catch (error) {
      const isBusy = error instanceof Error && 'code' in error && busy.has(String(error.code))
      if (platform !== 'win32' || !isBusy || attempt === MAX_ATTEMPTS) throw error
      sleepSync(RETRY_MS * attempt)
    }
  }
}
