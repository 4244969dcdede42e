import { PassThrough } from 'node:stream'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { createMcpHttpHandler, type McpHttpHandler } from '../../src/mcp/http/http.ts'
import type { McpSurface } from '../../src/mcp/protocol.ts'
import { serveStdio } from '../../src/mcp/stdio/stdio.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { contextFor, createLibrary, localPerson, manifest, toolsets } from './library.ts'

/** The same surface twice: with its plain tools answered past the SDK, and with everything left to it. */
interface Way {
  surface: McpSurface
  toSdk: boolean
  /** How many messages were taken past the SDK. */
  taken: () => number
}

function createWay(direct: boolean): Way {
  const { operations } = createLibrary()
  const surface = createMcpSurface({ operations, toolsets, contextFor, version: '1', log: silentLog, manifest })
  let taken = 0
  const isPlainTool = (name: string) => {
    const isPlain = direct && surface.isPlainTool(name)
    if (isPlain) taken++
    return isPlain
  }
  return { surface: { ...surface, isPlainTool }, toSdk: !direct, taken: () => taken }
}

type Params = Record<string, unknown>

interface Message {
  id?: unknown
  method?: string
}

const call = (name: unknown, input?: unknown, rest: Params = {}) => ({
  jsonrpc: '2.0',
  id: 7,
  method: 'tools/call',
  params: { name, ...(input === undefined ? {} : { arguments: input }), ...rest },
})
const emma = { slug: 'emma' }
const good = call('get_metric', emma)

/** Each is sent as the one line or body that it is; texts as they stand. */
const table: readonly { name: string; message: unknown; direct?: boolean }[] = [
  { name: 'a valid call', message: good, direct: true },
  { name: 'a call without arguments', message: call('list_metrics'), direct: true },
  { name: 'a call that changes something', message: call('update_metric', { slug: 'emma', pages: 12 }), direct: true },
  { name: 'a call with empty _meta', message: call('get_metric', emma, { _meta: {} }), direct: true },
  { name: 'a call that asks for progress', message: call('get_metric', emma, { _meta: { progressToken: 'p' } }) },
  { name: 'a call with a _meta of its own', message: call('get_metric', emma, { _meta: { 'x.dev/y': [1] } }) },
  { name: '_meta that is no object', message: call('get_metric', emma, { _meta: 'x' }) },
  { name: 'an unknown parameter', message: call('get_metric', emma, { extra: 1 }) },
  { name: 'a tool that asks for consent', message: call('certify_metric', { slug: 'emma', certifiedBy: 'ada' }) },
  { name: 'an unknown tool', message: call('get_metrc', emma) },
  { name: 'an operation that is not a tool', message: call('hidden_operation', {}) },
  { name: 'the name of an inherited property', message: call('__proto__', {}) },
  { name: 'no name', message: call(undefined, {}) },
  { name: 'a name that is not a string', message: call(5, {}) },
  { name: 'an unknown slug', message: call('get_metric', { slug: 'nope' }), direct: true },
  { name: 'an argument of the wrong type', message: call('get_metric', { slug: [] }), direct: true },
  { name: 'an argument too many', message: call('get_metric', { ...emma, also: 1 }), direct: true },
  { name: 'an argument too few', message: call('get_metric', {}), direct: true },
  { name: 'arguments that are a list', message: call('get_metric', ['emma']) },
  { name: 'arguments that are null', message: call('get_metric', null) },
  { name: 'arguments that are a string', message: call('get_metric', '{"slug":"emma"}') },
  {
    name: 'an argument called __proto__',
    message:
      '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_metric","arguments":{"slug":"emma","__proto__":{"a":1}}}}',
  },
  { name: 'an operation that throws', message: call('get_stats', { how: 'throw' }), direct: true },
  { name: 'an answer that JSON cannot hold', message: call('get_stats', { how: 'bigint' }), direct: true },
  { name: 'an answer that is not a number', message: call('get_stats', { how: 'nan' }), direct: true },
  { name: 'a long answer', message: call('get_stats', { how: 'long' }), direct: true },
  { name: 'an untrusted answer', message: call('search_findings', {}), direct: true },
  ...[0, -1, 2 ** 53 - 1, '', 'seven', '7', '__proto__'].map((id) => ({
    name: `the id ${JSON.stringify(id)}`,
    message: { ...good, id },
    direct: true,
  })),
  ...[1.5, 2 ** 53, null, true, {}, [7]].map((id) => ({
    name: `the id ${JSON.stringify(id)}`,
    message: { ...good, id },
  })),
  { name: 'no id', message: { ...good, id: undefined } },
  { name: 'a member more than JSON-RPC has', message: { ...good, extra: 1 } },
  { name: 'no params', message: { ...good, params: undefined } },
  { name: 'params that are null', message: { ...good, params: null } },
  { name: 'params that are a list', message: { ...good, params: ['get_metric'] } },
  { name: 'no version', message: { ...good, jsonrpc: undefined } },
  { name: 'another version', message: { ...good, jsonrpc: '1.0' } },
  { name: 'a version that is a number', message: { ...good, jsonrpc: 2 } },
  { name: 'another method', message: { ...good, method: 'tools/calls' } },
  { name: 'a method of other case', message: { ...good, method: 'Tools/Call' } },
  { name: 'a method that is not a string', message: { ...good, method: 1 } },
  { name: 'ping', message: { jsonrpc: '2.0', id: 7, method: 'ping' } },
  { name: 'the tools', message: { jsonrpc: '2.0', id: 7, method: 'tools/list' } },
  { name: 'a notification', message: { jsonrpc: '2.0', method: 'notifications/roots/list_changed' } },
  { name: 'a call that is a notification', message: { jsonrpc: '2.0', method: 'tools/call', params: good.params } },
  { name: 'a response without a request', message: { jsonrpc: '2.0', id: 7, result: {} } },
  { name: 'a call with a result member', message: { ...good, result: {} } },
  { name: 'a call with an error member', message: { ...good, error: { code: 1, message: 'x' } } },
  { name: 'a batch', message: [good, { ...good, id: 8 }] },
  { name: 'an empty batch', message: [] },
  { name: 'null', message: 'null' },
  { name: 'a text', message: '"tools/call"' },
  { name: 'half a message', message: '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_me' },
  { name: 'no JSON', message: '{id:7}' },
  {
    name: 'a repeated member',
    message: '{"jsonrpc":"2.0","id":1,"id":7,"method":"tools/call","params":{"name":"x","name":"list_metrics"}}',
    direct: true,
  },
]

