import { expect, it } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import { disclosures, outsideText, outsideValue, ownText } from '../../src/operation/lockdown/disclosure.ts'

/** The paths of the texts, and of values that may hold some, that say nothing of where they come from. */
function listUndeclared(schema: z.core.$ZodType, path = ''): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  switch (def.type) {
    case 'number':
    case 'boolean':
    case 'null':
    case 'enum':
    case 'literal':
      return []
    case 'string':
    case 'unknown':
      return disclosures.get(schema)?.shows === undefined ? [path] : []
    case 'optional':
    case 'nullable':
      return listUndeclared(def.innerType, path)
    case 'array':
      return listUndeclared(def.element, `${path}[]`)
    case 'union':
      return def.options.flatMap((option) => listUndeclared(option, path))
    case 'record':
      return [...listUndeclared(def.keyType, `${path}{}`), ...listUndeclared(def.valueType, `${path}.*`)]
    case 'object':
      return Object.entries(def.shape).flatMap(([name, member]) => listUndeclared(member, `${path}.${name}`))
    default:
      throw new TypeError(`${path} is a ${def.type}; say here where texts may stand in it`)
  }
}

it.each(operations.filter(({ texts }) => texts === undefined))(
  '$name declares each text of its answer',
  (operation) => {
    expect(listUndeclared(operation.output)).toEqual([])
  },
)

it('a text without a declared origin is detected anywhere in a schema', () => {
  const declared = { id: ownText().optional(), items: z.array(z.object({ title: outsideText().describe('Title.') })) }
  expect(listUndeclared(z.object({ ...declared, facts: z.record(ownText(), outsideValue()) }))).toEqual([])
  const [text, any] = [z.string().describe('Title.').optional(), z.record(z.string(), z.unknown())]
  const output = z.object({
    ...declared,
    text,
    list: z.array(z.union([z.number(), z.object({ text })])).nullable(),
    any,
  })
  expect(listUndeclared(output)).toEqual(['.text', '.list[].text', '.any{}', '.any.*'])
})
