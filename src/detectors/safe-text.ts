import { memoize } from '../kernel/memoize.ts'
import { joinRanges, type Range } from '../kernel/ranges.ts'
import { findCredentials, holdsRememberedSecret, MASK, maskRanges } from '../kernel/redaction.ts'
import { ownText, type SafeText } from '../kernel/safe-text.ts'
import { cutText } from '../kernel/well-formed.ts'
import { type DeobfuscatedText, readingsOf, toOriginal } from './disguise.ts'
import { findEncoded } from './encoded-text.ts'
import { profileText } from './first-look.ts'
import { findCards } from './pii/cards.ts'
import { findIbans } from './pii/ibans.ts'
import { isHiddenInNames } from './pii/ids/all.ts'
import { findIds } from './pii/labelled-ids.ts'
import { PartLabels } from './pii/labels.ts'
import { numberRuns } from './pii/numbers.ts'
import { findSocialSecurityNumbers } from './pii/ssn.ts'
import { ReportedValues } from './reported-values.ts'
import { mayHoldSecret, secretsDetector } from './secrets/index.ts'

const textKinds = ['prose', 'excerpt', 'key', 'definition'] as const

/**
 * What a text is, which determines what is masked in addition to credentials: in `prose` (which includes names)
 * personal data of high confidence; in an `excerpt`, which has passed `redactTexts`, only what that leaves; in a `key`
 * (an asset key or URL) and in a `definition` typed by users, nothing.
 */
export type TextKind = (typeof textKinds)[number]

export const MAX_NAME = 1000
export const MAX_ADDRESS = 4096
export const MAX_LINK_LABEL = 200
/** Definitions have limits of their own, and a truncated one would have another meaning. */
export const MAX_DEFINITION = 1_000_000

/** Shorter texts cannot be credentials or personal data. */
const MIN_HIDDEN = 6
const MIN_SECRET_CONFIDENCE = 0.5
const MIN_PERSONAL_CONFIDENCE = 0.6
/** For numbers with a checksum: a label names the number, or its format is unambiguous. */
const MIN_ID_CONFIDENCE = 0.75
/** Characters inspected beyond the limit, so that a credential across it is recognized as a whole. */
const LOOK_AHEAD = 4000
const config = secretsDetector.config.parse({})
const asset = { key: '', kind: 'text', name: '', url: '' }

/** Names recur, so their results are cached. */
const MAX_CACHED = 5_000
const MAX_CACHED_LENGTH = 500
const cached = Object.fromEntries(
  textKinds.map((kind) => [kind, memoize(MAX_CACHED, (text) => toSafeTextOnce(text, kind, MAX_CACHED_LENGTH * 2))]),
) as Record<TextKind, (text: string) => SafeText>

/**
 * Every text from outside must pass this function: it masks what must not be stored or displayed, and truncates. What it
 * masks is added to `values`, for the other texts of the same item.
 */
export function toSafeText(
  text: string,
  kind: TextKind,
  maxLength: number = MAX_NAME,
  values?: ReportedValues,
): SafeText {
  if (text.length > MAX_CACHED_LENGTH || text.length < MIN_HIDDEN) return toSafeTextOnce(text, kind, maxLength, values)
  const hidden = cached[kind](text)
  const isKnown = hidden.length <= maxLength && (values === undefined || hidden === text)
  return isKnown ? hidden : toSafeTextOnce(text, kind, maxLength, values)
}

/** The same without the cache, for texts that rarely recur. */
export function toSafeTextOnce(
  text: string,
  kind: TextKind,
  maxLength: number = MAX_NAME,
  values?: ReportedValues,
): SafeText {
  // PostgreSQL cannot store NUL, and functions of SQLite end a text there.
  let safe = (text.includes('\u0000') ? text.replaceAll('\u0000', '\ufffd') : text).toWellFormed()
  // Masking one value can make a neighbouring one recognizable, so it is repeated.
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const hidden = hide(safe, kind, maxLength, values)
    if (hidden === safe) break
    safe = hidden
  }
  return safe as SafeText
}

const MAX_ROUNDS = 8

function hide(text: string, kind: TextKind, maxLength: number, values?: ReportedValues): string {
  const seen = text.length > maxLength + LOOK_AHEAD ? text.slice(0, maxLength + LOOK_AHEAD) : text
  const hidden = seen.length < MIN_HIDDEN ? [] : findHidden(seen, kind)
  if (hidden.length === 0 && text.length <= maxLength) return text
  const whole = joinRanges(hidden).filter(({ start }) => start < maxLength)
  for (const { start, end } of whole) values?.add(seen.slice(start, end))
  const end = Math.max(Math.min(seen.length, maxLength), whole.at(-1)?.end ?? 0)
  const masked = maskRanges(cutText(seen, end), whole)
  return cutText(masked, maxLength)
}

const MAX_MESSAGE = 4_000

/** A message of this program that may quote text from outside. */
export const toSafeMessage = (text: string): SafeText => toSafeText(text, 'definition', MAX_MESSAGE)

const MAX_LOGGED = 20_000

/** A value that may appear in logs and error messages. */
export const toLoggedText = (text: string): SafeText => toSafeTextOnce(text, 'prose', MAX_LOGGED)

/**
 * A key that may be stored. Keys that differ only in masked text are kept distinct by a hash of the original, which
 * `identify` computes.
 */
