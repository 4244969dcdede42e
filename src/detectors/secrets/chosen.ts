import type { Severity } from '../detector.ts'
import { labelWords } from '../label-words.ts'
import type { Found } from './found.ts'
import { isReference, isUnfilled, passwordConfidence } from './guards.ts'
import { isAbout, type KeyKind, kindOfLabel } from './keys.ts'
import { insteadOfValue, notAValue } from './statement-words.ts'

/** The line around an offset, or as much of a long one as is near. */
export function lineAround(text: string, at: number): { start: number; end: number; text: string } {
  const reach = Math.max(0, at - MAX_LINE)
  const start = reach + text.slice(reach, at).lastIndexOf('\n') + 1
  const window = text.slice(at, at + MAX_LINE)
  const newline = window.search(/[\r\n]/)
  const end = at + (newline < 0 ? window.length : newline)
  return { start, end, text: text.slice(start, end) }
}

const MAX_LINE = 300
const MIN_LENGTH = 4
/** Names of standards, systems and machines with a number, and values of test vectors. */
const standard =
  /^(?:windows|ubuntu|debian|android|office|iso|iec|din|nist|bsi|rfc|aes|sha|rsa|pbkdf|ntlm|wpa|tls|ssl|http|ipv|utf|cve|kb|srv|node|host|db|socks)[-_/.]?\d|^(?:0x)?(?:[\da-f]{2}){8,}$/i
const plainWord = /^\p{L}[\p{Ll}\p{M}]*$/u

/** What a person chose is a value, however weak, unless it is a word that says something about the value. */
export function chosenConfidence(value: string): number {
  const word = value.toLowerCase()
  const [first = ''] = word.split('-')
  if (value.length < MIN_LENGTH || value.length > 64 || !/[\p{L}\p{N}]{2}/u.test(value) || /^[-(/\\#]/.test(value))
    return 0
  if (
    isUnfilled(value) ||
    notAValue.test(word) ||
    notAValue.test(first) ||
    standard.test(value) ||
    kindOfLabel(value) !== undefined
  )
    return 0
  if (/^\p{L}+$/u.test(value) ? new Set(word).size < 3 : isReference(value, false)) return 0
  if (/[()[\]{}<>"`|;\\]|\p{L}['’]\p{L}|^\p{L}+\/\p{L}+$|:$/u.test(value)) return 0
  return passwordConfidence(value, true, false) || (plainWord.test(value) ? 0.6 : 0.7)
}

const MAX_HEADING_WORDS = 5

/** The same for a cell below or beside the name of its column or row. */
export function chosenBelow(value: string, heading: string, kind: KeyKind): number {
  const words = labelWords(heading)
  if (kind !== 'password' || words.length > MAX_HEADING_WORDS || words.some(isAbout) || value.endsWith('.')) return 0
  return chosenConfidence(value)
}

/** Words that a person wrote as one value: a passphrase, or an answer. */
export function isPhrase(value: string): boolean {
  const words = value.split(' ')
  return (
    words.length > 1 &&
    words.length <= 12 &&
    words.every((word) => /^[\p{L}\p{M}\d'’-]{1,24}[,!]?$/u.test(word)) &&
    !insteadOfValue.test(value) &&
    !words.some((word) => kindOfLabel(word) !== undefined)
  )
}

/** Letters and digits, or capitals within a word: what running text does not contain by itself. */
export const isMadeUp = (value: string) =>
  /^(?=.*\p{L})(?=.*\d)[^\s/]{6,64}$/u.test(value) || /^\p{Lu}?\p{Ll}{2,24}[A-Z_&+]\p{L}{2,24}$/u.test(value)

const severities: Readonly<Record<string, Severity>> = {
  ACCESS_CODE: 'MEDIUM',
  PRIVATE_KEY: 'CRITICAL',
  CONNECTION_STRING: 'CRITICAL',
}

export function toChosen(type: string, start: number, value: string, rule: string, confidence: number): Found {
  const severity = severities[type] ?? 'HIGH'
  return { type, start, end: start + value.length, severity, confidence, value, rule }
}

/** The class of a length, which says nothing of the value. */
export const lengthClass = (value: string) => {
  if (value.length < 8) return '•••(under 8)'
  return value.length < 16 ? '•••(8 to 15)' : '•••(16 or more)'
}
