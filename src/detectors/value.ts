import type { Match } from './detector.ts'

/** Types whose separators are significant, or whose values are words. */
const spelledTypes: ReadonlySet<string> = new Set([
  'EMAIL',
  'IP_ADDRESS',
  'PERSON_NAME',
  'POSTAL_ADDRESS',
  'DATE_OF_BIRTH',
  'CRYPTO_WALLET',
])
const separators = /[\s./()\u2010-\u2013-]/g

/** A number of a person without the separators and the letter case that people write it in. */
export const toCompact = (number: string): string => number.replace(separators, '').toUpperCase()

/** What is hashed of a datum of a person, as the detectors normalise it. */
export const toDatum = (normalised: string): string => `PII|value|${normalised}`

/** What is hashed of a secret. */
export const toSecret = (text: string): string => `SECRETS|value|${decodeSecret(text)}`

/**
 * What the keyed hash of a value is made of: the same in all places, however it is written, and whichever type it was
 * found as; undefined for findings without a secret or a datum of a person.
 */
export function toValue(
  match: Pick<Match, 'findingType' | 'value' | 'isName'> & { detectorType: string; identity: string },
): string | undefined {
  const { detectorType, findingType, identity, value = identity, isName } = match
  if (isName === true) return undefined
  if (detectorType === 'PII') return toDatum(spelledTypes.has(findingType) ? value : toCompact(value))
  if (detectorType !== 'SECRETS') return undefined
  const secret = decodeSecret(value)
  return toSecret(findingType === 'BASIC_AUTH' ? secret.slice(secret.indexOf(':') + 1) : secret)
}

const MAX_DECODINGS = 3
const percents = /%[0-9a-f]{2}/i
const base64 = /^[A-Za-z0-9+/_-]{8,}={0,2}$/
const printable = /^[\t\n\r -~]+$/

/** The secret itself, where its text is percent-encoded or is base64 of readable text. */
function decodeSecret(text: string): string {
  let secret = text
  for (let round = 0; round < MAX_DECODINGS; round++) {
    const decoded = decodeBase64(decodePercents(secret))
    if (decoded === secret) break
    secret = decoded
  }
  return secret
}

function decodePercents(text: string): string {
  if (!percents.test(text)) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Text that is not exactly the base64 of readable text stays as it is. */
function decodeBase64(text: string): string {
  if (!base64.test(text)) return text
  const bytes = Buffer.from(text, 'base64')
  const withoutPadding = (encoded: string) => encoded.replaceAll('=', '')
  if (withoutPadding(bytes.toString('base64')) !== withoutPadding(text).replaceAll('-', '+').replaceAll('_', '/')) {
    return text
  }
  const decoded = bytes.toString('latin1')
  return printable.test(decoded) ? decoded : text
}
