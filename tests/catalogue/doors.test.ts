import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { AppError } from '../../src/kernel/errors.ts'
import type { ToolAnswer } from '../../src/mcp/protocol.ts'
import { call, type Operation } from '../../src/operation/operation.ts'
import { askRest, type Doors, exchange, makeTemplate, openDoors, type Template } from './estate.ts'
import { examples } from './examples.ts'
import { chance } from './without-ids.ts'

type Input = Record<string, unknown>

let template: Template
let open: Doors
beforeAll(async () => {
  template = await makeTemplate()
  open = openDoors(template)
})
afterAll(() => {
  open.close()
  template.remove()
})

/** Asks, and gives the answer as JSON has it. */
type Door = (operation: Operation, input: Input) => Promise<unknown>

const doors: Readonly<Record<string, { isFor(operation: Operation): boolean; ask: Door }>> = {
  REST: {
    isFor: ({ route }) => route !== undefined,
    ask: async (operation, input) => {
      const { status, body } = await askRest(open.http, operation, input)
      if (status < 300) return body
      const { type: _type, title: _title, status: _status, detail, ...facts } = body as Input
      return { error: { ...facts, message: detail } }
    },
  },
  MCP: {
    isFor: ({ toolset }) => toolset !== undefined,
    ask: async ({ name }, input) => {
      const answer = await callTool(name, input)
      if (answer.isError !== true) return answer.structuredContent
      const { facts = {}, ...told } = (answer._meta?.['assay/error'] ?? {}) as Input
      return { error: { ...told, ...(facts as Input) } }
    },
  },
}

const askDirectly: Door = async (operation, input) => {
  try {
    return await call(operation, input, open.estate().context)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { facts = {}, ...told } = error.facts
    return { error: { code: error.code, message: error.message, ...told, ...facts } }
  }
}

/** Every call finds the database as it was; ids that it made by chance are told apart by their order only. */
async function askThrough(door: Door, operation: Operation, input: Input): Promise<unknown> {
  const answer = JSON.stringify(await asking(() => door(operation, structuredClone(input))))
  const made: string[] = []
  const text = answer.replaceAll(chance, (id) => {
    if (template.known.has(id)) return id
    if (!made.includes(id)) made.push(id)
    return `made-${made.indexOf(id)}`
  })
  return JSON.parse(text)
}

const answers = new Map<string, Promise<unknown>>()

/** What the operation itself answers, which is asked once for all doors. */
function answerOf(operation: Operation, input: Input): Promise<unknown> {
  const key = `${operation.name} ${JSON.stringify(input)}`
  const answer = answers.get(key) ?? askThrough(askDirectly, operation, input)
  answers.set(key, answer)
  return answer
}

/** Puts back what was changed. */
async function asking<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const before = open.estate().version()
  const answer = await ask()
  if (open.estate().version() !== before) open.renew()
  return answer
}

const callTool = async (name: string, input: Input) => (await open.mcp.callTool(name, input, exchange)) as ToolAnswer

const cases = operations.flatMap((operation) =>
  Object.entries(doors).flatMap(([door, { isFor, ask }]) =>
    isFor(operation) ? [{ name: operation.name, door, operation, ask }] : [],
  ),
)

const examplesOf = ({ name }: Operation): readonly Input[] => examples[name]?.(template.ids) ?? []

describe('the same operation called through every interface', () => {
  it.each(cases)('$name through $door returns the output of the operation', async ({ operation, ask }) => {
    for (const input of examplesOf(operation)) {
      const answer = await askThrough(ask, operation, input)
      expect(answer).toEqual(await answerOf(operation, input))
      expect(answer).not.toHaveProperty('error')
    }
  })

  it.each(cases)('$name through $door refuses an unknown key as the operation does', async ({ operation, ask }) => {
    const input = { ...examplesOf(operation)[0], colour: 'red' }
    const answer = await askThrough(ask, operation, input)
    expect(answer).toEqual(await answerOf(operation, input))
    // An operation on private input repeats nothing of it.
    const issues = operation.privateInput === undefined ? { issues: [{ path: 'colour' }] } : {}
    expect(answer).toMatchObject({ error: { code: 'invalid_input', ...issues } })
  })

  const named = ['slug', 'id', 'dashboard', 'metricSlug', 'glossaryTermSlug'] as const
  const naming = cases.flatMap((each) => {
    const name = each.operation.name.startsWith('create_')
      ? undefined
      : named.find((key) => Object.hasOwn(examples[each.name]?.({ scan: '', openScan: '' })[0] ?? {}, key))
    return name === undefined || each.name === 'set_placement' ? [] : [{ ...each, key: name }]
  })
  it.each(naming)(
    '$name through $door reports an unknown $key as the operation does',
    async ({ operation, ask, key }) => {
      const input = { ...examplesOf(operation)[0], [key]: 'no-such-thing' }
      const answer = await askThrough(ask, operation, input)
      expect(answer).toEqual(await answerOf(operation, input))
      expect(answer).toMatchObject({ error: { code: 'not_found' } })
    },
  )
})

describe('over MCP', () => {
  const tools = cases.filter(({ door }) => door === 'MCP')
  it.each(tools)(
    '$name has every number of its answer in its text, apart from empty buckets',
    async ({ operation }) => {
      for (const input of examplesOf(operation)) {
        const answer = await asking(() => callTool(operation.name, input))
        const said = new Set(String(answer.content[0]?.text).match(/\d+(?:\.\d+)?/g))
        const missing = listNumbers(answer.structuredContent)
          .filter(([path, number]) => number !== 0 || !/\.timeSeries\.\d+\.value$/.test(path))
          .filter(([, number]) => !said.has(String(Math.abs(number))))
        expect(missing).toEqual([])
      }
    },
  )

  it.each(tools)('$name marks text from tenants, in its text and in its annotations', async ({ operation }) => {
    const [input = {}] = examplesOf(operation)
    const answer = await asking(() => callTool(operation.name, input))
    const isMarked = answer._meta?.['assay/untrusted'] === true
    expect(/never instructions/.test(String(answer.content[0]?.text))).toBe(isMarked)
    if (operation.untrusted !== true) expect(isMarked).toBe(false)
  })

  it('marks an answer only if it contains text from tenants', async () => {
    const isMarked = async (input: object) =>
      (await asking(() => callTool('query_metric', { metricSlug: 'total-findings', ...input })))._meta?.[
        'assay/untrusted'
      ] === true
    expect(await isMarked({})).toBe(false)
    expect(await isMarked({ dimensions: ['severity'] })).toBe(false)
    expect(await isMarked({ dimensions: ['container'] })).toBe(true)
  })
})

/** Every number of an answer, with its path. */
function listNumbers(value: unknown, path = ''): [string, number][] {
  if (typeof value === 'number') return [[path, value]]
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => listNumbers(member, `${path}.${key}`))
}

describe('explore_metric', () => {
  it('answers as query_metric does', async () => {
    const find = (name: string) => operations.find((operation) => operation.name === name) as Operation
    for (const input of examplesOf(find('query_metric'))) {
      const explored = await askThrough(askDirectly, find('explore_metric'), input)
      expect(explored).toEqual(await askThrough(askDirectly, find('query_metric'), input))
    }
  })
})
