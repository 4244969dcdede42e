import type { Check } from '../cli/host.ts'
import { shell } from '../runtime/shell.ts'

/** A data folder to use instead of one that cannot be used. */
export const otherFolder = shell.userFolder('assay-data')

/** How a database of an earlier version is left, before the command that makes a new one. */
export const AFTER_EXPORT = 'Export it with the version that made it, then make a new one'

/**
 * The result of a check: a sentence when all is well, else the problem and its fix: a command, which may be preceded by
 * its purpose and a colon.
 */
export type CheckResult = string | { warning: string; fix: string } | { failed: string; fix: string }

export function toCheck(name: string, look: CheckResult): Check {
  if (typeof look === 'string') return { name, status: 'ok', detail: look }
  if ('failed' in look) return { name, status: 'failed', detail: look.failed, fix: look.fix }
  return { name, status: 'warning', detail: look.warning, fix: look.fix }
}

/** A check that throws counts as failed and does not stop the others. */
export function check(name: string, work: () => CheckResult, fix: string): Check {
  try {
    return toCheck(name, work())
  } catch (error) {
    return {
      name,
      status: 'failed',
      detail: error instanceof Error ? error.message : 'The check could not be run.',
      fix,
    }
  }
}
