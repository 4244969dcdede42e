import type { Check } from '../cli/host.ts'

/**
 * What one look came to: a sentence when all is well, else what is wrong and the command that mends it, after what it
 * is for.
 */
export type CheckResult = string | { warning: string; fix: string } | { failed: string; fix: string }

export function toCheck(name: string, look: CheckResult): Check {
  if (typeof look === 'string') return { name, status: 'ok', detail: look }
  if ('failed' in look) return { name, status: 'failed', detail: look.failed, fix: look.fix }
  return { name, status: 'warning', detail: look.warning, fix: look.fix }
}

/** A look that itself goes wrong is a failed check, not the end of the others. */
export function check(name: string, work: () => CheckResult, fix: string): Check {
  try {
    return toCheck(name, work())
  } catch (error) {
    return {
      name,
      status: 'failed',
      detail: error instanceof Error ? error.message : 'It could not be looked at.',
      fix,
    }
  }
}

/** A path as a shell takes it. */
export const quote = (path: string): string => `'${path.replaceAll("'", `'\\''`)}'`
