import { z } from 'zod'
import { operations } from '../../../src/catalogue.ts'
import { facetRows } from '../../../src/findings/facets.ts'
import { FilterMapping } from '../../../src/findings/filter.ts'
import { FilterRanges } from '../../../src/findings/ranges.ts'
import type { Operation } from '../../../src/operation/operation.ts'
import type { SeededRandom } from '../../properties/query-data.ts'

type Part = Readonly<Record<string, unknown>>

/** What a sweep asks: an operation with its input, a page of its list, and a form of its answer. */
export interface Asked {
  operation: Operation
  input: Part
  page: 'first' | 'twentieth' | 'last'
  form: 'json' | keyof NonNullable<Operation['files']>
}

/** What the filled database has, by which members of inputs get their values. */
export interface Facts {
  metrics: readonly { slug: string; type: string; allowedDimensions: readonly string[] }[]
  terms: readonly string[]
  dashboards: readonly string[]
  sources: readonly string[]
  findings: readonly string[]
  assets: readonly string[]
  scans: readonly string[]
  /** Of each dimension its values, those of the most findings first. */
  values: ReadonlyMap<string, readonly string[]>
  now: number
}

/** Members that are left out: they name what only a change makes, or are covered by others. */
const leftOut: ReadonlySet<string> = new Set([
  'cursor',
  'limit',
  'offset',
  'waitSeconds',
  'waitFor',
  'head',
  'from',
  'to',
])
/** Operations that ask tenants, or need a definition that a sweep would have to make. */
const notAsked: ReadonlySet<string> = new Set([
  'test_source',
  'preview_custom_detector',
  'get_custom_detector',
  'get_watch',
  'preview_watch',
])

const DAY = 86_400_000
const iso = (instant: number) => new Date(instant).toISOString()

const schemaOf = ({ input }: Operation) =>
  z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as {
    properties?: Record<string, { type?: string; enum?: unknown[] }>
    required?: string[]
  }

/** Filters of one key each: those that few, many and all findings match. */
export function listFilters({ values, terms, now }: Facts): Part[] {
  const ofKeys = facetRows.flatMap(({ name, filterKey }): Part[] => {
    const [own, [most]] = [values.get(name) ?? [], values.get(name) ?? []]
    if (most === undefined) return [{ [filterKey]: ['(none)'] }]
    return [{ [filterKey]: own.slice(-1) }, { [filterKey]: [most] }, { [filterKey]: own }]
  })
  const others: Record<string, unknown[]> = {
    minConfidence: [0.999, 0.75, 0],
    terms: terms.map((term) => [term]),
    overdue: [true, false],
    sla: [['MET'], ['MISSED'], ['MET', 'MISSED']],
    ranges: Object.entries(FilterRanges.shape).flatMap(([key, schema]) => {
      const isOfTimes = 'from' in schema.unwrap().shape
      const ends = isOfTimes
        ? [{ from: iso(now - 30 * DAY) }, { from: iso(now - 300 * DAY), to: iso(now - 30 * DAY) }, { to: iso(now) }]
        : key === 'confidence'
          ? [{ above: 0.99 }, { min: 0.6, max: 0.9 }, { min: 0 }]
          : [{ max: 72 }, { min: 240, max: 8760 }, { min: 0 }]
      return ends.map((range) => ({ [key]: range }))
    }),
    exclude: ofKeys,
  }
  const known = new Set([...facetRows.map(({ filterKey }) => filterKey), ...Object.keys(others)])
  const unknown = Object.keys(FilterMapping.shape).filter((key) => !known.has(key as never))
  if (unknown.length > 0) throw new RangeError(`The sweep has no values for the filter keys ${unknown.join(', ')}.`)
  return [...ofKeys, ...Object.entries(others).flatMap(([key, own]) => own.map((value) => ({ [key]: value })))]
}

