// A naive evaluation of metrics over plain arrays. It imports nothing from src/, so that it shares no mistake with it.

import { type Clock, getClock } from './query-clock.ts'
import { divideNaively, type NaiveDivision, type NaiveValue } from './query-division.ts'
import { aggregate, inside, passes, type Row, speaksOfFindings, type Window } from './query-rows.ts'
import type {
  OracleAsset,
  OracleEstate,
  OracleFilter,
  OracleFinding,
  OracleMetric,
  OraclePart,
  OracleQuestion,
  OracleSimple,
  OracleTerms,
} from './query-terms.ts'

interface Change {
  previous?: number | null
  delta?: number | null
  pctChange?: number | null
}

interface Group extends Change {
  name: string
  value: number | null
  n?: number
  numerator?: number | null
  denominator?: number | null
}

export interface OracleAnswer {
  value: number | null
  breakdown: Group[]
  totalGroups: number
  other?: Change & { groups: number; value: number | null }
  /** Whether the limit lists some groups of one rank and leaves out others. */
  isTieCut: boolean
  comparison?: { value: number | null; delta: number | null; pctChange: number | null }
  n?: number
  /** By dimension. */
  drivers?: Map<string, NaiveDivision>
}

export interface OracleSeries {
  points: { timestamp: string; value: number | null; n?: number; complete: boolean }[]
  groups?: Map<string, (number | null)[]>
}

const HOUR = 3_600_000
const typical = ['AVG', 'MIN', 'MAX', 'MEDIAN', 'PERCENTILE']
const DAY = 24 * HOUR

export class Oracle {
  readonly #estate: OracleEstate
  readonly #metrics: Map<string, OracleMetric>
  readonly #now: number
  readonly #terms: OracleTerms
  readonly #assets: Map<string, OracleAsset>
  readonly #types: Map<string, string>
  readonly #byAsset = new Map<string, OracleFinding[]>()
  readonly #known = new Map<string, Row[]>()
  /** Rows by group, for each list of dimensions. */
  readonly #grouped = new Map<string, Map<Row[], Map<string, Row[]>>>()
  readonly #present = new Map<OracleFinding, Row>()
  readonly #facets = new Map<OracleFinding, Record<string, string | null>>()

  #clock = getClock('UTC')
  #weekStart = 'monday'

  constructor(
    estate: OracleEstate,
    metrics: OracleMetric[],
    now: number,
    terms: OracleTerms = { filters: {}, policies: [] },
  ) {
    this.#terms = terms
    this.#estate = estate
    this.#metrics = new Map(metrics.map((metric) => [metric.slug, metric]))
    this.#now = now
    this.#assets = new Map(estate.assets.map((asset) => [asset.key, asset]))
    this.#types = new Map(estate.sources.map(({ name, type }) => [name, type]))
    for (const finding of estate.findings) {
      const known = this.#byAsset.get(finding.asset) ?? []
      known.push(finding)
      this.#byAsset.set(finding.asset, known)
    }
  }

