import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { getDefaultEnvironment, StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { mainFile } from '../support/assay.ts'

export async function connectStdio(
  home: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1.0.0' })
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [mainFile, 'mcp', '--home', home, ...args],
      env: { ...getDefaultEnvironment(), ...env },
      stderr: 'ignore',
    }),
  )
  return client
}

export async function connectHttp(url: string): Promise<Client> {
  const client = new Client({ name: 'e2e', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', url))
  await client.connect(transport as Parameters<Client['connect']>[0])
  return client
}

/** Calls a tool that must answer, and gives its structured content. */
export async function callTool(
  client: Client,
  name: string,
  input: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const answer = await client.callTool({ name, arguments: input })
  if (answer.isError === true) throw new Error(`${name} answered with an error: ${JSON.stringify(answer.content)}`)
  return answer.structuredContent as Record<string, unknown>
}

/** Asks REST, and gives status and body. */
export async function ask(
  url: string,
  method: string,
  path: string,
  body?: unknown,
): Promise<{ status: number; headers: Headers; body: Record<string, unknown> }> {
  // A connection of its own: one that is kept may be closed at the moment that a request is sent on it.
  const headers = { connection: 'close', 'content-type': 'application/json' }
  const reply = await fetch(new URL(path, url), {
    method,
    ...(body === undefined ? { headers: { connection: 'close' } } : { body: JSON.stringify(body), headers }),
  })
  const text = await reply.text()
  return { status: reply.status, headers: reply.headers, body: text === '' ? undefined : JSON.parse(text) }
}
