import { cutText } from '../../kernel/well-formed.ts'
import { MAX_ADDRESS, toSafeText } from '../safe-text.ts'

const MAX_LENGTH = 400

/**
 * A link as findings display it: as written, including the fragment, on one line, with credentials and tokens masked.
 */
export function toLinkExcerpt(url: string): string {
  const line = toSafeText(url.replace(/[\p{Cc}\p{Cf}]+/gu, '').trim(), 'key', MAX_ADDRESS)
  return line.length <= MAX_LENGTH ? line : `${cutText(line, MAX_LENGTH - 1)}…`
}
