import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SampleSource } from '../../src/sample/tenants.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { planted, plantedPersonalData, plantedSecrets } from '../sample/planted-content.ts'
import { type SampleTenants, startSampleTenants } from '../sample/servers.ts'
import { makeHome, spawnAssay } from '../support/assay.ts'
import { ask as askOnce, callTool, connectHttp, connectStdio } from './estate.ts'
import { runCommands } from './planted-commands.ts'

const agentTools = [
  'explore_by_glossary_term',
  'get_glossary_term',
  'list_glossary_terms',
  'list_metrics',
  'query_metric',
  'query_metric_timeseries',
]

interface FindingItem {
  detectorType: string
  findingType: string
  asset: { key: string }
}

const wrongToken = 'planted-wrong-api-token-4f1c'
const { home, remove } = makeHome()
let tenants: SampleTenants
let server: { url: string; pid: number; stop: () => Promise<number | null> }
let stdio: Client
let http: Client
/** What the server has printed, its log at the level of debugging. */
let output = ''
/** All answers over HTTP. */
const replies: string[] = []
/** Command lines and environments of the program and its children, looked at again and again. */
const processes: string[] = []

async function ask(url: string, method: string, path: string, body?: unknown) {
  const reply = await askOnce(url, method, path, body)
  replies.push(`${method} ${path} ${JSON.stringify([...reply.headers])} ${JSON.stringify(reply.body)}`)
  return reply
}

async function serve() {
  const child = spawnAssay(['serve', '--port', '0', '--log-level', 'debug'], { home })
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve))
  const url = await new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output += text
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)
        if (found) resolve(found[0])
      })
    }
  })
  const stop = () => {
    child.kill('SIGTERM')
    return closed
  }
  return { url, pid: child.pid ?? 0, stop }
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

interface Scan {
  id: string
  status: string
  progress: { scanned: number; findings: { new: number } }
}

async function scan(name: string): Promise<Scan> {
  const started = await ask(server.url, 'POST', `/sources/${name}/scans`)
  for (;;) {
    const { body } = await ask(server.url, 'GET', `/scans/${started.body.id}`)
    lookAtProcesses(server.pid)
    const { status } = body
    if (status !== 'QUEUED' && status !== 'RUNNING') return body as unknown as Scan
    await sleep(300)
  }
}

beforeAll(async () => {
  tenants = await startSampleTenants()
  server = await serve()
  const [wiki, bi] = tenants.sources as [SampleSource, SampleSource]
  const sources = [
    ...tenants.sources,
    { name: 'wrong', config: { ...wiki.config, masked: { api_token: wrongToken } } },
    { name: 'wrong-bi', config: { ...bi.config, masked: { client_secret: wrongToken } } },
  ]
  const send = (method: string, path: string, body?: object) => ask(server.url, method, path, body)
  for (const source of sources) await send('POST', '/sources', source)
  await send('POST', '/sources', { name: 'refused', config: { ...wiki.config, required: { base_url: 'x' } } })
  await send('PUT', '/sources/wrong', { config: { masked: { api_token: wrongToken }, optional: { scope: 1 } } })
  await send('PUT', '/sources/wrong', { config: { required: { base_url: 'https://elsewhere.example' } } })
  for (const { name } of sources) {
    await send('POST', `/sources/${name}/test`)
    await scan(name)
    await send('GET', `/sources/${name}`)
  }
  stdio = await connectStdio(home)
  http = await connectHttp(server.url)
  const commands = [
    ['doctor', '--json'],
    ['export', '--dir', join(home, 'exported')],
    ['backup', '--json'],
    ['key', 'status', '--json'],
  ]
  await runCommands(commands, home, (_where, text) => replies.push(text))
}, 180_000)
afterAll(async () => {
  await stdio.close()
  await http.close()
  await server.stop()
  await tenants.close()
  remove()
})

const count = (where: Partial<Record<'detectorType' | 'findingType' | 'source', string>>) =>
  planted.filter((item) => Object.entries(where).every(([key, value]) => item[key as 'source'] === value)).length

