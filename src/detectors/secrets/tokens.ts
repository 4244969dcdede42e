import { hash } from 'node:crypto'
import { hasCrcTail } from '../checksums.ts'
import { entropy, isAlphanumeric } from '../text.ts'
import type { Found } from './found.ts'
import { isMonotonous } from './guards.ts'
import type { TokenShape } from './token-shape.ts'

/** Whether the character before a literal allows a token to start there: a cheap test that excludes most. */
export const mayBeginToken = (text: string, start: number, { lead, type }: TokenShape): boolean =>
  lead > 0 || start === 0 || type === 'TAILSCALE_KEY' || !isAlphanumeric(text.charCodeAt(start - 1))

/** A token of one shape whose literal is at `start`. */
export function* readToken(text: string, start: number, shape: TokenShape): Generator<Found> {
  const { pattern, lead, type } = shape
  for (let from = start; from >= Math.max(0, start - lead); from--) {
    const before = text.charCodeAt(from - 1)
    if (from > 0 && (isAlphanumeric(before) || before === 43) && !(type === 'TAILSCALE_KEY' && before < 65)) continue
    pattern.lastIndex = from
    const token = pattern.exec(text)?.[0]
    if (token === undefined || from + token.length <= start) continue
    const body = token.slice(Math.min(shape.literal.length, 12))
    if (isPublished(token)) return
    if (shape.trusted !== true && (isFiller(token) || entropy(body) < 2.7)) return
    if (shape.strict === true && /abcdefgh|12345678|test$/i.test(token)) return
    const sample = shape.trusted !== true && isMonotonous(body)
    const wrong = shape.crcAfter !== undefined && token.length === 40 && !hasCrcTail(token.slice(4))
    const prefix = /^[A-Za-z]{2,10}[-_.]/.exec(token)?.[0].slice(0, 8) ?? token.slice(0, 4)
    const shown = lead > 0 ? '•••' : `${prefix}•••`
    yield {
      type,
      start: from,
      end: from + token.length,
      severity: sample ? 'LOW' : shape.severity,
      confidence: sample ? 0.55 : wrong ? shape.confidence - 0.04 : shape.confidence,
      value: token,
      shown,
    }
    return
  }
}

/** Sample keys from manuals and sample code of vendors, as the first digits of their SHA-256. */
const published = new Set(
  'f56e323494a6 2037abcaffb2 3f370c9dd822 e4a5542bb7fd a19f89ab3555 0b476bdf9acf eb540d2b6ee2 37f8f09bdf12 8731261cb72d 49f777db995e 27a9a42931df dc0fcf046c61 4c98242dcadc ea9bb1082cf9 3a8b61d0f636 a6c814bc555a'.split(
    ' ',
  ),
)
const isPublished = (token: string) => published.has(hash('sha256', token).slice(0, 12))

/** `ghp_xxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`, `sk_live_your_key_here`. */
function isFiller(token: string): boolean {
  return /x{5}|\*{3}|\.{3}|example|your|here$|dummy|redacted|placeholder/i.test(token) || /(.)\1{6}/i.test(token)
}
