import type {
  OracleAsset,
  OracleChange,
  OracleEstate,
  OracleFilter,
  OracleFinding,
  OracleMetric,
  OracleQuestion,
  OracleRanges,
  OracleSimple,
  OracleTerms,
} from './query-terms.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
export const NOW = Date.UTC(2026, 10, 15, 12)
const START = Date.UTC(2025, 0, 1)

/** Random numbers that a seed repeats (mulberry32). */
export class SeededRandom {
  #state: number

  constructor(seed: number) {
    this.#state = seed >>> 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0
    let mixed = this.#state
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }

  below(count: number): number {
    return Math.floor(this.next() * count)
  }

  chance(share: number): boolean {
    return this.next() < share
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('there is nothing to pick from')
    return item
  }

  some<Item>(items: readonly Item[], most: number): Item[] {
    const found = new Set<Item>([this.pick(items)])
    while (found.size < most && this.chance(0.5)) found.add(this.pick(items))
    return [...found]
  }

  maybe<Item>(share: number, make: () => Item): Item | undefined {
    return this.chance(share) ? make() : undefined
  }
}

const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO']
/** More of the first, as in life. */
const presences = ['current', 'history', 'archived', 'current', 'trash', 'current', 'unknown']
const audiences = ['people', 'everyone', 'unknown', 'group', 'anonymous', 'everyone']
/** Few, so that they repeat; the first and the last number that a hash may have. */
const values = ['v_000000000001', 'v_7fffffffffff', 'v_00c0ffee0000', 'v_123456789abc', 'v_123456789abd']
const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED']
const detectorTypes = ['SECRETS', 'PII', 'BROKEN_LINKS', 'CUSTOM', 'YARA']
const findingTypes = ['EMAIL', 'TOKEN', 'IBAN', 'HTTP_404', 'RULE_A', 'RULE_B']
const categories = ['', 'SECURITY', 'PRIVACY', 'QUALITY']
const customDetectorKeys = ['', '', 'ticket-ids', 'code-names']
const assetKinds = ['wiki.page', 'wiki.comments', 'bi.report', 'bi.dataset']
const containers = [
  '',
  'Engineering',
  'engineering',
  'People',
  'Finance & Law',
  'Ops / On-call',
  'Übersicht',
  'Hauptstraße',
]
const owners = ['Ada', 'ben', 'BEN', 'Cléo', 'Øystein']
const labels = ['legal', 'Legal', 'draft', 'ÖFFENTLICH', 'q3']
const datasets = ['', '', 'Sales', 'sales', 'Umsätze']
const sources = [
  { name: 'Team wiki', type: 'WIKI' },
  { name: 'Old wiki', type: 'WIKI' },
  { name: 'Reports', type: 'BI_PLATFORM' },
  { name: 'Scanner', type: 'IMPORT' },
]
/** Instants around which clocks change, days end, and ranges of questions begin. */
const corners = [
  '2025-03-30T00:00Z',
  '2025-03-30T01:00Z',
  '2025-10-26T00:00Z',
  '2025-10-26T01:00Z',
  '2025-11-02T06:00Z',
  '2026-03-08T07:00Z',
  '2026-03-29T01:00Z',
  '2026-04-04T14:45Z',
  '2026-07-01T00:00Z',
  '2026-10-25T01:00Z',
].map((text) => Date.parse(text))

const instantOf = (random: SeededRandom): number => {
  if (random.chance(0.25)) return random.pick(corners) + random.pick([0, -1, 1, HOUR, -HOUR, HOUR / 4])
  if (random.chance(0.2)) return START + random.below(600) * DAY
  return START + random.below(NOW - START)
}

