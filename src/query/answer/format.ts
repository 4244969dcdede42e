import { plainDigits } from '../../kernel/shown.ts'
import type { MetricFormat } from '../../metrics/model.ts'

/** Formats a number without exponent or digit grouping, rounded to `decimals`. */
export function toDigits(value: number, decimals = 2): string {
  if (Number.isInteger(value) || Math.abs(value) >= 1e15) return plainDigits(value)
  const rounded = Number(value.toFixed(decimals))
  // A number that would round to 0 keeps two significant digits.
  return plainDigits(rounded === 0 ? Number(value.toPrecision(2)) : rounded)
}

/** As `toDigits`, with thousands separated by commas. */
function toGroupedDigits(value: number, decimals?: number): string {
  const [whole = '', ...fraction] = toDigits(value, decimals).split('.')
  return [whole.replace(/\B(?=(?:\d{3})+$)/g, ','), ...fraction].join('.')
}

/** Formats a value for display: a percentage, a duration, or a number with its unit. */
export function toFormatted(value: number | null, format: MetricFormat, unit: string): string {
  if (value === null) return 'no value'
  switch (format) {
    case 'percentage':
      return `${toGroupedDigits(value * 100, 1)}%`
    case 'duration':
      return toDuration(value, unit)
    case 'number':
      return unit === '' ? toGroupedDigits(value) : `${toGroupedDigits(value)} ${unit}`
  }
}

const hoursIn: Readonly<Record<string, number>> = { minute: 1 / 60, hour: 1, day: 24, week: 168 }

function toDuration(value: number, unit: string): string {
  const perUnit = hoursIn[unit.toLowerCase().replace(/s$/, '') || 'hour']
  if (perUnit === undefined) return `${toGroupedDigits(value)} ${unit}`
  const hours = value * perUnit
  if (Math.abs(hours) >= 48) return `${toGroupedDigits(hours / 24, 1)} days`
  if (Math.abs(hours) >= 1 || hours === 0) return `${toGroupedDigits(hours, 1)} hours`
  return `${toGroupedDigits(hours * 60, 1)} minutes`
}
