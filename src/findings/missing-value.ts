import { foldCase } from '../kernel/fold.ts'
import { internalText, type SafeText } from '../kernel/safe-text.ts'

/** How a missing value is written, in answers and in filters. */
export const NONE = '(none)'
const ownWord = /^"*\((?:none|withheld)\)"*$/i

/** A value as answers and filters write it: in quotes if it could be taken for `(none)` or `(withheld)`. */
export const quoteOwnWord = (value: SafeText): SafeText => (ownWord.test(value) ? internalText(`"${value}"`) : value)

/** The value that `quoteOwnWord` wrote; null for `(none)`. */
export function readOwnWord<Text extends string>(written: Text): Text | null {
  if (foldCase(written) === NONE) return null
  return ownWord.test(written) ? (written.replace(/^"(.+)"$/, '$1') as Text) : written
}
