import type { JsonSchema } from './json-schema.ts'

export const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value), 'utf8')

/** How much of an output schema is listed: how deep, and whether the members of the top are described. */
export interface OutputDetail {
  depth: number
  described: boolean
}

/** From the richest to the barest; a list takes the first that fits its budget. */
export const outputDetails: readonly OutputDetail[] = [
  { depth: 3, described: true },
  { depth: 2, described: true },
  { depth: 2, described: false },
  { depth: 1, described: true },
  { depth: 1, described: false },
]

/** An output schema cut to a depth: what lies deeper is an open object or a list. Whatever fits the whole fits the cut. */
export function projectOutput(schema: JsonSchema, detail: OutputDetail): JsonSchema {
  return project(schema, detail.depth, detail.described)
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

export interface OpenedInput {
  schema: JsonSchema
  /** The members that were opened, with what they hold. */
  opened: { member: string; full: JsonSchema }[]
}

/**
 * Lists the large nested members of an input as open objects whose description names their keys and the resource with
 * the whole schema; the server checks them whole all the same.
 */
export function openLargeMembers(
  schema: JsonSchema,
  resourceOf: (member: string, full: JsonSchema) => string,
): OpenedInput {
  const opened: OpenedInput['opened'] = []
  const properties = Object.fromEntries(
    Object.entries(schema.properties as Record<string, JsonSchema>).map(([member, full]) => {
      if (!isNested(full) || bytesOf(full) <= OPEN_ABOVE_BYTES) return [member, full]
      opened.push({ member, full })
      const keys = full.type === 'object' ? Object.keys((full.properties ?? {}) as object) : []
      const told = keys.length > 0 ? ` Keys: ${keys.join(', ')}.` : ''
      const description = `${asSentence(full.description)}${told} Schema: ${resourceOf(member, full)}`
      return [member, { type: 'object', description }]
    }),
  )
  return { schema: { ...schema, properties }, opened }
}

const asSentence = (text: unknown) => (typeof text === 'string' ? `${text.replace(/[.\s]+$/, '')}.` : 'An object.')

/** True for an object, and for a choice between objects. */
function isNested(schema: JsonSchema): boolean {
  if (schema.type === 'object') return true
  const choices = schema.anyOf as JsonSchema[] | undefined
  return choices?.every((choice) => isNested(choice)) ?? false
}
