import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { nationalIds } from '../../src/detectors/pii/national-ids.ts'
import { keyedShapes } from '../../src/detectors/secrets/vendor-keys.ts'
import { tokenShapes } from '../../src/detectors/secrets/vendor-tokens.ts'

export interface BuiltInPattern {
  /** Where it is written, or the id of its rule. */
  name: string
  source: string
  flags: string
}

const root = new URL('../../src/detectors/', import.meta.url).pathname

/** Every regular expression that the detectors use: literals by reading the sources, composed ones from their tables. */
export function listPatterns(): BuiltInPattern[] {
  const composed: [string, RegExp][] = [
    ...tokenShapes.map(({ type, literal, pattern }): [string, RegExp] => [`${type} ${literal}`, pattern]),
    ...keyedShapes.map(({ type, vendor, pattern }): [string, RegExp] => [`${type} ${vendor}`, pattern]),
    ...nationalIds.map(({ type, pattern }): [string, RegExp] => [type, pattern]),
  ]
  const literals = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap(literalsOf)
  const all = [...literals, ...composed.map(([name, { source, flags }]) => ({ name, source, flags }))]
  return [...new Map(all.map((pattern) => [`${pattern.source}/${pattern.flags}`, pattern])).values()]
}

function literalsOf(file: string): BuiltInPattern[] {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest)
  const found: BuiltInPattern[] = []
  const visit = (node: ts.Node) => {
    if (ts.isRegularExpressionLiteral(node)) {
      const end = node.text.lastIndexOf('/')
      const { line } = source.getLineAndCharacterOfPosition(node.getStart(source))
      found.push({ name: `${file}:${line + 1}`, source: node.text.slice(1, end), flags: node.text.slice(end + 1) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}