const linesOf = (message: unknown) => (typeof message === 'string' ? message : JSON.stringify(message))
const initialize = (protocolVersion: string, id: unknown = 'hello') => ({
  jsonrpc: '2.0',
  id,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'host', version: '1' } },
})
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const revisions = ['2025-03-26', '2025-06-18', '2025-11-25']

/** Ids of faults and the marks around quoted text differ from answer to answer. */
const withoutChance = (text: string) =>
  text.replaceAll(/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g, 'ID').replaceAll(/\[[0-9a-f]{8}\]/g, '[MARK]')

/** Says `messages` to a new connection, ends it, and gives everything that it answered. */
async function speak(way: Way, messages: readonly unknown[]): Promise<Message[]> {
  const stdin = new PassThrough()
  const stdout = new PassThrough()
  const out: Buffer[] = []
  stdout.on('data', (chunk: Buffer) => out.push(chunk))
  const lines = () =>
    Buffer.concat(out)
      .toString()
      .split('\n')
      .filter((line) => line !== '')
  const served = serveStdio({
    surface: way.surface,
    toSdk: way.toSdk,
    caller: localPerson,
    stdin,
    stdout,
    signal: new AbortController().signal,
    log: silentLog,
    parentPid: () => 1,
  })
  for (const message of messages) {
    const before = lines().length
    stdin.write(`${linesOf(message)}\n`)
    const { method, id } = message as Message
    // One without an id is never answered.
    const isGreeting = method === 'initialize' && id !== undefined
    for (let turn = 0; isGreeting && lines().length === before && turn < 5000; turn++) await pause(1)
    await nextTurn()
  }
  stdin.end()
  await served
  const idOf = ({ id }: Message) => String(id)
  return lines()
    .map((line) => JSON.parse(withoutChance(line)) as Message)
    .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1))
}

