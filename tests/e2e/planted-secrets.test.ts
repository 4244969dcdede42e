import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createToken } from '../../src/access/tokens.ts'
import { operations } from '../../src/catalogue.ts'
import { Store } from '../../src/store/store.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { localPerson } from '../support/context.ts'
import { runCommands } from './planted-commands.ts'

/** A tenant that sends back all that it was sent, decoded too, and words of its own, in every kind of refusal. */
const digestOf = (text: string) => hash('sha256', text, 'buffer')
const canary = `upstream-canary-${digestOf('canary').toString('hex', 0, 12)}`
const answers = [400, 401, 403, 404, 409, 429, 500, 502, 200, 200]
const echo = ({ headers, url }: IncomingMessage) => {
  const [, encoded = ''] = (headers.authorization ?? '').split(' ')
  return `${canary} ${url} ${JSON.stringify(headers)} ${Buffer.from(encoded, 'base64').toString()}`
}

const { home, remove } = makeHome()
let server: Awaited<ReturnType<typeof serveAssay>>
let hostile: Server
let asked = 0
const credentials = Array.from(
  { length: 45 },
  (_, n) => `cred${digestOf(`credential ${n}`).toString('base64url', 0, 18)}`,
)
const tokens: string[] = []
const seen: { where: string; text: string }[] = []
const note = (where: string, text: string) => seen.push({ where, text })

/** Each token may ask only so often, so they take turns. */
const ask = async (
  method: string,
  path: string,
  body?: unknown,
  token = tokens[seen.length % tokens.length],
  more: Record<string, string> = {},
) => {
  const reply = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...more,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  note(`${method} ${path}`, `${JSON.stringify([...reply.headers])} ${text}`)
  return text
}
const sourceOf = (secret: string, extra: object = {}) => ({
  type: 'WIKI',
  required: {
    base_url: `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`,
    account_email: 'a@northfield.dev',
  },
  masked: { api_token: secret },
  optional: { connection: { max_retries: 0, request_timeout_seconds: 2 } },
  ...extra,
})

beforeAll(async () => {
  hostile = createServer((request, response) => {
    const status = answers[asked++ % answers.length] ?? 500
    response.writeHead(status, { 'content-type': asked % 2 ? 'text/html' : 'application/json', 'x-echo': canary })
    response.end(asked % 3 ? echo(request) : JSON.stringify({ message: echo(request), code: echo(request) }))
  })
  await once(hostile.listen(0, '127.0.0.1'), 'listening')
  const created = await openLastingCommandLine({}, { home }).run(['token', 'create', '--scope', 'admin', '--name', 'a'])
  note('assay token create', created.stderr)
  tokens.push(created.stdout.trim())
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  for (const name of ['b', 'c', 'd', 'e']) {
    const made = { store, caller: localPerson, now: Date.now }
    tokens.push(createToken(made, { name, scopes: ['admin'] }).token)
  }
  store.close()
  server = await serveAssay(home, ['--no-background', '--log-level', 'debug'])
  server.child.stderr?.on('data', (text: string) => note('the log', text))
}, 180_000)
afterAll(async () => {
  await server.stop()
  hostile.close()
  remove()
})

/** The secret as it is, and as it may be written. */
const formsOf = (secret: string) => [
  secret,
  encodeURIComponent(secret),
  Buffer.from(secret).toString('base64').replace(/=+$/, ''),
  Buffer.from(`a@northfield.dev:${secret}`).toString('base64').replace(/=+$/, ''),
]
/** Of a token, what follows its id is the secret. */
const planted = () => [...credentials, ...tokens.map((token) => token.slice(-72))]
const leaksIn = (text: string) =>
  [...planted(), canary].filter((secret) => formsOf(secret).some((form) => text.includes(form)))

function* filesIn(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (statSync(path).isDirectory()) yield* filesIn(path)
    else yield path
  }
}

describe('a planted secret', () => {
  it('is in no output of a route, tool or command, no error, metric or log line, and neither are error texts of a tenant', async () => {
    for (const [n, secret] of credentials.entries()) {
      await ask('POST', '/sources', { name: `hostile-${n}`, config: sourceOf(secret) })
      if (n >= 10) continue
      await ask('POST', '/sources', { name: `wrong-${n}`, config: sourceOf(secret, { nonsense: secret.length }) })
      await ask('POST', `/sources/hostile-${n}/test`, {})
    }
    await ask('PUT', '/sources/hostile-0', { config: { required: { base_url: 'http://127.0.0.1:1' } } })
    await ask('POST', '/sources/hostile-1/scans', {})
    const names: Readonly<Record<string, string>> = {
      ...{
        id: 'hostile-0',
        slug: 'open-findings',
        key: 'x',
        dashboard: 'discovery',
        glossaryTermSlug: 'security-threats',
      },
    }
    for (const { route = '', name } of operations) {
      const [method = 'GET', path = '/'] = route.split(' ')
      if (route === '' || method === 'DELETE') continue
      const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, parameter: string) => names[parameter] ?? 'x')
      const body =
        method === 'GET' ? undefined : { metricSlug: 'open-findings', slug: 'open-findings', dashboard: 'discovery' }
      await ask(method, filled, body)
      const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: names } }
      await ask('POST', '/mcp', call)
    }
    for (const path of ['/findings?limit=500', '/assets?limit=500', '/scans?limit=500', '/semantic/audit?limit=500']) {
      await ask('GET', path)
    }
    for (const accept of ['text/csv', 'application/sarif+json', 'application/x-ndjson']) {
      await ask('GET', '/findings', undefined, undefined, { accept })
    }
    await ask('POST', '/semantic/query', { metricSlug: 'open-findings' }, undefined, { accept: 'text/csv' })
    for (const path of ['/metrics', '/ready', '/health', '/openapi.json', '/docs', '/nothing']) await ask('GET', path)
    for (const secret of credentials.slice(0, 12)) await ask('GET', '/sources', undefined, `assay_${secret}`)
    const scanned = await runAssay(['scan', 'hostile-2'], { home, env: { ASSAY_LOG_LEVEL: 'debug' } })
    note('assay scan', scanned.stdout + scanned.stderr)
    const commands = [
      ['call', 'test_source', '{"id":"hostile-3"}'],
      ['findings', '--format', 'csv'],
      ...[
        ['token', 'list'],
        ['sources', '--json'],
        ['doctor', '--json'],
        ['audit', 'verify'],
      ],
      ['export', '--dir', join(home, 'exported')],
    ]
    await runCommands(commands, home, note)
    expect(seen.length).toBeGreaterThan(150)
    expect(seen.filter(({ text }) => text.includes('rate_limited')).length).toBeLessThan(5)
    expect(asked).toBeGreaterThan(20)
    expect(seen.flatMap(({ where, text }) => leaksIn(text).map((leak) => `${where}: ${leak}`))).toEqual([])
  }, 180_000)

  it('is nowhere in the data folder, its logs, its exports and a copy of its database', async () => {
    const { default: Database } = await import('better-sqlite3')
    const database = new Database(join(home, 'assay.db'))
    await database.backup(join(home, 'copy.db'))
    database.close()
    const files = [...filesIn(home)]
    expect(files.map((file) => file.slice(home.length + 1))).toEqual(
      expect.arrayContaining(['assay.db', 'copy.db', join('logs', 'assay.log')]),
    )
    for (const file of files) expect(leaksIn(readFileSync(file, 'latin1')), file).toEqual([])
  })
})