  evaluate(question: OracleQuestion): OracleAnswer {
    const metric = this.#get(question.metricSlug)
    const clock = this.#begin(question)
    const window = this.#window(question, clock)
    const dims = question.dimensions ?? []
    const scopes = toScopes(question)
    const over = (range: Window, keep?: ReadonlySet<string>) => this.#value(metric, scopes, range, clock, dims, keep)
    const total = over(window)
    const answer: OracleAnswer = { ...total, breakdown: [], totalGroups: 0, isTieCut: false }
    const before = question.compare === undefined ? undefined : this.#before(question, metric, window, clock)
    if (dims.length > 0) {
      const windows = before === undefined ? [window] : [window, before]
      const names = new Set(windows.flatMap((range) => [...this.#names(metric, scopes, range, clock, dims)]))
      const both = (keep: ReadonlySet<string>) => {
        const now = over(window, keep)
        return before === undefined ? now : { ...now, ...toChange(now.value, over(before, keep).value) }
      }
      const groups = [...names]
        .map((name): Group => ({ name, ...both(new Set([name])) }))
        .sort((a, b) => order(a, b, question.orderBy))
      const limit = question.limit ?? 50
      answer.totalGroups = groups.length
      answer.breakdown = groups.slice(0, limit)
      const cut = new Set(groups.slice(limit).map(({ name }) => name))
      if (cut.size > 0) answer.other = { groups: cut.size, ...both(cut) }
      const [last, next] = [groups[limit - 1], groups[limit]].map((group) => group && rank(group, question.orderBy))
      answer.isTieCut = last != null && last === next
    }
    if (before !== undefined) {
      const { previous, ...change } = toChange(answer.value, over(before).value)
      answer.comparison = { value: previous, ...change }
      if (question.explain === true) {
        const kind = this.#divisionOf(metric)
        const asked = (dims.length > 0 ? dims : (metric.allowedDimensions ?? [])).filter((name) => name !== 'label')
        answer.drivers = new Map(
          asked.map((dimension) => {
            const by = [dimension]
            const reading = (range: Window) => (keep?: ReadonlySet<string>) =>
              this.#value(metric, scopes, range, clock, by, keep)
            const names = [window, before].flatMap((range) => [...this.#names(metric, scopes, range, clock, by)])
            return [dimension, divideNaively(kind, new Set(names), reading(before), reading(window))]
          }),
        )
      }
    }
    return answer
  }

  series(question: OracleQuestion): OracleSeries {
    const metric = this.#get(question.metricSlug)
    const clock = this.#begin(question)
    const scopes = toScopes(question)
    const window = this.#window(question, clock)
    const edges = clock.edges(window, question.granularity ?? 'day', question.weekStart ?? 'monday')
    const dims = question.dimension === undefined ? [] : [question.dimension]
    const buckets = edges.slice(0, -1).map((start, index) => ({ start, end: edges[index + 1] ?? start }))
    const at = ({ start, end }: { start: number; end: number }, keep?: ReadonlySet<string>) => {
      const part = { from: Math.max(start, window.from), to: Math.min(end, window.to), openFrom: false, openTo: false }
      return this.#value(metric, scopes, part, clock, dims, keep)
    }
    const points = buckets.map((bucket) => ({
      timestamp: new Date(bucket.start).toISOString(),
      ...at(bucket),
      complete: bucket.start >= window.from && bucket.end <= window.to && bucket.end <= this.#now,
    }))
    if (dims.length === 0) return { points }
    const names = new Set<string>()
    for (const { start, end } of buckets) {
      const part = { from: Math.max(start, window.from), to: Math.min(end, window.to), openFrom: false, openTo: false }
      for (const name of this.#names(metric, scopes, part, clock, dims)) names.add(name)
    }
    return {
      points,
      groups: new Map([...names].map((name) => [name, buckets.map((bucket) => at(bucket, new Set([name])).value)])),
    }
  }

  #begin({ timeZone = 'UTC', weekStart = 'monday' }: OracleQuestion): Clock {
    this.#known.clear()
    this.#grouped.clear()
    this.#weekStart = weekStart
    this.#clock = getClock(timeZone)
    return this.#clock
  }

  #get(slug: string): OracleMetric {
    const metric = this.#metrics.get(slug)
    if (metric === undefined) throw new Error(`the oracle has no ${slug}`)
    return metric
  }

  #window({ from, to }: OracleQuestion, clock: Clock): Window {
    return {
      from: from === undefined ? Number.NEGATIVE_INFINITY : clock.read(from, 'from'),
      to: to === undefined ? this.#now : clock.read(to, 'to'),
      openFrom: from === undefined,
      openTo: to === undefined,
    }
  }

  #before({ compare }: OracleQuestion, metric: OracleMetric, window: Window, clock: Clock): Window {
    const closed = { openFrom: false, openTo: false }
    if (typeof compare === 'object') {
      return { from: clock.read(compare.from, 'from'), to: clock.read(compare.to, 'to'), ...closed }
    }
    if (compare === 'previous_year') {
      const from = window.openFrom ? window.from : clock.shift(window.from, -12, 0)
      return { from, to: clock.shift(window.to, -12, 0), openFrom: window.openFrom, openTo: false }
    }
    const own = metric.type === 'SIMPLE' ? metric.definition.window : undefined
    if (own !== undefined) {
      const length = own.last ?? { week: '1w', month: '1mo', quarter: '3mo', year: '12mo' }[own.toDate ?? ''] ?? ''
      return { from: Number.NEGATIVE_INFINITY, to: clock.back(window.to, length, 1), openFrom: true, openTo: false }
    }
    const start =
      metric.type === 'TREND' ? clock.back(window.to, metric.definition.currentWindow ?? '', 1) : window.from
    return { from: start - (window.to - start), to: start, ...closed }
  }

  /** The names of the groups that have rows in any number the metric is made of. */
  #names(metric: OracleMetric, outer: OracleFilter[], window: Window, clock: Clock, dims: string[]): Set<string> {
    const scopes = metric.term === null ? outer : [...outer, metric.term]
    const { definition } = metric
    const ofSlug = (slug: string, over = window) => this.#names(this.#get(slug), scopes, over, clock, dims)
    const ofPart = (part: OraclePart | undefined): Set<string> => {
      if (part === undefined) return new Set()
      if ('metricSlug' in part) return ofSlug(part.metricSlug)
      return new Set(this.#group(this.#rows(part, scopes, window), dims).keys())
    }
    switch (metric.type) {
      case 'SIMPLE':
        return ofPart(definition as OracleSimple)
      case 'RATIO':
        return new Set([...ofPart(definition.numerator), ...ofPart(definition.denominator)])
      case 'DERIVED':
        return new Set((definition.inputs ?? []).flatMap((slug) => [...ofSlug(slug)]))
      default: {
        const { current, previous } = this.#windows(metric, window, clock)
        const base = definition.baseMetricSlug ?? ''
        return new Set([...ofSlug(base, current), ...ofSlug(base, previous)])
      }
    }
  }

  #windows({ definition }: OracleMetric, window: Window, clock: Clock): { current: Window; previous: Window } {
    const length = definition.currentWindow ?? ''
    const middle = clock.back(window.to, length, 1)
    const start = clock.back(window.to, length, 2)
    const closed = { openFrom: false, openTo: false }
    return {
      current: { from: middle, to: window.to, ...closed },
      previous: { from: start, to: middle, ...closed },
    }
  }

  #value(
    metric: OracleMetric,
    outer: OracleFilter[],
    window: Window,
    clock: Clock,
    dims: string[],
    keep?: ReadonlySet<string>,
  ): NaiveValue {
    const scopes = metric.term === null ? outer : [...outer, metric.term]
    const { definition } = metric
    const ofSlug = (slug: string, over = window) => this.#value(this.#get(slug), scopes, over, clock, dims, keep).value
    const ofPart = (part: OraclePart | undefined, emptyAs: 'zero' | 'null'): number | null => {
      if (part === undefined) throw new Error('the oracle misses a part')
      if ('metricSlug' in part) return ofSlug(part.metricSlug)
      const rows = this.#rowsOf(this.#rows(part, scopes, window), dims, keep)
      return aggregate(part, rows, emptyAs)
    }
    switch (metric.type) {
      case 'SIMPLE': {
        const simple = definition as OracleSimple
        const value = ofPart(simple, metric.emptyAs ?? 'zero')
        if (!typical.includes(simple.aggregation)) return { value }
        const rows = this.#rowsOf(this.#rows(simple, scopes, window), dims, keep)
        return { value, n: rows.filter((row) => row.numbers[simple.field ?? ''] != null).length }
      }
      case 'RATIO': {
        const numerator = ofPart(definition.numerator, 'zero')
        const denominator = ofPart(definition.denominator, 'zero')
        const value = numerator === null || !denominator ? null : numerator / denominator
        return { value, numerator, denominator }
      }
      case 'DERIVED':
        return { value: metric.compute?.((definition.inputs ?? []).map((slug) => ofSlug(slug))) ?? null }
      default: {
        const { current, previous } = this.#windows(metric, window, clock)
        const [now, before] = [current, previous].map((over) => ofSlug(definition.baseMetricSlug ?? '', over))
        if (now == null || before == null || before === 0) return { value: null }
        return { value: (now - before) / Math.abs(before) }
      }
    }
  }

