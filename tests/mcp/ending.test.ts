import { PassThrough } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { type StdioOptions, serveStdio } from '../../src/mcp/stdio/stdio.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { takeText } from '../support/stream-text.ts'
import { contextFor, createLibrary, localPerson } from './library.ts'

const createSurface = () => {
  const { operations } = createLibrary()
  return createMcpSurface({ operations, toolsets: ['agent'], contextFor, version: '1', log: silentLog })
}

function connect(changes: Partial<StdioOptions> = {}) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()]
  const { signal } = new AbortController()
  const over = serveStdio({
    ...{ surface: createSurface(), caller: localPerson, stdin, stdout, signal, log: silentLog },
    ...changes,
  })
  return { stdin, stdout, over }
}

test('the time for the last answers begins when the program is loaded', async () => {
  const loaded = createSurface()
  let loading: Promise<void> | undefined
  const load = () => {
    loading ??= pause(1500)
    return loading
  }
  const { stdin, stdout, over } = connect({
    surface: {
      ...loaded,
      callTool: async (...call) => {
        await load()
        return loaded.callTool(...call)
      },
    },
    loaded: () => loading ?? Promise.resolve(),
  })
  const messages = [
    {
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
    },
    { method: 'notifications/initialized' },
    { id: 2, method: 'tools/call', params: { name: 'list_metrics', arguments: {} } },
  ]
  stdin.end(messages.map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`).join(''))
  await over
  expect(takeText(stdout)).toContain('"id":2')
})
