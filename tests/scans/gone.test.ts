import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectors } from '../../src/connectors/index.ts'
import { detectorDescriptions } from '../../src/detectors/descriptions.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runRequest } from '../../src/detectors/request.ts'
import type { Finding } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { ask, connectHttp } from '../e2e/estate.ts'
import { type SampleWiki, startSampleWiki } from '../sample/servers.ts'
import { runAssay, serveAssay } from '../support/assay.ts'
import { cases, maxMs } from '../support/long.ts'
import { createTenant } from './fake-tenant.ts'
import { type GoneTenant, plantGone, STEPS } from './gone-tenant.ts'
import { wikiConfig } from './platform.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

const DAY_MS = 86_400_000
const fingerprint = createFingerprinter(new Uint8Array(32).fill(7))
const detect: Detect = async (document, request) => runRequest(document, request, { fingerprint })

let gone: GoneTenant
let wiki: SampleWiki
let bench: Workbench

const count = (values: Iterable<string>) => {
  const counts: Record<string, number> = {}
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1
  return counts
}

async function listFindings(): Promise<Finding[]> {
  const all: Finding[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await bench.run<{ items: Finding[]; nextCursor?: string }>('search_findings', {
      limit: 500,
      ...(cursor === undefined ? {} : { cursor }),
    })
    all.push(...page.items)
    cursor = page.nextCursor
    if (cursor === undefined) return all
  }
}

/** Scans a day later, when all versions are read again, and compares every secret with what a reader can see. */
async function expectTrue(when: string): Promise<void> {
  bench.clock.now += DAY_MS + 1
  const { status, warnings, failures } = await bench.scan()
  const stored = new Map<string, Finding>((await listFindings()).map((finding) => [finding.asset.key, finding]))
  const differences = gone.secrets.flatMap((secret) => {
    const finding = stored.get(secret.key)
    const shown = finding === undefined ? 'none' : finding.status === 'OPEN' ? finding.presence : finding.status
    const expected = gone.placeOf(secret)
    return shown === expected ? [] : [`${when}, ${secret.name}: ${shown}, not ${expected}`]
  })
  expect({ differences, status, warnings, failures }).toEqual({
    differences: [],
    status: 'COMPLETED',
    warnings: [],
    failures: [],
  })
  expect(stored.size).toBe(gone.secrets.length)
}

beforeAll(async () => {
  gone = plantGone(cases(10, 50))
  wiki = await startSampleWiki({ tenant: gone.tenant })
  bench = openWorkbench(createTenant({}), {
    plugins: { connectors, detectors: detectorDescriptions },
    detect,
    estate: [],
    extra: findingOperations,
  })
  await bench.run('create_source', {
    name: 'fake',
    config: { ...wikiConfig(wiki.url), detectors: [{ type: 'SECRETS' }] },
  })
})
afterAll(async () => {
  await bench.close()
  await wiki.close()
})

describe('secrets that are edited out, archived and put in the trash', () => {
  it('are open with the place where a reader sees them, after every step', async () => {
    await expectTrue('at first')
    for (let step = 0; step < STEPS; step++) {
      gone.take(step)
      await expectTrue(`after step ${step}`)
    }
    expect(gone.secrets.filter((secret) => gone.placeOf(secret) === 'RESOLVED')).toEqual([])
  }, 60_000)

  it('are shown with that place by every door', async () => {
    const expected = count(gone.secrets.map(gone.placeOf))
    expect(Object.keys(expected).sort()).toEqual(['archived', 'current', 'history', 'trash'])
    const filters = { presences: ['history', 'trash'] }
    const { history = 0, trash = 0 } = expected
    const hidden = { history, trash }
    const presencesOf = (items: unknown) => count((items as Finding[]).map(({ presence }) => presence))
    const said = `${gone.secrets.length} open, ${history} of them only in earlier versions, ${trash} of them in the trash.`
    const question = { metricSlug: 'open-findings', dimensions: ['presence'] }
    const server = await serveAssay(bench.home)
    const client = await connectHttp(server.url)
    try {
      const list = await ask(server.url, 'GET', '/findings?presences=history,trash&limit=500')
      expect(presencesOf(list.body.items)).toEqual(hidden)
      const toRows = (rows: unknown) =>
        Object.fromEntries(
          (rows as { dimensionValue: string; value: number }[]).map(({ dimensionValue, value }) => [
            dimensionValue,
            value,
          ]),
        )
      const rest = await ask(server.url, 'POST', '/semantic/query', question)
      expect(toRows(rest.body.breakdown)).toEqual(expected)
      expect(JSON.stringify(rest.body.warnings)).toContain(said)
      const filtered = await ask(server.url, 'POST', '/semantic/query', { metricSlug: 'open-findings', filters })
      expect(filtered.body.value).toBe(history + trash)
      const tool = await client.callTool({ name: 'query_metric', arguments: question })
      expect(toRows((tool.structuredContent as { breakdown: unknown }).breakdown)).toEqual(expected)
      expect((tool.content as { text: string }[])[0]?.text).toContain(said)
      const file = async (accept: string) =>
        (
          await fetch(`${server.url}/findings?presences=history,trash`, { headers: { accept, connection: 'close' } })
        ).text()
      const [header = '', ...lines] = (await file('text/csv')).trim().split('\r\n')
      const column = header.split(',').indexOf('presence')
      expect(count(lines.map((line) => line.split(',')[column] ?? ''))).toEqual(hidden)
      const ndjson = (await file('application/x-ndjson')).trim().split('\n')
      expect(presencesOf(ndjson.map((line) => JSON.parse(line)))).toEqual(hidden)
      const { runs } = JSON.parse(await file('application/sarif+json')) as {
        runs: { results: { properties: Finding }[] }[]
      }
      expect(presencesOf(runs.flatMap(({ results }) => results.map(({ properties }) => properties)))).toEqual(hidden)
    } finally {
      await client.close()
      await server.stop()
    }
    const line = ['findings', '--presences', 'history,trash', '--limit', '500', '--json']
    const { stdout } = await runAssay(line, { home: bench.home })
    expect(presencesOf((JSON.parse(stdout) as { items: unknown }).items)).toEqual(hidden)
    const { stdout: answer } = await runAssay(['query', 'open-findings'], { home: bench.home })
    expect(answer).toContain(said)
  }, 60_000)

  it(
    'are resolved by the next scan once nobody can see them',
    async () => {
      const groupSize = cases(8, 1)
      for (let start = 0; start < gone.secrets.length; start += groupSize) {
        for (const secret of gone.secrets.slice(start, start + groupSize)) gone.purge(secret)
        await expectTrue(`with ${start + groupSize} purged`)
      }
      expect(count(gone.secrets.map(gone.placeOf))).toEqual({ RESOLVED: gone.secrets.length })
    },
    maxMs(60_000),
  )
})
