import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectKill } from '../support/endings.ts'
import { buildEntry } from '../support/entry.ts'

const arguments_ = [await buildEntry(new URL('stdio-entry.ts', import.meta.url))]
const running = new Set<number>()
/** Two seconds are promised; what is asserted leaves room for a machine that is busy with other tests. */
const LIMIT_MS = 8000

afterAll(() => {
  for (const pid of running) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // It is gone already.
    }
  }
})

interface Message {
  id?: number | string | null
  method?: string
  result?: Record<string, unknown>
  error?: { code: number; message: string }
}

interface Host {
  child: ChildProcessWithoutNullStreams
  exit: Promise<{ code: number | null; afterMs: () => number }>
  stdout(): string
  messages(): Message[]
  send(...messages: unknown[]): void
  answered(id: number | string): Promise<Message>
}

function start(): Host {
  const child = spawn(process.execPath, arguments_)
  if (child.pid !== undefined) running.add(child.pid)
  expectKill(child)
  let out = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    out += chunk
  })
  child.stdin.on('error', () => {})
  const messages = () =>
    out
      .slice(0, out.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Message)
  return {
    child,
    exit: new Promise((resolve) => {
      child.once('exit', (code) => {
        const at = performance.now()
        resolve({ code, afterMs: () => at })
      })
    }),
    stdout: () => out,
    messages,
    send: (...sent) =>
      child.stdin.write(sent.map((each) => `${typeof each === 'string' ? each : JSON.stringify(each)}\n`).join('')),
    answered: async (id) => {
      for (let waited = 0; waited < 10_000; waited += 10) {
        const found = messages().find((each) => each.id === id)
        if (found !== undefined) return found
        await pause(10)
      }
      throw new Error(`no answer to ${id}`)
    },
  }
}

const initialize = {
  jsonrpc: '2.0',
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'host', version: '1' } },
}
const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' }
const toCall = (id: number | string, name: string, input: object) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: input },
})

async function startGreeted(): Promise<Host> {
  const host = start()
  host.send(initialize, initialized)
  await host.answered(0)
  return host
}

const endOf = async (host: Host, since: number) => {
  const { code, afterMs } = await host.exit
  return { code, tookMs: afterMs() - since }
}

