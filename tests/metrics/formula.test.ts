import fc from 'fast-check'
import { expect, test } from 'vitest'
import { evaluateFormula, type FormulaResult, listFormulaNames, parseFormula } from '../../src/metrics/formula.ts'

function evaluate(text: string, values: Record<string, number | null> = {}): FormulaResult {
  const parsed = parseFormula(text)
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  return evaluateFormula(parsed.formula, new Map(Object.entries(values)))
}

test.each<[string, number]>([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['8 / 4 / 2', 1],
  ['8 - 4 - 2', 2],
  ['-2 * -3', 6],
  ['2 - -3', 5],
  ['- (1 + 2)', -3],
  ['+4', 4],
  ['1.5e3 / .5', 3000],
  ['1e-7 * 1e7', 1],
  ['min(3, 1, 2)', 1],
  ['MAX(3, 1 + 5)', 6],
  ['abs(2 - 5)', 3],
  ['nullif(4, 5)', 4],
  ['coalesce(7, 1)', 7],
  ['min(2)', 2],
  ['0 * -1', 0],
])('%s evaluates to %d', (text, value) => {
  expect(evaluate(text)).toEqual({ value })
})

test.each<[string, Record<string, number | null>, FormulaResult]>([
  ['open_findings * 100 / total_findings', { open_findings: 1, total_findings: 4 }, { value: 25 }],
  ['p95_latency / 2', { p95_latency: 30 }, { value: 15 }],
  ['90_day_findings + 1', { '90_day_findings': 2 }, { value: 3 }],
  ['2x + 1', { '2x': 2 }, { value: 3 }],
  ['min + max(min, 3)', { min: 1 }, { value: 4 }],
  ['v1 + v10', { v1: 2, v10: 10 }, { value: 12 }],
  ['a - b', { a: 1, b: -2 }, { value: 3 }],
  ['a * 2', { a: 1e21 }, { value: 2e21 }],
  ['a + b', { a: null, b: 1 }, { value: null, reason: 'null_input' }],
  ['a * 0', { a: null }, { value: null, reason: 'null_input' }],
  ['coalesce(a, b, 5)', { a: null, b: null }, { value: 5 }],
  ['coalesce(a / 0, 5)', { a: 1 }, { value: 5 }],
  ['coalesce(a, b)', { a: null, b: null }, { value: null, reason: 'null_input' }],
  ['a / b', { a: 1, b: 0 }, { value: null, reason: 'zero_denominator' }],
  ['a / nullif(b, 0)', { a: 1, b: 0 }, { value: null, reason: 'zero_denominator' }],
  ['nullif(a, 3)', { a: 3 }, { value: null, reason: 'null_input' }],
  ['nullif(a, b)', { a: 3, b: null }, { value: 3 }],
  ['min(a, 1)', { a: null }, { value: null, reason: 'null_input' }],
  ['a * a', { a: 1e200 }, { value: null, reason: 'not_finite' }],
])('evaluates %s with %j', (text, values, result) => {
  expect(evaluate(text, values)).toEqual(result)
})

test.each<[string, number, RegExp]>([
  ['', 1, /the formula ends here/],
  ['1 +', 4, /the formula ends here/],
  ['1 + * 2', 5, /not '\*'/],
  ['(1 + 2', 7, /'\)' is missing to close the '\(' at position 1/],
  ['1 2', 3, /an operator is missing before '2'/],
  ['a b', 3, /an operator is missing before 'b'/],
  ['1)', 2, /operator is missing before '\)'/],
  ['a ^ 2', 3, /'\^' is not allowed in a formula/],
  ['a; drop', 2, /';' is not allowed/],
  ['a.b', 2, /'\.' is not allowed/],
  ['1.2.3', 2, /'\.' is not allowed/],
  ['"a"', 1, /'"' is not allowed/],
  ['sqrt(4)', 1, /'sqrt' is not a function; the functions are min/],
  ['coalsce(a, 1)', 1, /did you mean coalesce/],
  ['abs(1, 2)', 1, /abs takes exactly 1 arguments, not 2/],
  ['nullif(1)', 1, /nullif takes exactly 2/],
  ['min()', 1, /min takes 1 to 20/],
  ['min(1,)', 7, /is expected here, not '\)'/],
  ['1e999', 1, /too large/],
  [`${'('.repeat(60)}1${')'.repeat(60)}`, 42, /nested deeper/],
  [`${'-'.repeat(60)}1`, 42, /nested deeper/],
  ['1 + '.repeat(600), 2001, /longer than 2000/],
])('%s is refused at position %d', (text, position, message) => {
  const parsed = parseFormula(text)
  if ('formula' in parsed) throw new Error('it was accepted')
  expect(parsed.problem.message).toMatch(message)
  expect(parsed.problem.message).toContain(`at position ${parsed.problem.position}`)
  expect(parsed.problem.position).toBe(position)
})

test('a long flat formula is accepted', () => {
  expect(evaluate(Array.from({ length: 900 }, () => '1').join('+'))).toEqual({ value: 900 })
})

test('each name is listed once, with its first position', () => {
  const parsed = parseFormula('b + max(a, b) / -c')
  if ('problem' in parsed) throw new Error(parsed.problem.message)
  expect([...listFormulaNames(parsed.formula)]).toEqual([
    ['b', 0],
    ['a', 8],
    ['c', 17],
  ])
})