/** Groups with their counts, straight from the list of what was planted; largest first, then by name. */
function groups(key: 'detectorType' | 'findingType', where: Parameters<typeof count>[0] = {}): [string, number][] {
  const matching = planted.filter((item) =>
    Object.entries(where).every(([name, value]) => item[name as 'source'] === value),
  )
  const names = [...new Set(matching.map((item) => item[key]))]
  return names
    .map((name): [string, number] => [name, matching.filter((item) => item[key] === name).length])
    .sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1))
}

async function listFindings(): Promise<FindingItem[]> {
  const items: FindingItem[] = []
  let cursor = ''
  do {
    const { body } = await ask(server.url, 'GET', `/findings?limit=50${cursor}`)
    items.push(...(body.items as FindingItem[]))
    cursor = typeof body.nextCursor === 'string' ? `&cursor=${encodeURIComponent(body.nextCursor)}` : ''
  } while (cursor !== '')
  return items
}

describe('a scan of the sample tenants', () => {
  const toLine = (key: string, detectorType: string, findingType: string) => `${key} ${detectorType} ${findingType}`

  it('finds the planted values, and nothing else', async () => {
    const found = (await listFindings()).map(({ asset, detectorType, findingType }) =>
      toLine(asset.key, detectorType, findingType),
    )
    const wanted = planted.map(({ assetKey, detectorType, findingType }) => toLine(assetKey, detectorType, findingType))
    expect(found.sort()).toEqual(wanted.sort())
  })

  it('logs no planted value', () => {
    const values = [...plantedSecrets(), ...plantedPersonalData()]
    expect(output).toContain('"level":"debug"')
    expect(values.filter((value) => output.includes(value))).toEqual([])
  })
})

describe.each(['stdio', 'http'] as const)('an assistant over %s', (door) => {
  const client = () => (door === 'stdio' ? stdio : http)

  it('is offered the six tools and the admin tools, each with both schemas', async () => {
    const { tools } = await client().listTools()
    const names = tools.map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(agentTools))
    expect(names).toEqual(
      expect.arrayContaining(['create_source', 'start_scan', 'certify_metric', 'search_findings', 'get_stats']),
    )
    for (const tool of tools) {
      expect(tool.inputSchema, tool.name).toMatchObject({ type: 'object' })
      expect(tool.outputSchema, tool.name).toMatchObject({ type: 'object' })
      expect(tool.description, tool.name).toMatch(/\w/)
    }
  })

  it('gets an answer from each of the six', async () => {
    const terms = await callTool(client(), 'list_glossary_terms', {})
    expect(terms.total).toBe(7)
    const term = await callTool(client(), 'get_glossary_term', { slug: 'pii-exposure' })
    expect(term).toMatchObject({ slug: 'pii-exposure', filterMapping: { detectorTypes: ['PII'] } })
    const metrics = await callTool(client(), 'list_metrics', {})
    expect(metrics.total).toBe(16)
    const total = await callTool(client(), 'query_metric', { metricSlug: 'total-findings' })
    expect(total.value).toBe(planted.length)
    const series = await callTool(client(), 'query_metric_timeseries', {
      metricSlug: 'new-findings',
      granularity: 'week',
    })
    const values = (series.timeSeries as { value: number }[]).map(({ value }) => value)
    expect(values.reduce((sum, value) => sum + value, 0)).toBe(planted.length)
    const explored = await callTool(client(), 'explore_by_glossary_term', { glossaryTermSlug: 'broken links' })
    expect(JSON.stringify(explored)).toContain('BROKEN_LINKS')
  })

  it('gets the problems of a wrong call and the corrected call', async () => {
    const answer = await client().callTool({ name: 'query_metric', arguments: { metricSlug: 'totl-findings' } })
    expect(answer.isError).toBe(true)
    expect(JSON.stringify(answer.content)).toContain('total-findings')
  })
})