describe('a connection', () => {
  let host: Host
  let err = ''
  beforeAll(async () => {
    host = await startGreeted()
    host.child.stderr.on('data', (chunk) => {
      err += String(chunk)
    })
  })
  let lastId = 100
  const call = (name: string, input: object) => {
    lastId += 1
    host.send(toCall(lastId, name, input))
    return host.answered(lastId)
  }

  test('writes only JSON-RPC to stdout, even if a tool prints', async () => {
    await call('get_stats', { how: 'speak' })
    expect(host.stdout()).not.toContain('noise')
    for (const message of host.messages()) expect(message).toMatchObject({ jsonrpc: '2.0' })
    expect(err).toContain('noise on the console')
    expect(err).toContain('noise on stdout')
  })

  test('never shows the cause of an internal error', async () => {
    const { result } = await call('get_stats', { how: 'throw' })
    expect(result).toMatchObject({ isError: true })
    expect(JSON.stringify(result)).not.toMatch(/SELECT|passwd|\.ts/)
  })

  const cases: { name: string; line: string; id: unknown; code: number }[] = [
    { name: 'input that is not JSON', line: '{"jsonrpc": ', id: null, code: -32700 },
    { name: 'a batch', line: '[{"jsonrpc":"2.0","id":5,"method":"ping"}]', id: null, code: -32600 },
    { name: 'a method that is not a string', line: '{"jsonrpc":"2.0","id":6,"method":7}', id: 6, code: -32600 },
    { name: 'another JSON-RPC', line: '{"jsonrpc":"1.0","id":"x","method":"ping"}', id: 'x', code: -32600 },
    { name: 'a number', line: '5', id: null, code: -32600 },
    { name: 'an id that is not whole', line: '{"jsonrpc":"2.0","id":1.5,"method":"ping"}', id: 1.5, code: -32600 },
    { name: 'a line of more than 10 MiB', line: `"${'x'.repeat(10 * 1_048_576)}"`, id: null, code: -32600 },
  ]
  test.each(cases)('refuses $name and answers the next request', async ({ line, id, code }) => {
    const before = host.messages().length
    host.send(line, '')
    expect(await call('get_metric', { slug: 'emma' })).toMatchObject({
      result: { structuredContent: { slug: 'emma' } },
    })
    expect(host.messages()[before]).toMatchObject({ id, error: { code } })
  })

  test('reads arguments that are null as none', async () => {
    host.send({ ...toCall(90, 'list_metrics', {}), params: { name: 'list_metrics', arguments: null } })
    expect((await host.answered(90)).error).toBeUndefined()
  })

  test('accepts a message in chunks, split in the middle of a character', async () => {
    const bytes = Buffer.from(`${JSON.stringify(toCall('ä', 'get_metric', { slug: 'emma' }))}\n`, 'utf8')
    const middle = bytes.indexOf(0xc3) + 1
    host.child.stdin.write(bytes.subarray(0, middle))
    await pause(50)
    host.child.stdin.write(bytes.subarray(middle))
    expect(await host.answered('ä')).toMatchObject({ result: { structuredContent: { slug: 'emma' } } })
  })

  test('accepts lines that end as on Windows', async () => {
    host.child.stdin.write(`${JSON.stringify(toCall('crlf', 'get_metric', { slug: 'emma' }))}\r\n`)
    expect(await host.answered('crlf')).toMatchObject({ result: { structuredContent: { slug: 'emma' } } })
  })

  test('keeps all answers for a client that reads slowly', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `slow ${index}`)
    host.child.stdout.pause()
    host.send(...ids.map((id) => toCall(id, 'get_stats', { how: 'long' })))
    await pause(300)
    host.child.stdout.resume()
    await host.answered('slow 199')
    const answers = host.messages().filter(({ result }) => result !== undefined)
    expect(answers.map(({ id }) => id)).toEqual(expect.arrayContaining(ids))
    expect(err).not.toContain('MaxListeners')
  })

  test('stops a tool when its request is cancelled, without an answer', async () => {
    host.send(toCall('long', 'wait_for_scan', { steps: 1000, pauseMs: 50 }))
    await pause(60)
    host.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'long' } })
    await call('get_metric', { slug: 'emma' })
    await pause(150)
    expect(host.messages().some(({ id }) => id === 'long')).toBe(false)
    expect(err).toContain('stopped wait_for_scan')
  })
})

describe('the process ends within two seconds', () => {
  test('when stdin ends, having answered what it had received', async () => {
    const host = await startGreeted()
    host.send(toCall(1, 'wait_for_scan', { steps: 3, pauseMs: 100 }), toCall(2, 'get_metric', { slug: 'emma' }))
    host.child.stdin.end()
    const since = performance.now()
    const { code, tookMs } = await endOf(host, since)
    expect(code).toBe(0)
    expect(tookMs).toBeLessThan(LIMIT_MS)
    expect(host.messages().find(({ id }) => id === 1)).toMatchObject({ result: { structuredContent: { steps: 3 } } })
    expect(host.messages().find(({ id }) => id === 2)).toBeDefined()
  })

  test('when all messages, including initialize, arrive in one chunk before the end', async () => {
    const host = start()
    host.send(
      initialize,
      initialized,
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      toCall(2, 'get_metric', { slug: 'emma' }),
    )
    host.child.stdin.end('{"jsonrpc":"2.0","id":3,"meth')
    expect((await host.exit).code).toBe(0)
    expect(host.messages().map(({ id }) => id)).toEqual([0, 1, 2])
  })

  test('when stdin ends during a request that never ends', async () => {
    const host = await startGreeted()
    host.send(toCall(1, 'wait_for_scan', { steps: 1000, pauseMs: 1000 }))
    await pause(50)
    const since = performance.now()
    host.child.stdin.end()
    expect((await endOf(host, since)).tookMs).toBeLessThan(LIMIT_MS)
  })
})
