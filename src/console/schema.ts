import { toWords } from '../charts/words.ts'

/** A JSON Schema of an operation's input, with its references resolved. */
export interface FormSchema {
  type?: string | readonly string[]
  properties?: Readonly<Record<string, FormSchema>>
  required?: readonly string[]
  enum?: readonly unknown[]
  const?: unknown
  anyOf?: readonly FormSchema[]
  oneOf?: readonly FormSchema[]
  items?: FormSchema
  title?: string
  description?: string
  default?: unknown
  readOnly?: boolean
  $ref?: string
}

/** Where an operation is called, and the schema of its body. */
export interface OperationForm {
  method: string
  path: string
  schema: FormSchema
}

interface Described {
  operationId: string
  requestBody?: { content: Record<string, { schema: FormSchema }> }
}

/** The document that the server publishes about its operations. */
export interface OpenApi {
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, FormSchema> }
}

/** The form of an operation, by its name. */
export function findForm({ paths, components }: OpenApi, name: string): OperationForm | undefined {
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, { operationId, requestBody }] of Object.entries(item)) {
      const schema = requestBody?.content['application/json']?.schema ?? { type: 'object' }
      if (operationId === name) {
        return { method: method.toUpperCase(), path, schema: resolve(schema, components.schemas) }
      }
    }
  }
  return undefined
}

function resolve(schema: FormSchema, known: Readonly<Record<string, FormSchema>>): FormSchema {
  if (Array.isArray(schema)) return schema.map((each: FormSchema) => resolve(each, known)) as unknown as FormSchema
  if (typeof schema !== 'object' || schema === null) return schema
  const { $ref, ...own } = schema
  const target = $ref === undefined ? {} : (known[$ref.slice($ref.lastIndexOf('/') + 1)] ?? {})
  return Object.fromEntries(
    Object.entries({ ...target, ...own }).map(([key, value]) => [key, resolve(value as FormSchema, known)]),
  )
}

export type Json = unknown
export type FormMembers = Readonly<Record<string, Json>>
export const isMembers = (value: Json): value is FormMembers =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What a form asks for: the alternatives of a schema without the one that removes the value. */
export function listVariants(schema: FormSchema): readonly FormSchema[] {
  const inner = schema.anyOf ?? schema.oneOf
  if (inner === undefined) return [schema]
  const { anyOf: _any, oneOf: _one, ...common } = schema
  return inner
    .flatMap(listVariants)
    .filter(({ type }) => type !== 'null')
    .map((each) => ({ ...each, ...(common.description === undefined ? {} : { description: common.description }) }))
}

/** The fixed values in a schema, which distinguish its alternatives, by their paths. */
export function listConstants({ properties = {} }: FormSchema, path = ''): [path: string, value: unknown][] {
  return Object.entries(properties).flatMap(([key, inner]): [string, unknown][] => {
    const at = path === '' ? key : `${path}.${key}`
    return inner.const === undefined ? listConstants(inner, at) : [[at, inner.const]]
  })
}

/** The name of an alternative: the fixed values that make it different, or what it requires first. */
export const toVariantName = (schema: FormSchema): string =>
  listConstants(schema)
    .map(([, value]) => String(value))
    .join(' ') ||
  (schema.required?.[0] ?? '')

/** The alternative that a value is of, or the first. */
export function findVariant(variants: readonly FormSchema[], value: Json): FormSchema {
  const isOf = (each: FormSchema) =>
    listConstants(each).every(([path, fixed]) => read(value, path) === fixed) &&
    Object.keys(isMembers(value) ? value : {}).every((key) => Object.hasOwn(each.properties ?? {}, key))
  return variants.find(isOf) ?? variants[0] ?? {}
}

/** The value when an alternative is chosen: its fixed values, and what the one before had, too. */
export function toVariant(schema: FormSchema, value: Json): Json {
  const kept = Object.entries(isMembers(value) ? value : {}).filter(([key]) => schema.properties?.[key] !== undefined)
  const empty = (schema.required ?? []).map((key): [string, Json] => [
    key,
    schema.properties?.[key]?.properties === undefined ? '' : {},
  ])
  const begun: Json = Object.fromEntries([...empty, ...kept])
  return listConstants(schema).reduce((whole, [path, fixed]) => write(whole, path, fixed), begun)
}

export type FieldKind = 'text' | 'number' | 'boolean' | 'choice' | 'choices' | 'lines' | 'list' | 'group' | 'json'

export function toKind(schema: FormSchema): FieldKind {
  const { type, items } = schema
  if (schema.enum !== undefined) return 'choice'
  if (type === 'boolean') return 'boolean'
  if (type === 'number' || type === 'integer') return 'number'
  if (type === 'array') {
    const [item = {}] = listVariants(items ?? {})
    if (item.enum !== undefined) return 'choices'
    return item.properties === undefined ? 'lines' : 'list'
  }
  if (schema.properties !== undefined) return 'group'
  return type === 'object' ? 'json' : 'text'
}

