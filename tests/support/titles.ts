import { readFileSync } from 'node:fs'
import ts from 'typescript'

const runners = new Set(['it', 'test', 'describe'])

/** The function that a call leads back to: `it` in `it.each([…])('…', …)`. */
function rootOf(expression: ts.Expression): string | undefined {
  if (ts.isIdentifier(expression)) return expression.text
  if (ts.isPropertyAccessExpression(expression) || ts.isCallExpression(expression)) return rootOf(expression.expression)
  if (ts.isTaggedTemplateExpression(expression)) return rootOf(expression.tag)
  return undefined
}

const textOf = (node: ts.Node | undefined) => (node && ts.isStringLiteralLike(node) ? node.text : undefined)

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
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && runners.has(rootOf(node.expression) ?? '')) add(textOf(node.arguments[0]))
    if (ts.isArrayLiteralExpression(node)) {
      for (const element of node.elements) if (ts.isArrayLiteralExpression(element)) add(textOf(element.elements[0]))
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true))
  return titles
}
