import type { Severity } from '../detector.ts'
import { isUnspaced } from '../words.ts'
import { type Assignment, identifierAround, labelAround, readAssignment } from './assignments.ts'
import { readDefault } from './defaults.ts'
import type { Found } from './found.ts'
import {
  configuredConfidence,
  isCode,
  isFingerprint,
  isMixed,
  isNumberedPassphrase,
  isOneTimeSeed,
  isTechnical,
  isTestVector,
  isUnmistakable,
  isUuid,
  passwordConfidence,
  tokenConfidence,
} from './guards.ts'
import { pairConfidence } from './headers.ts'
import { findBelowHeading } from './headings.ts'
import { kindOfKey, namesEither } from './keys.ts'
import type { SearchLimit } from './search-limit.ts'
import { findSpoken, isAboutSecret } from './sentences.ts'
import { readStated } from './statements.ts'
import { type KeyedShape, keyedShapes } from './vendor-keys.ts'

/** Names of vendors that a key may contain. */
export const vendors = [...new Set(keyedShapes.map(({ vendor }) => vendor))]
export const anyVendor = new RegExp(vendors.join('|'), 'i')

/** How far the names of one part have been read, and whether it is a configuration file, whose values are real. */
export interface KeyState {
  keysRead: number
  configured: boolean
  /** Whether that file separates names and values by a space alone. */
  blankParts: boolean
  /** Whether the text is a block of code. */
  inCode: boolean
  /** For labels without a value directly behind them. */
  spoken: SearchLimit
}

/** Whether a vendor's name starts a word: `etsyToken`, `MY_ETSY_KEY`, but not `global` for `lob`. */
export function beginsVendor(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1) | 32
  if (!(before >= 97 && before <= 122)) return true
  return text.charCodeAt(start - 1) >= 97 && text.charCodeAt(start) <= 90
}

/** As `readKeyed`, for the name of a vendor, which is a label only together with a fitting value. */
export function* readVendorKeyed(text: string, start: number, end: number, state: KeyState): Generator<Found> {
  const key = identifierAround(text, start, end)
  if (kindOfKey(text.slice(key.start, key.end)) !== undefined) {
    yield* readKeyed(text, start, end, state)
    return
  }
  const assignment = readAssignment(text, key)
  const found = assignment === undefined ? undefined : judge(assignment, text, state)
  if (found === undefined) return
  state.keysRead = key.end
  yield found
}

/** The value assigned to the name around a keyword, if it is a secret. */
export function* readKeyed(text: string, start: number, end: number, state: KeyState): Generator<Found> {
  if (start < state.keysRead) return
  const key = labelAround(text, start, end)
  state.keysRead = key.end
  const assignment = readAssignment(text, key)
  const found = assignment === undefined ? undefined : judge(assignment, text, state)
  if (found !== undefined) {
    yield found
    return
  }
  if (!state.spoken.allows(start)) return
  let isVain = true
  const label = phraseAround(text, key.start, text.slice(key.start, key.end))
  const kind = kindOfKey(label)
  if (kind === undefined || isAboutUnspaced(text, key.end) || isAboutSecret(text, key.end)) {
    state.spoken.countVain()
    return
  }
  const stated = state.inCode ? undefined : readStated(text, key, kind)
  if (stated !== undefined) {
    yield stated
    return
  }
  for (const spoken of readSpoken(text, { ...key, label, kind }, assignment, state)) {
    isVain = false
    yield spoken
  }
  if (isVain) state.spoken.countVain()
}

