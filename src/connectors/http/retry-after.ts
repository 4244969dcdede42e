/** A longer wait is cut to this one: the platform is then asked again. */
const MAX_ASKED_WAIT_MS = 86_400_000

type Headers = Readonly<Record<string, string>>

function toWaitMs(value: string | undefined, serverNow: number): number | undefined {
  const text = value?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  if (!/\d{2}:\d{2}/.test(text)) return undefined
  const instant = Date.parse(text)
  return Number.isNaN(instant) ? undefined : instant - serverNow
}

/**
 * The wait that the platform requests, in milliseconds, at most MAX_ASKED_WAIT_MS; undefined where there is none or it
 * is unusable (0, a past date, garbage). Reads seconds, HTTP dates and ISO instants from `Retry-After` and its beta
 * form, the reset instant of the rate-limit headers, and the sentence that the BI platform writes into the body.
 */
export function readRetryAfterMs(headers: Headers, body: string, now: number): number | undefined {
  const asked = findAskedMs(headers, body, now)
  return asked === undefined ? undefined : Math.min(MAX_ASKED_WAIT_MS, asked)
}

function findAskedMs(headers: Headers, body: string, now: number): number | undefined {
  const sent = Date.parse(headers.date ?? '')
  const serverNow = Number.isNaN(sent) ? now : sent
  const asked = toWaitMs(headers['retry-after'] ?? headers['beta-retry-after'], serverNow)
  if (asked !== undefined && asked > 0) return asked
  const sentence = /\bretry in (\d{1,7}) seconds/i.exec(body)?.[1]
  if (sentence !== undefined && Number(sentence) > 0) return Number(sentence) * 1000
  const reset = headers['x-ratelimit-reset']
  const untilReset = reset?.includes('T') ? toWaitMs(reset, serverNow) : undefined
  return untilReset !== undefined && untilReset > 0 ? Math.min(untilReset, 300_000) : undefined
}
