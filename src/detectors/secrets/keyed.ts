import type { Severity } from '../detector.ts'
import { type Assignment, identifierAround, readAssignment } from './assignments.ts'
import type { Found } from './found.ts'
import { configuredConfidence, isMixed, isUuid, passwordConfidence, tokenConfidence } from './guards.ts'
import { pairConfidence } from './headers.ts'
import { kindOfKey } from './keys.ts'
import { keyedShapes } from './vendor-keys.ts'

/** Names of vendors that a key may hold. */
export const vendors = [...new Set(keyedShapes.map(({ vendor }) => vendor))]
export const anyVendor = new RegExp(vendors.join('|'), 'i')

/** How far the names of one part are read, and whether it is a configuration file: what stands there is meant. */
export interface KeyState {
  keysRead: number
  configured: boolean
  /** Whether that file parts names and values by a blank alone. */
  blankParts: boolean
}

/** What the text assigns to the name around a key word, if that is a secret. */
export function* readKeyed(text: string, start: number, end: number, state: KeyState): Generator<Found> {
  if (start < state.keysRead) return
  const key = identifierAround(text, start, end)
  state.keysRead = key.end
  const assignment = readAssignment(text, key)
  if (assignment === undefined) return
  const found = judge(assignment, text, state)
  if (found !== undefined) yield found
}

/** What the value is, by the vendor that the key names, else by the kind of secret that it names. */
function judge(assignment: Assignment, text: string, { configured, blankParts }: KeyState): Found | undefined {
  const { key, value, start, end, quoted, spoken, keyStart } = assignment
  const shapes = shapesOf(key)
  const shape = shapes.find(({ pattern }) => pattern.test(value))
  if (shape !== undefined && isVendorValue(value) && (!spoken || kindOfKey(key) !== undefined)) {
    return { type: shape.type, start, end, severity: 'HIGH', confidence: 0.8, value }
  }
  if (shapes.some(({ strict }) => strict)) return undefined
  const kind = kindOfKey(phraseAround(text, keyStart, key))
  if (kind === undefined || inResourceName(text.slice(Math.max(0, keyStart - 80), keyStart))) return undefined
  if (kind === 'password') {
    if (/^pass$/i.test(key) && !quoted && !isMixed(value)) return undefined
    const plain = configured && (!spoken || blankParts)
    const confidence = plain ? configuredConfidence(value) : passwordConfidence(value, quoted, spoken)
    return confidence === 0
      ? undefined
      : { type: 'PASSWORD', start, end, severity: gradeOf(confidence), confidence, value }
  }
  if (isUuid(value) && !/secret|api[-_ ]?key|pass|(?:auth|access|refresh|bearer)[-_ ]?token/i.test(key))
    return undefined
  const confidence = /auth$/i.test(key)
    ? pairConfidence(value) || tokenConfidence(value, quoted)
    : tokenConfidence(value, quoted)
  if (confidence === 0 || (spoken && (confidence < 0.7 || value.length < 16))) return undefined
  return { type: 'KEYED_SECRET', start, end, severity: gradeOf(confidence), confidence, value }
}

const shapesOf = (key: string) =>
  anyVendor.test(key) ? keyedShapes.filter(({ vendor }) => namesVendor(key, vendor)) : []

/** What a value is by the vendor that its label names. */
export const findVendorShape = (label: string, value: string) =>
  isVendorValue(value) ? shapesOf(label).find(({ pattern }) => pattern.test(value)) : undefined

/** In a declaration they stand before the name and say nothing of it. */
const typeWords = new Set([
  'string',
  'str',
  'char',
  'const',
  'var',
  'let',
  'val',
  'final',
  'static',
  'text',
  'export',
  'set',
  'env',
])

export const gradeOf = (confidence: number): Severity => (confidence >= 0.7 ? 'HIGH' : 'MEDIUM')

/** `arn:aws:secretsmanager:…:secret:name` names a secret, it does not hold one. */
function inResourceName(before: string): boolean {
  const at = before.lastIndexOf('arn:')
  return at >= 0 && /^[\w:/-]+$/.test(before.slice(at))
}

/** The name holds the vendor as a word of its own: `etsyToken`, `MY_ETSY_KEY`, not `SetSysctl`. */
function namesVendor(key: string, vendor: string): boolean {
  const at = key.toLowerCase().indexOf(vendor)
  if (at < 0) return false
  const before = key.charAt(at - 1)
  if (/[a-z]/i.test(before) && !(/[a-z]/.test(before) && /[A-Z]/.test(key.charAt(at)))) return false
  return !/^.+[a-z][A-Z]{1,2}$/.test(key.slice(at, at + vendor.length))
}

function isVendorValue(value: string): boolean {
  if (!/\d/.test(value) && !/^[a-f:]+$/i.test(value) && !isScrambled(value)) return false
  if (/EXAMPLE/.test(value)) return false
  return !/^(.)\1+$/.test(value) && !/x{5,}|\*{3,}/i.test(value) && new Set(value).size >= 5
}

/** Letters alone, but upper and lower case change within it as in no name. */
const isScrambled = (value: string) => (value.match(/[a-z][A-Z]/g)?.length ?? 0) >= 3 && /[A-Z]{2}/.test(value)

/** The word before a bare key belongs to its name: `access key`, `Client secret`, `public token`. */
function phraseAround(text: string, start: number, key: string): string {
  const before = /([\p{L}]{2,14})[ \t]$/u.exec(text.slice(Math.max(0, start - 16), start))?.[1]
  const whole = before === undefined || typeWords.has(before.toLowerCase()) || /[a-z][A-Z]|_|-|\./.test(key)
  return whole ? key : `${before} ${key}`
}
