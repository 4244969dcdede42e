import { expect } from 'vitest'
import { createHttpClient, type HttpClientOptions } from '../../src/connectors/http/transport.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { type Handler, type Loopback, sendJson } from './loopback.ts'

export const SECRET = 'Bearer top-secret-credential'

export function clientFor(server: Pick<Loopback, 'origin'>, options: Partial<HttpClientOptions> = {}) {
  return createHttpClient({
    origin: server.origin,
    authorize: async () => SECRET,
    timeoutMs: 2000,
    maxRetries: 3,
    minGapMs: 0,
    concurrency: 4,
    signal: new AbortController().signal,
    log: silentLog,
    now: Date.now,
    random: () => 0,
    ...options,
  })
}

export async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (!(error instanceof AppError)) throw new Error(`expected an AppError, got ${String(error)}`)
  expect(JSON.stringify([error.message, error.facts, error.stack, error.cause])).not.toContain('top-secret')
  return error
}

/** Answers every request so. */
export const fail =
  (status: number, headers: Record<string, string> = {}, body: unknown = {}): Handler =>
  (_request, response) =>
    sendJson(response, body, status, headers)
