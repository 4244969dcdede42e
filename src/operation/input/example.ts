import type { SchemaNode } from './coerce.ts'

export interface DescribedNode extends SchemaNode {
  description?: string
  format?: string
  minimum?: number
  default?: unknown
  oneOf?: DescribedNode[]
}

/**
 * The least value that a schema describes, made of its constants, first choices and the examples in its descriptions;
 * `toSecret` makes the values of secrets.
 */
export function exampleOf(node: DescribedNode, toSecret: (member: string) => unknown, name = ''): unknown {
  if (node.const !== undefined) return node.const
  if (node.default !== undefined) return node.default
  if (node.enum !== undefined) return node.enum[0]
  const [branch] = node.oneOf ?? node.anyOf ?? []
  if (branch !== undefined && node.properties === undefined) return exampleOf(branch, toSecret, name)
  switch ([node.type].flat()[0]) {
    case 'object':
      return Object.fromEntries(
        listNeeded(node, name === '').map(([key, member]) => [
          key,
          name === 'masked' ? toSecret(key) : exampleOf(member, toSecret, key),
        ]),
      )
    case 'array':
      return [exampleOf(node.items ?? {}, toSecret, name)]
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