/** The value that a default, the lines below a heading, or the sentence around a label give. */
function* readSpoken(
  text: string,
  key: { start: number; end: number; label: string; kind: 'password' | 'token' },
  assignment: Assignment | undefined,
  state: KeyState,
): Generator<Found> {
  const { label, kind } = key
  const given = readDefault(text, key)
  if (given !== undefined) {
    const judged = judge({ ...given, key: label, keyStart: key.start }, text, state)
    if (judged !== undefined) yield judged
    return
  }
  if (/(?:^|\s)pass$/i.test(label)) return
  let below = false
  for (const item of findBelowHeading(text, key.start)) {
    below = true
    yield toFound(item.kind, item)
  }
  if (below || assignment?.strength === 'sign' || /[A-Za-z]_|_[A-Za-z]|\.[a-z]/.test(text.slice(key.start, key.end)))
    return
  const spoken = findSpoken(text, key, kind)
  if (spoken !== undefined) {
    const isOther =
      kind === 'token'
        ? isUuid(spoken.value) || isFingerprint(label, spoken.value)
        : isTestVector(spoken.value, around(text, spoken))
    if (!isOther) yield toFound(kind, spoken)
  } else if (namesEither(label)) {
    const password = findSpoken(text, key, 'password')
    if (password !== undefined && isUnmistakable(password.value)) yield toFound('password', password)
  }
}

function toFound(
  kind: 'password' | 'token',
  { start, end, value, confidence }: { start: number; end: number; value: string; confidence: number },
): Found {
  const type = kind === 'password' ? 'PASSWORD' : 'KEYED_SECRET'
  return { type, start, end, severity: gradeOf(confidence), confidence, value }
}

/** Words that make a label one about a secret, in scripts without spaces. */
const aboutUnspaced =
  /^[ ]?(?:策略|长度|長度|类型|類型|種別|規則|规则|ポリシー|정책|유형|字段|欄|필드|哈希|ハッシュ|해시|管理|リセット)/
const isAboutUnspaced = (text: string, end: number) =>
  isUnspaced(text.slice(end - 2, end)) && aboutUnspaced.test(text.slice(end, end + 6))

/** The text in which other inputs of a key derivation show that a value is one of them. */
const around = (text: string, { start, end }: { start: number; end: number }) =>
  text.slice(Math.max(0, start - 200), end + 200)

/** Labels of values that people make of words. */
const phraseLabel = /pass[-_ ]?phrase|wi-?fi|wlan|wpa|psk|network/i

