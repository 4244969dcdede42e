import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { operations } from '../../src/catalogue.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import { toStatement } from '../../src/store/builder.ts'
import { Connection } from '../../src/store/connection.ts'
import { caller } from '../support/context.ts'
import { callTool } from '../support/mcp-tools.ts'
import { runOnTerminal } from '../support/terminal.ts'
import {
  type Doors,
  exchange,
  makeTemplate,
  openDoors,
  type Template,
  tokenHolder,
  toRequest,
  wikiConfig,
} from './estate.ts'
import { type FilterPlace, filterPlaces, findOperation, toInput, toPath, toQuery } from './filter-places.ts'

type Json = Record<string, unknown>

let template: Template
let doors: Doors
beforeAll(async () => {
  template = await makeTemplate(async (context) => {
    await caller(operations, context)('deprecate_metric', { slug: 'scratch', deprecatedBy: 'ada' })
  })
  doors = openDoors(template)
  doors.estate().context.store.read((reader) => attachEngine(reader, buildEngine(reader)))
})
afterAll(() => {
  doors.close()
  template.remove()
})

interface Answer {
  status: number
  body: Json
}

async function askRest(name: string, input: Json, more: Record<string, string> = {}): Promise<Answer> {
  const { path, init } = toRequest(findOperation(name), input, toQuery)
  const headers = { ...(init.headers as Record<string, string>), ...more }
  const reply = await doors.http.request(`http://127.0.0.1:7411${path}`, { ...init, headers })
  return { status: reply.status, body: (await reply.json()) as Json }
}

function runCli(argv: readonly string[], stdin = '') {
  const { context, file } = doors.estate()
  const contextFor = (given: object) => ({ ...context, ...given })
  return runOnTerminal(argv, {
    stdin: Readable.from([Buffer.from(stdin)]),
    open: async () => ({ operations, caller: tokenHolder, contextFor, close: async () => {} }),
    locate: () => ({ home: dirname(file), env: {}, networkFolder: false }),
  })
}