export function toSafeKey(
  key: string,
  identify: (canonical: string) => number,
  values = new ReportedValues(),
): SafeText {
  // Only what is no id of a platform may contain personal data.
  const safe = toSafeTextOnce(key, platformId.test(key) ? 'key' : 'prose')
  return safe === key ? toHiddenKey(safe, identify, values) : toDistinct(values.hide(safe), key, identify)
}

/** The same for a key that contains nothing else to be masked. */
export function toHiddenKey(key: SafeText, identify: (canonical: string) => number, values: ReportedValues): SafeText {
  const hidden = values.hide(key)
  return hidden === key ? key : toDistinct(hidden, key, identify)
}

const toDistinct = (masked: SafeText, key: string, identify: (canonical: string) => number) =>
  `${masked}#${identify(key).toString(16)}` as SafeText

const platformId = /:(?:\w{1,12}|[\da-f-]{32,64})$/

/** The URL of an asset: http or https, otherwise empty. */
export function toSafeAddress(address: string, values?: ReportedValues): SafeText {
  return webAddress.test(address) ? toSafeTextOnce(address, 'key', MAX_ADDRESS, values) : ownText('')
}

const webAddress = /^https?:\/\/[^\s]/i

/** A value as JSON, see `toSafeValue`. */
export const toSafeJson = (value: unknown, kind: TextKind = 'prose'): SafeText =>
  JSON.stringify(toSafeValue(value, kind)) as SafeText

/**
 * Applies `toSafeText` to every string in a value, including member names; in `prose`, values of members whose name
 * suggests a secret are masked.
 */
export function toSafeValue(value: unknown, kind: TextKind, values?: ReportedValues): unknown {
  if (typeof value === 'string')
    return toSafeText(value, kind, kind === 'definition' ? MAX_DEFINITION : MAX_ADDRESS, values)
  if (Array.isArray(value)) return value.map((item) => toSafeValue(item, kind, values))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isSecret = typeof member === 'string' && kind === 'prose' && secretMember.test(name)
      if (isSecret) values?.add(member)
      return [toSafeText(name, kind, MAX_NAME, values), isSecret ? MASK : toSafeValue(member, kind, values)]
    }),
  )
}

const secretMember = /password|passwd|secret|token|authorization|api[-_]?key|cookie|credential/i

/** Ranges to be masked, unordered and possibly overlapping. */
export function findHidden(
  text: string,
  kind: TextKind,
  readings: Iterable<DeobfuscatedText> = readingsOf(text),
): readonly Range[] {
  const hidden: Range[] = []
  // In addresses, a plus sign encodes a space.
  if (kind === 'key' && text.includes('+')) hidden.push(...findHidden(text.replaceAll('+', ' '), kind))
  for (const reading of readings) {
    const found = findIn(reading.text, kind === 'excerpt' && reading.from !== undefined ? 'prose' : kind)
    for (const range of found) hidden.push(toOriginal(reading, range))
  }
  return hidden
}

/** Personal numbers have at least this many digits. */
const MIN_DIGITS = 7
const none: readonly Range[] = []

function findIn(text: string, kind: TextKind): readonly Range[] {
  const look = profileText(text)
  const credentials = look.mayHoldCredential || holdsRememberedSecret(text) ? findCredentials(text) : none
  const mayBeSecret = kind !== 'excerpt' && mayHoldSecret(text)
  const mayBePersonal = kind === 'prose' && look.digits >= MIN_DIGITS
  if (!look.mayBeEncoded && !mayBeSecret && !mayBePersonal) return credentials
  const hidden = [...credentials]
  if (look.mayBeEncoded) hidden.push(...findEncodedCredentials(text))
  // Credential patterns give exact ranges; overlapping detector matches are dropped, because they would mask more of a
  // URL than necessary.
  const isFree = (range: Range) => !credentials.some(({ start, end }) => start < range.end && range.start < end)
  if (mayBeSecret) for (const range of findSecrets(text)) if (isFree(range)) hidden.push(range)
  if (mayBePersonal) for (const range of findPersonal(text)) if (isFree(range)) hidden.push(range)
  return hidden
}

function* findEncodedCredentials(text: string): Generator<Range> {
  for (const { text: decoded, ...range } of findEncoded(text)) {
    if (decoded === undefined || findCredentials(decoded).length > 0 || holdsSecret(decoded)) yield range
  }
}

const holdsSecret = (text: string): boolean => mayHoldSecret(text) && findSecrets(text).next().done !== true

function* findSecrets(text: string): Generator<Range> {
  const document = { mime: 'text/plain', parts: [{ kind: 'text' as const, path: '', text }], links: [] }
  for (const match of secretsDetector.detect(document, { asset, config, now: 0 })) {
    if (match.confidence >= MIN_SECRET_CONFIDENCE) yield match
  }
}

function* findPersonal(text: string): Generator<Range> {
  const part = { kind: 'text' as const, path: '', text }
  const labels = new PartLabels(part)
  yield* findIbans(part)
  for (const match of findIds(part, labels, isHiddenInNames)) if (match.confidence >= MIN_ID_CONFIDENCE) yield match
  for (const run of numberRuns(text)) {
    for (const match of findCards(part, run, labels)) if (match.confidence >= MIN_PERSONAL_CONFIDENCE) yield match
    yield* findSocialSecurityNumbers(part, run, labels)
  }
}
