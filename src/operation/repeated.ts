import { isDeepStrictEqual } from 'node:util'
import { MAX_DEFINITION, toSafeMessage, toSafeText, toSafeValue } from '../detectors/safe-text.ts'
import { AppError } from '../kernel/errors.ts'
import { removeInvisible } from '../kernel/invisible.ts'
import { isObject } from '../kernel/json-object.ts'
import { quote, showJson } from '../kernel/shown.ts'
import { parseJson } from './input/coerce.ts'

/** A text of an input that contains a credential: as an answer may repeat it, and as it may be shown. */
interface Hidden {
  written: string
  shown: string
  /** Length of the beginning that may be repeated: what both have in common, and the host of an address. */
  common: number
}

/** Masks the credentials from the input that an answer repeats, whole or in part. */
export function maskRepeatedSecrets(input: unknown, answer: unknown): unknown {
  const hidden = listHidden(input)
  return hidden.length === 0 ? answer : toSafeValue(maskRepeated(answer, hidden), 'definition')
}

/** Masks in an error the credentials from the input that it repeats, and secrets in names of tenants that it quotes. */
export function toSafeError(error: AppError, input?: unknown): AppError {
  const hidden = listHidden(input)
  const message = toSafeMessage(maskIn(error.message, hidden))
  const facts = toSafeValue(maskRepeated(error.facts, hidden), 'definition') as typeof error.facts
  if (message === error.message && isDeepStrictEqual(facts, error.facts)) return error
  return new AppError(error.code, message, { ...facts, cause: error })
}

/** How texts are written in answers: unchanged, as a code, without invisible characters, quoted, and as JSON. */
const textEncodings: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  removeInvisible,
  (text) => quote(text, MAX_DEFINITION).slice(1, -1),
  (text) => quote(removeInvisible(text), MAX_DEFINITION).slice(1, -1),
  (text) => showJson(text).slice(1, -1),
]

function listHidden(input: unknown): Hidden[] {
  return listTexts(input).flatMap((text) => {
    const safe = toSafeText(text, 'definition', MAX_DEFINITION)
    if (safe === text) return []
    return textEncodings.map((write) => {
      const [written, shown] = [write(text), write(safe)]
      return { written, shown, common: Math.max(countCommon(written, shown), countOrigin(written)) }
    })
  })
}

/** All texts in a value, at any depth, also within texts that are JSON, as parameters of an address may be. */
function listTexts(value: unknown): string[] {
  const texts: string[] = []
  const waiting: unknown[] = [value]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (typeof next === 'string') {
      if (next === '') continue
      texts.push(next)
      waiting.push(parseJson(next, '[') ?? parseJson(next, '{') ?? '')
    }
    if (Array.isArray(next)) for (const item of next) waiting.push(item ?? '')
    else if (isObject(next)) for (const [name, member] of Object.entries(next)) waiting.push(name, member ?? '')
  }
  return texts
}

/** Length of the scheme and host that an address begins with, unless they contain a credential. */
function countOrigin(text: string): number {
  const [origin = ''] = /^https?:\/\/[^\s/?#@\\]+\//i.exec(text) ?? []
  return toSafeText(origin, 'definition') === origin ? origin.length : 0
}

function countCommon(a: string, b: string, from = 0): number {
  let count = 0
  while (count < a.length && count + from < b.length && a[count] === b[count + from]) count++
  return count
}

/** Fewer characters of a credential reveal nothing. */
const MIN_REPEATED = 6

function maskIn(text: string, hidden: readonly Hidden[]): string {
  if (hidden.length === 0) return text
  let masked = text
  for (let at = 0; at < masked.length; at++) {
    let longest = { length: 0, shown: '' }
    for (const { written, shown, common } of hidden) {
      if (!masked.startsWith(written.slice(0, common + MIN_REPEATED), at)) continue
      const length = countCommon(written, masked, at)
      if (length > longest.length) longest = { length, shown }
    }
    if (longest.length === 0) continue
    masked = masked.slice(0, at) + longest.shown + masked.slice(at + longest.length)
    at += longest.shown.length - 1
  }
  return masked
}

function maskRepeated(value: unknown, hidden: readonly Hidden[]): unknown {
  if (typeof value === 'string') return maskIn(value, hidden)
  if (Array.isArray(value)) return value.map((item) => maskRepeated(item, hidden))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [maskIn(name, hidden), maskRepeated(member, hidden)]),
  )
}
