declare const safe: unique symbol

/**
 * Text that may be stored and shown: it came through the gate that hides credentials and personal data and bounds the
 * length, or it is a literal of this program.
 */
export type SafeText = string & { readonly [safe]: true }

/** A literal of this program; text that is put together at run time does not compile. */
export const ownText = <const Text extends string>(text: IsLiteral<Text> extends true ? Text : never): SafeText =>
  text as string as SafeText

type IsLiteral<Text extends string> = Record<never, never> extends Record<Text, true> ? false : true

/** The same value with every string in it being safe; words of a closed list stay what they are. */
export type Safe<Value> = Value extends string
  ? IsLiteral<Value> extends true
    ? Value
    : SafeText
  : Value extends (...parameters: never[]) => unknown
    ? Value
    : Value extends object
      ? { [Member in keyof Value]: Safe<Value[Member]> }
      : Value
