import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decoys, planted, plantedPersonalData, plantedSecrets } from '../sample/planted-content.ts'
import { runAssay, serveAssay } from '../support/assay.ts'
import { ask, callTool, connectHttp, connectStdio, type Estate, mustRun, scanSampleTenants } from './estate.ts'

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

let estate: Estate
let server: Awaited<ReturnType<typeof serveAssay>>
let stdio: Client
let http: Client
beforeAll(async () => {
  estate = await scanSampleTenants()
  server = await serveAssay(estate.home)
  stdio = await connectStdio(estate.home)
  http = await connectHttp(server.url)
}, 120_000)
afterAll(async () => {
  await stdio.close()
  await http.close()
  expect(await server.stop()).toBe(0)
  await estate.close()
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

  it('reports none of the decoys', async () => {
    const found = new Set((await listFindings()).map(({ asset, detectorType }) => `${asset.key} ${detectorType}`))
    const expected = new Set(planted.map(({ assetKey, detectorType }) => `${assetKey} ${detectorType}`))
    for (const { assetKey, detectorType } of decoys) {
      const place = `${assetKey} ${detectorType}`
      expect(found.has(place) && !expected.has(place), place).toBe(false)
    }
  })

  it('adds nothing the second time, and logs no planted value', async () => {
    const values = [...plantedSecrets(), ...plantedPersonalData()]
    for (const { name } of estate.tenants.sources) {
      const env = { ASSAY_LOG_LEVEL: 'debug' }
      const { code, stdout, stderr } = await runAssay(['scan', name], { home: estate.home, env })
      expect({ name, code, stdout }).toMatchObject({ code: 0, stdout: expect.stringMatching(/ 0 scanned,.* 0 new,/) })
      expect(values.filter((value) => (stdout + stderr).includes(value))).toEqual([])
    }
    expect(await listFindings()).toHaveLength(planted.length)
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
    expect(terms.total).toBe(6)
    const term = await callTool(client(), 'get_glossary_term', { slug: 'pii-exposure' })
    expect(term).toMatchObject({ slug: 'pii-exposure', filterMapping: { detectorTypes: ['PII'] } })
    const metrics = await callTool(client(), 'list_metrics', {})
    expect(metrics.total).toBe(14)
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
    const cli = JSON.parse(await mustRun(estate.home, ['call', 'query_metric', JSON.stringify(question)]))
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
    const printed = JSON.parse(await mustRun(estate.home, ['query', 'open-findings', '--by', 'severity', '--json']))
    const { body } = await ask(server.url, 'POST', '/semantic/query', {
      metricSlug: 'open-findings',
      dimensions: ['severity'],
    })
    const timeless = (answer: Record<string, unknown>) => ({ ...answer, applied: null, freshness: null })
    expect(timeless(printed)).toEqual(timeless(body))
  })
})

describe('every planted value', () => {
  const values = [...plantedSecrets(), ...plantedPersonalData()]
  const leaksOf = (text: string) => values.filter((value) => text.includes(value))

  it('is in no file of the data folder', () => {
    for (const file of listFiles(estate.home)) expect(leaksOf(readFileSync(file, 'latin1')), file).toEqual([])
  })

  it('is in no response', async () => {
    const paths = [
      '/findings?limit=500',
      '/assets?limit=500',
      '/scans',
      '/sources',
      '/stats',
      '/semantic/metrics',
      '/semantic/audit',
    ]
    for (const path of paths) {
      const { status, body } = await ask(server.url, 'GET', path)
      expect(status, path).toBe(200)
      expect(leaksOf(JSON.stringify(body)), path).toEqual([])
    }
  })

  it('leaves no credential of a source unencrypted', async () => {
    const credentials = estate.tenants.sources.flatMap(({ config }) =>
      Object.values(config.masked as Record<string, string>),
    )
    const { body } = await ask(server.url, 'GET', '/sources')
    const shown = JSON.stringify(body)
    for (const credential of credentials) {
      expect(shown).not.toContain(credential)
      for (const file of listFiles(estate.home)) {
        expect(readFileSync(file, 'latin1').includes(credential), file).toBe(false)
      }
    }
    expect(shown).toContain('********')
  })
})

/** Every file of a data folder, its logs among them. */
function listFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}
