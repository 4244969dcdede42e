import { hasCrcTail } from '../checksums.ts'
import { entropy } from '../text.ts'
import type { Found } from './found.ts'
import { isMonotonous } from './guards.ts'
import type { TokenShape } from './vendor-tokens.ts'

/** A token of one shape whose literal stands at `start`. */
export function* readToken(text: string, start: number, shape: TokenShape): Generator<Found> {
  const { pattern, lead, type } = shape
  for (let from = start; from >= Math.max(0, start - lead); from--) {
    const before = text.charCodeAt(from - 1)
    if (from > 0 && (isAlphanumeric(before) || before === 43) && !(type === 'TAILSCALE_KEY' && before < 65)) continue
    pattern.lastIndex = from
    const token = pattern.exec(text)?.[0]
    if (token === undefined || from + token.length <= start) continue
    const body = token.slice(Math.min(shape.literal.length, 12))
    if (shape.trusted !== true && (isFiller(token) || entropy(body) < 2.7)) return
    const sample = shape.trusted !== true && isMonotonous(body)
    const wrong = shape.crcAfter !== undefined && token.length === 40 && !hasCrcTail(token.slice(4))
    const prefix = /^[A-Za-z]{2,10}[-_.]/.exec(token)?.[0].slice(0, 8) ?? token.slice(0, 4)
    const shown = lead > 0 ? '•••' : `${prefix}•••`
    yield {
      type,
      start: from,
      end: from + token.length,
      severity: sample ? 'LOW' : shape.severity,
      confidence: sample ? 0.55 : wrong ? shape.confidence - 0.15 : shape.confidence,
      value: token,
      shown,
    }
    return
  }
}

const isAlphanumeric = (code: number) =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** `ghp_xxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`, `sk_live_your_key_here`. */
function isFiller(token: string): boolean {
  return /x{5,}|\*{3,}|\.{3}|example|your|here$|dummy|redacted|placeholder|(.)\1{6,}/i.test(token)
}
