import { beforeEach, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { toFlag } from '../../src/cli/filter-flags.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { type FacetName, facetNames, facetRows } from '../../src/findings/facets.ts'
import { FilterMapping } from '../../src/findings/filter.ts'
import { type RangeKey, rangeKeys } from '../../src/findings/ranges.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { type FindingSeed, plant } from '../query/estate.ts'
import { caller, errorOf, localPerson, NOON, openContext, type TestContext } from '../support/context.ts'
import { isLong } from '../support/long.ts'
import { locateStore } from '../support/new-store.ts'
import { runOnTerminal } from '../support/terminal.ts'
import { toQuery } from './filter-places.ts'

type Json = Record<string, unknown>

const HOUR = 3_600_000
const DAY = 24 * HOUR

const random = new SeededRandom(18)
const presences = ['current', 'history', 'trash'] as const
const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const
const sources = [
  { name: 'Team wiki', type: 'WIKI' },
  { name: 'Reports', type: 'BI_PLATFORM' },
]
const assets = Array.from({ length: 12 }, (_, index) => ({
  key: `asset-${index}`,
  source: random.pick(sources).name,
  kind: random.pick(['wiki.page', 'bi.report']),
  container: random.pick(['Engineering', 'People']),
  owner: random.pick(['Ada', 'Ben', null]),
  labels: random.pick([[], ['legal'], ['draft', 'legal']]),
  dataset: random.pick(['Sales', '']),
  contentUpdatedAt: random.pick([null, NOON - 40 * DAY, NOON - 10 * DAY]),
  audience: (['anonymous', 'everyone', 'people', 'unknown'] as const)[index % 4] ?? 'unknown',
  audienceSize: index % 5 === 0 ? null : index * 9,
}))
const findings = Array.from({ length: 90 }, () => {
  const firstDetectedAt = NOON - 100 * DAY + random.below(90 * DAY)
  const status = random.pick(statuses)
  const resolvedAt = status === 'RESOLVED' ? firstDetectedAt + (1 + random.below(9 * 24)) * HOUR : null
  const changes =
    status === 'OPEN' ? [] : [{ at: resolvedAt ?? firstDetectedAt + HOUR, from: 'OPEN', to: status } as const]
  return {
    asset: random.pick(assets).key,
    detectorType: random.pick(['SECRETS', 'PII']),
    findingType: random.pick(['EMAIL', 'TOKEN']),
    category: random.pick(['SECURITY', '']),
    customDetectorKey: random.pick(['birds', '']),
    severity: random.pick(['HIGH', 'LOW'] as const),
    status,
    presence: presences[firstDetectedAt % presences.length] ?? 'current',
    value: [null, 'v_000000000001', 'v_7fffffffffff'][firstDetectedAt % 3] ?? null,
    confidence: random.pick([0.2, 0.5, 0.9]),
    firstDetectedAt,
    lastDetectedAt: firstDetectedAt + random.below(5) * DAY,
    resolvedAt,
    changes,
  } satisfies FindingSeed
})
type Found = (typeof findings)[number]
const assetOf = ({ asset }: Found) => assets.find(({ key }) => key === asset) ?? raise()
const raise = () => {
  throw new Error('there is no such asset')
}

/** The values of each facet, read from what was planted. */
const valuesOf: Record<FacetName, (finding: Found) => readonly (string | null)[]> = {
  severity: ({ severity }) => [severity],
  detectorType: ({ detectorType }) => [detectorType],
  status: ({ status }) => [status],
  presence: ({ presence }) => [presence],
  value: ({ value }) => [value],
  findingType: ({ findingType }) => [findingType],
  category: ({ category }) => [category || null],
  customDetectorKey: ({ customDetectorKey }) => [customDetectorKey || null],
  source: (finding) => [assetOf(finding).source],
  sourceType: (finding) => [sources.find(({ name }) => name === assetOf(finding).source)?.type ?? null],
  assetKind: (finding) => [assetOf(finding).kind],
  container: (finding) => [assetOf(finding).container],
  asset: (finding) => [finding.asset],
  owner: (finding) => [assetOf(finding).owner],
  label: (finding) => assetOf(finding).labels,
  dataset: (finding) => [assetOf(finding).dataset || null],
  audience: (finding) => [assetOf(finding).audience],
}

const hours = (from: number, to: number | null) => (to === null ? null : (to - from) / HOUR)
const rangeOf: Record<RangeKey, { number: (finding: Found) => number | null; range: Json }> = {
  resolutionHours: {
    number: ({ firstDetectedAt, resolvedAt }) => hours(firstDetectedAt, resolvedAt),
    range: { min: 24, max: 100 },
  },
  ageHours: { number: ({ firstDetectedAt }) => hours(firstDetectedAt, NOON), range: { min: 400 } },
  confidence: { number: ({ confidence }) => confidence, range: { min: 0.5, max: 0.9 } },
  audienceSize: { number: (finding) => assetOf(finding).audienceSize, range: { min: 9, max: 60 } },
  contentUpdatedAt: { number: (finding) => assetOf(finding).contentUpdatedAt, range: { from: iso(NOON - 20 * DAY) } },
  lastDetectedAt: { number: ({ lastDetectedAt }) => lastDetectedAt, range: { to: iso(NOON - 50 * DAY) } },
  resolvedAt: {
    number: ({ resolvedAt }) => resolvedAt,
    range: { from: iso(NOON - 80 * DAY), to: iso(NOON - 30 * DAY) },
  },
}
function iso(instant: number): string {
  return new Date(instant).toISOString()
}

function isWithin({ number, range }: (typeof rangeOf)[RangeKey], finding: Found): boolean {
  const read = (end: unknown) => (typeof end === 'string' ? Date.parse(end) : (end as number | undefined))
  const [low, high] = [read(range.min ?? range.from), read(range.max ?? range.to)]
  const value = number(finding)
  return value !== null && value >= (low ?? Number.NEGATIVE_INFINITY) && value < (high ?? Number.POSITIVE_INFINITY)
}

interface Case {
  title: string
  filter: Json
  matches: (finding: Found) => boolean
}

const named = { slug: 'named', displayName: 'Named', filterMapping: { severities: ['HIGH'], statuses: ['OPEN'] } }
const isNamed = ({ severity, status }: Found) => severity === 'HIGH' && status === 'OPEN'

const days = { HIGH: 3, LOW: 60 }
const isOverdue = ({ status, severity, firstDetectedAt }: Found) =>
  status === 'OPEN' && NOON - firstDetectedAt >= days[severity] * DAY
const isLate = ({ severity, firstDetectedAt, resolvedAt }: Found) =>
  resolvedAt !== null && resolvedAt - firstDetectedAt > days[severity] * DAY

const own: Case[] = [
  ...facetRows.map(({ name, filterKey }): Case => {
    const [value = ''] = findings.flatMap((finding) => valuesOf[name](finding)).filter((each) => each !== null)
    const filter = { [filterKey]: [value] }
    return { title: filterKey, filter, matches: (finding) => valuesOf[name](finding).includes(value) }
  }),
  ...rangeKeys.map((key): Case => {
    const filter = { ranges: { [key]: rangeOf[key].range } }
    return { title: key, filter, matches: (finding) => isWithin(rangeOf[key], finding) }
  }),
  { title: 'terms', filter: { terms: ['named'] }, matches: isNamed },
]
const cases: Case[] = [
  ...own,
  ...own.map(({ title, filter, matches }) => ({
    title: `exclude.${title}`,
    filter: { exclude: filter },
    matches: (finding: Found) => !matches(finding),
  })),
  { title: 'overdue', filter: { overdue: true }, matches: isOverdue },
  { title: 'not overdue', filter: { overdue: false }, matches: (finding) => !isOverdue(finding) },
  {
    title: 'sla',
    filter: { sla: ['MET'] },
    matches: (finding) => finding.resolvedAt !== null && !isLate(finding),
  },
  { title: 'a missed sla', filter: { sla: ['MISSED'] }, matches: (finding) => isLate(finding) || isOverdue(finding) },
  { title: 'minConfidence', filter: { minConfidence: 0.5 }, matches: ({ confidence }) => confidence >= 0.5 },
]

/** How likely a filter is tried in a place. */
const CHANCE = isLong ? 1 : 0.15

let context: TestContext
let ask: ReturnType<typeof caller>
beforeEach(async () => {
  context = openContext({ now: NOON })
  plant(context.store, { sources, assets, findings })
  ask = caller(operations, context)
  await ask('set_sla', { policies: [{ days }] })
  await ask('create_glossary_term', named)
  const every = { slug: 'every-finding', displayName: 'Every finding', filterMapping: { statuses: [...statuses] } }
  await ask('create_glossary_term', every)
})

const total = { metricSlug: 'total-findings' }
const count = { aggregation: 'COUNT', entity: 'finding' }
const metric = (filters: Json) => ({
  ...{ slug: 'own', displayName: 'Own', type: 'SIMPLE' },
  definition: { ...count, filters },
})

const http = createHttpApp({
  operations,
  contextFor: (about) => ({ ...context, ...about }),
  callerOf: () => localPerson,
  version: '1',
  hosts: [],
  log: silentLog,
})

const getFindings = (filter: Json, more: Json, accept: string) =>
  http.request(`http://127.0.0.1:7411/findings?${new URLSearchParams(toQuery({ ...filter, ...more }))}`, {
    headers: { host: '127.0.0.1:7411', accept },
  })

async function runCli(...argv: string[]) {
  const contextFor = (given: object) => ({ ...context, ...given })
  const { stdout, stderr } = await runOnTerminal([...argv, '--json'], {
    open: async () => ({ operations, caller: localPerson, contextFor, close: async () => {} }),
    locate: () => locateStore(context.store),
  })
  return JSON.parse(stdout + stderr)
}

/** A filter as flags of a command. */
function toFlags({ exclude, ranges = {}, ...lists }: Json): string[] {
  const toRange = ({ min, max, from, to }: Json) => `${min ?? from ?? ''}..${max ?? to ?? ''}`
  return [
    ...Object.entries(lists).flatMap(([key, value]) => [toFlag(key), String(value)]),
    ...Object.entries(ranges as Json).flatMap(([key, range]) => [toFlag(key), toRange(range as Json)]),
    ...(exclude === undefined ? [] : ['--exclude', JSON.stringify(exclude)]),
  ]
}

const valueFor = async (input: Json) => (await ask('query_metric', { ...total, ...input })).value

/** Places where a filter is given, and the number of findings that each reports for it. */
const places: Record<string, (filter: Json) => Promise<number>> = {
  'query_metric over SQL': (filters) => valueFor({ filters }),
  'query_metric over the engine': async (filters) => {
    context.store.read((reader) => attachEngine(reader, buildEngine(reader)))
    const value = await valueFor({ filters })
    context.store.read((reader) => {
      expect(findEngine(reader)?.asked.plans).toBeGreaterThan(0)
      attachEngine(reader, undefined)
    })
    return value
  },
  explore_metric: async (filters) => (await ask('explore_metric', { ...total, filters })).value,
  explore_view: async (filters) => (await ask('explore_view', { ...total, filters })).value,
  query_metric_timeseries: async (filters) => {
    const range = { from: iso(NOON - 120 * DAY), to: iso(NOON + DAY), granularity: 'week' }
    const { timeSeries } = await ask('query_metric_timeseries', { ...total, ...range, filters })
    return timeSeries.reduce((sum: number, { value }: { value: number }) => sum + value, 0)
  },
  explore_by_glossary_term: async (filters) =>
    (await ask('explore_by_glossary_term', { glossaryTermSlug: 'every-finding', filters })).count,
  'the filters of a metric': async (filters) => {
    await ask('create_metric', metric(filters))
    return (await ask('query_metric', { metricSlug: 'own' })).value
  },
  'the filters of the numerator of a ratio': async (filters) => {
    const definition = { numerator: { ...count, filters }, denominator: count }
    await ask('create_metric', { slug: 'share', displayName: 'Share', type: 'RATIO', definition })
    return (await ask('query_metric', { metricSlug: 'share' })).numerator
  },
  'the pinned filters of a placement': async (pinnedFilters) => {
    await ask('set_placement', { dashboard: 'own', slug: 'total-findings', pinnedFilters })
    return (await ask('query_dashboard', { dashboard: 'own' })).metrics[0].value
  },
  'a watch': async (filters) => {
    const watch = { slug: 'own', displayName: 'Own', ...total, condition: { kind: 'above', value: 0 } }
    await ask('create_watch', { ...watch, filters })
    await ask('check_watches')
    return (await ask('get_watch', { slug: 'own' })).value
  },
  preview_triage: async (filters) => (await ask('preview_triage', { filters })).count,
  'update_finding with filters': async (filters) => {
    const { matched } = await ask('update_finding', { filters, status: 'IGNORED', reason: 'known' })
    return matched
  },
  search_findings: async (filter) => (await ask('search_findings', { ...filter, total: true })).total,
  'GET /findings': async (filter) => {
    const body = (await (await getFindings(filter, { total: true }, 'application/json')).json()) as { total: number }
    return body.total
  },
  'an export of findings': async (filter) => {
    const text = await (await getFindings(filter, {}, 'application/x-ndjson')).text()
    return text.split('\n').length - 1
  },
  'assay query': async (filter) => (await runCli('query', 'total-findings', ...toFlags(filter))).value,
  'assay findings': async (filter) => (await runCli('findings', '--total', ...toFlags(filter))).total,
}

describe('a filter selects the same findings everywhere', () => {
  it('with cases for every key, and several values of each facet', () => {
    const keys = new Set(cases.flatMap(({ filter }) => Object.keys(filter)))
    expect([...keys].sort()).toEqual(Object.keys(FilterMapping.shape).sort())
    for (const name of facetNames) {
      expect([name, new Set(findings.flatMap((finding) => valuesOf[name](finding))).size]).not.toEqual([name, 1])
    }
  })

  it.each(cases)('$title', async ({ title, filter, matches }) => {
    const matching = findings.filter(matches)
    expect(matching.length).toBeGreaterThan(0)
    expect(matching.length).toBeLessThan(findings.length)
    for (const [place, countIn] of Object.entries(places).filter(() => random.chance(CHANCE))) {
      expect([place, await countIn(filter)]).toEqual([place, matching.length])
    }
    const { items } = await ask('list_assets', { ...filter, limit: 500 })
    expect(items).toHaveLength(new Set(matching.map(({ asset }) => asset)).size)
    const term = { slug: 'own', displayName: 'Own', filterMapping: filter }
    if (title.endsWith('terms')) {
      const { code, facts } = await errorOf(ask('create_glossary_term', term))
      expect([code, facts.issues?.[0]?.path]).toEqual(['invalid_input', `filterMapping.${title}`])
    } else {
      await ask('create_glossary_term', term)
      expect((await ask('preview_glossary_term', { slug: 'own' })).count).toBe(matching.length)
      expect(await valueFor({ glossaryTermSlug: 'own' })).toBe(matching.length)
      expect(await valueFor({ filters: { terms: ['own'] } })).toBe(matching.length)
    }
    // Last, because it changes the findings that match.
    const suppression = { filters: filter, reason: 'known' }
    if (title.endsWith('statuses')) {
      const { code, facts } = await errorOf(ask('create_suppression', suppression))
      expect([code, facts.issues?.[0]?.path]).toEqual(['invalid_input', 'filters.statuses'])
      return
    }
    const isOpen = ({ status }: Found) => status === 'OPEN'
    const before = await valueFor({ filters: { statuses: ['OPEN'] } })
    await ask('create_suppression', suppression)
    const after = await valueFor({ filters: { statuses: ['OPEN'] } })
    expect(before - after).toBe(matching.filter(isOpen).length)
  })
})
