import { isObject } from '../kernel/json-object.ts'
import { line, showCode, showSentence } from '../kernel/shown.ts'
import { inputNode } from '../operation/input/coerce.ts'
import { type DescribedNode, exampleOf } from '../operation/input/example.ts'
import type { Operation } from '../operation/operation.ts'
import { type Block, cell, command, type TableCell, table } from './output/blocks.ts'
import { showJsonArgument } from './shell-words.ts'

/** What an operation does, its members, and a call of it with every member that it needs. */
export function describeOperation(operation: Operation): Block[] {
  const { name, summary, scope, route, effect } = operation
  const node = inputNode(operation.input)
  const rows = listMembers(node, 0)
  const example = exampleOf(node, toVariable)
  const how = route === undefined ? line`` : line`, REST ${showSentence(route)}`
  const members =
    rows.length === 0
      ? [line`It takes no input.`]
      : [
          table(
            [
              { title: line`member` },
              { title: line`type`, shrink: 2 },
              { title: line`description`, shrink: 1, min: 20 },
            ],
            rows,
          ),
        ]
  const input = isObject(example) && Object.keys(example).length === 0 ? line`` : line` ${showJsonArgument(example)}`
  return [
    line`${showCode(name)}: ${showSentence(summary)}`,
    line`${effect === 'read' ? line`Reads only` : line`Changes data`}; scope ${showCode(scope)}${how}`,
    line``,
    ...members,
    line``,
    command(line`Example: assay call ${showCode(name)}${input}`),
  ]
}

/** Members of members that a table lists. */
const MAX_DEPTH = 1

function listMembers(node: DescribedNode, depth: number): TableCell[][] {
  const { properties = {}, required = [] } = node
  return Object.entries(properties).flatMap(([name, member]: [string, DescribedNode]) => {
    const mark = required.includes(name) ? ' (required)' : ''
    const inner = depth < MAX_DEPTH && member.properties !== undefined ? listMembers(member, depth + 1) : []
    return [
      [
        cell.sentence(`${'  '.repeat(depth)}${name}${mark}`),
        cell.sentence(typeOf(member)),
        cell.sentence(member.description ?? ''),
      ],
      ...inner,
    ]
  })
}

function typeOf(node: DescribedNode): string {
  const { type, items } = node
  if (node.enum !== undefined) return node.enum.map(String).join('|')
  if (node.const !== undefined) return String(node.const)
  const branches = node.anyOf ?? node.oneOf
  if (branches !== undefined) return [...new Set(branches.map((branch) => typeOf(branch)))].join(' or ')
  if (type === 'array') return `list of ${items === undefined ? 'any' : typeOf(items)}`
  if (type === 'integer') return 'whole number'
  return type === undefined ? 'any' : [type].flat().join(' or ')
}

/** A secret is shown as the name of an environment variable, which the command line reads. */
export const toVariable = (member: string): unknown => ({ env: member.toUpperCase() })

/** Accepts numbers where an operation takes texts as ids. */
export function acceptNumbers(operation: Operation, input: Record<string, unknown>): Record<string, unknown> {
  const { properties = {} } = inputNode(operation.input)
  const toId = (value: unknown) => (Number.isSafeInteger(value) ? String(value) : value)
  const entries = Object.entries(input).map(([name, value]) => {
    const node = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (!/^ids?$|Id$/.test(name) || node === undefined) return [name, value]
    if (Array.isArray(value) && node.items?.type === 'string') return [name, value.map(toId)]
    return [name, node.type === 'string' ? toId(value) : value]
  })
  return Object.fromEntries(entries)
}
