/** What is chosen inside a symbol: the innermost node of its kind that mentions all of the names. */
export type Part =
  | { kind: 'whole' }
  /** The condition of an `if`, a loop or a ternary. */
  | { kind: 'condition'; names: readonly string[] }
  /** One side of `&&` or `||`. */
  | { kind: 'operand'; names: readonly string[] }
  /** A call or construction of the first name; the other names occur in its arguments. */
  | { kind: 'call'; names: readonly string[] }
  /** The value of a property of an object literal. */
  | { kind: 'property'; names: readonly string[] }
  | { kind: 'returned'; names: readonly string[] }

/** A change of one place in the source, found by the names of its declarations. */
export interface Edit {
  file: string
  /** Declarations, each inside the one before: `Store.write`, `startServer.isReached`. */
  symbol: string
  part: Part
  /** The new expression; `$0` is the receiver of a replaced call, `$1` to `$9` are its arguments. */
  put: string
}

/** A safety rule, how it is broken on purpose, and which test must fail then. */
export interface Break {
  id: string
  /** The rule, as it holds. */
  rule: string
  /** More than one where another layer would still uphold the rule. */
  edits: readonly Edit[]
  /** The test file that must fail, and a part of the names of the tests in it that are run. */
  test: { file: string; title?: string }
  /** The test runs the built program. */
  built?: true
}

type At = readonly [file: string, symbol: string]

/** Replaces the value of a constant or property, or the result of a function. */
export const replaceAll = ([file, symbol]: At, put: string): Edit => ({ file, symbol, part: { kind: 'whole' }, put })

const replacePart =
  (kind: Exclude<Part['kind'], 'whole'>) =>
  ([file, symbol]: At, names: string, put: string): Edit => ({
    file,
    symbol,
    part: { kind, names: names.split(' ') },
    put,
  })

export const replaceCondition = replacePart('condition')
export const replaceOperand = replacePart('operand')
export const replaceCall = replacePart('call')
export const replaceProperty = replacePart('property')
export const replaceReturned = replacePart('returned')