/** Several members that only make sense together. */
const listTimes = ({ now }: Facts, members: ReadonlySet<string>): Part[] => {
  if (!members.has('from')) return []
  const [past, month] = [{ to: iso(now - 120 * DAY) }, { from: iso(now - 60 * DAY), to: iso(now - 30 * DAY) }]
  const compared = ['previous_period', 'previous_year'].flatMap((compare): Part[] =>
    members.has('explain')
      ? [
          { ...month, compare },
          { ...month, compare, explain: true },
          { ...month, compare, orderBy: 'delta' },
        ]
      : [{ ...month, compare }],
  )
  const year = { from: iso(now - 365 * DAY), to: iso(now) }
  return [past, month, year, ...(members.has('compare') ? compared : [])]
}

const nameMembers = (facts: Facts, { name }: Operation): Readonly<Record<string, readonly unknown[]>> => {
  const dimensions = [...facts.values.keys()]
  const slugs = facts.metrics.map(({ slug }) => slug)
  const asked = name.endsWith('glossary_term') ? facts.terms : slugs
  const ids = name === 'get_asset' ? facts.assets : name === 'get_scan' ? facts.scans : facts.findings
  return {
    metricSlug: slugs,
    alsoMetrics: [slugs.slice(0, 8)],
    glossaryTermSlug: facts.terms,
    slug: asked,
    dashboard: facts.dashboards,
    id: name === 'get_source' ? facts.sources : ids,
    assetId: facts.assets,
    source: facts.sources,
    name: slugs,
    category: ['SECURITY'],
    search: ['archive 77', 'example', 'nowhere-at-all'],
    dimension: dimensions,
    dimensions: listSets(dimensions, name === 'explore_view' ? 12 : 3),
    timeZone: ['Asia/Kathmandu', 'America/New_York'],
    focus: [{ from: iso(facts.now - 50 * DAY), to: iso(facts.now - 40 * DAY) }],
    kind: ['metric'],
  }
}

/** All sets of one, two and three dimensions, or all of them where more are taken. */
function listSets(dimensions: readonly string[], most: number): string[][] {
  const singles = dimensions.map((one) => [one])
  if (most > 3) return [...singles, dimensions.slice(0, most)]
  const after = (one: string) => dimensions.slice(dimensions.indexOf(one) + 1)
  const larger = (sets: string[][]) => sets.flatMap((set) => after(set.at(-1) ?? '').map((other) => [...set, other]))
  const pairs = larger(singles)
  return [...singles, ...pairs, ...larger(pairs)]
}

/** The values of an operation on each of its axes; the first leaves everything out, unless something is required. */
function listAxes(operation: Operation, facts: Facts): Part[][] {
  const { properties = {}, required = [] } = schemaOf(operation)
  const members = new Set(Object.keys(properties))
  const named = nameMembers(facts, operation)
  const hasFilters = members.has('filters')
  const inList = Object.keys(FilterMapping.shape).every((key) => members.has(key))
  const filters = listFilters(facts).map((filter) => (hasFilters ? { filters: filter } : filter))
  const axes = [listTimes(facts, members), ...(hasFilters || inList ? [filters, filters] : [])]
  for (const [name, schema] of Object.entries(properties)) {
    if (leftOut.has(name) || ['filters', 'compare', 'explain', 'orderBy'].includes(name)) continue
    if (inList && name in FilterMapping.shape) continue
    const values = named[name] ?? schema.enum ?? (schema.type === 'boolean' ? [true] : undefined)
    if (values === undefined) throw new RangeError(`The sweep has no values for ${name} of ${operation.name}.`)
    axes.push(values.map((value) => ({ [name]: value })))
  }
  const isRequired = (axis: readonly Part[]) => required.some((name) => axis.some((part) => name in part))
  return axes.filter(({ length }) => length > 0).map((axis) => (isRequired(axis) ? axis : [{}, ...axis]))
}

