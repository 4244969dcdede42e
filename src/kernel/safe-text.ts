declare const safe: unique symbol

/**
 * Text that may be stored and shown: it has passed the masking of credentials and personal data and the length limit,
 * or is a literal of this program.
 */
export type SafeText = string & { readonly [safe]: true }

/** A literal of this program; text built at run time does not compile. */
export const ownText = <const Text extends string>(text: IsLiteral<Text> extends true ? Text : never): SafeText =>
  text as string as SafeText

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
