import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { bytesOf, type JsonSchema, toJsonSchema, toPortable } from '../../src/mcp/tools/json-schema.ts'
import { compileTools, toolBudget } from '../../src/mcp/tools/tools.ts'
import { type Operation, operation } from '../../src/operation/operation.ts'
import { createLibrary } from './library.ts'

const both = ['agent', 'admin'] as const

const toOperation = (changes: Partial<Parameters<typeof operation>[0]> & { output?: z.ZodType }): Operation =>
  operation({
    name: 'try_it',
    title: 'Try it',
    summary: 'Tries it.',
    effect: 'read',
    scope: 'read',
    toolset: 'admin',
    input: z.strictObject({}),
    output: z.object({}),
    run: () => ({}),
    ...changes,
  } as never)

const Nested = z.object({
  get inner(): z.ZodOptional<typeof Nested> {
    return Nested.optional()
  },
})

describe('toPortable', () => {
  const inputs: [name: string, schema: z.ZodType, expected: JsonSchema][] = [
    ['a literal is an enum of one', z.literal('a'), { type: 'string', enum: ['a'] }],
    [
      'a union of literals is one enum',
      z.union([z.literal('a'), z.enum(['b', 'a'])]),
      { type: 'string', enum: ['a', 'b'] },
    ],
    [
      'a nullable type is an anyOf of two types',
      z.string().describe('Name.').nullable(),
      { description: 'Name.', anyOf: [{ type: 'string' }, { type: 'null' }] },
    ],
    ['an integer has no bounds of safe integers', z.int(), { type: 'integer' }],
    ['explicit bounds are kept', z.int().min(1).max(5), { type: 'integer', minimum: 1, maximum: 5 }],
    ['a format replaces its pattern', z.uuid(), { type: 'string', format: 'uuid' }],
    [
      'a record describes its values',
      z.record(z.string(), z.number()),
      { type: 'object', additionalProperties: { type: 'number' } },
    ],
    ['a record of anything is an open object', z.record(z.string(), z.unknown()), { type: 'object' }],
    [
      'a discriminated union keeps its members',
      z.discriminatedUnion('kind', [
        z.object({ kind: z.literal('a') }),
        z.object({ kind: z.literal('b'), size: z.number() }),
      ]),
      {
        anyOf: [
          { type: 'object', properties: { kind: { type: 'string', enum: ['a'] } }, required: ['kind'] },
          {
            type: 'object',
            properties: { kind: { type: 'string', enum: ['b'] }, size: { type: 'number' } },
            required: ['kind', 'size'],
          },
        ],
      },
    ],
    [
      'an input keeps its default',
      z.number().default(3).describe('Size.'),
      { type: 'number', description: 'Size.', default: 3 },
    ],
  ]
  test.each(inputs)('%s', (_name, schema, expected) => {
    const { properties } = toPortable(toJsonSchema(z.object({ member: schema }), 'input'), 'input')
    expect((properties as JsonSchema).member).toEqual(expected)
  })

  test('read-only members are omitted from inputs', () => {
    const schema = z.strictObject({ slug: z.string(), id: z.string().meta({ readOnly: true }).optional() })
    expect(toPortable(toJsonSchema(schema, 'input'), 'input').properties).toEqual({ slug: { type: 'string' } })
  })

  const refused: { name: string; input: z.ZodType<object> }[] = [
    { name: 'a union at the root', input: z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]) },
    { name: 'a date', input: z.object({ at: z.date() }) },
    { name: 'a bigint', input: z.object({ count: z.bigint() }) },
    { name: 'anything at all', input: z.object({ value: z.unknown() }) },
    { name: 'a named schema', input: z.object({ value: z.object({ a: z.string() }).meta({ id: 'Named' }) }) },
    { name: 'a tuple', input: z.object({ value: z.tuple([z.string(), z.number()]) }) },
    { name: 'a schema that contains itself', input: Nested },
  ]
  test.each(refused)('$name prevents the start with an error that names the operation', ({ input }) => {
    expect(() => compileTools([toOperation({ input })], { toolsets: both })).toThrow(/try_it cannot be a tool/)
  })

  test('an output that is a list prevents the start', () => {
    expect(() => compileTools([toOperation({ output: z.array(z.string()) })], { toolsets: both })).toThrow(
      /root must be/,
    )
  })
})

