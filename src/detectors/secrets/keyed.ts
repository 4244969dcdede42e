import type { Severity } from '../detector.ts'
import { type Assignment, identifierAround, readAssignment } from './assignments.ts'
import type { Found } from './found.ts'
import { configuredConfidence, isMixed, isUuid, passwordConfidence, tokenConfidence } from './guards.ts'
import { kindOfKey } from './keys.ts'
import { keyedShapes } from './vendor-keys.ts'

/** Names of vendors that a key may hold. */
export const vendors = [...new Set(keyedShapes.map(({ vendor }) => vendor))]
const anyVendor = new RegExp(vendors.join('|'), 'i')

/** How far the names of one part are read, and whether it is a configuration file: what stands there is meant. */
export interface KeyState {
  keysRead: number
  configured: boolean
}

/** What the text assigns to the name around a key word, if that is a secret. */
export function* readKeyed(text: string, start: number, end: number, state: KeyState): Generator<Found> {
  if (start < state.keysRead) return
  const key = identifierAround(text, start, end)
  state.keysRead = key.end
  const assignment = readAssignment(text, key)
  if (assignment === undefined) return
  const found = judge(assignment, text, state.configured)
  if (found !== undefined) yield found
}

/** What the value is, by the vendor that the key names, else by the kind of secret that it names. */
function judge(assignment: Assignment, text: string, configured: boolean): Found | undefined {
  const { key, value, start, end, quoted, spoken, keyStart } = assignment
  const shapes = anyVendor.test(key) ? keyedShapes.filter(({ vendor }) => namesVendor(key, vendor)) : []
  const shape = shapes.find(({ pattern }) => pattern.test(value))
  if (shape !== undefined && !spoken && isVendorValue(value)) {
    return { type: shape.type, start, end, severity: 'HIGH', confidence: 0.8, value }
  }
  if (shapes.some(({ strict }) => strict)) return undefined
  const kind = kindOfKey(phraseAround(text, keyStart, key))
  if (kind === undefined || inResourceName(text.slice(Math.max(0, keyStart - 80), keyStart))) return undefined
  if (kind === 'password') {
    if (/^pass$/i.test(key) && !quoted && !isMixed(value)) return undefined
    const plain = configured && !spoken
    const confidence = plain ? configuredConfidence(value) : passwordConfidence(value, quoted, spoken)
    return confidence === 0
      ? undefined
      : { type: 'PASSWORD', start, end, severity: gradeOf(confidence), confidence, value }
  }
  if (isUuid(value) && !/secret|api[-_ ]?key|pass/i.test(key)) return undefined
  const confidence = tokenConfidence(value, quoted)
  if (confidence === 0 || (spoken && (confidence < 0.7 || value.length < 16))) return undefined
  return { type: 'KEYED_SECRET', start, end, severity: gradeOf(confidence), confidence, value }
}

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
  if (!/\d/.test(value) && !/^[a-f:]+$/i.test(value)) return false
  return !/^(.)\1+$/.test(value) && !/x{5,}|\*{3,}/i.test(value) && new Set(value).size >= 5
}

/** The word before a bare key belongs to its name: `access key`, `Client secret`, `public token`. */
function phraseAround(text: string, start: number, key: string): string {
  const before = /([\p{L}]{2,14})[ \t]$/u.exec(text.slice(Math.max(0, start - 16), start))?.[1]
  return before === undefined ? key : `${before} ${key}`
}
