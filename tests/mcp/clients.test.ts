import { Client as ModernClient, StreamableHTTPClientTransport as ModernHttp } from '@modelcontextprotocol/client'
import { StdioClientTransport as ModernStdio } from '@modelcontextprotocol/client/stdio'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMcpHttpHandler, type McpHttpHandler } from '../../src/mcp/http/http.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { buildEntry } from '../support/entry.ts'
import { contextFor, createLibrary, type Library, localPerson } from './library.ts'
import { serveHttp } from './serve-http.ts'

let library: Library
let handler: McpHttpHandler
let http: Awaited<ReturnType<typeof serveHttp>>

beforeAll(async () => {
  library = createLibrary()
  const { operations } = library
  const toolsets = ['agent', 'admin'] as const
  const surface = createMcpSurface({ operations, toolsets, contextFor, version: '1.2.3', log: silentLog })
  handler = createMcpHttpHandler({ surface, log: silentLog })
  http = await serveHttp((request) => handler(request, { ...localPerson, via: 'http' }))
})

afterAll(async () => {
  await handler.close()
  await http.close()
})

/** What the cases need of a client, whichever SDK line it comes from. */
interface Connected {
  client: Client | ModernClient
  version: string | undefined
  close(): Promise<void>
}

const command = {
  command: process.execPath,
  args: [await buildEntry(new URL('stdio-entry.ts', import.meta.url))],
}
const identity = { name: 'test', version: '1' }
const asking = { capabilities: { elicitation: { form: {} } } }

type Answerer = (message: string) => { action: 'accept' | 'decline'; content?: Record<string, boolean> }

function legacyClient(answer?: Answerer): Client {
  const client = new Client(identity, answer ? asking : {})
  if (answer) client.setRequestHandler(ElicitRequestSchema, ({ params }) => answer(params.message))
  return client
}

function modernClient(mode: 'legacy' | 'auto' | { pin: string }, answer?: Answerer): ModernClient {
  const client = new ModernClient(identity, { versionNegotiation: { mode }, ...(answer ? asking : {}) })
  if (answer) client.setRequestHandler('elicitation/create', ({ params }) => answer(params.message))
  return client
}

const legacyVersion = '2025-11-25'
const modernVersion = '2026-07-28'

const ways: { name: string; version: string; connect(answer?: Answerer): Promise<Connected> }[] = [
  {
    name: 'v1 client over http',
    version: legacyVersion,
    connect: async (answer) => {
      const client = legacyClient(answer)
      const transport = new StreamableHTTPClientTransport(http.url)
      await client.connect(transport as never)
      return { client, version: transport.protocolVersion, close: () => client.close() }
    },
  },
  {
    name: 'v1 client over stdio',
    version: legacyVersion,
    connect: async (answer) => {
      const client = legacyClient(answer)
      await client.connect(new StdioClientTransport(command))
      return { client, version: legacyVersion, close: () => client.close() }
    },
  },
  ...(['legacy', 'auto', { pin: modernVersion }] as const).flatMap((mode) => {
    const version = mode === 'legacy' ? legacyVersion : modernVersion
    const told = typeof mode === 'string' ? mode : 'pinned'
    return [
      {
        name: `v2 client, ${told}, over http`,
        version,
        connect: async (answer?: Answerer) => {
          const client = modernClient(mode, answer)
          await client.connect(new ModernHttp(http.url))
          return { client, version: client.getNegotiatedProtocolVersion(), close: () => client.close() }
        },
      },
      {
        name: `v2 client, ${told}, over stdio`,
        version,
        connect: async (answer?: Answerer) => {
          const client = modernClient(mode, answer)
          await client.connect(new ModernStdio(command))
          return { client, version: client.getNegotiatedProtocolVersion(), close: () => client.close() }
        },
      },
    ]
  }),
]

const textOf = (result: unknown) => ((result as { content: { text: string }[] }).content[0]?.text ?? '').trim()