  /** Whether the value of a whole is the sum of its parts, or their weighted mean. */
  #divisionOf({ type, definition }: OracleMetric): 'sum' | 'rate' | undefined {
    const isSum = (part: OraclePart | undefined): boolean => {
      if (part === undefined) return false
      if ('aggregation' in part) return part.aggregation === 'COUNT' || part.aggregation === 'SUM'
      const metric = this.#get(part.metricSlug)
      return metric.type === 'SIMPLE' && isSum(metric.definition as OracleSimple)
    }
    if (type === 'RATIO') return isSum(definition.numerator) && isSum(definition.denominator) ? 'rate' : undefined
    if (type !== 'SIMPLE') return undefined
    return definition.aggregation === 'AVG' ? 'rate' : isSum(definition as OracleSimple) ? 'sum' : undefined
  }

  #rowsOf(rows: Row[], dims: string[], keep?: ReadonlySet<string>): Row[] {
    if (keep === undefined) return rows
    const groups = this.#group(rows, dims)
    // A row with several labels is in several groups, and counts once.
    return [...new Set([...keep].flatMap((name) => groups.get(name) ?? []))]
  }

  #group(rows: Row[], dims: string[]): Map<string, Row[]> {
    const ofDimensions = this.#grouped.get(dims.join()) ?? new Map<Row[], Map<string, Row[]>>()
    this.#grouped.set(dims.join(), ofDimensions)
    const known = ofDimensions.get(rows)
    if (known !== undefined) return known
    const groups = new Map<string, Row[]>()
    for (const row of rows) {
      for (const name of namesOf(row, dims)) {
        const group = groups.get(name)
        if (group === undefined) groups.set(name, [row])
        else group.push(row)
      }
    }
    ofDimensions.set(rows, groups)
    return groups
  }

  /** The rows of a population; kept until the next question, because every group asks for them again. */
  #rows(simple: OracleSimple, scopes: OracleFilter[], asked: Window): Row[] {
    const window = simple.window === undefined ? asked : this.#ownWindow(simple.window, asked.to)
    const id = JSON.stringify([simple, scopes, window.from, window.to, window.openTo])
    const known = this.#known.get(id) ?? this.#selectRows(simple, scopes, window)
    this.#known.set(id, known)
    return known
  }

  #ownWindow({ last, toDate }: { last?: string; toDate?: string }, to: number): Window {
    const from =
      last === undefined ? this.#clock.startOf(to - 1, toDate ?? '', this.#weekStart) : this.#clock.back(to, last, 1)
    return { from, to, openFrom: false, openTo: false }
  }

  #selectRows(simple: OracleSimple, scopes: OracleFilter[], window: Window): Row[] {
    const filters = simple.filters === undefined ? scopes : [simple.filters, ...scopes]
    const stock = simple.mode === 'stock'
    // A stock without an end is the present state, with all that was kept until now.
    const moment = stock ? (window.openTo ? this.#now + 1 : window.to) : this.#now
    if (simple.entity === 'asset') return this.#assetRows(simple, filters, window, stock, moment)
    const { timeField = 'firstDetectedAt' } = simple
    return this.#estate.findings.flatMap((finding) => {
      if (stock && finding.firstDetectedAt >= moment) return []
      const row = this.#findingRow(finding, stock, moment)
      if (!stock && !inside(row.times[timeField] ?? null, window)) return []
      return filters.every((filter) => passes(row, filter, this.#terms)) ? [row] : []
    })
  }

  #findingRow(finding: OracleFinding, stock: boolean, moment: number): Row {
    const known = stock ? undefined : this.#present.get(finding)
    if (known !== undefined) return known
    const row = this.#makeFindingRow(finding, stock, moment)
    if (!stock) this.#present.set(finding, row)
    return row
  }

  #makeFindingRow(finding: OracleFinding, stock: boolean, moment: number): Row {
    const asset = this.#asset(finding.asset)
    const later = stock ? finding.changes.find(({ at }) => at >= moment) : undefined
    const { until = Number.POSITIVE_INFINITY, endsAs } = finding
    const hasEnded = stock && until < moment
    const status = hasEnded ? (endsAs ?? 'OPEN') : (later?.from ?? finding.status)
    const resolutions = finding.changes.filter(({ to, at }) => to === 'RESOLVED' && at < moment).map(({ at }) => at)
    const present = hasEnded ? until : finding.resolvedAt
    const known = later === undefined ? present : (resolutions.at(-1) ?? null)
    const scanned = asset.lastScannedAt ?? 0
    return {
      labels: asset.labels,
      facets: Object.assign(Object.create(this.#findingFacets(finding)), { status }),
      numbers: {
        confidence: finding.confidence,
        audienceSize: asset.audienceSize,
        ageHours: Math.max(0, moment - finding.firstDetectedAt) / HOUR,
        resolutionHours:
          status === 'RESOLVED' && known !== null ? Math.max(0, known - finding.firstDetectedAt) / HOUR : null,
      },
      times: {
        firstDetectedAt: finding.firstDetectedAt,
        lastDetectedAt: finding.lastDetectedAt ?? Math.max(scanned, finding.firstDetectedAt),
        resolvedAt: stock ? (status === 'RESOLVED' ? known : null) : finding.resolvedAt,
        contentUpdatedAt: asset.contentUpdatedAt,
      },
    }
  }

  #assetRows(simple: OracleSimple, filters: OracleFilter[], window: Window, stock: boolean, moment: number): Row[] {
    const ofFindings = filters.some((filter) => speaksOfFindings(filter, this.#terms))
    return this.#estate.assets.flatMap((asset) => {
      const findings = (this.#byAsset.get(asset.key) ?? [])
        .filter(({ firstDetectedAt }) => !stock || firstDetectedAt < moment)
        .map((finding) => this.#findingRow(finding, stock, moment))
      const open = findings.filter(({ facets }) => facets.status === 'OPEN').length
      const row: Row = {
        labels: asset.labels,
        facets: { ...this.#assetFacets(asset), scanned: String(asset.lastScannedAt !== null) },
        numbers: {
          ageDays: asset.contentUpdatedAt === null ? null : Math.max(0, moment - asset.contentUpdatedAt) / DAY,
          openFindings: open,
          audienceSize: asset.audienceSize,
        },
        times: {
          firstSeenAt: asset.firstSeenAt,
          lastSeenAt: asset.lastSeenAt,
          lastScannedAt: asset.lastScannedAt,
          contentUpdatedAt: asset.contentUpdatedAt,
        },
      }
      if (stock) {
        if (asset.status === 'DELETED' && (asset.deletedAt ?? 0) < moment) return []
        if (!ofFindings && asset.firstSeenAt >= moment) return []
      } else {
        if (asset.status === 'DELETED') return []
        if (!inside(row.times[simple.timeField ?? 'firstSeenAt'] ?? null, window)) return []
      }
      const scanned = filters.find((filter) => filter.scanned !== undefined)?.scanned
      if (scanned !== undefined && String(scanned) !== row.facets.scanned) return []
      const fits = ofFindings
        ? findings.some((finding) => filters.every((filter) => passes(finding, filter, this.#terms)))
        : filters.every((filter) => passes(row, filter, this.#terms))
      return fits ? [row] : []
    })
  }

  #findingFacets(finding: OracleFinding): Record<string, string | null> {
    const known = this.#facets.get(finding) ?? {
      ...this.#assetFacets(this.#asset(finding.asset)),
      detectorType: finding.detectorType,
      findingType: finding.findingType,
      category: finding.category || null,
      customDetectorKey: finding.customDetectorKey || null,
      severity: finding.severity,
      presence: finding.presence,
      value: finding.value,
    }
    this.#facets.set(finding, known)
    return known
  }

  #asset(key: string): OracleAsset {
    const asset = this.#assets.get(key)
    if (asset === undefined) throw new Error(`the oracle has no asset ${key}`)
    return asset
  }

  #assetFacets(asset: OracleAsset): Record<string, string | null> {
    return {
      assetId: asset.key,
      source: asset.source,
      sourceId: asset.source,
      sourceType: this.#types.get(asset.source) ?? null,
      assetKind: asset.kind,
      container: asset.container || null,
      asset: `${asset.name}#${asset.key}`,
      owner: asset.owner,
      dataset: asset.dataset || null,
      audience: asset.audience,
    }
  }
}

/** The groups of a row, each as its values; assets with their keys, which tell equal names apart. */
function namesOf({ facets, labels }: Row, dims: string[]): string[] {
  const values = dims.map((dimension) =>
    dimension === 'label' ? (labels.length === 0 ? ['(none)'] : labels) : [facets[dimension] ?? '(none)'],
  )
  return values.reduce<string[]>(
    (names, next, index) => names.flatMap((name) => next.map((value) => (index === 0 ? value : `${name} / ${value}`))),
    [''],
  )
}

function toChange(value: number | null, previous: number | null) {
  const delta = value === null || previous === null ? null : value - previous
  return { previous, delta, pctChange: delta === null || !previous ? null : delta / Math.abs(previous) }
}

function rank({ value, previous = null, delta = null }: Group, orderBy = 'value'): number | null {
  if (orderBy === 'value') return value
  if (orderBy === 'previous') return previous
  return delta === null ? null : Math.abs(delta)
}

/** The name of a group as answers show it. */
export const shownName = (name: string): string => name.replaceAll(/#[^ ]*/g, '')

function order(one: Group, other: Group, orderBy: string | undefined): number {
  const [a, b] = [rank(one, orderBy), rank(other, orderBy)]
  if (a === b) {
    const [left, right] = [shownName(one.name), shownName(other.name)]
    return left === right ? (one.name < other.name ? -1 : 1) : left < right ? -1 : 1
  }
  if (a === null) return 1
  if (b === null) return -1
  return b - a
}

function toScopes({ term, filters, pinned }: OracleQuestion): OracleFilter[] {
  return [term, filters, pinned].filter((scope) => scope !== undefined)
}
