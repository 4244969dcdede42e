import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { httpStatus } from '../../src/http/problem.ts'
import { errorCodes } from '../../src/kernel/errors.ts'
import type { ToolAnswer } from '../../src/mcp/protocol.ts'
import type { Operation } from '../../src/operation/operation.ts'
import { type Log, silentLog } from '../../src/runtime/log.ts'
import { anyEncodedText, anyText } from '../support/any-text.ts'
import { cases, isLong } from '../support/long.ts'
import { type Doors, exchange, makeTemplate, openDoors, type Template, toRequest } from './estate.ts'
import { examples } from './examples.ts'
import { junkFor, nest } from './junk.ts'

type Input = Record<string, unknown>

const RUNS = cases(3, 10_000)
/** The same junk in each run of the suite, unless another seed is asked for. */
const seed = Number(process.env.JUNK_SEED ?? 7)
const rounds = { seed, numRuns: RUNS }
/** Other junk for each operation, so that few cases of each are many kinds in all. */
const roundsOf = (operation: Operation) => ({ ...rounds, seed: seed + operations.indexOf(operation) })
/** Of the process and all its threads, for one call. */
const MAX_CPU_MS = 1_000
/** Those that may work on one call at once. */
const THREADS = 3

let template: Template
let open: Doors
/** What the database of the open doors was last seen at. */
let version: number | undefined
/** What the doors took for faults of their own. */
const faults: unknown[] = []
const log: Log = { ...silentLog, error: (_message, fields) => faults.push(fields?.error ?? fields) }

beforeAll(async () => {
  template = await makeTemplate()
  open = openDoors(template, log)
})
afterAll(() => {
  open.close()
  template.remove()
})
interface Reply {
  /** Absent: it was answered. */
  code?: string
  message?: string
  text: string
}

const codes = new Set<string>(errorCodes)
/** What may only come from inside: a stack, a path, SQL, names of libraries, what engines say. */
const inside =
  /\n\s+at |file:\/\/|node_modules|node:internal|\/(?:src|work|tmp|root|home|usr)\/|\.[jt]s:\d|SELECT |INSERT INTO|SQLITE|sqlite|no such (?:table|column)|fts5|kysely|ZodError|[\w)] is not a function|Cannot read|is not iterable|call stack|TypeError|RangeError|SyntaxError/

/** Asks, and holds the reply to what every reply must be; whatever was changed by a success is put back. */
async function check(operation: Operation, ask: () => Promise<Reply>): Promise<void> {
  version ??= open.estate().version()
  const startedAt = performance.now()
  const { code, message = '', text } = await ask()
  const tookMs = performance.now() - startedAt
  const [fault] = faults.splice(0)
  if (fault !== undefined) throw fault
  const isUnchanged = open.estate().version() === version
  if (!isUnchanged) renew()
  const broken = [
    tookMs > MAX_CPU_MS / THREADS && (await measureCpuMs(ask)) > MAX_CPU_MS && 'took too long',
    inside.test(text) && `tells what is inside: ${text.match(inside)?.[0]}`,
    Object.hasOwn(Object.prototype, 'polluted') && 'changed the prototype of objects',
    code !== undefined && !codes.has(code) && 'has an unknown code',
    code === 'internal' && 'is a fault',
    code === 'unavailable' && !operation.openWorld && 'is not available',
    code !== undefined && !/^\S[\s\S]{9,1999}$/.test(message) && 'says nothing useful',
    (code !== undefined || operation.effect === 'read') && !isUnchanged && 'wrote',
  ].filter((rule) => rule !== false)
  if (broken.length > 0) expect.fail(`${operation.name} ${broken.join(', ')}: ${text.slice(0, 2000)}`)
}

/** What is seldom needed, since asking the system what was used costs more than most answers. */
async function measureCpuMs(ask: () => Promise<Reply>): Promise<number> {
  const before = process.cpuUsage()
  await ask()
  const { user, system } = process.cpuUsage(before)
  if (open.estate().version() !== version) renew()
  return (user + system) / 1000
}

