import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { LogLevel } from '../../src/runtime/log.ts'
import { makeHome, runAssay } from '../support/assay.ts'

let home: string
let remove: () => void
let folder: string
beforeAll(() => {
  ;({ home, remove } = makeHome())
  folder = mkdtempSync(join(tmpdir(), 'assay-noise-'))
})
afterAll(() => {
  remove()
  rmSync(folder, { recursive: true, force: true })
})

const message = (id: number, method: string, params: object = {}) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params })
const conversation = [
  message(1, 'initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'e2e', version: '1' },
  }),
  JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
  message(2, 'tools/list'),
  'this is not JSON',
  message(3, 'tools/call', { name: 'get_stats', arguments: {} }),
  message(4, 'tools/call', { name: 'query_metric', arguments: { metricSlug: 'no-such-metric' } }),
  message(5, 'tools/call', { name: 'no_such_tool', arguments: {} }),
  message(6, 'resources/list'),
  message(7, 'no/such/method'),
  '',
].join('\n')

/** Everything in the process that likes to speak on stdout, before and while the program runs. */
const noise = `
  const shout = () => {
    for (const how of ['log', 'info', 'debug', 'warn', 'error', 'dir', 'trace']) console[how]('noise', { a: 1 })
    console.table([{ a: 1 }])
    console.group('noise'); console.groupEnd(); console.count('noise'); console.assert(false, 'noise')
    process.emitWarning('noise'); process.emitWarning('noise', 'DeprecationWarning', 'NOISE')
    new Buffer(1)
    process.stdout.write('noise\\n')
  }
  // From the moment on that the program listens; what a preloaded script says before is not in its hands.
  const on = process.stdin.on
  process.stdin.on = function (event, ...rest) {
    if (event === 'data') setInterval(shout, 20).unref()
    return on.call(this, event, ...rest)
  }`

/** The ids of the answers, after making sure that every byte of the output belongs to a JSON-RPC message. */
function toIds(stdout: string): unknown[] {
  expect(stdout.endsWith('\n')).toBe(true)
  const messages = stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
  for (const each of messages) expect(each.jsonrpc).toBe('2.0')
  return messages.filter(({ method }) => method === undefined).map(({ id }) => id)
}

const answered = new Set([null, 1, 2, 3, 4, 5, 6, 7])

describe('stdout of assay mcp carries the protocol only', () => {
  it.each(['debug', 'silent'] satisfies LogLevel[])('at log level %s', async (level) => {
    const { code, stdout } = await runAssay(['mcp', '--log-level', level], { home, stdin: conversation })
    expect(code).toBe(0)
    expect(new Set(toIds(stdout))).toEqual(answered)
  })

  it('even if other code in the process writes to stdout', async () => {
    const file = join(folder, 'noise.mjs')
    writeFileSync(file, noise)
    const env = {
      NODE_OPTIONS: `--import=${pathToFileURL(file).href} --trace-warnings --pending-deprecation`,
      NODE_DEBUG: 'module,timer,stream',
      DEBUG: '*',
      npm_config_loglevel: 'silly',
    }
    const { code, stdout, stderr } = await runAssay(['mcp', '--log-level', 'debug'], { home, stdin: conversation, env })
    expect(code).toBe(0)
    expect(new Set(toIds(stdout))).toEqual(answered)
    expect(stderr.length).toBeGreaterThan(0)
  })
})