const words: Readonly<Record<string, string>> = { url: 'Address', id: 'Id', p: 'Percentile' }

/** A member's name in words: `baseMetricSlug` as `Base metric`. */
export function toLabel(key: string): string {
  const text = key
    .replaceAll('_', ' ')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/ slug$/, '')
  if (/^[A-Z_]+$/.test(key)) return toWords(key)
  return words[key] ?? text.charAt(0).toUpperCase() + text.slice(1)
}

/** A path of the server's, such as `policies[1].days`, as forms write it: `policies.1.days`. */
export const toFieldPath = (path: string): string => path.replaceAll(/\[(\d+)\]/g, '.$1').replace(/^\./, '')

export function read(value: Json, path: string): Json {
  if (path === '') return value
  return path
    .split('.')
    .reduce<Json>(
      (inner, key) => (typeof inner === 'object' && inner !== null ? (inner as FormMembers)[key] : undefined),
      value,
    )
}

/** The value with a member set, or removed by undefined. */
export function write(value: Json, path: string, member: Json): Json {
  if (path === '') return member
  const [key = '', ...rest] = path.split('.')
  const inner = write(read(value, key), rest.join('.'), member)
  if (Array.isArray(value)) {
    const list = [...value]
    if (inner === undefined) list.splice(Number(key), 1)
    else list[Number(key)] = inner
    return list
  }
  const { [key]: _, ...others } = isMembers(value) ? value : {}
  return inner === undefined ? others : { ...(isMembers(value) ? value : {}), [key]: inner }
}

/** What of a filled form is sent: what is not empty, and what is fixed in the chosen alternatives. */
export function toBody(schema: FormSchema, value: Json): Json {
  const shape = findVariant(listVariants(schema), value)
  if (shape.const !== undefined) return shape.const
  if (shape.properties !== undefined) {
    const entries = Object.entries(shape.properties).flatMap(([key, inner]): [string, Json][] => {
      const member = inner.readOnly === true ? undefined : toBody(inner, isMembers(value) ? value[key] : undefined)
      return member === undefined ? [] : [[key, member]]
    })
    // What the schema does not know is the server's to refuse.
    const { properties } = shape
    const unknown = Object.entries(isMembers(value) ? value : {}).filter(
      ([key, member]) => properties[key] === undefined && member !== undefined,
    )
    const required = shape.required ?? []
    const isEmpty = entries.every(([key]) => shape.properties?.[key]?.const !== undefined)
    return isEmpty && value === undefined && required.length === 0
      ? undefined
      : Object.fromEntries([...entries, ...unknown])
  }
  if (Array.isArray(value)) {
    const list = value.map((each) => toBody(shape.items ?? {}, each)).filter((each) => each !== undefined)
    return list
  }
  if (typeof value === 'string' && value.trim() === '') return undefined
  return typeof value === 'string' ? value.trim() : value
}

const isSame = (a: Json, b: Json) => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b))

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isMembers(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, member]) => [key, sorted(member)]),
  )
}

/** The members that differ, with null for those that are gone. */
export function toChange(before: FormMembers, after: FormMembers): Record<string, Json> {
  const keys = new Set([...Object.keys(before), ...Object.keys(after)])
  return Object.fromEntries(
    [...keys].flatMap((key) => (isSame(before[key], after[key]) ? [] : [[key, after[key] ?? null]])),
  )
}

/** Like `toChange`, for members within members; lists are replaced as a whole. */
export function toPatch(before: FormMembers, after: FormMembers): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(toChange(before, after)).map(([key, value]) => {
      const earlier = before[key]
      return [key, isMembers(value) && isMembers(earlier) ? toPatch(earlier, value) : value]
    }),
  )
}

/** The value with the changes of a patch. */
export function applyPatch(value: FormMembers, patch: FormMembers): FormMembers {
  const changed = Object.entries(patch).map(([key, member]): [string, Json] => {
    const earlier = value[key]
    return [key, isMembers(member) && isMembers(earlier) ? applyPatch(earlier, member) : member]
  })
  return Object.fromEntries(
    Object.entries({ ...value, ...Object.fromEntries(changed) }).filter(([, member]) => member !== null),
  )
}

/** A change in which a member that was emptied is null only where the operation takes that. */
export function toSendable({ properties = {} }: FormSchema, change: FormMembers): FormMembers {
  return Object.fromEntries(
    Object.entries(change).map(([key, value]) => {
      const schema = properties[key] ?? {}
      const isNullable =
        schema.type === 'null' || [schema.anyOf, schema.oneOf].flat().some((each) => each?.type === 'null')
      if (value !== null || isNullable) return [key, value]
      return [key, schema.type === 'array' ? [] : schema.type === 'string' ? '' : value]
    }),
  )
}