type Tree =
  | { kind: 'number'; value: number }
  | { kind: 'name'; name: string }
  | { kind: 'sign'; inner: Tree }
  | { kind: 'infix'; sign: string; left: Tree; right: Tree }
  | { kind: 'function'; name: string; given: Tree[] }

const names = ['alpha', 'b_2', 'min', '7_days']
const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, withCrossShrink: true },
    fc.record({ kind: fc.constant('number' as const), value: fc.nat(20).map((n) => n / 4) }),
    fc.record({ kind: fc.constant('name' as const), name: fc.constantFrom(...names) }),
    fc.record({ kind: fc.constant('sign' as const), inner: tie('tree') }),
    fc.record({
      kind: fc.constant('infix' as const),
      sign: fc.constantFrom('+', '-', '*', '/'),
      left: tie('tree'),
      right: tie('tree'),
    }),
    fc.oneof(
      fc.record({
        kind: fc.constant('function' as const),
        name: fc.constantFrom('min', 'max', 'coalesce'),
        given: fc.array(tie('tree'), { minLength: 1, maxLength: 3 }),
      }),
      fc.record({
        kind: fc.constant('function' as const),
        name: fc.constant('abs'),
        given: fc.array(tie('tree'), { minLength: 1, maxLength: 1 }),
      }),
      fc.record({
        kind: fc.constant('function' as const),
        name: fc.constant('nullif'),
        given: fc.array(tie('tree'), { minLength: 2, maxLength: 2 }),
      }),
    ),
  ),
}))

const strength: Record<string, number> = { '+': 1, '-': 1, '*': 2, '/': 2 }

/** Writes a tree with only the brackets that the precedence of the operators calls for. */
function write(node: Tree, least = 0): string {
  switch (node.kind) {
    case 'number':
      return String(node.value)
    case 'name':
      return node.name
    case 'sign':
      return `-${write(node.inner, 3)}`
    case 'function':
      return `${node.name}( ${node.given.map((inner) => write(inner)).join(' ,')})`
    case 'infix': {
      const own = strength[node.sign] ?? 0
      const text = `${write(node.left, own)} ${node.sign} ${write(node.right, own + 1)}`
      return own < least ? `(${text})` : text
    }
  }
}

function compute(node: Tree, values: Map<string, number | null>): number | null {
  switch (node.kind) {
    case 'number':
      return node.value
    case 'name':
      return values.get(node.name) ?? null
    case 'sign': {
      const inner = compute(node.inner, values)
      return inner === null ? null : -inner
    }
    case 'infix': {
      const [left, right] = [compute(node.left, values), compute(node.right, values)]
      if (left === null || right === null) return null
      if (node.sign === '+') return checked(left + right)
      if (node.sign === '-') return checked(left - right)
      if (node.sign === '*') return checked(left * right)
      return right === 0 ? null : checked(left / right)
    }
    case 'function': {
      const given = node.given.map((inner) => compute(inner, values))
      if (node.name === 'coalesce') return given.find((value) => value !== null) ?? null
      if (node.name === 'nullif') return given[0] === given[1] ? null : (given[0] ?? null)
      const numbers = given.filter((value) => value !== null)
      if (numbers.length < given.length) return null
      if (node.name === 'abs') return Math.abs(numbers[0] ?? 0)
      return numbers.reduce((a, b) => ((node.name === 'min' ? a < b : a > b) ? a : b))
    }
  }
}

const checked = (value: number) => (Number.isFinite(value) ? value : null)

test('a syntax tree that is printed as a formula evaluates to the same number', () => {
  const value = fc.option(fc.integer({ min: -8, max: 8 }))
  fc.assert(
    fc.property(tree, fc.tuple(value, value, value, value), (node, given) => {
      const values = new Map(names.map((name, index) => [name, given[index] ?? null]))
      const parsed = parseFormula(write(node))
      if ('problem' in parsed) throw new Error(parsed.problem.message)
      const [got, expected] = [evaluateFormula(parsed.formula, values).value, compute(node, values)]
      expect(got === null ? null : got + 0).toBe(expected === null ? null : expected + 0)
    }),
    { numRuns: 2000 },
  )
})

test('any text is either a formula or a problem with its position', () => {
  const pieces = fc.array(fc.constantFrom('a', '1', '.', 'e', '+', '-', '*', '/', '(', ')', ',', ' ', 'min', '_', 'é'))
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        pieces.map((parts) => parts.join('')),
      ),
      (text) => {
        const parsed = parseFormula(text)
        if ('formula' in parsed) expect(evaluateFormula(parsed.formula, new Map())).toHaveProperty('value')
        else expect(parsed.problem.position).toBeLessThanOrEqual(text.length + 1)
      },
    ),
    { numRuns: 2000 },
  )
})

test('every unknown function is reported with its position, together with syntax errors', () => {
  const problems = (text: string) => {
    const parsed = parseFormula(text)
    return 'problems' in parsed ? parsed.problems.map(({ position }) => position) : []
  }
  expect(problems('foo(a) + bar(b)')).toEqual([1, 10])
  expect(problems('foo(bar(1)) +')).toEqual([1, 5, 14])
  expect(problems('foo(')).toEqual([1, 5])
  expect(problems('min(a)')).toEqual([])
})