export function makeEstate(seed: number, count: number): OracleEstate {
  const random = new SeededRandom(seed)
  const assets = Array.from({ length: 60 }, (_, index): OracleAsset => {
    const deleted = random.chance(0.1)
    const firstSeenAt = instantOf(random)
    return {
      source: random.pick(sources).name,
      key: `asset-${index}`,
      kind: random.pick(assetKinds),
      container: random.pick(containers),
      name: `Page ${random.below(40)}`,
      owner: random.maybe(0.6, () => random.pick(owners)) ?? null,
      labels: random.chance(0.6) ? random.some(labels, 3) : [],
      dataset: random.pick(datasets),
      status: deleted ? 'DELETED' : 'ACTIVE',
      contentUpdatedAt: random.maybe(0.8, () => instantOf(random)) ?? null,
      firstSeenAt,
      lastSeenAt: firstSeenAt + random.below(30) * DAY,
      lastScannedAt: random.maybe(0.8, () => firstSeenAt + random.below(60 * DAY)) ?? null,
      deletedAt: deleted ? firstSeenAt + random.below(200 * DAY) : null,
      // By its number, so that all else is as without audiences.
      audience: audiences[(index * 7) % 6] ?? 'unknown',
      audienceSize: index % 4 === 0 ? null : (index * 13) % 90,
    }
  })
  return { sources, assets, findings: Array.from({ length: count }, () => makeFinding(random, assets)) }
}

function makeFinding(random: SeededRandom, assets: OracleAsset[]): OracleFinding {
  const firstDetectedAt = instantOf(random)
  const changes: OracleChange[] = []
  let status = random.chance(0.8) ? 'OPEN' : random.pick(statuses)
  let at = firstDetectedAt
  while (changes.length < 5 && random.chance(0.5)) {
    // Changes in the same millisecond are told apart by their order alone.
    at += random.chance(0.15) ? 0 : random.below(120 * DAY)
    const to = random.pick(statuses.filter((other) => other !== status))
    changes.push({ at, from: status, to })
    status = to
  }
  const isDecided = status === 'FALSE_POSITIVE' || status === 'IGNORED'
  const ends = isDecided && at < NOW && firstDetectedAt % 10 < 3
  // A clock that was set back leaves resolutions that come before.
  const resolvedAt =
    changes.findLast(({ to }) => to === 'RESOLVED')?.at ?? firstDetectedAt + random.below(2 * DAY) - DAY
  return {
    asset: random.pick(assets).key,
    detectorType: random.pick(detectorTypes),
    findingType: random.pick(findingTypes),
    category: random.pick(categories),
    customDetectorKey: random.pick(customDetectorKeys),
    severity: random.pick(severities),
    status,
    // By when it was detected, so that all else is as without presences.
    presence: presences[firstDetectedAt % presences.length] ?? 'current',
    value: values[firstDetectedAt % (values.length + 2)] ?? null,
    confidence: random.chance(0.3)
      ? random.pick([0, 0.2499, 0.25, 0.4999, 0.5, 0.75, 0.7501, 0.8999, 0.9, 1])
      : random.below(10_001) / 10_000,
    firstDetectedAt,
    lastDetectedAt: random.maybe(0.4, () => firstDetectedAt + random.below(90 * DAY)) ?? null,
    resolvedAt: status === 'RESOLVED' ? resolvedAt : null,
    changes,
    ...(ends ? { until: NOW + 1 + (firstDetectedAt % (90 * DAY)), endsAs: at % 7 < 5 ? 'OPEN' : 'RESOLVED' } : {}),
  }
}

const named = (values: readonly string[]) => values.map((value) => value || '(none)')
const keyValues: Record<string, readonly string[]> = {
  detectorTypes: [...detectorTypes, 'NEVER_SEEN'],
  severities,
  statuses,
  findingTypes: [...findingTypes, 'NEVER_SEEN'],
  categories: named(categories),
  customDetectorKeys: named(customDetectorKeys),
  sources: sources.map(({ name }) => name),
  sourceTypes: ['WIKI', 'BI_PLATFORM', 'IMPORT'],
  assetKinds,
  containers: named(containers),
  owners: [...owners, '(none)', 'Nobody'],
  labels: [...labels, '(none)', 'never'],
  datasets: named(datasets),
  assets: Array.from({ length: 62 }, (_, index) => `asset-${index}`),
  presences: presences.slice(1, 5),
  audiences: audiences.slice(0, 5),
  values: [...values, '(none)', 'v_0000000000ff', 'v_no'],
}
const exactKeys = ['detectorTypes', 'severities', 'statuses', 'presences', 'audiences', 'assets']