function renew(): void {
  open.renew()
  version = undefined
}

async function askHttp(path: string, init: RequestInit): Promise<Reply> {
  const reply = await open.http.request(`http://127.0.0.1:7411${path}`, init)
  const text = await reply.text()
  const body = JSON.parse(text) as Input
  if (reply.status < 300) return { text }
  const { code } = body
  if (
    reply.headers.get('content-type') !== 'application/problem+json' ||
    reply.status !== httpStatus[code as keyof typeof httpStatus]
  ) {
    expect.fail(`${path} is answered ${reply.status}: ${text.slice(0, 2000)}`)
  }
  return { text, code: String(code), message: String(body.detail) }
}

async function askTool(name: string, input: Input): Promise<Reply> {
  const answer = (await open.mcp.callTool(name, input, exchange)) as ToolAnswer
  const text = JSON.stringify(answer)
  if (answer.isError !== true) return { text }
  const { code = '', message = '' } = (answer._meta?.['assay/error'] ?? {}) as { code?: string; message?: string }
  const said = String(answer.content[0]?.text)
  if (!said.startsWith(code)) expect.fail(`${name} says ${said.slice(0, 2000)} for ${code}`)
  return { text, code, message }
}

const each = operations.map((operation) => ({ name: operation.name, operation }))
const validFor = ({ name }: Operation): readonly Input[] =>
  examples[name]?.({ scan: 'a-scan', openScan: 'a-scan' }) ?? []

describe('junk input is answered with a known error or a result', { timeout: 30_000 + RUNS * 1_200 }, () => {
  it.each(each.filter(({ operation: { route } }) => route !== undefined))('$name over REST', async ({ operation }) => {
    await fc.assert(
      fc.asyncProperty(junkFor(validFor(operation)), async (input) => {
        const { path, init } = toRequest(operation, JSON.parse(input))
        await check(operation, () => askHttp(path, init))
      }),
      roundsOf(operation),
    )
  })

  it.each(each.filter(({ operation: { toolset } }) => toolset !== undefined))(
    '$name over MCP',
    async ({ name, operation }) => {
      await fc.assert(
        fc.asyncProperty(junkFor(validFor(operation)), (input) =>
          check(operation, () => askTool(name, JSON.parse(input))),
        ),
        roundsOf(operation),
      )
    },
  )
})

describe('junk input from an assistant without a token', () => {
  const withoutToken = { ...exchange, caller: { ...exchange.caller, token: false } }
  it.each(each.filter(({ operation: { scope, toolset } }) => scope === 'certify' && toolset !== undefined))(
    '$name certifies nothing',
    async ({ name, operation }) => {
      await fc.assert(
        fc.asyncProperty(junkFor(validFor(operation)), async (input) => {
          const listMetrics = () =>
            open.estate().context.read((reader) => reader.prepare('SELECT * FROM metric ORDER BY id').all())
          const before = listMetrics()
          const answer = (await open.mcp.callTool(name, JSON.parse(input), withoutToken)) as ToolAnswer
          const [fault] = faults.splice(0)
          if (fault !== undefined) throw fault
          if (answer.isError !== true) expect(answer.structuredContent).toMatchObject({ status: 'proposed' })
          expect(listMetrics()).toEqual(before)
        }),
        rounds,
      )
      renew()
    },
  )
})

const anyOf = (method: string) => operations.filter(({ route }) => route?.startsWith(`${method} `))
const headers = { host: '127.0.0.1:7411', 'content-type': 'application/json' }

