import { type ChildProcess, spawn } from 'node:child_process'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { CreateMessageRequestSchema } from '@modelcontextprotocol/sdk/types.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildEntry } from '../support/entry.ts'

// What the public conformance suite is pointed at must itself be sound: the entry starts, and its fixtures answer.

let child: ChildProcess
let client: Client

beforeAll(async () => {
  const entry = await buildEntry(new URL('conformance-entry.ts', import.meta.url))
  child = spawn(process.execPath, [entry], { stdio: ['ignore', 'pipe', 'ignore'] })
  const url = await new Promise<string>((resolve) =>
    child.stdout?.once('data', (chunk) => resolve(String(chunk).trim())),
  )
  client = new Client({ name: 'test', version: '1' }, { capabilities: { sampling: {} } })
  client.setRequestHandler(CreateMessageRequestSchema, () => ({
    role: 'assistant',
    model: 'none',
    content: { type: 'text', text: 'Paris' },
  }))
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never)
})

afterAll(async () => {
  await client.close()
  child.kill()
})

test('the fixtures are listed beside the tools of Assay', async () => {
  const names = (await client.listTools()).tools.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['test_simple_text', 'test_sampling', 'get_metric']))
})

test('a fixture sends a request to the client over the same connection', async () => {
  const result = await client.callTool({ name: 'test_sampling', arguments: { prompt: 'Which capital?' } })
  expect(JSON.stringify(result.content)).toContain('Paris')
})

test('a fixture resource, template and prompt can be read', async () => {
  expect((await client.readResource({ uri: 'test://template/123/data' })).contents[0]).toMatchObject({
    text: expect.stringContaining('123'),
  })
  expect(
    JSON.stringify(await client.getPrompt({ name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } })),
  ).toContain("arg1='a'")
})