describe('over stdio, requests handled without the SDK get the same response as from the SDK', () => {
  test.each(table)('$name', async ({ message, direct = false }) => {
    const ways = [createWay(true), createWay(false)]
    const said = [initialize('2025-11-25'), initialized, message, { ...initialize('x', 'last'), method: 'ping' }]
    const [taken, left] = await Promise.all(ways.map((way) => speak(way, said)))
    expect(taken).toEqual(left)
    expect(ways.map((way) => way.taken())).toEqual([direct ? 1 : 0, 0])
  })

  test.each([...revisions, '1999-01-01', 'latest'])('a client of the revision %s', async (revision) => {
    const ways = [createWay(true), createWay(false)]
    const [taken, left] = await Promise.all(ways.map((way) => speak(way, [initialize(revision), initialized, good])))
    expect(taken).toEqual(left)
    expect(taken).toHaveLength(2)
  })

  const greeting = initialize('2025-11-25')
  const greetingOf = (change: Params) => ({ ...greeting, params: { ...greeting.params, ...change } })
  const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
  const greetings: readonly { name: string; message: unknown; past?: boolean }[] = [
    ...revisions.map((revision) => ({ name: revision, message: initialize(revision), past: true })),
    { name: 'a number as its id', message: initialize('2025-11-25', 0), past: true },
    {
      name: 'views',
      message: greetingOf({
        capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } },
      }),
      past: true,
    },
    {
      name: 'usual capabilities',
      message: greetingOf({ capabilities: { roots: { listChanged: true }, sampling: {}, elicitation: {} } }),
      past: true,
    },
    { name: 'the oldest revision', message: initialize('2024-11-05') },
    { name: 'a revision that is not a string', message: greetingOf({ protocolVersion: 3 }) },
    { name: 'a capability that is not an object', message: greetingOf({ capabilities: { roots: 5 } }) },
    {
      name: 'a capability with a member of another type',
      message: greetingOf({ capabilities: { roots: { listChanged: 1 } } }),
    },
    { name: 'an uncommon capability', message: greetingOf({ capabilities: { experimental: { x: {} } } }) },
    { name: 'no capabilities', message: greetingOf({ capabilities: undefined }) },
    { name: 'a client with a title', message: greetingOf({ clientInfo: { name: 'a', version: '1', title: 'A' } }) },
    { name: 'a client without a version', message: greetingOf({ clientInfo: { name: 'a' } }) },
    { name: 'no client', message: greetingOf({ clientInfo: undefined }) },
    { name: '_meta', message: greetingOf({ _meta: { progressToken: 1 } }) },
    { name: 'a member too many', message: greetingOf({ also: 1 }) },
    { name: 'no params', message: { ...greeting, params: undefined } },
    { name: 'no id', message: { ...greeting, id: undefined } },
    { name: 'an id of null', message: { ...greeting, id: null } },
    { name: 'no version of JSON-RPC', message: { ...greeting, jsonrpc: undefined } },
  ]
  const ping = { jsonrpc: '2.0', id: 'p', method: 'ping' }
  const rest: readonly { name: string; messages: readonly unknown[] }[] = [
    { name: 'the tools and a ping', messages: [initialized, list, ping, good] },
    { name: 'the tools with empty params', messages: [initialized, { ...list, params: {} }, { ...ping, params: {} }] },
    { name: 'the tools with a cursor', messages: [initialized, { ...list, params: { cursor: 'x' } }] },
    { name: 'the tools with _meta', messages: [initialized, { ...list, params: { _meta: { a: 1 } } }] },
    { name: 'the tools with params that are a list', messages: [initialized, { ...list, params: [] }] },
    { name: 'the tools before the initialized notification', messages: [list] },
    {
      name: 'a request that only the SDK answers',
      messages: [initialized, list, { ...list, id: 8, method: 'prompts/list' }, ping],
    },
    {
      name: 'a second initialize request',
      messages: [initialized, list, { ...greeting, id: 'again' }, { ...list, id: 9 }],
    },
    {
      name: 'the id of the initialize request again',
      messages: [initialized, { ...list, id: 'hello', method: 'prompts/list' }],
    },
    {
      name: 'junk, then a valid request',
      messages: [initialized, 'junk', '[]', list, { ...list, id: 8, method: 'x/y' }],
    },
    {
      name: 'a change that clients are notified of',
      messages: [initialized, call('delete_metric', emma), { ...list, id: 8 }],
    },
  ]
  test.each(greetings)('an initialize request with $name', async ({ message }) => {
    const ways = [createWay(true), createWay(false)]
    const [taken, left] = await Promise.all(ways.map((way) => speak(way, [message, initialized, list, good])))
    expect(taken).toEqual(left)
  })
  test.each(rest)('after it, $name', async ({ messages }) => {
    const ways = [createWay(true), createWay(false)]
    const [taken, left] = await Promise.all(ways.map((way) => speak(way, [greeting, ...messages])))
    expect(taken).toEqual(left)
  })

  test('a call before initialize', async () => {
    const ways = [createWay(true), createWay(false)]
    const [taken, left] = await Promise.all(ways.map((way) => speak(way, [good])))
    expect(taken).toEqual(left)
    expect(ways[0]?.taken()).toBe(0)
  })

  test('a cancelled call is never answered, other calls are', async () => {
    const cancel = (requestId: unknown) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId, reason: 'no longer needed' },
    })
    const slow = call('wait_for_scan', { steps: 1000, pauseMs: 1 })
    const said = [initialize('2025-11-25'), initialized, slow, cancel(7), cancel(99), cancel(null), { ...good, id: 8 }]
    const ways = [createWay(true), createWay(false)]
    const all = await Promise.all(ways.map((way) => speak(way, said)))
    // Only the SDK tells of the steps of a call that asked for none to be told.
    const [taken, left] = all.map((messages) => messages.filter(({ method }) => method !== 'notifications/message'))
    expect(taken).toEqual(left)
    expect(taken?.map(({ id }) => id)).toEqual([8, 'hello'])
  })
})