/** The SQL that is run, and how many plans the engine is given, while `work` runs. */
async function watch<T>(work: () => Promise<T>): Promise<{ result: T; statements: string[]; plans: number }> {
  const { store } = doors.estate().context
  const countPlans = () => store.read((reader) => findEngine(reader)?.asked.plans ?? Number.NaN)
  const before = countPlans()
  const statements: string[] = []
  const { prepare, all, run } = Connection.prototype
  const spies = [
    vi.spyOn(Connection.prototype, 'prepare').mockImplementation(function (this: Connection, text) {
      statements.push(text)
      return prepare.call(this, text)
    }),
    vi.spyOn(Connection.prototype, 'all').mockImplementation(function (this: Connection, query) {
      statements.push(toStatement(query).sql)
      return all.call(this, query)
    }),
    vi.spyOn(Connection.prototype, 'run').mockImplementation(function (this: Connection, query) {
      statements.push(toStatement(query).sql)
      return run.call(this, query)
    }),
  ]
  try {
    const result = await work()
    // Counting the plans runs SQL, too.
    return { result, statements: [...statements], plans: countPlans() - before }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}

/** Whether a statement reads or changes findings or assets, apart from how far the engine has followed their log. */
const isOfFindings = (text: string) =>
  /\b(?:finding|asset|combo|status_change|expiry|suppression)\b/.test(text) && !text.includes('sqlite_sequence')

interface BadInput {
  title: string
  operation: string
  input: Json
  /** The path of the problem. */
  path: string
  /** What would be right. */
  right: RegExp
}

const hours = { ageHours: { min: 5, max: 2 } }
const times = { resolvedAt: { from: '2026-03-02', to: '2026-03-01T00:00:00Z' } }
const filterProblems: [title: string, filter: Json, path: string, right: RegExp][] = [
  ['an unknown key', { severitys: ['HIGH'] }, 'severitys', /severities/],
  ['an unknown key to exclude', { exclude: { onwers: ['Ada'] } }, 'exclude.onwers', /owners/],
  ['an unknown range', { ranges: { ageHour: { min: 1 } } }, 'ranges.ageHour', /ageHours/],
  ['an inverted range of hours', { ranges: hours }, 'ranges.ageHours.min', /less than max/],
  ['an inverted range of times', { ranges: times }, 'ranges.resolvedAt.from', /before to/],
]

const inFilters = (place: FilterPlace): BadInput[] =>
  filterProblems.map(([title, filter, path, right]) => ({
    title: `${title} in ${place.member || 'the input'} of ${place.operation}`,
    operation: place.operation,
    input: toInput(place, filter),
    path: toPath(place, path),
    right,
  }))

const inTerms = ['create_glossary_term', 'update_glossary_term'].flatMap((operation): BadInput[] =>
  [{ terms: ['data-quality'] }, { exclude: { terms: ['data-quality'] } }].map((extra) => ({
    title: `terms in the mapping of ${operation} (${Object.keys(extra)})`,
    operation,
    input: { slug: 'pii-exposure', displayName: 'A', filterMapping: { detectorTypes: ['PII'], ...extra } },
    path: 'exclude' in extra ? 'filterMapping.exclude.terms' : 'filterMapping.terms',
    right: /own keys|remove|leave it out|cannot/i,
  })),
)

const asking = ['query_metric', 'explore_metric', 'query_metric_timeseries', 'explore_view', 'search_findings']
const metricOf = (operation: string) => (operation === 'search_findings' ? {} : { metricSlug: 'new-findings' })
const granularityOf = (operation: string) => (operation === 'query_metric_timeseries' ? { granularity: 'day' } : {})
const inverted = { from: '2026-06-10', to: '2026-06-01' }

const newWatch = {
  ...{ slug: 'new', displayName: 'New', metricSlug: 'open-findings' },
  condition: { kind: 'above', value: 1 },
}

const hook = { type: 'webhook', url: 'https://hooks.example.com/hook', format: 'json' }

const badInputs: readonly BadInput[] = [
  ...filterPlaces.flatMap(inFilters),
  ...inTerms,
  ...asking.map((operation) => ({
    title: `an inverted range of ${operation}`,
    operation,
    input: { ...metricOf(operation), ...granularityOf(operation), ...inverted },
    path: 'from',
    right: /after|before/,
  })),
  ...['query_metric', 'explore_metric'].map((operation) => ({
    title: `an inverted range to compare with of ${operation}`,
    operation,
    input: { metricSlug: 'new-findings', compare: inverted },
    path: 'compare.from',
    right: /after|before/,
  })),
  ...['query_metric', 'explore_metric'].flatMap((operation) => [
    {
      title: `an explanation without a comparison of ${operation}`,
      operation,
      input: { metricSlug: 'new-findings', explain: true },
      path: 'explain',
      right: /compare/,
    },
    {
      title: `a limit over 1,000 of ${operation}`,
      operation,
      input: { metricSlug: 'new-findings', dimensions: ['severity'], limit: 1001 },
      path: 'limit',
      right: /1000|1,000/,
    },
  ]),
  {
    title: 'an unknown member',
    operation: 'query_metric',
    input: { metricSlug: 'new-findings', explane: true },
    path: 'explane',
    right: /explain/,
  },
]

const issuesOf = (body: unknown) => ((body as Json | undefined)?.issues ?? []) as { path: string; message: string }[]
/** The paths that a query string has for the members of ranges. */
const toQueryPath = (path: string) => (path === 'ranges.ageHour' ? 'ageHour.min' : path)

describe('bad input', () => {
  it('has a case for every place that takes a filter', () => {
    const listed = new Set(filterPlaces.map(({ operation }) => operation))
    const taking = operations.filter(({ input }) =>
      JSON.stringify(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).includes('"severities":{'),
    )
    expect([...listed].sort()).toEqual(taking.map(({ name }) => name).sort())
  })

  it.each(badInputs)(
    '$title is refused by REST, MCP and the command line',
    async ({ operation, input, path, right }) => {
      const { route = '', toolset } = findOperation(operation)
      const version = doors.estate().version()
      const { result, statements, plans } = await watch(async () => ({
        rest: await askRest(operation, input),
        tool: toolset === undefined ? undefined : await callTool(doors.mcp, exchange, operation, input),
        cli: await runCli(['call', operation, '-'], JSON.stringify(input)),
      }))
      const problem = (own = path) => expect.objectContaining({ path: own, message: expect.stringMatching(right) })
      const { status, body } = result.rest
      expect([status, body.code]).toEqual([400, 'invalid_input'])
      expect(issuesOf(body)).toContainEqual(problem(route.startsWith('GET') ? toQueryPath(path) : path))
      if (result.tool !== undefined) {
        expect(result.tool).toMatchObject({ isError: true, answer: { code: 'invalid_input' } })
        expect(issuesOf(result.tool.answer)).toContainEqual(problem())
        expect(result.tool.lines.join(' ')).toMatch(right)
      }
      expect(result.cli).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(right) })
      expect({ statements: statements.filter(isOfFindings), plans }).toEqual({ statements: [], plans: 0 })
      expect(doors.estate().version()).toBe(version)
    },
  )

  it.each<[string, string[], number, RegExp]>([
    ['a limit over 1,000', ['query', 'new-findings', '--limit', '1001'], 2, /from 1 to 1000/],
    ['an explanation without a comparison', ['query', 'new-findings', '--explain'], 1, /add compare/],
    ['an inverted range', ['query', 'new-findings', '--from', '2026-06-10', '--to', '2026-06-01'], 1, /exchange them/],
    ['an inverted range of hours', ['query', 'new-findings', '--age-hours', '5..2'], 1, /less than max/],
    ['an inverted range of times', ['findings', '--resolved-at', '2026-06-10..2026-06-01'], 1, /before to/],
    ['a range without ends', ['findings', '--age-hours', '5'], 2, /such as \.\.48/],
    ['an unknown flag', ['query', 'new-findings', '--onwers', 'Ada'], 2, /--owners/],
    ['an unknown key', ['query', 'new-findings', '--filters', '{"severitys":["HIGH"]}'], 1, /severities/],
    ['an unknown key to exclude', ['findings', '--exclude', '{"onwers":["Ada"]}'], 1, /owners/],
    [
      'an end in the past',
      ['triage', '1', '--as', 'ignored', '--reason', 'known', '--until', '2020-01-01T00:00:00Z', '--yes'],
      1,
      /in the future/,
    ],
  ])('%s is refused by a command of its own', async (_, argv, code, right) => {
    const { result, statements, plans } = await watch(() => runCli(argv))
    expect(result).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(right) })
    expect({ statements: statements.filter(isOfFindings), plans }).toEqual({ statements: [], plans: 0 })
  })

  it('is distinguished from valid input by this test', async () => {
    const { plans } = await watch(() => askRest('query_metric', { metricSlug: 'new-findings' }))
    expect(plans).toBeGreaterThan(0)
    const { statements } = await watch(() => askRest('search_findings', {}))
    expect(statements.filter(isOfFindings)).not.toEqual([])
  })
})

