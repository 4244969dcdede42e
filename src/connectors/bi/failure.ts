import { AppError } from '../../kernel/errors.ts'
import { endsScan, isRefusal } from '../failure.ts'

/** The platform's error code. */
export function codeOf(error: unknown): string {
  const code = error instanceof AppError ? error.facts.facts?.code : undefined
  return typeof code === 'string' ? code : ''
}

export function statusOf(error: unknown): number | undefined {
  const status = error instanceof AppError ? error.facts.facts?.status : undefined
  return typeof status === 'number' ? status : undefined
}

/**
 * Classifies a failed request for a part of an item: `refused` is permanent, `unavailable` temporary; rethrows errors
 * that end the scan. A 401 may concern the item only, so `probe` checks whether the credential is still valid.
 */
export async function judge(error: unknown, probe: () => Promise<unknown>): Promise<'refused' | 'unavailable'> {
  if (statusOf(error) === 401) {
    await probe()
    return 'refused'
  }
  if (endsScan(error)) throw error
  return isRefusal(error) ? 'refused' : 'unavailable'
}