/** Members together, with the keys of two filters in one. */
function join(parts: readonly Part[]): Part {
  const joined = Object.assign({}, ...parts) as Part
  const filters = parts.flatMap(({ filters: own }) => (own === undefined ? [] : [own]))
  return filters.length === 0 ? joined : { ...joined, filters: Object.assign({}, ...filters) }
}

/** Whether a metric can be asked so: a series is only of a SIMPLE one, and each allows its own dimensions. */
function isAllowed({ input: { metricSlug, dimension, dimensions = [] }, operation }: Asked, facts: Facts): boolean {
  const metric = facts.metrics.find(({ slug }) => slug === metricSlug)
  const asked = [...(dimensions as string[]), ...(dimension === undefined ? [] : [dimension])] as string[]
  if (operation.name === 'query_metric_timeseries' && metric?.type !== 'SIMPLE') return false
  return metric === undefined || asked.every((each) => metric.allowedDimensions.includes(each))
}

const openSpaces = (facts: Facts) =>
  operations
    .filter(({ effect, route, name }) => effect === 'read' && route !== undefined && !notAsked.has(name))
    .map((operation) => {
      const forms: Asked['form'][] = ['json', ...(Object.keys(operation.files ?? {}) as Asked['form'][])]
      const pages: Asked['page'][] =
        'cursor' in (schemaOf(operation).properties ?? {}) ? ['first', 'twentieth', 'last'] : ['first']
      return { operation, axes: listAxes(operation, facts), pages, forms }
    })
type Space = ReturnType<typeof openSpaces>[number]

const toAsked = ({ operation }: Space, parts: readonly Part[], page: Asked['page'], form: Asked['form']): Asked => {
  const input = join(parts)
  const isSeries = form === 'csv' && operation.name === 'query_metric' && input.dimensions === undefined
  return { operation, input, page: form === 'json' ? page : 'first', form: isSeries ? 'json' : form }
}

/** Questions drawn at random: of each axis its first value or any other. */
export function drawQuestions(facts: Facts, count: number, random: SeededRandom): Asked[] {
  const spaces = openSpaces(facts)
  // The more axes an operation has, the more it is asked.
  const weighted = spaces.flatMap((space) => Array<Space>(space.axes.length + 1).fill(space))
  const found = new Map<string, Asked>()
  for (let tries = 0; found.size < count && tries < 50 * count; tries++) {
    const space = random.pick(weighted)
    const parts = space.axes.map((axis) => (random.chance(0.6) ? (axis[0] ?? {}) : random.pick(axis)))
    const asked = toAsked(
      space,
      parts,
      random.pick(space.pages),
      random.chance(0.85) ? 'json' : random.pick(space.forms),
    )
    if (isAllowed(asked, facts)) found.set(writeAsked(asked), asked)
  }
  return [...found.values()]
}

/** Every two values of two axes together, and every page and form with each value. */
export function* listQuestions(facts: Facts): Generator<Asked> {
  for (const space of openSpaces(facts)) {
    const { axes, pages, forms } = space
    const first = axes.map((axis) => axis[0] ?? {})
    yield toAsked(space, first, 'first', 'json')
    for (const [a, axis] of axes.entries()) {
      for (const value of axis) {
        for (const page of pages) yield toAsked(space, first.with(a, value), page, 'json')
        for (const form of forms.slice(1)) yield toAsked(space, first.with(a, value), 'first', form)
        for (let b = a + 1; b < axes.length; b++) {
          for (const other of axes[b]?.slice(1) ?? []) {
            const asked = toAsked(space, first.with(a, value).with(b, other), 'first', 'json')
            if (isAllowed(asked, facts)) yield asked
          }
        }
      }
    }
  }
}

export function writeAsked({ operation, input, page, form }: Asked): string {
  const short = JSON.stringify(input, (_, value) =>
    Array.isArray(value) && value.length > 4 ? `${value.length} values` : value,
  )
  return [
    operation.name,
    short,
    ...(page === 'first' ? [] : [`${page} page`]),
    ...(form === 'json' ? [] : [form]),
  ].join(' ')
}
