import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import { FORMULA_MAX_LENGTH } from './model.ts'

/** The syntax tree of a formula. `at` is the 0-based offset of a node in the text. */
export type Formula =
  | { kind: 'number'; value: number; at: number }
  | { kind: 'name'; name: string; at: number }
  | { kind: 'negate'; operand: Formula; at: number }
  | { kind: 'binary'; operator: '+' | '-' | '*' | '/'; left: Formula; right: Formula; at: number }
  | { kind: 'call'; function: FormulaFunction; arguments: Formula[]; at: number }

/** The number of arguments that each function accepts. */
const functions = {
  min: { least: 1, most: 20 },
  max: { least: 1, most: 20 },
  abs: { least: 1, most: 1 },
  nullif: { least: 2, most: 2 },
  coalesce: { least: 1, most: 20 },
} as const
type FormulaFunction = keyof typeof functions
const formulaFunctions = Object.keys(functions) as FormulaFunction[]

const MAX_DEPTH = 40

export interface FormulaProblem {
  message: string
  /** 1-based position in the text. */
  position: number
}

class FormulaError extends Error {
  readonly at: number

  constructor(message: string, at: number) {
    super(message)
    this.at = at
  }
}

interface Token {
  kind: 'number' | 'name' | 'symbol' | 'end'
  text: string
  at: number
}

/** A metric's slug as written in a formula. */
export function toFormulaName(slug: string): string {
  return slug.replaceAll('-', '_')
}

/** The problems of an invalid formula: every unknown function, then the syntax error that ended parsing, if any. */
export interface FormulaFailure {
  /** The first of `problems`. */
  problem: FormulaProblem
  problems: FormulaProblem[]
  /** The names used in it and their offsets; empty if parsing did not reach the end. */
  names: ReadonlyMap<string, number>
}

/**
 * Parses `+ - * / ( )`, unary minus and plus, numbers, names and calls, with the usual precedence and left
 * associativity. Every failure is reported as a problem with its position.
 */
export function parseFormula(text: string): { formula: Formula } | FormulaFailure {
  const unknown: FormulaError[] = []
  try {
    const formula = parse(tokenize(text), unknown)
    const [first] = unknown
    return first === undefined ? { formula } : toFailure(first, unknown, listFormulaNames(formula))
  } catch (error) {
    if (!(error instanceof FormulaError)) throw error
    const errors = [...unknown, error]
    return toFailure(errors[0] ?? error, errors, new Map())
  }
}

function toFailure(
  first: FormulaError,
  errors: readonly FormulaError[],
  names: ReadonlyMap<string, number>,
): FormulaFailure {
  return { problem: toProblem(first), problems: errors.map(toProblem), names }
}

const toProblem = ({ at, message }: FormulaError): FormulaProblem => ({
  message: `at position ${at + 1}: ${message}`,
  position: at + 1,
})

// A number may not be directly followed by a word: `2x` and `90_day_findings` are names.
const token = /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)(?![\w.])|([A-Za-z0-9_]+)|([-+*/(),]))/y

function tokenize(text: string): Token[] {
  if (text.length > FORMULA_MAX_LENGTH) {
    throw new FormulaError(`the formula is longer than ${FORMULA_MAX_LENGTH} characters; split it.`, FORMULA_MAX_LENGTH)
  }
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    token.lastIndex = at
    const match = token.exec(text)
    if (match === null) break
    const [all, number, name, symbol] = match
    const word = number ?? name ?? symbol ?? ''
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'symbol'
    tokens.push({ kind, text: word, at: at + all.length - word.length })
    at += all.length
  }
  const rest = text.slice(at)
  const blank = rest.length - rest.trimStart().length
  if (blank < rest.length) {
    const [unexpected = ''] = rest.trimStart()
    throw new FormulaError(
      `${quote(unexpected)} is not allowed in a formula; use + - * / ( ), numbers, metrics and ${formulaFunctions.join(' ')}.`,
      at + blank,
    )
  }
  tokens.push({ kind: 'end', text: '', at: text.length })
  return tokens
}

