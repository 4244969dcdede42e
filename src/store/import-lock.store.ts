import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../kernel/errors.ts'
import type { Reader } from './reader-writer.ts'

const selectImporting = `SELECT 1 FROM scan WHERE "trigger" = 'IMPORT' AND status = 'RUNNING' LIMIT 1`
const REASON = 'import_in_progress'
const RETRY_SECONDS = 5
const RETRY_MS = 100

/** Whether an accepted import is being applied, which is one transaction. */
export const isImporting = (reader: Reader): boolean => reader.prepare(selectImporting).get() !== undefined

/** The error of a write that has waited too long for another one: during an import it names this cause. */
export function explainBusy(error: unknown, findImporting: () => boolean): unknown {
  if (!(error instanceof AppError) || error.facts.reason !== 'busy' || !findImporting()) return error
  return new AppError(
    'unavailable',
    'An import is being stored, and changes wait for it; try again in a few seconds.',
    { reason: REASON, retryAfterSeconds: RETRY_SECONDS, cause: error },
  )
}

/** Runs a write that can wait for imports, however long they take. */
export async function writeAfterImports<T>(
  write: () => T,
  {
    store,
    signal,
  }: { store: { waitForWriteLock(until: { signal: AbortSignal }): Promise<void> }; signal: AbortSignal },
): Promise<T> {
  for (;;) {
    await store.waitForWriteLock({ signal })
    try {
      return write()
    } catch (error) {
      if (signal.aborted || !(error instanceof AppError) || error.facts.reason !== REASON) throw error
    }
    await sleep(RETRY_MS)
  }
}