/** Classifies the value by the vendor in its key, or by the kind of secret that the key names. */
function judge(assignment: Assignment, text: string, { configured, blankParts }: KeyState): Found | undefined {
  const { key, value, start, end, quoted, strength, keyStart } = assignment
  const spoken = strength !== 'sign'
  const shapes = shapesOf(key)
  const shape = shapes.find(({ pattern }) => pattern.test(value))
  if (shape !== undefined && isVendorValue(value) && (!spoken || kindOfKey(key) !== undefined)) {
    return { type: shape.type, start, end, severity: 'HIGH', confidence: 0.92, value }
  }
  if (shapes.some(({ strict }) => strict)) return undefined
  const kind = kindOfKey(phraseAround(text, keyStart, key))
  if (kind === undefined || inResourceName(text.slice(Math.max(0, keyStart - 80), keyStart))) return undefined
  if (kind === 'password') {
    if (isCode(value)) return undefined
    if (strength === 'blank' && isTechnical(value)) return undefined
    if (/^pass$/i.test(key) && !quoted && !isMixed(value)) return undefined
    const plain = configured && (!spoken || blankParts)
    if (isTestVector(value, around(text, assignment)) || isNameService(key, value)) return undefined
    const isPhrase = strength === 'sign' && phraseLabel.test(key) && isNumberedPassphrase(value)
    const confidence = isPhrase ? 0.8 : plain ? configuredConfidence(value) : passwordConfidence(value, quoted, spoken)
    return confidence === 0 ? undefined : toFound(kind, { ...assignment, confidence })
  }
  if (namesEither(key) && isUnmistakable(value)) return toFound('password', { ...assignment, confidence: 0.85 })
  if (isOneTimeSeed(key, value)) return toFound(kind, { ...assignment, confidence: 0.93 })
  if (isUuid(value)) {
    const named = /secret|api[-_ ]?key|pass|(?:auth|access|refresh|bearer|api)[-_ ]?token/i.test(key)
    if (!named && !(strength === 'sign' && /^["']?(?:token|[a-z]+_key)$/i.test(key))) return undefined
  }
  const confidence = /auth$/i.test(key)
    ? pairConfidence(value) || tokenConfidence(value, quoted)
    : tokenConfidence(value, quoted)
  if (confidence === 0 || isBadge(text, start) || isFingerprint(key, value)) return undefined
  if (spoken && value.length < (strength === 'described' ? 12 : 16)) return undefined
  const isWeak = strength === 'blank' || !/pass|secret|token|api|auth|access|priv|cred/i.test(key)
  if (isWeak && confidence < 0.7 && !isUuid(value)) return undefined
  return toFound(kind, { ...assignment, confidence })
}

/** `passwd: files systemd`: the places where a system looks for its users. */
const isNameService = (key: string, value: string) =>
  /^(?:passwd|g?shadow)$/.test(key) && /^(?:files|compat|db|nis|nisplus|ldap|sss|winbind|systemd|hesiod)$/.test(value)

/** Tokens in the addresses of badges are public. */
const isBadge = (text: string, start: number) =>
  /badge[^\s"']{0,40}[?&]token=$/.test(text.slice(Math.max(0, start - 60), start))

function shapesOf(key: string): KeyedShape[] {
  if (!anyVendor.test(key)) return []
  const lower = key.toLowerCase()
  return keyedShapes.filter(({ vendor }) => lower.includes(vendor) && namesVendor(key, vendor))
}

/** The shape of a value according to the vendor in its label. */
export const findVendorShape = (label: string, value: string) =>
  isVendorValue(value) ? shapesOf(label).find(({ pattern }) => pattern.test(value)) : undefined

/** Words before the name in a declaration that do not describe its value. */
const typeWords = new Set(
  'string str char const var let val final static text export set env use uses with your the change enter has'.split(
    ' ',
  ),
)

export const gradeOf = (confidence: number): Severity => (confidence >= 0.85 ? 'HIGH' : 'MEDIUM')

/** `arn:aws:secretsmanager:…:secret:name` refers to a secret and does not contain one. */
function inResourceName(before: string): boolean {
  const at = before.lastIndexOf('arn:')
  return at >= 0 && /^[\w:/-]+$/.test(before.slice(at))
}

/** Whether the name contains the vendor as a separate word: `etsyToken`, `MY_ETSY_KEY`, but not `SetSysctl`. */
function namesVendor(key: string, vendor: string): boolean {
  const at = key.toLowerCase().indexOf(vendor)
  if (at < 0) return false
  const before = key.charAt(at - 1)
  if (/[a-z]/i.test(before) && !(/[a-z]/.test(before) && /[A-Z]/.test(key.charAt(at)))) return false
  return !/^.+[a-z][A-Z]{1,2}$/.test(key.slice(at, at + vendor.length))
}

function isVendorValue(value: string): boolean {
  if (!/\d/.test(value) && !/^[a-f:]+$/i.test(value) && !isScrambledName(value)) return false
  if (/EXAMPLE/.test(value)) return false
  return !/^(.)\1+$/.test(value) && !/x{5,}|\*{3,}/i.test(value) && new Set(value).size >= 5
}

/** Letters only, with changes of letter case that no name has. */
const isScrambledName = (value: string) => (value.match(/[a-z][A-Z]/g)?.length ?? 0) >= 3 && /[A-Z]{2}/.test(value)

const wordBefore = /(?<=([\p{L}\p{M}]{2,20}|2fa)[ \t])/iuy

/** The key with the word before it, which belongs to its name: `access key`, `Client secret`, `public token`. */
function phraseAround(text: string, start: number, key: string): string {
  if (!/[ \t]/.test(text.charAt(start - 1)) || /[a-z][A-Z]|_|-|\./.test(key)) return key
  wordBefore.lastIndex = start
  const before = wordBefore.exec(text)?.[1]
  return before === undefined || typeWords.has(before.toLowerCase()) ? key : `${before} ${key}`
}