/** Collects unknown functions in `unknown` and continues, so that all of them can be reported. */
function parse(tokens: Token[], unknown: FormulaError[]): Formula {
  let index = 0
  const end: Token = tokens.at(-1) ?? { kind: 'end', text: '', at: 0 }
  const peek = () => tokens[index] ?? end
  const next = () => tokens[index++] ?? end
  const isSymbol = (symbols: string) => peek().kind === 'symbol' && symbols.includes(peek().text)

  const expect = (symbol: string, why: string) => {
    if (!isSymbol(symbol)) throw new FormulaError(`${quote(symbol)} is missing ${why}${found(peek())}.`, peek().at)
    next()
  }

  const sum = (depth: number): Formula => {
    let left = product(depth)
    while (isSymbol('+-')) {
      const { text, at } = next()
      left = { kind: 'binary', operator: text as '+' | '-', left, right: product(depth), at }
    }
    return left
  }

  const product = (depth: number): Formula => {
    let left = signed(depth)
    while (isSymbol('*/')) {
      const { text, at } = next()
      left = { kind: 'binary', operator: text as '*' | '/', left, right: signed(depth), at }
    }
    return left
  }

  const signed = (depth: number): Formula => {
    if (!isSymbol('+-')) return operand(depth)
    const { text, at } = next()
    checkDepth(depth, at)
    const inner = signed(depth + 1)
    return text === '-' ? { kind: 'negate', operand: inner, at } : inner
  }

  const operand = (depth: number): Formula => {
    const { kind, text, at } = next()
    checkDepth(depth, at)
    if (kind === 'number') return toNumber(text, at)
    if (kind === 'name') return isSymbol('(') ? call(text, at, depth) : { kind: 'name', name: text, at }
    if (text === '(') {
      const inner = sum(depth + 1)
      expect(')', `to close the '(' at position ${at + 1}`)
      return inner
    }
    throw new FormulaError(`a number, a metric or '(' is expected here${found({ kind, text, at })}.`, at)
  }

  const call = (name: string, at: number, depth: number): Formula => {
    const called = formulaFunctions.find((known) => known === name.toLowerCase())
    if (called === undefined) {
      const [near] = closest(name, formulaFunctions, (known) => known, 1)
      const hint =
        near === undefined ? `; the functions are ${formulaFunctions.join(', ')}.` : `; did you mean ${near}?`
      unknown.push(new FormulaError(`${quote(name)} is not a function${hint}`, at))
    }
    next()
    const given: Formula[] = []
    if (!isSymbol(')')) {
      given.push(sum(depth + 1))
      while (isSymbol(',')) {
        next()
        given.push(sum(depth + 1))
      }
    }
    expect(')', `to close ${called ?? name}(`)
    if (called === undefined) return { kind: 'call', function: 'coalesce', arguments: given, at }
    const { least, most } = functions[called]
    if (given.length < least || given.length > most) {
      const wanted = least === most ? `exactly ${least}` : `${least} to ${most}`
      throw new FormulaError(`${called} takes ${wanted} arguments, not ${given.length}.`, at)
    }
    return { kind: 'call', function: called, arguments: given, at }
  }

  const formula = sum(0)
  if (peek().kind !== 'end') throw new FormulaError(`an operator is missing before ${quote(peek().text)}.`, peek().at)
  return formula
}

function checkDepth(depth: number, at: number): void {
  if (depth > MAX_DEPTH) throw new FormulaError(`the formula is nested deeper than ${MAX_DEPTH} levels.`, at)
}

function toNumber(text: string, at: number): Formula {
  const value = Number(text)
  if (!Number.isFinite(value)) throw new FormulaError(`the number ${text} is too large.`, at)
  return { kind: 'number', value, at }
}

function found({ kind, text }: Token): string {
  return kind === 'end' ? ', but the formula ends here' : `, not ${quote(text)}`
}

/** The names used in a formula, each with the offset of its first use. */
export function listFormulaNames(formula: Formula): Map<string, number> {
  const names = new Map<string, number>()
  const visit = (node: Formula): void => {
    if (node.kind === 'name' && !names.has(node.name)) names.set(node.name, node.at)
    for (const child of childrenOf(node)) visit(child)
  }
  visit(formula)
  return names
}

function childrenOf(node: Formula): readonly Formula[] {
  switch (node.kind) {
    case 'number':
    case 'name':
      return []
    case 'negate':
      return [node.operand]
    case 'binary':
      return [node.left, node.right]
    case 'call':
      return node.arguments
  }
}

/** The result of a formula; `reason` explains a null. */
export interface FormulaResult {
  value: number | null
  reason?: 'zero_denominator' | 'null_input' | 'not_finite'
}

/** Evaluates a formula over values by name. Null propagates except through `coalesce`; division by zero gives null. */
export function evaluateFormula(formula: Formula, values: ReadonlyMap<string, number | null>): FormulaResult {
  switch (formula.kind) {
    case 'number':
      return { value: formula.value }
    case 'name': {
      const value = values.get(formula.name) ?? null
      return value === null ? { value, reason: 'null_input' } : { value }
    }
    case 'negate': {
      const operand = evaluateFormula(formula.operand, values)
      return operand.value === null ? operand : { value: 0 - operand.value }
    }
    case 'binary':
      return applyOperator(
        formula.operator,
        evaluateFormula(formula.left, values),
        evaluateFormula(formula.right, values),
      )
    case 'call':
      return applyFunction(
        formula.function,
        formula.arguments.map((argument) => evaluateFormula(argument, values)),
      )
  }
}

function applyOperator(operator: '+' | '-' | '*' | '/', left: FormulaResult, right: FormulaResult): FormulaResult {
  if (left.value === null) return left
  if (right.value === null) return right
  switch (operator) {
    case '+':
      return finite(left.value + right.value)
    case '-':
      return finite(left.value - right.value)
    case '*':
      return finite(left.value * right.value)
    case '/':
      return right.value === 0 ? { value: null, reason: 'zero_denominator' } : finite(left.value / right.value)
  }
}

function applyFunction(name: FormulaFunction, results: readonly FormulaResult[]): FormulaResult {
  if (name === 'coalesce') return results.find(({ value }) => value !== null) ?? results.at(-1) ?? { value: null }
  const numbers: number[] = []
  for (const [index, result] of results.entries()) {
    // nullif(x, null) is x, because nothing equals null.
    if (result.value === null && name === 'nullif' && index === 1) continue
    if (result.value === null) return result
    numbers.push(result.value)
  }
  const [first = 0, second] = numbers
  switch (name) {
    case 'min':
      return { value: Math.min(...numbers) }
    case 'max':
      return { value: Math.max(...numbers) }
    case 'abs':
      return { value: Math.abs(first) }
    case 'nullif':
      if (first !== second) return { value: first }
      // nullif(x, 0) guards a divisor, so its null is reported as a zero denominator.
      return { value: null, reason: first === 0 ? 'zero_denominator' : 'null_input' }
  }
}

// Overflow gives null; -0 becomes 0.
function finite(value: number): FormulaResult {
  if (!Number.isFinite(value)) return { value: null, reason: 'not_finite' }
  return { value: value === 0 ? 0 : value }
}
