import type { JsonSchema } from './json-schema.ts'

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value), 'utf8')

/** How much of an output schema is included in the tool list. */
export interface OutputDetail {
  depth: number
  /** Whether top-level members have descriptions. */
  described: boolean
  /**
   * The top-level members to include: all, with the required ones marked, or only those that are required and never
   * null.
   */
  members: 'all' | 'filled'
}

export const minimalDetail: OutputDetail = { depth: 0, described: false, members: 'filled' }

/** From most to least detail. */
export const outputDetails: readonly OutputDetail[] = [
  { depth: 3, described: true, members: 'all' },
  { depth: 2, described: true, members: 'all' },
  { depth: 2, described: false, members: 'all' },
  { depth: 1, described: true, members: 'all' },
  { depth: 1, described: false, members: 'all' },
  { depth: 1, described: false, members: 'filled' },
  minimalDetail,
]

/**
 * An output schema truncated at a depth: deeper parts become open objects or arrays. Every value that is valid under
 * the full schema is valid under the result.
 */
export function projectOutput(schema: JsonSchema, { depth, described, members }: OutputDetail): JsonSchema {
  const root = project(schema, depth, described)
  if (members === 'all') return root
  const { required = [], properties, ...rest } = root
  if (properties === undefined) return rest
  const always = new Set(required as string[])
  const filled = Object.entries(properties as Record<string, JsonSchema>)
    .filter(([name, { anyOf }]) => always.has(name) && anyOf === undefined)
    .map(([name, { type, description }]) => [name, type === undefined ? { description } : { type }])
  return { ...rest, properties: Object.fromEntries(filled) }
}

function project(schema: JsonSchema, depth: number, described: boolean): JsonSchema {
  const { type, description, properties, items, anyOf, enum: values, required } = schema
  const node: JsonSchema = {}
  if (type !== undefined) node.type = type
  if (anyOf !== undefined) {
    const members = (anyOf as JsonSchema[]).map((member) => project(member, depth, false))
    const distinct = [...new Map(members.map((member) => [JSON.stringify(member), member])).values()]
    if (distinct.length === 1) return { ...distinct[0], ...(described && description ? { description } : {}) }
    node.anyOf = distinct
  }
  if (values !== undefined && depth > 0) node.enum = values
  if (properties !== undefined && depth > 0) {
    node.properties = Object.fromEntries(
      Object.entries(properties as Record<string, JsonSchema>).map(([name, member]) => [
        name,
        withDescription(project(member, depth - 1, false), described ? member.description : undefined),
      ]),
    )
    if (required !== undefined) node.required = required
  }
  if (items !== undefined && depth > 0) node.items = project(items as JsonSchema, depth, false)
  if (type === undefined && anyOf === undefined) node.description = description ?? 'Any JSON value.'
  return node
}

const withDescription = (schema: JsonSchema, description: unknown): JsonSchema =>
  description === undefined ? schema : { ...schema, description }

const OPEN_ABOVE_BYTES = 640

/**
 * Replaces the large nested members of an input by open objects whose description lists their keys, unless the input
 * has them all itself, and the resource with the full schema; the server still validates them against that.
 */
export function openLargeMembers(schema: JsonSchema, resourceOf: (member: string) => string): JsonSchema {
  const properties = Object.fromEntries(
    Object.entries(schema.properties as Record<string, JsonSchema>).map(([member, full]) => {
      if (!isNested(full) || bytesOf(full) <= OPEN_ABOVE_BYTES) return [member, full]
      const choices = (full.anyOf ?? [full]) as JsonSchema[]
      const nested = choices.filter(({ type }) => type !== 'null')
      const keys = nested.length === 1 ? Object.keys((nested[0]?.properties ?? {}) as object) : []
      const areInputs = keys.every((key) => key in (schema.properties as object))
      const keyList = areInputs ? '' : ` Keys: ${keys.join(', ')}.`
      const description = `${asSentence(full.description)}${keyList} Schema: ${resourceOf(member)}`
      const open = { type: 'object' }
      return [
        member,
        nested.length === choices.length ? { ...open, description } : { description, anyOf: [open, { type: 'null' }] },
      ]
    }),
  )
  return { ...schema, properties }
}

const asSentence = (text: unknown) => (typeof text === 'string' ? `${text.replace(/[.\s]+$/, '')}.` : 'An object.')

/** True for an object type, and for a union of objects, or of objects and null. */
function isNested({ type, anyOf }: JsonSchema): boolean {
  if (type === 'object') return true
  const choices = (anyOf ?? []) as JsonSchema[]
  return choices.some(isNested) && choices.every((choice) => choice.type === 'null' || isNested(choice))
}
