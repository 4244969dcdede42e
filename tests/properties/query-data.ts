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
export class Dice {
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

const instantOf = (dice: Dice): number => {
  if (dice.chance(0.25)) return dice.pick(corners) + dice.pick([0, -1, 1, HOUR, -HOUR, HOUR / 4])
  if (dice.chance(0.2)) return START + dice.below(600) * DAY
  return START + dice.below(NOW - START)
}

export function makeEstate(seed: number, count: number): OracleEstate {
  const dice = new Dice(seed)
  const assets = Array.from({ length: 60 }, (_, index): OracleAsset => {
    const deleted = dice.chance(0.1)
    const firstSeenAt = instantOf(dice)
    return {
      source: dice.pick(sources).name,
      key: `asset-${index}`,
      kind: dice.pick(assetKinds),
      container: dice.pick(containers),
      name: `Page ${dice.below(40)}`,
      owner: dice.maybe(0.6, () => dice.pick(owners)) ?? null,
      labels: dice.chance(0.6) ? dice.some(labels, 3) : [],
      dataset: dice.pick(datasets),
      status: deleted ? 'DELETED' : 'ACTIVE',
      contentUpdatedAt: dice.maybe(0.8, () => instantOf(dice)) ?? null,
      firstSeenAt,
      lastSeenAt: firstSeenAt + dice.below(30) * DAY,
      lastScannedAt: dice.maybe(0.8, () => firstSeenAt + dice.below(60 * DAY)) ?? null,
      deletedAt: deleted ? firstSeenAt + dice.below(200 * DAY) : null,
    }
  })
  return { sources, assets, findings: Array.from({ length: count }, () => makeFinding(dice, assets)) }
}

function makeFinding(dice: Dice, assets: OracleAsset[]): OracleFinding {
  const firstDetectedAt = instantOf(dice)
  const changes: OracleChange[] = []
  let status = dice.chance(0.8) ? 'OPEN' : dice.pick(statuses)
  let at = firstDetectedAt
  while (changes.length < 5 && dice.chance(0.5)) {
    // Changes in the same millisecond are told apart by their order alone.
    at += dice.chance(0.15) ? 0 : dice.below(120 * DAY)
    const to = dice.pick(statuses.filter((other) => other !== status))
    changes.push({ at, from: status, to })
    status = to
  }
  // A clock that was set back leaves resolutions that come before.
  const resolvedAt = changes.findLast(({ to }) => to === 'RESOLVED')?.at ?? firstDetectedAt + dice.below(2 * DAY) - DAY
  return {
    asset: dice.pick(assets).key,
    detectorType: dice.pick(detectorTypes),
    findingType: dice.pick(findingTypes),
    category: dice.pick(categories),
    customDetectorKey: dice.pick(customDetectorKeys),
    severity: dice.pick(severities),
    status,
    confidence: dice.chance(0.3)
      ? dice.pick([0, 0.2499, 0.25, 0.4999, 0.5, 0.75, 0.7501, 0.8999, 0.9, 1])
      : dice.below(10_001) / 10_000,
    firstDetectedAt,
    lastDetectedAt: dice.maybe(0.4, () => firstDetectedAt + dice.below(90 * DAY)) ?? null,
    resolvedAt: status === 'RESOLVED' ? resolvedAt : null,
    changes,
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
}
const exactKeys = ['detectorTypes', 'severities', 'statuses', 'assets']

/** The same word in another letter case or another Unicode form. */
const respell = (dice: Dice, word: string) => {
  if (dice.chance(0.6)) return word
  return dice.pick([word.toUpperCase(), word.toLowerCase(), word.normalize('NFD')])
}

/** Terms that filters name. */
export const namedTerms: OracleTerms = {
  'loud-ones': { severities: ['CRITICAL', 'HIGH'], exclude: { statuses: ['RESOLVED'] } },
  'of-people': { owners: ['ADA', 'Ben'] },
  'legal-pages': { labels: ['LEGAL'], containers: ['engineering', 'Übersicht', 'People'] },
  'slow-ones': { ranges: { resolutionHours: { min: 24 }, confidence: { max: 0.9 } } },
  'old-tokens': { findingTypes: ['TOKEN'], minConfidence: 0.25, ranges: { ageHours: { min: 2400 } } },
}

function makeRanges(dice: Dice): OracleRanges {
  const ends = (make: () => number) => {
    const [one, other] = [make(), make()].sort((a, b) => a - b) as [number, number]
    return dice.pick([{ min: one }, { max: other + 1 }, { min: one, max: other + 0.5 }])
  }
  const times = () => {
    const [one, other] = [instantOf(dice), instantOf(dice)].sort((a, b) => a - b) as [number, number]
    return dice.pick([{ from: iso(one) }, { to: iso(other) }, { from: iso(one), to: iso(other + 1) }])
  }
  const ranges: OracleRanges = {
    resolutionHours: ends(() => dice.below(3000)),
    ageHours: ends(() => dice.below(16_000)),
    confidence: dice.pick([{ min: 0.5 }, { max: 0.9 }, { min: 0.25, max: 0.7501 }, { min: 0.8999, max: 1 }]),
    contentUpdatedAt: times(),
    lastDetectedAt: times(),
    resolvedAt: times(),
  }
  return Object.fromEntries(dice.some(Object.entries(ranges), 2))
}

/** A filter of a caller, a metric or a placement; one of a term names no terms. */
function makeFilter(dice: Dice, ofTerm = false): OracleFilter {
  const keys = () =>
    Object.fromEntries(
      dice.some(Object.keys(keyValues), 2).map((key) => {
        const values = dice.some(keyValues[key] ?? [], key === 'assets' ? 30 : 3)
        return [key, exactKeys.includes(key) ? values : values.map((value) => respell(dice, value))]
      }),
    )
  const filter: OracleFilter = dice.chance(0.8) ? keys() : {}
  if (dice.chance(0.25)) filter.exclude = keys()
  if (dice.chance(0.2)) filter.minConfidence = dice.pick([0.25, 0.5, 0.7501, 0.9])
  if (dice.chance(0.2)) filter.ranges = makeRanges(dice)
  if (dice.chance(0.08)) filter.exclude = { ...filter.exclude, ranges: makeRanges(dice) }
  if (ofTerm) return Object.keys(filter).length === 0 ? keys() : filter
  if (dice.chance(0.2)) filter.terms = dice.some(Object.keys(namedTerms), 2)
  if (dice.chance(0.08)) filter.exclude = { ...filter.exclude, terms: dice.some(Object.keys(namedTerms), 2) }
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
      'customDetectorKey',
      'owner',
      'dataset',
    ],
    times: ['firstDetectedAt', 'lastDetectedAt', 'resolvedAt'],
    dimensions: [
      'severity',
      'detectorType',
      'status',
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
    ],
  },
  asset: {
    numbers: ['ageDays', 'openFindings'],
    distinct: ['assetId', 'sourceId', 'sourceType', 'assetKind', 'container', 'owner', 'dataset'],
    times: ['firstSeenAt', 'lastSeenAt', 'lastScannedAt', 'contentUpdatedAt'],
    dimensions: ['source', 'sourceType', 'assetKind', 'container', 'asset', 'owner', 'label', 'dataset'],
  },
} as const
export type EntityName = keyof typeof facts
export const dimensionsOf = (entity: EntityName): readonly string[] => facts[entity].dimensions