describe('over HTTP, requests handled without the SDK get the same response as from the SDK', () => {
  const opened: McpHttpHandler[] = []
  const open = (way: Way) => {
    const handler = createMcpHttpHandler({ surface: way.surface, log: silentLog })
    opened.push(handler)
    return handler
  }
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((handler) => handler.close()))
  })

  /** The status, and the messages of the body in whichever form it came. */
  async function post(way: Way, message: unknown, headers: Record<string, string>) {
    const request = new Request('http://127.0.0.1:7411/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: linesOf(message),
    })
    const reply = await open(way)(request, { ...localPerson, via: 'http' })
    const text = withoutChance(await reply.text())
    const isStream = reply.headers.get('content-type')?.startsWith('text/event-stream') === true
    const messages = isStream
      ? text
          .split('\n')
          .filter((line) => line.startsWith('data: {'))
          .map((line) => line.slice(6))
      : text === ''
        ? []
        : [text]
    return { status: reply.status, messages: messages.map((each) => JSON.parse(each)) }
  }

  async function compare(message: unknown, headers: Record<string, string> = {}): Promise<number> {
    const ways = [createWay(true), createWay(false)]
    const [taken, left] = await Promise.all(ways.map((way) => post(way, message, headers)))
    expect(taken).toEqual(left)
    return ways[0]?.taken() ?? 0
  }

  test.each(table)('$name', async ({ message, direct = false }) => {
    expect(await compare(message)).toBe(direct ? 1 : 0)
  })

  const headers: readonly { name: string; sent: Record<string, string>; direct?: boolean }[] = [
    ...revisions.map((revision) => ({
      name: `the revision ${revision}`,
      sent: { 'mcp-protocol-version': revision },
      direct: true,
    })),
    { name: 'an unknown revision', sent: { 'mcp-protocol-version': '1999-01-01' } },
    { name: 'the next revision without its envelope', sent: { 'mcp-protocol-version': '2026-07-28' } },
    { name: 'an empty revision', sent: { 'mcp-protocol-version': '' } },
    { name: 'a client that takes JSON only', sent: { accept: 'application/json' } },
    { name: 'a client that takes streams only', sent: { accept: 'text/event-stream' } },
    { name: 'a client that takes anything', sent: { accept: '*/*' } },
    { name: 'a client that takes text', sent: { accept: 'text/plain' } },
    {
      name: 'types with parameters',
      sent: { accept: 'application/json;q=0.9, text/event-stream;q=0.1' },
      direct: true,
    },
    {
      name: 'the headers of the next revision',
      sent: { 'mcp-method': 'tools/call', 'mcp-name': 'get_metric' },
      direct: true,
    },
    { name: 'the headers of another call', sent: { 'mcp-method': 'ping', 'mcp-name': 'x' }, direct: true },
    { name: 'an unknown session', sent: { 'mcp-session-id': 'nobody' }, direct: true },
    { name: 'the charset of JSON', sent: { 'content-type': 'application/json; charset=utf-8' }, direct: true },
    { name: 'another content type', sent: { 'content-type': 'text/plain' } },
  ]
  test.each(headers)('$name in the headers', async ({ sent, direct = false }) => {
    expect(await compare(good, sent)).toBe(direct ? 1 : 0)
  })
})