/** The same word in another letter case or another Unicode form. */
const respell = (random: SeededRandom, word: string) => {
  if (random.chance(0.6)) return word
  return random.pick([word.toUpperCase(), word.toLowerCase(), word.normalize('NFD')])
}

/** Terms that filters name. */
export const namedTerms: OracleTerms['filters'] = {
  'loud-ones': { severities: ['CRITICAL', 'HIGH'], exclude: { statuses: ['RESOLVED'] } },
  'of-people': { owners: ['ADA', 'Ben'] },
  'legal-pages': { labels: ['LEGAL'], containers: ['engineering', 'Übersicht', 'People'] },
  'slow-ones': { ranges: { resolutionHours: { min: 24 }, confidence: { max: 0.9 } } },
  'of-values': { values: ['v_000000000001', '(none)'], exclude: { statuses: ['IGNORED'], values: ['v_123456789abc'] } },
  'late-values': { values: ['v_7fffffffffff', 'v_123456789abd'], ranges: { lastDetectedAt: { from: '2026-08-01' } } },
  'old-tokens': { findingTypes: ['TOKEN'], minConfidence: 0.25, ranges: { ageHours: { min: 2400 } } },
}

function makeRanges(random: SeededRandom): OracleRanges {
  const ends = (make: () => number) => {
    const [one, other] = [make(), make()].sort((a, b) => a - b) as [number, number]
    return random.pick([{ min: one }, { max: other + 1 }, { min: one, max: other + 0.5 }])
  }
  const times = () => {
    const [one, other] = [instantOf(random), instantOf(random)].sort((a, b) => a - b) as [number, number]
    return random.pick([{ from: iso(one) }, { to: iso(other) }, { from: iso(one), to: iso(other + 1) }])
  }
  const ranges: OracleRanges = {
    resolutionHours: ends(() => random.below(3000)),
    ageHours: ends(() => random.below(16_000)),
    confidence: random.pick([{ min: 0.5 }, { max: 0.9 }, { min: 0.25, max: 0.7501 }, { min: 0.8999, max: 1 }]),
    audienceSize: random.pick([{ min: 20 }, { max: 40 }, { min: 7, max: 60 }]),
    contentUpdatedAt: times(),
    lastDetectedAt: times(),
    resolvedAt: times(),
  }
  return Object.fromEntries(random.some(Object.entries(ranges), 2))
}

/** A filter of a caller, a metric or a placement; one of a term names no terms. */
export function makeFilter(random: SeededRandom, ofTerm = false): OracleFilter {
  const keys = () =>
    Object.fromEntries(
      random.some(Object.keys(keyValues), 2).map((key) => {
        const values = random.some(keyValues[key] ?? [], key === 'assets' ? 30 : 3)
        return [key, exactKeys.includes(key) ? values : values.map((value) => respell(random, value))]
      }),
    )
  const filter: OracleFilter = random.chance(0.8) ? keys() : {}
  if (random.chance(0.25)) filter.exclude = keys()
  if (random.chance(0.2)) filter.minConfidence = random.pick([0.25, 0.5, 0.7501, 0.9])
  if (random.chance(0.2)) filter.ranges = makeRanges(random)
  if (random.chance(0.08)) filter.exclude = { ...filter.exclude, ranges: makeRanges(random) }
  // By what the filter is, so that all else is as without due dates.
  const size = JSON.stringify(filter).length
  if (size % 12 === 5) filter.overdue = size % 5 > 0
  if (size % 17 === 3) filter.sla = [['MET'], ['MISSED'], ['MET', 'MISSED']][size % 3] ?? []
  if (ofTerm) return Object.keys(filter).length === 0 ? keys() : filter
  if (random.chance(0.2)) filter.terms = random.some(Object.keys(namedTerms), 2)
  if (random.chance(0.08)) filter.exclude = { ...filter.exclude, terms: random.some(Object.keys(namedTerms), 2) }
  return filter
}

