import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type SampleBi, startSampleBi } from '../../src/sample/bi/server.ts'
import { type SampleWiki, startSampleWiki } from '../../src/sample/wiki/server.ts'
import { makeHome, spawnAssay } from '../support/assay.ts'
import { runInOneProcess } from './planted-commands.ts'

const detectors = [{ type: 'SECRETS', enabled: true }]
const wrongToken = 'planted-wrong-api-token-4f1c'
const { home, remove } = makeHome()
let wiki: SampleWiki
let bi: SampleBi
let url: string
let output = ''
let stop: () => Promise<unknown>
const replies: string[] = []
/** Command lines and environments of the program and its children, looked at again and again. */
const processes: string[] = []

const secrets = () => {
  const plain = [wiki.credentials.apiToken, bi.credentials.clientSecret, wrongToken]
  const pairs = [wiki.credentials.apiToken, wrongToken].map((token) => `${wiki.credentials.accountEmail}:${token}`)
  const tokens = bi.requests.flatMap(({ headers }) => headers.authorization?.replace(/^Bearer /, '') ?? [])
  return [...plain, ...pairs.map((pair) => Buffer.from(pair).toString('base64')), ...new Set(tokens)]
}

const childrenOf = (pid: number): number[] => {
  const list = `/proc/${pid}/task/${pid}/children`
  const own = existsSync(list) ? readFileSync(list, 'utf8').trim().split(' ').filter(Boolean).map(Number) : []
  return [...own, ...own.flatMap(childrenOf)]
}

function lookAtProcesses(pid: number) {
  for (const id of [pid, ...childrenOf(pid)]) {
    for (const part of ['cmdline', 'environ']) {
      try {
        processes.push(readFileSync(`/proc/${id}/${part}`, 'utf8'))
      } catch {
        // It has ended meanwhile, or this system has no such files.
      }
    }
  }
}

async function ask(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const reply = await fetch(`${url}${path}`, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  const text = await reply.text()
  replies.push(`${method} ${path} ${JSON.stringify([...reply.headers])} ${text}`)
  return text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
}

const wikiPayload = (token: string) => ({
  type: 'WIKI',
  required: { account_email: wiki.credentials.accountEmail, base_url: wiki.url },
  masked: { api_token: token },
  optional: { scope: { spaces: { keys: ['ENG', 'OPS'] } } },
  detectors,
})

beforeAll(async () => {
  wiki = await startSampleWiki()
  bi = await startSampleBi()
  const child = spawnAssay(['serve', '--port', '0', '--log-level', 'debug'], { home })
  const closed = new Promise((resolve) => child.once('close', resolve))
  url = await new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)
        if (found) resolve(found[0])
      })
    }
  })
  stop = () => {
    child.kill('SIGTERM')
    return closed
  }
  const { tenantId, clientId, clientSecret } = bi.credentials
  const sources = {
    wiki: wikiPayload(wiki.credentials.apiToken),
    wrong: wikiPayload(wrongToken),
    bi: {
      type: 'BI_PLATFORM',
      required: { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: tenantId, client_id: clientId },
      masked: { client_secret: clientSecret },
      optional: { connection: { api_base_url: bi.apiUrl, authority_url: bi.authorityUrl } },
      detectors,
    },
    wrongBi: {
      type: 'BI_PLATFORM',
      required: { auth_mode: 'SERVICE_PRINCIPAL', tenant_id: tenantId, client_id: clientId },
      masked: { client_secret: wrongToken },
      optional: { connection: { api_base_url: bi.apiUrl, authority_url: bi.authorityUrl } },
      detectors,
    },
  }
  for (const [name, config] of Object.entries(sources)) await ask('POST', '/sources', { name, config })
  await ask('POST', '/sources', { name: 'refused', config: { ...sources.wiki, required: { base_url: 'x' } } })
  await ask('PUT', '/sources/wrong', { config: { masked: { api_token: wrongToken }, optional: { scope: 1 } } })
  await ask('PUT', '/sources/wrong', { config: { required: { base_url: 'https://elsewhere.example' } } })
  const { pid = 0 } = child
  for (const name of Object.keys(sources)) {
    await ask('POST', `/sources/${name}/test`)
    const { id } = await ask('POST', `/sources/${name}/scans`)
    lookAtProcesses(pid)
    for (;;) {
      const { status } = await ask('GET', `/scans/${id}`)
      lookAtProcesses(pid)
      if (status !== 'QUEUED' && status !== 'RUNNING') break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    await ask('GET', `/sources/${name}`)
  }
  for (const path of [
    '/sources',
    '/scans?limit=100',
    '/findings?limit=500',
    '/assets?limit=500',
    '/openapi.json',
    '/health',
  ]) {
    await ask('GET', path)
  }
  const commands = [
    ['doctor', '--json'],
    ['export', '--dir', join(home, 'exported')],
    ['backup', '--json'],
    ['key', 'status', '--json'],
  ]
  await runInOneProcess(commands, home, (_where, text) => replies.push(text))
}, 180_000)
afterAll(async () => {
  await stop()
  await wiki.close()
  await bi.close()
  remove()
})

const leaksIn = (text: string) => secrets().filter((secret) => text.includes(secret)).length

describe('credentials of sources', () => {
  it('are used: both tenants are read, and wrong credentials are refused', () => {
    expect(secrets().length).toBeGreaterThan(5)
    expect(replies.filter((reply) => reply.includes('"status":"COMPLETED"')).length).toBeGreaterThanOrEqual(2)
    expect(replies.filter((reply) => reply.includes('auth_failed')).length).toBeGreaterThanOrEqual(2)
  })

  it('are in no response and no error', () => {
    expect(replies.filter((reply) => leaksIn(reply) > 0)).toEqual([])
  })

  it('are not in the log', () => {
    expect(output.length).toBeGreaterThan(500)
    expect(leaksIn(output)).toBe(0)
  })

  it('are in no file of the data folder, including the write-ahead log', () => {
    const files = readdirSync(home, { recursive: true, encoding: 'utf8' }).map((file) => join(home, file))
    const seen = files.filter((file) => statSync(file).isFile())
    expect(seen.some((file) => file.endsWith('assay.db'))).toBe(true)
    expect(seen.filter((file) => leaksIn(readFileSync(file, 'latin1')) > 0)).toEqual([])
  })

  it('are in no command line and no environment variable', () => {
    if (existsSync('/proc/self/cmdline')) expect(processes.join()).toContain('serve')
    expect(processes.filter((text) => leaksIn(text) > 0)).toEqual([])
  })

  it('are in no requested URL', () => {
    const addresses = [...wiki.requests, ...bi.requests].map((request) => request.url)
    expect(addresses.length).toBeGreaterThan(100)
    expect(addresses.filter((address) => leaksIn(address) > 0 || leaksIn(decodeURIComponent(address)) > 0)).toEqual([])
  })
})
