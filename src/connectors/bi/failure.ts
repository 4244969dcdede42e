import { AppError } from '../../kernel/errors.ts'

export const reasonOf = (error: unknown) => (error instanceof AppError ? (error.facts.reason ?? '') : '')

/** Ends or parks the whole scan, so no smaller unit may swallow it. */
export const endsScan = (error: unknown) =>
  !(error instanceof AppError) ||
  error.code === 'internal' ||
  ['auth_failed', 'auth_expired', 'retry_later', 'aborted'].includes(reasonOf(error))

/** The platform says no, and will say so again: no right, not there, not made for this item. */
export const isRefusal = (error: unknown) => ['forbidden', 'gone', 'bad_request'].includes(reasonOf(error))

/** The platform's own error word. */
export function codeOf(error: unknown): string {
  const code = error instanceof AppError ? error.facts.facts?.code : undefined
  return typeof code === 'string' ? code : ''
}

export function statusOf(error: unknown): number | undefined {
  const status = error instanceof AppError ? error.facts.facts?.status : undefined
  return typeof status === 'number' ? status : undefined
}

/**
 * What a failed call for a part of an item means: `refused` for good, or `unavailable` this time; throws on what ends
 * the scan. A 401 may be about the item alone, so `probe` asks whether the credential still holds.
 */
export async function judge(error: unknown, probe: () => Promise<unknown>): Promise<'refused' | 'unavailable'> {
  if (statusOf(error) === 401) {
    await probe()
    return 'refused'
  }
  if (endsScan(error)) throw error
  return isRefusal(error) ? 'refused' : 'unavailable'
}
