import type { z } from 'zod'
import { disclosures, type MemberContext, type Origin } from './disclosure.ts'

/** Returns the replacement for a text whose schema is `leaf`. */
type ToText = (leaf: z.core.$ZodType, text: string, place: MemberContext) => string

/**
 * Replaces each free text in a value, found by its schema. Values that do not fit the schema are kept, except texts,
 * which then have no declaration.
 */
export function mapTexts(schema: z.core.$ZodType, value: unknown, toText: ToText): unknown {
  return visit(schema, value, { member: '', around: [] }, toText)
}

/** Whether any text of a value may come from a tenant or an imported file, by its schema. */
export function hasOutsideText(schema: z.core.$ZodType, value: unknown): boolean {
  let found = false
  mapTexts(schema, value, (leaf, text, place) => {
    const shows = disclosures.get(leaf as z.ZodType)?.shows ?? 'withheld'
    const note = (shown: string, origin: Origin) => {
      found ||= origin !== 'own'
      return shown
    }
    return typeof shows === 'function' ? shows(text, place, note) : note(text, shows)
  })
  return found
}

function visit(schema: z.core.$ZodType, value: unknown, place: MemberContext, toText: ToText): unknown {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'enum':
    case 'literal':
      return value
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      return visit(def.innerType, value, place, toText)
    case 'pipe':
      return visit(def.out, value, place, toText)
    case 'lazy':
      return visit(def.getter(), value, place, toText)
    case 'union':
      return visit(chooseOption(def.options, value), value, place, toText)
    default:
  }
  if (typeof value === 'string') return toText(schema, value, place)
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) {
    const element = def.type === 'array' ? def.element : schema
    return value.map((item) => visit(element, item, place, toText))
  }
  const node = value as Record<string, unknown>
  const around = [node, ...place.around]
  return Object.fromEntries(
    Object.entries(node).map(([member, inner]) => {
      const known = def.type === 'object' && Object.hasOwn(def.shape, member) ? def.shape[member] : undefined
      const below = known ?? (def.type === 'record' ? def.valueType : undefined) ?? schema
      const key = def.type === 'record' ? String(visit(def.keyType, member, place, toText)) : member
      return [key, visit(below, inner, { member, around }, toText)]
    }),
  )
}

/** The option of a union that the value fits; else the first. */
function chooseOption(options: readonly z.core.$ZodType[], value: unknown): z.core.$ZodType {
  const fitting = options.find((option) => (option as z.ZodType).safeParse(value).success)
  return fitting ?? (options[0] as z.core.$ZodType)
}