const facts = {
  finding: {
    numbers: ['confidence', 'resolutionHours', 'ageHours'],
    distinct: [
      'assetId',
      'sourceId',
      'sourceType',
      'assetKind',
      'container',
      'detectorType',
      'findingType',
      'category',
      'severity',
      'status',
      'presence',
      'value',
      'customDetectorKey',
      'owner',
      'dataset',
      'audience',
    ],
    times: ['firstDetectedAt', 'lastDetectedAt', 'resolvedAt'],
    dimensions: [
      'severity',
      'detectorType',
      'status',
      'presence',
      'value',
      'findingType',
      'category',
      'customDetectorKey',
      'source',
      'sourceType',
      'assetKind',
      'container',
      'asset',
      'owner',
      'label',
      'dataset',
      'audience',
    ],
  },
  asset: {
    numbers: ['ageDays', 'openFindings'],
    distinct: ['assetId', 'sourceId', 'sourceType', 'assetKind', 'container', 'owner', 'dataset', 'audience'],
    times: ['firstSeenAt', 'lastSeenAt', 'lastScannedAt', 'contentUpdatedAt'],
    dimensions: ['source', 'sourceType', 'assetKind', 'container', 'asset', 'owner', 'label', 'dataset', 'audience'],
  },
} as const
export type EntityName = keyof typeof facts
export const dimensionsOf = (entity: EntityName): readonly string[] => facts[entity].dimensions

function makeSimple(random: SeededRandom, entity: EntityName): OracleSimple {
  const aggregation = random.pick([
    ...['COUNT', 'COUNT', 'COUNT', 'COUNT_DISTINCT', 'COUNT_DISTINCT', 'SUM', 'AVG', 'MIN', 'MAX'],
    ...['MEDIAN', 'MEDIAN', 'PERCENTILE'],
  ])
  const { numbers, distinct, times } = facts[entity]
  const simple: OracleSimple = { aggregation, entity }
  if (aggregation === 'COUNT_DISTINCT') simple.field = random.pick<string>(distinct)
  else if (aggregation !== 'COUNT') simple.field = random.pick<string>(numbers)
  if (random.chance(0.5)) simple.filters = makeFilter(random)
  if (entity === 'asset' && random.chance(0.2)) simple.filters = { ...simple.filters, scanned: random.chance(0.5) }
  if (random.chance(0.5)) simple.timeField = random.pick<string>(times)
  if (aggregation === 'PERCENTILE') simple.p = random.pick([0, 0.1, 0.25, 0.5, 0.9, 0.95, 0.99, 1])
  if (random.chance(0.35)) simple.mode = 'stock'
  else if (random.chance(0.3)) {
    simple.window = random.chance(0.5)
      ? { last: random.pick(['36h', '7d', '28d', '4w', '1mo', '3mo']) }
      : { toDate: random.pick(['week', 'month', 'quarter', 'year']) }
  }
  return simple
}

