import { toChallenge } from '../access/challenge.ts'
import { AppError, type ErrorCode } from '../kernel/errors.ts'
import { toSafeError } from '../operation/repeated.ts'
import type { Log } from '../runtime/log.ts'

export const httpStatus: Record<ErrorCode, number> = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  not_acceptable: 406,
  conflict: 409,
  too_large: 413,
  unsupported_media_type: 415,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
}

const titles: Record<ErrorCode, string> = {
  invalid_input: 'Invalid input',
  unauthorized: 'Authentication required',
  forbidden: 'Forbidden',
  not_found: 'Not found',
  method_not_allowed: 'Method not allowed',
  not_acceptable: 'Not acceptable',
  conflict: 'Conflict',
  too_large: 'Too large',
  unsupported_media_type: 'Unsupported media type',
  rate_limited: 'Too many requests',
  internal: 'Internal error',
  unavailable: 'Unavailable',
}

const plainChallenge = (error: AppError) => toChallenge(error, undefined)

/** An error as RFC 9457 problem details. Anything but an AppError is logged under an id and reported as `internal`. */
export function toProblem(
  error: unknown,
  log: Log,
  challenge: (error: AppError) => string | undefined = plainChallenge,
): Response {
  const known = toSafeError(toKnown(error, log))
  const { facts = {}, retryAfterSeconds, ...rest } = known.facts
  const status = httpStatus[known.code]
  const body = {
    type: `urn:assay:problem:${known.code}`,
    title: titles[known.code],
    status,
    detail: known.message,
    code: known.code,
    ...rest,
    ...facts,
  }
  const headers: Record<string, string> = { 'content-type': 'application/problem+json' }
  if (retryAfterSeconds !== undefined) headers['retry-after'] = String(Math.ceil(retryAfterSeconds))
  const wanted = challenge(known)
  if (wanted !== undefined) headers['www-authenticate'] = wanted
  const allow = facts.allow
  if (known.code === 'method_not_allowed' && typeof allow === 'string') headers.allow = allow
  return new Response(JSON.stringify(body), { status, headers })
}

function toKnown(error: unknown, log: Log): AppError {
  if (error instanceof AppError && error.code !== 'internal') {
    if (error.facts.reason === 'body_broken_off') log.info('a client aborted its request', { code: error.code })
    return error
  }
  const id = crypto.randomUUID()
  log.error('a request failed', { id, error })
  return new AppError('internal', `An internal error occurred; the log has the cause under ${id}.`, {
    facts: { id },
  })
}
