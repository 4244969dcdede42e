import type { Found } from './found.ts'
import { isPlaceholder, tokenConfidence } from './guards.ts'

const authorization =
  /^["']?\s{0,3}[:=]\s{0,3}["'`]{0,1}(Basic|Bearer|Token|ApiKey|SSWS|Digest|GenieKey|OAuth)\s{1,3}([^\s"'`\\<>,;]{8,2000})/i

export function* findAuthorization(text: string, at: number): Generator<Found> {
  const found = authorization.exec(text.slice(at + 'authorization'.length, at + 2100))
  if (found === null) return
  const [whole, kind = '', value = ''] = found
  const basic = kind.toLowerCase() === 'basic'
  if (isPlaceholder(value) && !basic) return
  const confidence = basic ? pairConfidence(value) : tokenConfidence(value, true)
  if (confidence === 0) return
  const end = at + 'authorization'.length + whole.length
  yield {
    type: basic ? 'BASIC_AUTH' : 'BEARER_TOKEN',
    start: end - value.length,
    end,
    severity: 'HIGH',
    confidence: Math.max(confidence, 0.91),
    value,
  }
}

/** Confidence of a base64-encoded `user:password`; 0 for passwords used in documentation. */
export function pairConfidence(value: string): number {
  if (!/^[A-Za-z0-9+/_-]{12,1000}={0,2}$/.test(value)) return 0
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const split = pair.indexOf(':')
  if (split < 1 || /[^\x20-\x7e]/.test(pair)) return 0
  const password = pair.slice(split + 1)
  return password.length >= 5 && !isPlaceholder(password) && password !== pair.slice(0, split) ? 0.85 : 0
}