describe('a secret that is a reference', () => {
  const names = ['create_source', 'update_source', 'create_watch', 'update_watch'].flatMap((name) =>
    [{ env: 'HOME' }, { file: '/etc/hostname' }].map((secret) => ({ name, secret })),
  )

  it.each(names)('is resolved by the command line alone: $name with $secret is refused', async ({ name, secret }) => {
    const input = {
      create_source: { name: 'Another', config: { ...wikiConfig, masked: { api_token: secret } } },
      update_source: { id: 'Company wiki', config: { masked: { api_token: secret } } },
      create_watch: { ...newWatch, deliver: [{ ...hook, secret }] },
      update_watch: { slug: 'open', deliver: [{ ...hook, secret }] },
    }[name] as Json
    const before = doors.estate().digest()
    const path = name.endsWith('source') ? 'config.masked.api_token' : 'deliver[0].secret'
    const issue = expect.objectContaining({ path, message: expect.stringMatching(/string/) })
    const { status, body } = await askRest(name, input)
    expect([status, body.code, issuesOf(body)]).toEqual([400, 'invalid_input', expect.arrayContaining([issue])])
    if (findOperation(name).toolset !== undefined) {
      const { answer, isError } = await callTool(doors.mcp, exchange, name, input)
      expect([isError, answer.code, issuesOf(answer)]).toEqual([true, 'invalid_input', expect.arrayContaining([issue])])
    }
    expect(doors.estate().digest()).toBe(before)
  })
})

describe('an Accept header that nothing serves', () => {
  it.each([
    ['search_findings', {}, 'image/png'],
    ['query_metric', { metricSlug: 'new-findings' }, 'application/sarif+json'],
    ['query_metric_timeseries', { metricSlug: 'new-findings', granularity: 'day' }, 'application/x-ndjson'],
  ])('is not acceptable to %s', async (operation, input, accept) => {
    const { result, statements, plans } = await watch(() => askRest(operation, input, { accept }))
    expect(result).toMatchObject({ status: 406, body: { code: 'not_acceptable', issues: [{ path: 'Accept' }] } })
    expect(issuesOf(result.body)[0]?.message).toMatch(/application\/json, text\/csv/)
    expect({ statements, plans }).toEqual({ statements: [], plans: 0 })
  })
})

describe('a watch on a draft', () => {
  it('is created with a warning', async () => {
    await askRest('create_metric', {
      ...{ slug: 'draft-of-mine', displayName: 'Draft', type: 'SIMPLE' },
      definition: { aggregation: 'COUNT', entity: 'finding' },
    })
    const { status, body } = await askRest('create_watch', { ...newWatch, metricSlug: 'draft-of-mine' })
    expect([status, body.warnings]).toEqual([201, [expect.objectContaining({ code: 'draft' })]])
  })
})
