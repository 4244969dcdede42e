import { AppError } from '../kernel/errors.ts'
import type { Reader } from './reader-writer.ts'

const selectImporting = `SELECT 1 FROM scan WHERE "trigger" = 'IMPORT' AND status = 'RUNNING' LIMIT 1`
const RETRY_SECONDS = 5

/** Whether an accepted import is being applied, which is one transaction. */
export const isImporting = (reader: Reader): boolean => reader.prepare(selectImporting).get() !== undefined

/** The error of a write that has waited too long for another one: during an import it names this cause. */
export function explainBusy(error: unknown, findImporting: () => boolean): unknown {
  if (!(error instanceof AppError) || error.facts.reason !== 'busy' || !findImporting()) return error
  return new AppError(
    'unavailable',
    'An import is being stored, and changes wait for it; try again in a few seconds.',
    { reason: 'import_in_progress', retryAfterSeconds: RETRY_SECONDS, cause: error },
  )
}
