import ts from 'typescript'
import type { Edit, Part } from './break.ts'

/** A stretch of a source file and what comes in its place. */
export interface Replacement {
  start: number
  end: number
  text: string
}

function nameOf(node: ts.Node | undefined): string | undefined {
  if (node === undefined) return undefined
  if (ts.isIdentifier(node) || ts.isPrivateIdentifier(node) || ts.isStringLiteralLike(node)) return node.text
  return undefined
}

const isDeclaration = (node: ts.Node) =>
  ts.isFunctionDeclaration(node) ||
  ts.isMethodDeclaration(node) ||
  ts.isVariableDeclaration(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isPropertyAssignment(node) ||
  ts.isClassDeclaration(node)

/** Whether a node declares the name, or is an object literal whose property `name` has it as its value. */
function declares(node: ts.Node, name: string): boolean {
  if (isDeclaration(node)) return nameOf((node as ts.NamedDeclaration).name) === name
  if (!ts.isObjectLiteralExpression(node)) return false
  return node.properties.some(
    (each) => ts.isPropertyAssignment(each) && nameOf(each.name) === 'name' && nameOf(each.initializer) === name,
  )
}

function listInside(root: ts.Node, isWanted: (node: ts.Node) => boolean): ts.Node[] {
  const found: ts.Node[] = []
  const visit = (node: ts.Node): void => {
    if (isWanted(node)) found.push(node)
    ts.forEachChild(node, visit)
  }
  ts.forEachChild(root, visit)
  return found
}

function mentions(node: ts.Node, name: string): boolean {
  const isNamed = (each: ts.Node) =>
    ((ts.isIdentifier(each) || ts.isPrivateIdentifier(each)) && each.text === name) ||
    ((ts.isStringLiteralLike(each) || ts.isTemplateHead(each)) && each.text.includes(name))
  return isNamed(node) || listInside(node, isNamed).length > 0
}

const isLogical = (node: ts.Node): node is ts.BinaryExpression =>
  ts.isBinaryExpression(node) &&
  [ts.SyntaxKind.AmpersandAmpersandToken, ts.SyntaxKind.BarBarToken].includes(node.operatorToken.kind)

function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression
  if (ts.isConditionalExpression(node) || ts.isForStatement(node)) return node.condition
  return undefined
}

function calleeOf(node: ts.CallExpression | ts.NewExpression): string | undefined {
  return nameOf(ts.isPropertyAccessExpression(node.expression) ? node.expression.name : node.expression)
}

const isCall = (node: ts.Node): node is ts.CallExpression | ts.NewExpression =>
  ts.isCallExpression(node) || ts.isNewExpression(node)

/** The nodes of one kind inside a symbol. */
function listParts(symbol: ts.Node, { kind, names }: Exclude<Part, { kind: 'whole' }>): ts.Node[] {
  const [first = ''] = names
  switch (kind) {
    case 'condition':
      return listInside(symbol, () => true).flatMap((node) => conditionOf(node) ?? [])
    case 'operand':
      return listInside(symbol, isLogical).flatMap((node) => {
        const { left, right } = node as ts.BinaryExpression
        return [left, right].filter((side) => !isLogical(side))
      })
    case 'call':
      return listInside(symbol, (node) => isCall(node) && calleeOf(node) === first)
    case 'property':
      return listInside(
        symbol,
        (node) =>
          (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node)) && nameOf(node.name) === first,
      )
    case 'returned':
      return listInside(symbol, ts.isReturnStatement).flatMap((node) => (node as ts.ReturnStatement).expression ?? [])
  }
}

function only<T>(found: readonly T[], what: string): T {
  const [one] = found
  if (one === undefined || found.length > 1) throw new Error(`${found.length} places match ${what}; there must be one`)
  return one
}

function findSymbol(source: ts.SourceFile, symbol: string): ts.Node {
  return symbol.split('.').reduce<ts.Node>(
    (inside, name) =>
      only(
        listInside(inside, (node) => declares(node, name)),
        `${name} of ${symbol} in ${source.fileName}`,
      ),
    source,
  )
}

function replaceWhole(symbol: ts.Node, put: string): { node: ts.Node; text: string } {
  const { initializer, body } = symbol as { initializer?: ts.Expression; body?: ts.Block }
  const value = body ?? initializer
  if (value === undefined) throw new Error('a symbol without a value cannot be replaced')
  const result = ts.isArrowFunction(value) ? value.body : value
  return { node: result, text: ts.isBlock(result) ? `{ return (${put}) }` : `(${put})` }
}

function replacePart(node: ts.Node, put: string, source: ts.SourceFile): { node: ts.Node; text: string } {
  if (ts.isPropertyAssignment(node)) return { node: node.initializer, text: put }
  if (ts.isShorthandPropertyAssignment(node)) return { node, text: `${node.name.text}: ${put}` }
  if (!isCall(node)) return { node, text: put }
  const parts = [
    ts.isPropertyAccessExpression(node.expression) ? node.expression.expression : node.expression,
    ...(node.arguments ?? []),
  ]
  return { node, text: put.replaceAll(/\$(\d)/g, (_, at: string) => parts[Number(at)]?.getText(source) ?? 'undefined') }
}

/** Where an edit applies in the text of its file. @throws unless it is exactly one place. */
export function locate({ file, symbol, part, put }: Edit, text: string): Replacement {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const within = findSymbol(source, symbol)
  const isWithin = (inner: ts.Node, outer: ts.Node) =>
    inner !== outer && inner.pos >= outer.pos && inner.end <= outer.end
  const choose = ({ kind, names }: Exclude<Part, { kind: 'whole' }>) => {
    const matching = listParts(within, { kind, names }).filter((node) => names.every((name) => mentions(node, name)))
    const innermost = matching.filter((node) => !matching.some((other) => isWithin(other, node)))
    return only(innermost, `the ${kind} "${names.join(' ')}" of ${symbol} in ${file}`)
  }
  const { node, text: replaced } =
    part.kind === 'whole' ? replaceWhole(within, put) : replacePart(choose(part), put, source)
  return { start: node.getStart(source), end: node.end, text: replaced }
}

/** The text of a file with some of its places replaced. */
export function applyEdits(edits: readonly Edit[], text: string): string {
  const replacements = edits.map((edit) => locate(edit, text)).sort((a, b) => b.start - a.start)
  return replacements.reduce(
    (present, { start, end, text: put }) => present.slice(0, start) + put + present.slice(end),
    text,
  )
}
