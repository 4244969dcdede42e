import { readFileSync } from 'node:fs'
import { type ArrayExpressionElement, type Expression, parseSync, Visitor } from 'oxc-parser'

const runners = new Set(['it', 'test', 'describe'])

/** The function that a call leads back to: `it` in `it.each([…])('…', …)`. */
function rootOf(expression: Expression): string | undefined {
  if (expression.type === 'Identifier') return expression.name
  if (expression.type === 'MemberExpression') return rootOf(expression.object)
  if (expression.type === 'CallExpression') return rootOf(expression.callee)
  if (expression.type === 'TaggedTemplateExpression') return rootOf(expression.tag)
  return undefined
}

function textOf(node: ArrayExpressionElement | undefined): string | undefined {
  if (node?.type === 'TemplateLiteral' && node.expressions.length === 0)
    return node.quasis[0]?.value.cooked ?? undefined
  return node?.type === 'Literal' && typeof node.value === 'string' ? node.value : undefined
}

/** Of the files that were read. */
const known = new Map<string, ReadonlySet<string>>()

/** Titles of the tests of a file, and the first texts of the rows that stand in it. */
export function readTitles(file: string): ReadonlySet<string> {
  const titles = known.get(file) ?? listTitles(file)
  known.set(file, titles)
  return titles
}

function listTitles(file: string): ReadonlySet<string> {
  const titles = new Set<string>()
  const add = (title: string | undefined) => title !== undefined && titles.add(title)
  new Visitor({
    CallExpression({ callee, arguments: given }) {
      if (runners.has(rootOf(callee) ?? '')) add(textOf(given[0]))
    },
    ArrayExpression({ elements }) {
      for (const element of elements) if (element?.type === 'ArrayExpression') add(textOf(element.elements[0]))
    },
  }).visit(parseSync(file, readFileSync(file, 'utf8')).program)
  return titles
}
