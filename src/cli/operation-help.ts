import { isObject } from '../kernel/json-object.ts'
import { line, showCode, showJson, showSentence } from '../kernel/shown.ts'
import { inputNode, type SchemaNode } from '../operation/input/coerce.ts'
import type { Operation } from '../operation/operation.ts'
import { type Block, type Cell, cell, command, table } from './output/blocks.ts'

interface DescribedNode extends SchemaNode {
  description?: string
  format?: string
  minimum?: number
  default?: unknown
  oneOf?: DescribedNode[]
}

/** What an operation does, its members, and a call of it with every member that it needs. */
export function describeOperation(operation: Operation): Block[] {
  const { name, summary, scope, route, effect } = operation
  const node = inputNode(operation.input)
  const rows = listMembers(node, 0)
  const example = exampleOf(node)
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
  const input = isObject(example) && Object.keys(example).length === 0 ? line`` : line` '${showJson(example)}'`
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

function listMembers(node: DescribedNode, depth: number): Cell[][] {
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

/** The least value that a schema describes, made of its constants, first choices and the examples in its descriptions. */
export function exampleOf(node: DescribedNode, name = ''): unknown {
  if (node.const !== undefined) return node.const
  if (node.default !== undefined) return node.default
  if (node.enum !== undefined) return node.enum[0]
  const [branch] = node.oneOf ?? node.anyOf ?? []
  if (branch !== undefined && node.properties === undefined) return exampleOf(branch, name)
  switch ([node.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        listNeeded(node, name === '').map(([key, member]) => [key, toMember(key, member, name)]),
      )
    case 'array':
      return [exampleOf(node.items ?? {}, name)]
    case 'integer':
    case 'number':
      return node.minimum ?? 1
    case 'boolean':
      return true
    default:
      return toText(node, name)
  }
}

/** The members of an object that an example needs: those required, ids, and one where anything is missing otherwise. */
function listNeeded({ properties = {}, required = [] }: DescribedNode, isWhole: boolean): [string, DescribedNode][] {
  const isFilter = 'exclude' in properties && properties.severities !== undefined
  const [first] = Object.keys(properties)
  const ids = isWhole ? ['id', 'ids'].filter((name) => name in properties && !required.includes(name)) : []
  const least = isWhole || first === undefined ? [] : [first]
  const names = isFilter && !isWhole ? ['severities'] : [...ids, ...required]
  return (names.length === 0 ? least : names).map((name) => [name, properties[name] ?? {}])
}

/** A secret is shown as the name of an environment variable, which the command line reads. */
const toMember = (key: string, member: DescribedNode, parent: string) =>
  parent === 'masked' ? { env: key.toUpperCase() } : exampleOf(member, key)

const formats: Readonly<Record<string, string>> = {
  uri: 'https://example.atlassian.net',
  email: 'you@example.com',
  uuid: '11111111-2222-3333-4444-555555555555',
}
const byName: Readonly<Record<string, string>> = {
  id: '24',
  name: 'Company wiki',
  slug: 'open-findings',
  displayName: 'My own name',
  metricSlug: 'open-findings',
  glossaryTermSlug: 'pii-exposure',
  dashboard: 'discovery',
  key: 'my-rule',
}

function toText({ format = '', pattern, description = '' }: DescribedNode, name: string): string {
  const [, named] = /\bsuch as ([^\s,;.]+(?:\.[^\s,;.]+)*)/.exec(description) ?? []
  const samples = [formats[format], byName[name], named, 'open-findings', 'NAME', '24', '#d33', '7d']
  const fits = (text: string | undefined) =>
    text !== undefined && (pattern === undefined || new RegExp(pattern, 'u').test(text))
  return samples.find(fits) ?? 'text'
}

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