const questions: {
  name: string
  question: Record<string, unknown>
  value: () => number
  breakdown?: () => [string, number][]
}[] = [
  { name: 'all findings', question: { metricSlug: 'total-findings' }, value: () => planted.length },
  {
    name: 'all findings by detector',
    question: { metricSlug: 'total-findings', dimensions: ['detectorType'] },
    value: () => planted.length,
    breakdown: () => groups('detectorType'),
  },
  {
    name: 'personal data by type',
    question: { metricSlug: 'open-findings', glossaryTermSlug: 'pii-exposure', dimensions: ['findingType'] },
    value: () => count({ detectorType: 'PII' }),
    breakdown: () => groups('findingType', { detectorType: 'PII' }),
  },
  {
    name: 'secrets of the wiki',
    question: { metricSlug: 'open-findings', filters: { detectorTypes: ['SECRETS'], sourceTypes: ['WIKI'] } },
    value: () => count({ detectorType: 'SECRETS', source: 'wiki' }),
  },
  {
    name: 'assets with an open finding',
    question: { metricSlug: 'affected-assets' },
    value: () => new Set(planted.map(({ assetKey }) => assetKey)).size,
  },
]

describe('the same query through every interface', () => {
  it.each(questions)('$name', async ({ question, value, breakdown }) => {
    const rest = (await ask(server.url, 'POST', '/semantic/query', question)).body
    const called = ['call', 'query_metric', JSON.stringify(question)]
    const cli = JSON.parse((await openLastingCommandLine({}, { home }).run(called)).stdout)
    const answers = [
      rest,
      cli,
      await callTool(stdio, 'query_metric', question),
      await callTool(http, 'query_metric', question),
    ]
    for (const answer of answers) {
      expect(answer.value).toBe(value())
      if (breakdown === undefined) continue
      const entries = answer.breakdown as { dimensionValue: string; value: number }[]
      expect(entries.map(({ dimensionValue, value }) => [dimensionValue, value])).toEqual(breakdown())
    }
  })

  it('on the terminal, --json prints exactly the REST answer', async () => {
    const args = ['query', 'open-findings', '--by', 'severity', '--json']
    const { stdout } = await openLastingCommandLine({}, { home }).run(args)
    const printed = JSON.parse(stdout)
    const { body } = await ask(server.url, 'POST', '/semantic/query', {
      metricSlug: 'open-findings',
      dimensions: ['severity'],
    })
    const timeless = (answer: Record<string, unknown>) => ({ ...answer, applied: null, freshness: null })
    expect(timeless(printed)).toEqual(timeless(body))
  })
})

describe('credentials of sources', () => {
  const secrets = () => {
    const { wiki, bi } = tenants
    const plain = [wiki.credentials.apiToken, bi.credentials.clientSecret, wrongToken]
    const pairs = [wiki.credentials.apiToken, wrongToken].map((token) => `${wiki.credentials.accountEmail}:${token}`)
    const tokens = bi.requests.flatMap(({ headers }) => headers.authorization?.replace(/^Bearer /, '') ?? [])
    return [...plain, ...pairs.map((pair) => Buffer.from(pair).toString('base64')), ...new Set(tokens)]
  }
  const leaksIn = (text: string) => secrets().filter((secret) => text.includes(secret)).length

  it('are used: both tenants are read, and wrong credentials are refused', () => {
    expect(secrets().length).toBeGreaterThan(5)
    expect(replies.filter((reply) => reply.includes('"status":"COMPLETED"')).length).toBeGreaterThanOrEqual(2)
    expect(replies.filter((reply) => reply.includes('auth_failed')).length).toBeGreaterThanOrEqual(2)
  })

  it('are in no command line and no environment variable', () => {
    if (existsSync('/proc/self/cmdline')) expect(processes.join()).toContain('serve')
    expect(processes.filter((text) => leaksIn(text) > 0)).toEqual([])
  })

  it('are in no requested URL', () => {
    const addresses = [...tenants.wiki.requests, ...tenants.bi.requests].map((request) => request.url)
    expect(addresses.length).toBeGreaterThan(100)
    expect(addresses.filter((address) => leaksIn(address) > 0 || leaksIn(decodeURIComponent(address)) > 0)).toEqual([])
  })
})
