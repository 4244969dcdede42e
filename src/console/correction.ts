import { dimensions, toDimensionValues } from '../charts/dimensions.ts'
import type { Fix, Suggestion } from '../kernel/errors.ts'
import type { ServerProblem } from './client.ts'
import { formatRoute, type State } from './route.ts'

/** A page that shows what a refused question may have meant. */
export interface Correction {
  label: string
  to: string
}

const MAX_SUGGESTIONS = 5
const metricTools = ['query_metric', 'explore_metric', 'query_metric_timeseries', 'explore_view']

/**
 * The corrected call, then the names that the server suggests; those that no page shows are omitted. `asked` is the
 * state of the page about one metric, whose metric or term is replaced.
 */
export function listCorrections(
  { fix, issues, suggestions }: Pick<ServerProblem, 'fix' | 'issues' | 'suggestions'>,
  asked?: State,
): Correction[] {
  const corrections = [
    fix && toFixed(fix, asked),
    ...suggestions.slice(0, MAX_SUGGESTIONS).map((each) => toSuggested(each, issues[0]?.path, asked)),
  ].flatMap((correction) => correction ?? [])
  return corrections.filter(({ to }, index) => corrections.findIndex((each) => each.to === to) === index)
}

/** The time is that of the page, which a fix does not change. */
function toFixed({ tool, arguments: call }: Fix, asked: State = {}): Correction | undefined {
  const { metricSlug, glossaryTermSlug: term, timeZone, filters } = call
  if (tool === 'explore_by_glossary_term' && typeof term === 'string') {
    return { label: `Open the term ${term}`, to: toTermPage(term) }
  }
  const values = toDimensionValues(Object.entries(filters ?? {}))
  if (!metricTools.includes(tool) || values === undefined) return undefined
  const toValues = (text: unknown) => (typeof text === 'string' ? [text] : [])
  const next: State = {
    metric: toValues(metricSlug),
    term: toValues(term),
    tz: timeZone === 'UTC' ? [] : toValues(timeZone),
    ...Object.fromEntries(dimensions.map(({ name }) => [name, values[name] ?? []])),
  }
  const labels = new Map([['tz', 'time zone'], ...dimensions.map(({ name, label }) => [name, label] as const)])
  const changes = Object.entries(next)
    .filter(([key, texts]) => texts.length > 0 && texts.join() !== asked[key]?.join())
    .map(([key, texts]) => `${(labels.get(key) ?? key).toLowerCase()} ${texts.join(', ')}`)
  return {
    label: changes.length === 0 ? 'Ask this instead' : `Ask with ${changes.join(' and ')} instead`,
    to: formatRoute({ page: 'explore', state: { ...asked, ...next } }),
  }
}

function toSuggested(
  { kind, value, label = value }: Suggestion,
  path: string | undefined,
  asked: State | undefined,
): Correction | undefined {
  const isTermAsked = path === 'glossaryTermSlug'
  const toExplore = (change: State) => formatRoute({ page: 'explore', state: { ...asked, ...change } })
  if (kind === 'metric') {
    const change = { metric: [value], ...(isTermAsked ? { term: [] } : {}) }
    return { label, to: asked === undefined ? formatRoute({ page: 'metrics', name: value }) : toExplore(change) }
  }
  if (kind === 'term') {
    return { label, to: asked !== undefined && isTermAsked ? toExplore({ term: [value] }) : toTermPage(value) }
  }
  return undefined
}

const toTermPage = (slug: string) => formatRoute({ page: 'glossary', name: slug })
