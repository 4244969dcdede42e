import { isObject } from '../kernel/json-object.ts'

const MIN_CHARACTERS = 300

const toName = (words: string) =>
  words
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')

/**
 * Moves every object schema that occurs more than once to a named component. Returns the document with references, and
 * the schemas by name.
 */
export function shareSchemas<T extends Record<string, unknown>>(
  document: T,
): { document: T; schemas: Record<string, unknown> } {
  const seen = new Map<string, { count: number; name: string }>()
  const visit = (value: unknown, key: string): void => {
    if (Array.isArray(value)) {
      for (const item of value) visit(item, key)
      return
    }
    if (!isObject(value)) return
    const text = value.type === 'object' && isObject(value.properties) ? JSON.stringify(value) : ''
    if (text.length >= MIN_CHARACTERS) {
      const known = seen.get(text)
      if (known !== undefined) {
        known.count += 1
        return
      }
      seen.set(text, { count: 1, name: key })
    }
    for (const [member, inner] of Object.entries(value)) {
      const structural = [
        'properties',
        'items',
        'schema',
        'anyOf',
        'oneOf',
        'allOf',
        'content',
        'application/json',
      ].includes(member)
      visit(inner, structural ? key : member)
    }
  }
  visit(document, 'schema')

  const names = new Map<string, string>()
  const taken = new Set<string>()
  for (const [text, { count, name }] of seen) {
    if (count < 2) continue
    const wanted = /^\d*$/.test(name) ? 'Answer' : toName(name)
    let free = wanted
    for (let number = 2; taken.has(free); number++) free = `${wanted}${number}`
    taken.add(free)
    names.set(text, free)
  }

  const schemas: Record<string, unknown> = {}
  const replace = (value: unknown, root = false): unknown => {
    if (Array.isArray(value)) return value.map((item) => replace(item))
    if (!isObject(value)) return value
    const name = root || value.type !== 'object' ? undefined : names.get(JSON.stringify(value))
    if (name === undefined)
      return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, replace(inner)]))
    if (!(name in schemas)) {
      schemas[name] = null
      schemas[name] = replace(value, true)
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  return { document: replace(document, true) as T, schemas: Object.fromEntries(Object.entries(schemas).sort()) }
}
