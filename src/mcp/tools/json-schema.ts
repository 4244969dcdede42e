import { z } from 'zod'

export type JsonSchema = { [key: string]: unknown }

/** The JSON Schema of one side of an operation, as zod states it. @throws Error when it cannot be expressed. */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  return { ...z.toJSONSchema(schema, { io, unrepresentable: 'throw', cycles: 'throw', reused: 'inline' }) }
}

const unexpressible = ['$ref', '$defs', 'allOf', 'prefixItems', 'not', 'if', 'patternProperties']

/** What says nothing to a caller, or nothing that an error would not say better. */
const noise = new Set([
  ...['$schema', '$id', 'id', 'propertyNames', 'examples', 'readOnly', 'contentEncoding', 'contentMediaType'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems'],
])

/**
 * Rewrites a schema into what every host understands: an object at the root, one scalar type a node, no references, no
 * empty schemas, no bounds of the safe integers, `anyOf` for every union. @throws Error naming the place that has no
 * such form.
 */
export function toPortable(schema: JsonSchema, io: 'input' | 'output'): JsonSchema {
  if (schema.type !== 'object' || hasUnion(schema)) throw new Error('the root must be one plain object')
  const root = rewrite(schema, io, '')
  root.properties = Object.fromEntries(
    Object.entries((root.properties ?? {}) as object).filter(([name]) => io === 'output' || !isEcho(schema, name)),
  )
  return root
}

/** A member that a caller may send back as it came, and has no reason to fill in. */
const isEcho = (schema: JsonSchema, name: string) =>
  ((schema.properties as Record<string, JsonSchema> | undefined)?.[name]?.readOnly ?? false) === true

const hasUnion = (schema: JsonSchema) => 'anyOf' in schema || 'oneOf' in schema

function rewrite(schema: JsonSchema, io: 'input' | 'output', path: string): JsonSchema {
  for (const keyword of unexpressible) {
    if (keyword in schema) throw new Error(`${keyword} at ${path === '' ? 'the root' : path} has no portable form`)
  }
  const { type, const: constant, anyOf, oneOf, properties, items, additionalProperties, ...others } = schema
  const node: JsonSchema = {}
  for (const [key, value] of Object.entries(others)) {
    if (!noise.has(key) && !isSafeIntegerBound(key, value) && !(key === 'default' && io === 'output')) node[key] = value
  }
  if ('format' in node) delete node.pattern
  if (constant !== undefined) node.enum = [constant]
  const union = anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((each) => ({ ...schema, type: each })) : undefined)
  if (union !== undefined) return toUnion(node, union as JsonSchema[], io, path)
  if (Array.isArray(node.enum)) node.type = type ?? typeof node.enum[0]
  else if (type !== undefined) node.type = type
  if (properties !== undefined) {
    node.properties = Object.fromEntries(
      Object.entries(properties as Record<string, JsonSchema>).map(([name, member]) => [
        name,
        rewrite(member, io, path === '' ? name : `${path}.${name}`),
      ]),
    )
  }
  if (isSchema(items)) node.items = rewrite(items, io, `${path}[]`)
  if (isSchema(additionalProperties)) node.additionalProperties = rewrite(additionalProperties, io, `${path}.*`)
  if (Array.isArray(node.required) && node.required.length === 0) delete node.required
  if (node.type === undefined) {
    if (io === 'input') throw new Error(`${path} accepts anything; say which type it has`)
    node.description ??= 'Any JSON value.'
  }
  return inOrder(node)
}

/**
 * A union of fixed strings is one enum; a union of one is its member; what is said of the only real choice is said of
 * all.
 */
function toUnion(node: JsonSchema, union: JsonSchema[], io: 'input' | 'output', path: string): JsonSchema {
  const members = union.map((member) => rewrite(member, io, path))
  const real = members.filter(({ type }) => type !== 'null')
  const [only] = real
  const description = node.description ?? (real.length === 1 ? only?.description : undefined)
  const told = {
    ...(description === undefined ? {} : { description }),
    ...('default' in node ? { default: node.default } : {}),
  }
  const plain = members.map((member) => {
    const { description: own, default: _default, ...rest } = member
    return own === undefined || own === description ? rest : { ...rest, description: own }
  })
  if (plain.every((member) => member.type === 'string' && Array.isArray(member.enum))) {
    const values = plain.flatMap((member) => member.enum as unknown[])
    return inOrder({ ...told, type: 'string', enum: [...new Set(values)] })
  }
  const distinct = [...new Map(plain.map((member) => [JSON.stringify(member), member])).values()]
  return inOrder(distinct.length === 1 ? { ...distinct[0], ...told } : { ...told, anyOf: distinct })
}

const isSchema = (value: unknown): value is JsonSchema =>
  typeof value === 'object' && value !== null && Object.keys(value).some((key) => !noise.has(key))

const isSafeIntegerBound = (key: string, value: unknown) =>
  (key === 'minimum' || key === 'maximum') && Math.abs(Number(value)) === Number.MAX_SAFE_INTEGER

function inOrder({ type, description, ...rest }: JsonSchema): JsonSchema {
  return { ...(type === undefined ? {} : { type }), ...(description === undefined ? {} : { description }), ...rest }
}