/** What formulas mean, written by hand beside them; null propagates. */
const formulas: {
  text: (a: string, b: string) => string
  compute: (a: number | null, b: number | null) => number | null
}[] = [
  { text: (a, b) => `${a} + 2 * ${b}`, compute: (a, b) => (a === null || b === null ? null : a + 2 * b) },
  { text: (a, b) => `${a} / ${b}`, compute: (a, b) => (a === null || b === null || b === 0 ? null : a / b) },
  { text: (a, b) => `coalesce(${a}, 0) - ${b}`, compute: (a, b) => (b === null ? null : (a ?? 0) - b) },
  {
    text: (a, b) => `max(${a}, ${b}) * 100`,
    compute: (a, b) => (a === null || b === null ? null : Math.max(a, b) * 100),
  },
  {
    text: (a, b) => `abs(${a} - ${b}) / nullif(${b}, 0)`,
    compute: (a, b) => (a === null || b === null || b === 0 ? null : Math.abs(a - b) / b),
  },
  {
    text: (a, b) => `-(${a}) + min(${b}, 3)`,
    compute: (a, b) => (a === null || b === null ? null : -a + Math.min(b, 3)),
  },
]

export interface MadeMetric extends OracleMetric {
  entity: EntityName
}

export function makeMetrics(seed: number): MadeMetric[] {
  const random = new SeededRandom(seed)
  const metrics: MadeMetric[] = []
  const add = (
    type: string,
    entity: EntityName,
    definition: OracleMetric['definition'],
    compute?: OracleMetric['compute'],
  ) => {
    const slug = `m${metrics.length}`
    const term = random.maybe(0.3, () => makeFilter(random, true)) ?? null
    const emptyAs = type === 'SIMPLE' ? random.pick([null, 'zero', 'null'] as const) : null
    const allowedDimensions = dimensionsOf(entity)
    metrics.push({
      slug,
      type,
      entity,
      definition,
      allowedDimensions,
      term,
      emptyAs,
      ...(compute === undefined ? {} : { compute }),
    })
    return slug
  }
  const entityOf = () => (random.chance(0.7) ? 'finding' : 'asset') as EntityName
  for (let index = 0; index < 60; index++) {
    const entity = entityOf()
    add('SIMPLE', entity, makeSimple(random, entity))
  }
  const ofEntity = (entity: EntityName, types: string[]) =>
    metrics.filter((metric) => metric.entity === entity && types.includes(metric.type)).map(({ slug }) => slug)
  for (let index = 0; index < 25; index++) {
    const entity = entityOf()
    const part = () =>
      random.chance(0.3) ? { metricSlug: random.pick(ofEntity(entity, ['SIMPLE'])) } : makeSimple(random, entity)
    add('RATIO', entity, { numerator: part(), denominator: part() })
  }
  for (let index = 0; index < 15; index++) {
    const entity = entityOf()
    const [a = '', b = ''] = [
      random.pick(ofEntity(entity, ['SIMPLE'])),
      random.pick(ofEntity(entity, ['RATIO', 'SIMPLE'])),
    ]
    const { text, compute } = random.pick(formulas)
    if (a === b) continue
    add('DERIVED', entity, { formula: text(a, b), inputs: [a, b] }, ([x = null, y = null]) => compute(x, y))
  }
  for (let index = 0; index < 20; index++) {
    const entity = entityOf()
    const window = random.pick(['36h', '7d', '30d', '2w', '1mo', '3mo'])
    const base = random.pick(ofEntity(entity, ['SIMPLE', 'RATIO', 'DERIVED']))
    add('TREND', entity, { baseMetricSlug: base, currentWindow: window, compareWindow: window })
  }
  return metrics
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham', 'Africa/Casablanca']
const longest: Record<string, number> = { hour: 2 * DAY, day: 35 * DAY, week: 200 * DAY, month: 550 * DAY }
const quarter = (instant: number) => Math.floor(instant / (HOUR / 4)) * (HOUR / 4)

function makeRange(random: SeededRandom, span: number): { from: string; to: string } {
  const start = random.chance(0.4) ? random.pick(corners) - random.below(span) : START + random.below(NOW - START)
  const from = quarter(Math.max(start, START))
  const to = quarter(from + HOUR + random.below(span))
  const write = (instant: number) =>
    random.chance(0.3) ? new Date(instant).toISOString().slice(0, 10) : new Date(instant).toISOString()
  const text = { from: write(from), to: write(to) }
  return Date.parse(text.from) <= Date.parse(text.to) - DAY ? text : { from: iso(from), to: iso(to + 2 * DAY) }
}

const iso = (instant: number) => new Date(instant).toISOString()

const isSum = ({ definition: { aggregation = '' } }: MadeMetric): boolean => ['COUNT', 'SUM'].includes(aggregation)
/** Whether its value over all groups is their mean, weighted by a denominator. */
function isRate({ definition: { aggregation, numerator, denominator } }: MadeMetric): boolean {
  const parts = [numerator, denominator].map((part) =>
    part !== undefined && 'aggregation' in part ? part.aggregation : '',
  )
  return aggregation === 'AVG' || parts.every((part) => part === 'COUNT' || part === 'SUM')
}

/** A random question that the metric can be asked; `isSeries` tells which of the two kinds it is. */
export function makeQuestion(
  random: SeededRandom,
  metrics: readonly MadeMetric[],
): { question: OracleQuestion; isSeries: boolean } {
  const isExplained = random.chance(0.07)
  const metric = random.pick(isExplained ? metrics.filter(random.chance(0.5) ? isSum : isRate) : metrics)
  const isSeries = !isExplained && metric.type === 'SIMPLE' && random.chance(0.5)
  const question: OracleQuestion = { metricSlug: metric.slug }
  if (random.chance(0.6)) question.timeZone = random.pick(zones)
  if (random.chance(0.3)) question.term = makeFilter(random, true)
  if (random.chance(0.35)) question.filters = makeFilter(random)
  if (random.chance(0.15)) question.pinned = makeFilter(random)
  const dimensions = dimensionsOf(metric.entity)
  if (isSeries) {
    const granularity = random.pick(Object.keys(longest))
    question.granularity = granularity
    if (random.chance(0.4)) question.weekStart = random.pick(['sunday', 'monday', 'saturday'])
    if (random.chance(0.85)) Object.assign(question, makeRange(random, longest[granularity] ?? DAY))
    if (random.chance(0.25)) question.dimension = random.pick(dimensions)
    return { question, isSeries }
  }
  if (random.chance(0.6)) Object.assign(question, makeRange(random, 300 * DAY))
  else if (random.chance(0.3)) question.to = makeRange(random, 300 * DAY).to
  if (random.chance(0.2)) question.weekStart = random.pick(['sunday', 'monday', 'saturday'])
  // Sums are asked for by group and compared more often, so that enough of them are added up.
  const isAdditive = ['COUNT', 'SUM'].includes(metric.definition.aggregation ?? '')
  if (random.chance(isAdditive ? 0.9 : 0.5)) question.dimensions = random.some(dimensions, 3)
  if (random.chance(0.6)) question.limit = 1 + random.below(8)
  // Without a limit, as many groups are listed as fit into so many bytes, which the oracle does not count.
  else if (question.dimensions?.includes('asset')) question.limit = 50
  if (random.chance(0.1)) {
    const others = metrics.filter(({ entity }) => entity === metric.entity)
    question.alsoMetrics = random.some(others, 3).map(({ slug }) => slug)
  }
  if (isExplained || random.chance(isAdditive ? 0.8 : 0.4)) {
    const kinds = [
      'previous_year',
      'range',
      ...(question.from === undefined && metric.type !== 'TREND' && metric.definition.window === undefined
        ? []
        : ['previous_period']),
    ]
    const kind = random.pick(kinds)
    question.compare = kind === 'range' ? makeRange(random, 200 * DAY) : kind
    if (isExplained || random.chance(0.1)) question.explain = true
    if (random.chance(0.65)) question.orderBy = random.pick(['value', 'previous', 'delta'])
  }
  return { question, isSeries }
}