describe('a request without a valid input', () => {
  const bodies = fc.oneof(
    anyText({ maxLength: 200 }),
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc.constantFrom('', '[]', 'null', '"text"', '{', '{"slug":}', '{"a":1}{"b":2}', '\ufeff{}', "{'slug':1}"),
    fc.constantFrom('[', '{"config":', '{"a":[').map((text) => text.repeat(100_000)),
    fc.constantFrom(2_000, 100_000).map((depth) => `{"config":${'['.repeat(depth)}${']'.repeat(depth)}}`),
    fc.constantFrom(2_000, 100_000).map((depth) => `{"filters":${'{"exclude":'.repeat(depth)}{}${'}'.repeat(depth)}}`),
  )
  const routes = [...anyOf('POST'), ...anyOf('PUT'), ...anyOf('PATCH')]
  it('is refused as a body', async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...routes), bodies, async (operation, body) => {
        const { path, init } = toRequest(operation, validFor(operation)[0] ?? {})
        await check(operation, () => askHttp(path, { ...init, body }))
      }),
      rounds,
    )
  })

  it('is refused as a query string', async () => {
    const query = fc.array(anyText({ maxLength: 8 }), { maxLength: 20 }).map((parts) => parts.join('&'))
    const encoded = fc.oneof(query, query.map(encodeURI.bind(undefined)), anyEncodedText({ maxLength: 30 }))
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...anyOf('GET'), ...anyOf('DELETE')), encoded, async (operation, text) => {
        const { path, init } = toRequest(operation, validFor(operation)[0] ?? {})
        await check(operation, () => askHttp(`${path}${path.includes('?') ? '&' : '?'}${text}`, init))
      }),
      rounds,
    )
  })

  it('is refused as a path', async () => {
    const [read] = operations
    if (read === undefined) throw new Error('there is no operation')
    const odd = fc.constantFrom(
      'semantic',
      'metrics',
      'glossary',
      'sources',
      'findings',
      '%',
      '%ff',
      '%2f',
      '*',
      ':slug',
    )
    const paths = fc
      .array(fc.oneof(anyEncodedText({ maxLength: 10 }), odd), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join('/'))
    const methods = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'PATCH', 'OPTIONS')
    await fc.assert(
      fc.asyncProperty(paths, methods, async (path, method) => {
        await check(read, () => askHttp(`/unknown/${path}`, { method, headers }))
        await check(read, () => askHttp(`/semantic/${path}`, { method, headers }))
      }),
      rounds,
    )
  })
})

describe('nesting', () => {
  /** What is nested deeper is refused in one place for all operations; some of them show it. */
  const MAX_FOR_ALL = isLong ? 10_000 : 70
  /** In the short form, what is nested deeply is put into every third member; each operation begins with another one. */
  const membersOf = (members: readonly string[], depth: number, turn: number) =>
    members.filter((_, index) => isLong || depth <= MAX_FOR_ALL || index % 3 === turn % 3)

  it.each([70, 10_000, 100_000])('of %i levels is refused in every member of every input', async (depth) => {
    const deep = nest(depth)
    const tools = operations.filter(({ toolset }) => toolset !== undefined)
    for (const [turn, operation] of (depth > MAX_FOR_ALL ? tools.slice(0, 8) : tools).entries()) {
      const [valid = {}] = validFor(operation)
      for (const key of membersOf(Object.keys(valid), depth, turn)) {
        await check(operation, () => askTool(operation.name, { ...valid, [key]: deep }))
      }
    }
  })

  it.each([70, 10_000, 100_000])('of %i levels is refused in a body', async (depth) => {
    const deep = `${'[{"a":'.repeat(depth / 2)}1${'}]'.repeat(depth / 2)}`
    const routes = [...anyOf('POST'), ...anyOf('PUT'), ...anyOf('PATCH')]
    for (const [turn, operation] of (depth > MAX_FOR_ALL ? routes.slice(0, 3) : routes).entries()) {
      const { path, init } = toRequest(operation, validFor(operation)[0] ?? {})
      for (const key of membersOf(['unknown', ...Object.keys(JSON.parse(String(init.body)))], depth, turn)) {
        await check(operation, () => askHttp(path, { ...init, body: `{${JSON.stringify(key)}:${deep}}` }))
      }
    }
  })
})
