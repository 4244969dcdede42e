import { InvalidArgumentError } from 'commander'
import { type ParseError, parse, printParseErrorCode } from 'jsonc-parser'
import { isObject } from '../kernel/json-object.ts'
import { unquoteJson } from '../kernel/quoted-json.ts'

/** Parses an argument that is a JSON object. @throws InvalidArgumentError */
export function toJsonObject(text: string): Record<string, unknown> {
  const json = unquoteJson(text)
  const problem = findJsonProblem(json)
  if (problem !== undefined) throw new InvalidArgumentError(`Must be a JSON object; ${problem}`)
  return JSON.parse(json) as Record<string, unknown>
}

/** Why a text is not a JSON object, with line and column; undefined when it is one. */
export function findJsonProblem(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? undefined : `this is ${describe(value)}.`
  } catch {
    const errors: ParseError[] = []
    parse(text, errors, { disallowComments: true, allowTrailingComma: false, allowEmptyContent: false })
    const [first] = errors
    if (first === undefined) return 'it contains a character that JSON does not allow.'
    const before = text.slice(0, first.offset).split('\n')
    return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${problems[printParseErrorCode(first.error)] ?? 'this is not JSON'}.`
  }
}

const describe = (value: unknown) =>
  value === null ? 'null' : Array.isArray(value) ? 'a list' : `a ${typeof value}`.replace('a boolean', 'true or false')

const problems: Readonly<Record<string, string>> = {
  InvalidSymbol: 'a text needs double quotes around it',
  InvalidNumberFormat: 'this is not a number',
  PropertyNameExpected: 'the name of a member is expected here, in double quotes',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a colon is expected here',
  CommaExpected: 'a comma is expected here',
  CloseBraceExpected: 'a closing brace is expected here',
  CloseBracketExpected: 'a closing bracket is expected here',
  EndOfFileExpected: 'the JSON ends before this',
  InvalidCommentToken: 'JSON has no comments',
  UnexpectedEndOfComment: 'JSON has no comments',
  UnexpectedEndOfString: 'the double quote at the end of this text is missing',
  UnexpectedEndOfNumber: 'this number is not complete',
  InvalidUnicode: 'an escape such as \\u00e9 is not complete',
  InvalidEscapeCharacter: 'a backslash must be doubled, or begin an escape such as \\n',
  InvalidCharacter: 'a line break or tab in a text is written as \\n or \\t',
}