function makeSimple(dice: Dice, entity: EntityName): OracleSimple {
  const aggregation = dice.pick([
    ...['COUNT', 'COUNT', 'COUNT', 'COUNT_DISTINCT', 'COUNT_DISTINCT', 'SUM', 'AVG', 'MIN', 'MAX'],
    ...['MEDIAN', 'MEDIAN', 'PERCENTILE'],
  ])
  const { numbers, distinct, times } = facts[entity]
  const simple: OracleSimple = { aggregation, entity }
  if (aggregation === 'COUNT_DISTINCT') simple.field = dice.pick<string>(distinct)
  else if (aggregation !== 'COUNT') simple.field = dice.pick<string>(numbers)
  if (dice.chance(0.5)) simple.filters = makeFilter(dice)
  if (entity === 'asset' && dice.chance(0.2)) simple.filters = { ...simple.filters, scanned: dice.chance(0.5) }
  if (dice.chance(0.5)) simple.timeField = dice.pick<string>(times)
  if (aggregation === 'PERCENTILE') simple.p = dice.pick([0, 0.1, 0.25, 0.5, 0.9, 0.95, 0.99, 1])
  if (dice.chance(0.35)) simple.mode = 'stock'
  else if (dice.chance(0.3)) {
    simple.window = dice.chance(0.5)
      ? { last: dice.pick(['36h', '7d', '28d', '4w', '1mo', '3mo']) }
      : { toDate: dice.pick(['week', 'month', 'quarter', 'year']) }
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
  const dice = new Dice(seed)
  const metrics: MadeMetric[] = []
  const add = (
    type: string,
    entity: EntityName,
    definition: OracleMetric['definition'],
    compute?: OracleMetric['compute'],
  ) => {
    const slug = `m${metrics.length}`
    const term = dice.maybe(0.3, () => makeFilter(dice, true)) ?? null
    const emptyAs = type === 'SIMPLE' ? dice.pick([null, 'zero', 'null'] as const) : null
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
  const entityOf = () => (dice.chance(0.7) ? 'finding' : 'asset') as EntityName
  for (let index = 0; index < 60; index++) {
    const entity = entityOf()
    add('SIMPLE', entity, makeSimple(dice, entity))
  }
  const ofEntity = (entity: EntityName, types: string[]) =>
    metrics.filter((metric) => metric.entity === entity && types.includes(metric.type)).map(({ slug }) => slug)
  for (let index = 0; index < 25; index++) {
    const entity = entityOf()
    const part = () =>
      dice.chance(0.3) ? { metricSlug: dice.pick(ofEntity(entity, ['SIMPLE'])) } : makeSimple(dice, entity)
    add('RATIO', entity, { numerator: part(), denominator: part() })
  }
  for (let index = 0; index < 15; index++) {
    const entity = entityOf()
    const [a = '', b = ''] = [dice.pick(ofEntity(entity, ['SIMPLE'])), dice.pick(ofEntity(entity, ['RATIO', 'SIMPLE']))]
    const { text, compute } = dice.pick(formulas)
    if (a === b) continue
    add('DERIVED', entity, { formula: text(a, b), inputs: [a, b] }, ([x = null, y = null]) => compute(x, y))
  }
  for (let index = 0; index < 20; index++) {
    const entity = entityOf()
    const window = dice.pick(['36h', '7d', '30d', '2w', '1mo', '3mo'])
    const base = dice.pick(ofEntity(entity, ['SIMPLE', 'RATIO', 'DERIVED']))
    add('TREND', entity, { baseMetricSlug: base, currentWindow: window, compareWindow: window })
  }
  return metrics
}

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham', 'Africa/Casablanca']
const longest: Record<string, number> = { hour: 2 * DAY, day: 35 * DAY, week: 200 * DAY, month: 550 * DAY }
const quarter = (instant: number) => Math.floor(instant / (HOUR / 4)) * (HOUR / 4)

function makeRange(dice: Dice, span: number): { from: string; to: string } {
  const start = dice.chance(0.4) ? dice.pick(corners) - dice.below(span) : START + dice.below(NOW - START)
  const from = quarter(Math.max(start, START))
  const to = quarter(from + HOUR + dice.below(span))
  const write = (instant: number) =>
    dice.chance(0.3) ? new Date(instant).toISOString().slice(0, 10) : new Date(instant).toISOString()
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
  dice: Dice,
  metrics: readonly MadeMetric[],
): { question: OracleQuestion; isSeries: boolean } {
  const isExplained = dice.chance(0.07)
  const metric = dice.pick(isExplained ? metrics.filter(dice.chance(0.5) ? isSum : isRate) : metrics)
  const isSeries = !isExplained && metric.type === 'SIMPLE' && dice.chance(0.5)
  const question: OracleQuestion = { metricSlug: metric.slug }
  if (dice.chance(0.6)) question.timeZone = dice.pick(zones)
  if (dice.chance(0.3)) question.term = makeFilter(dice, true)
  if (dice.chance(0.35)) question.filters = makeFilter(dice)
  if (dice.chance(0.15)) question.pinned = makeFilter(dice)
  const dimensions = dimensionsOf(metric.entity)
  if (isSeries) {
    const granularity = dice.pick(Object.keys(longest))
    question.granularity = granularity
    if (dice.chance(0.4)) question.weekStart = dice.pick(['sunday', 'monday', 'saturday'])
    if (dice.chance(0.85)) Object.assign(question, makeRange(dice, longest[granularity] ?? DAY))
    if (dice.chance(0.25)) question.dimension = dice.pick(dimensions)
    return { question, isSeries }
  }
  if (dice.chance(0.6)) Object.assign(question, makeRange(dice, 300 * DAY))
  else if (dice.chance(0.3)) question.to = makeRange(dice, 300 * DAY).to
  if (dice.chance(0.2)) question.weekStart = dice.pick(['sunday', 'monday', 'saturday'])
  // Sums are asked for by group and compared more often, so that enough of them are added up.
  const isAdditive = ['COUNT', 'SUM'].includes(metric.definition.aggregation ?? '')
  if (dice.chance(isAdditive ? 0.9 : 0.5)) question.dimensions = dice.some(dimensions, 3)
  if (dice.chance(0.6)) question.limit = 1 + dice.below(8)
  // Without a limit, as many groups are listed as fit into so many bytes, which the oracle does not count.
  else if (question.dimensions?.includes('asset')) question.limit = 50
  if (dice.chance(0.1)) {
    const others = metrics.filter(({ entity }) => entity === metric.entity)
    question.alsoMetrics = dice.some(others, 3).map(({ slug }) => slug)
  }
  if (isExplained || dice.chance(isAdditive ? 0.8 : 0.4)) {
    const kinds = [
      'previous_year',
      'range',
      ...(question.from === undefined && metric.type !== 'TREND' && metric.definition.window === undefined
        ? []
        : ['previous_period']),
    ]
    const kind = dice.pick(kinds)
    question.compare = kind === 'range' ? makeRange(dice, 200 * DAY) : kind
    if (isExplained || dice.chance(0.1)) question.explain = true
    if (dice.chance(0.65)) question.orderBy = dice.pick(['value', 'previous', 'delta'])
  }
  return { question, isSeries }
}
