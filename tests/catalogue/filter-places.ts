import { operations } from '../../src/catalogue.ts'

type Json = Record<string, unknown>

/** A place of an operation's input that takes a filter. */
export interface FilterPlace {
  operation: string
  /** The member that is the filter; '' where its keys are members of the input themselves. */
  member: string
  /** The other members that the operation needs. */
  others: Json
  /** Keys that mean something else there. */
  except?: readonly string[]
}

const count = { aggregation: 'COUNT', entity: 'finding' }
const metric = { displayName: 'Filtered', type: 'SIMPLE' }
const ratio = { displayName: 'Filtered', type: 'RATIO' }
const watch = { metricSlug: 'total-findings', condition: { kind: 'above', value: 1 } }

/** Every place that takes a filter; a test compares it with the schemas of the operations. */
export const filterPlaces: readonly FilterPlace[] = [
  { operation: 'create_glossary_term', member: 'filterMapping', others: { slug: 'filtered', displayName: 'Filtered' } },
  { operation: 'update_glossary_term', member: 'filterMapping', others: { slug: 'pii-exposure' } },
  { operation: 'create_metric', member: 'definition.filters', others: { slug: 'a', ...metric, definition: count } },
  {
    operation: 'create_metric',
    member: 'definition.numerator.filters',
    others: { slug: 'b', ...ratio, definition: { numerator: count, denominator: count } },
  },
  {
    operation: 'create_metric',
    member: 'definition.denominator.filters',
    others: { slug: 'c', ...ratio, definition: { numerator: count, denominator: count } },
  },
  { operation: 'update_metric', member: 'definition.filters', others: { slug: 'scratch', definition: count } },
  { operation: 'get_metric_impact', member: 'definition.filters', others: { slug: 'scratch', definition: count } },
  { operation: 'get_term_impact', member: 'filterMapping', others: { slug: 'pii-exposure' } },
  {
    operation: 'set_placement',
    member: 'pinnedFilters',
    others: { dashboard: 'filtered', slug: 'total-findings' },
  },
  { operation: 'query_metric', member: 'filters', others: { metricSlug: 'total-findings' } },
  { operation: 'explore_metric', member: 'filters', others: { metricSlug: 'total-findings' } },
  {
    operation: 'query_metric_timeseries',
    member: 'filters',
    others: { metricSlug: 'total-findings', granularity: 'month' },
  },
  { operation: 'explore_by_glossary_term', member: 'filters', others: { glossaryTermSlug: 'every-finding' } },
  { operation: 'explore_view', member: 'filters', others: { metricSlug: 'total-findings' } },
  { operation: 'create_watch', member: 'filters', others: { slug: 'filtered', displayName: 'Filtered', ...watch } },
  { operation: 'update_watch', member: 'filters', others: { slug: 'open-by-space' } },
  { operation: 'preview_watch', member: 'change.filters', others: { slug: 'open-by-space' } },
  { operation: 'search_findings', member: '', others: {} },
  { operation: 'list_assets', member: '', others: {} },
  { operation: 'update_finding', member: 'filters', others: { status: 'IGNORED', reason: 'known' } },
  { operation: 'preview_triage', member: 'filters', others: {} },
  {
    operation: 'triage_findings',
    member: 'filters',
    others: { status: 'IGNORED', reason: 'known', expectedCount: 1 },
  },
  { operation: 'create_suppression', member: 'filters', others: { reason: 'known' } },
]

/** The input of a place with a filter in it. */
export function toInput({ member, others }: FilterPlace, filter: Json): Json {
  const [first = '', ...below] = member.split('.')
  if (first === '') return { ...others, ...filter }
  const put = (into: Json, [name, ...rest]: string[]): Json =>
    name === undefined ? filter : { ...into, [name]: put((into[name] ?? {}) as Json, rest) }
  return put(others, [first, ...below])
}

/** The path of a member of a filter in the input of a place. */
export const toPath = ({ member }: FilterPlace, path: string): string => [member, path].filter(Boolean).join('.')

export const findOperation = (name: string) => {
  const operation = operations.find((each) => each.name === name)
  if (operation === undefined) throw new Error(`there is no operation ${name}`)
  return operation
}

/** The members of an input as a query string names them. */
export function toQuery(input: Json, path: readonly string[] = []): [string, string][] {
  return Object.entries(input).flatMap(([key, value]): [string, string][] => {
    const own = key === 'ranges' ? path : [...path, key]
    if (Array.isArray(value)) return value.map((each) => [own.join('.'), String(each)])
    return typeof value === 'object' ? toQuery(value as Json, own) : [[own.join('.'), String(value)]]
  })
}
