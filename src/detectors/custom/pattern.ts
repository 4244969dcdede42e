import { RE2JS, RE2JSException } from 're2js'

const flagOf: Record<string, number> = { i: RE2JS.CASE_INSENSITIVE, m: RE2JS.MULTILINE, s: RE2JS.DOTALL }
/** Limit on the size of a compiled pattern: above it, even linear matching is too slow. */
const MAX_PROGRAM = 2_000
/** Name of the capturing group whose text is the finding. */
const VALUE_GROUP = 'value'

export interface PatternMatch {
  start: number
  end: number
}

export interface LinearPattern {
  /** All matches, or where a group `value` exists, its matches; empty ones are skipped. */
  findAll(text: string): Generator<PatternMatch>
  matches(text: string): boolean
}

const hints: readonly (readonly [RegExp, string])[] = [
  [
    /\(\?[=!<]/,
    'Lookaround is not supported, because patterns must run in linear time; use all and none with within instead.',
  ],
  [/invalid escape sequence: `\\[1-9]/, 'Back-references are not supported, because patterns must run in linear time.'],
  [/invalid escape sequence: `\\u/, 'Write a character by its code point as \\x{1F642}.'],
  [/invalid repeat count/, 'At most 1000 repetitions are supported.'],
]

/** Compiles a pattern for linear-time matching (RE2). Returns the problem as a sentence where it cannot be compiled. */
export function compilePattern(source: string, flags = ''): LinearPattern | { problem: string } {
  let compiled: RE2JS
  try {
    compiled = RE2JS.compile(
      source,
      [...flags].reduce((sum, flag) => sum | (flagOf[flag] ?? 0), 0),
    )
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    const message = error.message.replace(/^error parsing regexp: /, '')
    const hint = hints.find(([shape]) => shape.test(message))?.[1]
    return { problem: `is not a valid RE2 pattern: ${message}.${hint === undefined ? '' : ` ${hint}`}` }
  }
  if (compiled.programSize() > MAX_PROGRAM) return { problem: 'is too large; use fewer repetitions, or split it.' }
  if (compiled.matcher('').find()) return { problem: 'matches the empty text, and therefore every text.' }
  const hasValue = Object.hasOwn(compiled.namedGroups(), VALUE_GROUP)
  return {
    *findAll(text) {
      const matcher = compiled.matcher(text)
      while (matcher.find()) {
        const [start, end] = hasValue
          ? [matcher.start(VALUE_GROUP), matcher.end(VALUE_GROUP)]
          : [matcher.start(), matcher.end()]
        if (start >= 0 && end > start) yield { start, end }
      }
    },
    matches: (text) => compiled.matcher(text).find(),
  }
}
