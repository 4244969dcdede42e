import { toCompact, toDatum, toSecret } from '../value.ts'
import { PiiConfig } from './description.ts'
import { findEmails } from './emails.ts'
import { listPhoneReadings } from './phones.ts'

export const identifierKinds = ['email', 'phone', 'number', 'name', 'text'] as const

/** What a typed identifier may be, and what the keyed hashes of its values are made of: see `toValue`. */
export interface IdentifierReadings {
  kind: (typeof identifierKinds)[number]
  values: string[]
}

const phoneLike = /^(?=(?:\D*\d){6})[+\d(][\d\s()./\u2010-\u2013-]*$/
const nameLike = /^[\p{L}\p{M}][\p{L}\p{M}'’.,\s-]+$/u
const { phoneRegions } = PiiConfig.parse({})
/** Characters of the number of a passport in machine-readable lines. */
const PASSPORT_NUMBER = 9

/** All plausible readings of an identifier, normalised as the detectors do. */
export function readIdentifier(typed: string): IdentifierReadings {
  const text = typed.normalize('NFC').replace(/\s+/g, ' ').trim()
  const spelled = [text, text.toLowerCase()]
  const found = [...findEmails({ kind: 'text', path: '', text })].map(({ identity }) => identity)
  if (found.length > 0) return { kind: 'email', values: toValues(text, [...spelled, ...found]) }
  if (nameLike.test(text))
    return { kind: 'name', values: toValues(text, [...spelled, ...listOrders(spelled[1] ?? '')]) }
  if (!/\d/.test(text)) return { kind: 'text', values: toValues(text, spelled) }
  const compact = toCompact(text)
  const numbers = [...spelled, compact, compact.padEnd(PASSPORT_NUMBER, '<')]
  if (!phoneLike.test(text)) return { kind: 'number', values: toValues(text, numbers) }
  const phones = listPhoneReadings(text, phoneRegions)
  return { kind: phones.length > 1 ? 'phone' : 'number', values: toValues(text, [...numbers, ...phones]) }
}

/** `last, first` for `first last`, and the other way round. */
function listOrders(name: string): string[] {
  const [last = '', first, ...more] = name.split(', ')
  if (first !== undefined) return more.length === 0 ? [`${first} ${last}`] : []
  const words = name.split(' ')
  return words.length === 2 ? [`${words[1]}, ${words[0]}`] : []
}

/** A value may also have been found as a secret. */
const toValues = (text: string, readings: readonly string[]): string[] => [
  ...new Set([...readings.map(toDatum), toSecret(text)]),
]