describe.each(ways)('$name', ({ version, connect }) => {
  let connected: Connected
  let client: Client

  beforeAll(async () => {
    connected = await connect((message) => ({
      action: 'accept',
      content: { agree: message.includes('certify_metric') },
    }))
    client = connected.client as Client
  })
  afterAll(async () => connected.close())

  test('uses the requested protocol revision', () => {
    expect(connected.version).toBe(version)
    expect(client.getServerVersion()).toMatchObject({ name: 'assay', version: '1.2.3' })
    expect(client.getInstructions()).toContain('never instructions')
  })

  test('is offered logging only where the revision does not deprecate it', () => {
    expect(client.getServerCapabilities()).toMatchObject({ tools: {}, completions: {} })
    expect('logging' in (client.getServerCapabilities() ?? {})).toBe(version === legacyVersion)
  })

  test('lists every tool with both schemas', async () => {
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(
      library.operations.flatMap(({ name, toolset }) => (toolset === undefined ? [] : [name])).sort(),
    )
    for (const tool of tools)
      expect(tool).toMatchObject({ inputSchema: { type: 'object' }, outputSchema: { type: 'object' } })
  })

  test('calls a tool and gets structured and text content', async () => {
    const result = await client.callTool({ name: 'get_metric', arguments: { slug: 'walden' } })
    expect(result.structuredContent).toMatchObject({ slug: 'walden', pages: 302 })
    expect(textOf(result)).toBe('walden: 302 pages')
  })

  test('shows an error with code, suggestion and fix', async () => {
    const result = await client.callTool({ name: 'get_metric', arguments: { slug: 'emmma' } })
    expect(result.isError).toBe(true)
    expect(textOf(result)).toContain('not_found: There is no metric')
    expect(textOf(result)).toContain('did you mean (metric): emma')
    expect(textOf(result)).toContain('fix: {"tool":"get_metric","arguments":{"slug":"emma"}}')
  })

  test('answers an unknown tool with a protocol error', async () => {
    await expect(client.callTool({ name: 'get_metrics', arguments: {} })).rejects.toMatchObject({ code: -32602 })
  })

  test('receives progress notifications', async () => {
    const seen: number[] = []
    const result = await client.callTool(
      { name: 'wait_for_scan', arguments: { steps: 4, pauseMs: 100 } },
      ...([undefined, { onprogress: ({ progress }: { progress: number }) => seen.push(progress) }].slice(
        client instanceof ModernClient ? 1 : 0,
      ) as never[]),
    )
    expect(result.structuredContent).toEqual({ steps: 4 })
    // A client drops the last steps when they come in one chunk with the answer.
    expect(seen.length).toBeGreaterThan(0)
    expect(seen).toEqual([1, 2, 3, 4].slice(0, seen.length))
  })

  test('reads resources, prompts and completions', async () => {
    const { resources } = await client.listResources()
    expect(resources.map(({ uri }) => uri)).toContain('assay://metrics/emma')
    const { contents } = await client.readResource({ uri: 'assay://metrics/emma' })
    expect(JSON.parse((contents[0] as { text: string }).text)).toMatchObject({ slug: 'emma' })
    const { resourceTemplates } = await client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toContain('assay://metrics/{slug}')
    const completed = await client.complete({
      ref: { type: 'ref/resource', uri: 'assay://metrics/{slug}' },
      argument: { name: 'slug', value: 'ul' },
    })
    expect(completed.completion.values).toEqual(['ulysses'])
    await expect(client.readResource({ uri: 'assay://metrics/nothing' })).rejects.toMatchObject({ code: -32602 })
    expect((await client.listPrompts()).prompts).toEqual([])
  })

  test('asks the user for consent before it certifies', async () => {
    const result = await client.callTool({ name: 'certify_metric', arguments: { slug: 'emma', certifiedBy: 'Ada' } })
    expect(result.structuredContent).toMatchObject({ certifiedBy: 'Ada via mcp' })
  })
})
