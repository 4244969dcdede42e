import { type CsvValue, toCsvRecord } from '../../kernel/csv.ts'
import { invalidInput } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-object.ts'
import type { MetricAnswer, SeriesAnswer } from '../model.ts'

/** The group of those that a limit cut. */
const OTHER = '(other)'
const numbers = ['previous', 'delta', 'pctChange', 'numerator', 'denominator', 'n'] as const

type Row = { cells: CsvValue[]; value: number | null; assetKey?: string } & {
  [Name in (typeof numbers)[number]]?: number | null | undefined
}

/** @throws AppError `invalid_input` for what has no columns */
export function requireTable(raw: unknown): void {
  const others = isObject(raw)
    ? ['alsoMetrics', 'explain'].filter((name) => raw[name] !== undefined && raw[name] !== false)
    : []
  if (others.length === 0) return
  throw invalidInput(`A CSV file has no columns for ${others.join(' and ')}; ask for JSON, or leave it out.`, {
    issues: others.map((path) => ({ path, message: 'must be left out of a CSV export.' })),
  })
}

/** An answer as CSV: a column for each dimension, then its numbers; what a limit cut is the last record. */
export function toMetricCsv(answer: MetricAnswer, raw: unknown): string {
  const { breakdown, other, comparison } = answer
  const dimensions = Object.keys(breakdown[0]?.dimensions ?? namesOf(raw))
  const rows: Row[] =
    dimensions.length === 0
      ? [
          {
            ...answer,
            ...(comparison === undefined ? {} : { ...comparison, previous: comparison.value, value: answer.value }),
            cells: [],
          },
        ]
      : breakdown.map(({ asset, ...entry }) => ({
          ...entry,
          cells: dimensions.map((name) => entry.dimensions[name]),
          ...(asset === undefined ? {} : { assetKey: asset.key }),
        }))
  if (other !== undefined) rows.push({ ...other, cells: dimensions.map((_, index) => (index === 0 ? OTHER : '')) })
  const shown = numbers.filter((name) => rows.some((row) => row[name] !== undefined))
  const keys = rows.some(({ assetKey }) => assetKey !== undefined) ? ['assetKey'] : []
  const records = rows.map((row) => [
    ...row.cells,
    row.value,
    ...shown.map((name) => row[name]),
    ...keys.map(() => row.assetKey),
  ])
  return [[...dimensions, 'value', ...shown, ...keys], ...records].map(toCsvRecord).join('')
}

/** The dimensions of an answer without groups, as they were asked for. */
function namesOf(raw: unknown): Record<string, unknown> {
  const asked = isObject(raw) ? raw.dimensions : undefined
  const names = typeof asked === 'string' ? [asked] : Array.isArray(asked) ? asked.map(String) : []
  return Object.fromEntries(names.map((name) => [name, name]))
}

/** A series as CSV, by time; with a dimension one record for each of its values and each bucket. */
export function toSeriesCsv({ timeSeries, series, dimension }: SeriesAnswer): string {
  if (dimension === undefined || series === undefined) {
    const records = timeSeries.map(({ timestamp, value, complete }) => [timestamp, value, complete])
    return [['timestamp', 'value', 'complete'], ...records].map(toCsvRecord).join('')
  }
  const records = timeSeries.flatMap(({ timestamp, complete }, index) =>
    series.map((group) => [timestamp, group.dimensionValue, group.timeSeries[index]?.value, complete]),
  )
  return [['timestamp', dimension, 'value', 'complete'], ...records].map(toCsvRecord).join('')
}