describe('compileTools', () => {
  const { operations } = createLibrary()
  const names = (selection: Parameters<typeof compileTools>[1]) =>
    compileTools(operations, selection).list.map(({ name }) => name)

  test('lists tools by name, and only operations that have a toolset', () => {
    const listed = names({ toolsets: both })
    expect(listed).toEqual(listed.toSorted())
    expect(listed).not.toContain('hidden_operation')
  })
  test('can be limited to one toolset', () =>
    expect(names({ toolsets: ['agent'] })).toEqual(['get_metric', 'list_metrics']))
  test('returns an immutable list', () => {
    const { list } = compileTools(operations, { toolsets: both })
    expect(Object.isFrozen(list)).toBe(true)
    expect(() => Object.assign(list[0]?.inputSchema ?? {}, { type: 'string' })).toThrow(TypeError)
  })
  test('describes the effect of an operation with annotations', () => {
    const { byName } = compileTools(operations, { toolsets: both })
    expect(byName.get('delete_metric')?.tool.annotations).toEqual({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: false,
    })
  })

  test('shows a large field as an open object and names the resource of its schema', () => {
    const { byName, schemas } = compileTools(operations, { toolsets: both })
    const properties = byName.get('update_metric')?.tool.inputSchema.properties as
      | Record<string, JsonSchema>
      | undefined
    expect(properties?.shelf).toEqual({
      type: 'object',
      description: 'Where to look. Keys: rooms, colors, heights, lockers, wings, floors. Schema: assay://schemas/shelf',
    })
    expect([...schemas.keys()]).toEqual(['shelf'])
    expect(schemas.get('shelf')).toMatchObject({ properties: { wings: { items: { enum: ['NORTH', 'SOUTH'] } } } })
  })
  test('two different members of one name have two schemas', () => {
    const wide = (suffix: string) =>
      z.object(
        Object.fromEntries(
          Array.from({ length: 20 }, (_, index) => [
            `member${index}${suffix}`,
            z.string().describe('A member of many.'),
          ]),
        ),
      )
    const pair = ['first_op', 'second_op'].map((name) => toOperation({ name, input: z.object({ box: wide(name) }) }))
    const { schemas } = compileTools(pair, { toolsets: both })
    expect([...schemas.keys()]).toEqual(['box', 'second_op.box'])
  })

  test('reduces the detail of outputs, the largest first, until the list fits', () => {
    const wide = z.object(
      Object.fromEntries(
        Array.from({ length: 30 }, (_, index) => [`value${index}`, z.string().describe('x'.repeat(60))]),
      ),
    )
    const many = Array.from({ length: 35 }, (_, index) => toOperation({ name: `op_${index}`, output: wide }))
    const { list } = compileTools(
      [...many, toOperation({ name: 'tiny', output: z.object({ a: z.string().describe('A.') }) })],
      {
        toolsets: both,
      },
    )
    expect(bytesOf(list)).toBeLessThanOrEqual(toolBudget.all)
    expect(list.find(({ name }) => name === 'tiny')?.outputSchema).toMatchObject({
      properties: { a: { description: 'A.' } },
    })
    expect(list.every(({ outputSchema }) => outputSchema?.type === 'object')).toBe(true)
  })
  test('a list that exceeds the budget even without details prevents the start', () => {
    const many = Array.from({ length: 40 }, (_, index) =>
      toOperation({ name: `op_${index}`, summary: 'x'.repeat(1100) }),
    )
    expect(() => compileTools(many, { toolsets: both })).toThrow(/of at most/)
  })
})
