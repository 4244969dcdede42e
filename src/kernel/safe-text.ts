import { foldCase } from './fold.ts'
import { cutText } from './well-formed.ts'

declare const safe: unique symbol

/**
 * Text that may be stored and shown: it has passed the masking of credentials and personal data and the length limit,
 * or is a literal of this program.
 */
export type SafeText = string & { readonly [safe]: true }

/** A literal of this program; text built at run time does not compile. */
export const ownText = <const Text extends string>(text: IsLiteral<Text> extends true ? Text : never): SafeText =>
  text as string as SafeText

/**
 * Text that this program generated at run time (an id, a hash, a slug, ids as JSON), or that a condition only compares.
 * Never text from outside that is stored or shown.
 */
export const internalText = (text: string): SafeText => text as SafeText

/** The beginning of a text. */
export const cutSafe = (text: SafeText, maxLength: number): SafeText => cutText(text, maxLength) as SafeText

/** The text as `foldCase` returns it. */
export const foldSafe = (text: SafeText): SafeText => foldCase(text) as SafeText

/** The texts in one; no credential continues across the separator. */
export const joinSafe = (texts: readonly SafeText[], separator: ' / ' | '\u0000'): SafeText =>
  texts.join(separator) as SafeText

/** A JSON value whose texts are all safe. */
export type SafeValue = SafeText | number | boolean | null | SafeValue[] | SafeObject
export interface SafeObject {
  [member: string]: SafeValue
}

/** Parses an object written by `toSafeJson`. */
export const parseSafeObject = (json: SafeText): SafeObject => JSON.parse(json)

/** JSON of a value whose texts are all safe. */
export const stringifySafe = <Value>(value: Safe<Value>): SafeText => JSON.stringify(value) as SafeText

type IsLiteral<Text extends string> = Record<never, never> extends Record<Text, true> ? false : true

/** The type with every string replaced by `SafeText`; unions of string literals are unchanged. */
export type Safe<Value> = Value extends string
  ? IsLiteral<Value> extends true
    ? Value
    : SafeText
  : Value extends (...parameters: never[]) => unknown
    ? Value
    : Value extends object
      ? { [Member in keyof Value]: Safe<Value[Member]> }
      : Value
