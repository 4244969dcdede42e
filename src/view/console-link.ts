import { toDimensionValues } from '../charts/dimensions.ts'
import type { MetricAnswer } from '../query/model.ts'
import type { Shown } from './shapes.ts'

type Input = Readonly<Record<string, unknown>> | undefined

/** The part of an address below the console that shows the same numbers; undefined where none does. */
export function toConsolePath(shown: Shown, input: Input): string | undefined {
  switch (shown.kind) {
    case 'value':
    case 'series':
      return toExplorePath(shown.answer, input)
    case 'term':
      return `glossary/${encodeURIComponent(shown.answer.term.slug)}`
    case 'dashboard':
      return `?${new URLSearchParams({ d: shown.answer.dashboard })}`
    case 'text':
      return undefined
  }
}

function toExplorePath({ metric, applied }: Pick<MetricAnswer, 'metric' | 'applied'>, input: Input) {
  const query = new URLSearchParams({ metric: metric.slug })
  const set = (key: string, value: unknown) => typeof value === 'string' && query.set(key, value)
  // Without the question of the assistant, its term is not known.
  if (input === undefined) return undefined
  set('term', input.glossaryTermSlug)
  set('from', applied.from)
  set('to', applied.to)
  if (applied.timeZone !== 'UTC') query.set('tz', applied.timeZone)
  const asked = applied.filters.filter(({ origin }) => origin === 'caller')
  const filters = toDimensionValues(asked.map(({ key, values }) => [key, values]))
  // The console filters by dimensions only, so it would show another number.
  if (filters === undefined) return undefined
  for (const [name, values] of Object.entries(filters)) {
    for (const value of values.length === 1 ? [...values, ...values] : values) query.append(name, value)
  }
  return `explore?${query}`
}
