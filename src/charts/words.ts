import type { MetricFormat } from '../metrics/model.ts'

const KNOWN: Readonly<Record<string, string>> = {
  PII: 'PII',
  YARA: 'YARA',
  IBAN: 'IBAN',
  HTTP: 'HTTP',
  URL: 'URL',
  API: 'API',
  AWS: 'AWS',
  US: 'US',
  SSN: 'SSN',
  IP: 'IP',
  ID: 'ID',
  BI: 'BI',
  SQL: 'SQL',
  JWT: 'JWT',
  DNS: 'DNS',
  TLS: 'TLS',
  OPENAI: 'OpenAI',
  GITHUB: 'GitHub',
  GITLAB: 'GitLab',
  SENDGRID: 'SendGrid',
  NPM: 'npm',
  PYPI: 'PyPI',
  AI: 'AI',
}

/** A code such as `FALSE_POSITIVE` in words, `False positive`; any other text unchanged. */
export function toWords(text: string): string {
  if (!/^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*$/.test(text)) return text
  const words = text.split('_').map((word) => KNOWN[word] ?? word.toLowerCase())
  const [first = '', ...rest] = words
  const isName = Object.values(KNOWN).includes(first)
  return [isName ? first : first[0]?.toUpperCase() + first.slice(1), ...rest].join(' ')
}

/** By the most decimals; a format takes longer to make than to use. */
const formats = [0, 1, 2].map((maximumFractionDigits) => new Intl.NumberFormat('en-US', { maximumFractionDigits }))

/** Digits in groups of three, at most `decimals` decimals. */
export const toNumber = (value: number, decimals: 0 | 1 | 2 = 2): string => formats[decimals]?.format(value) ?? ''

/** A value of a metric; a missing one is a dash, never 0. */
export function toValueText(value: number | null | undefined, format: MetricFormat = 'number', unit = ''): string {
  if (value === null || value === undefined) return '–'
  if (format === 'percentage') return `${toNumber(value * 100, 1)}%`
  if (format === 'duration') return toDurationText(value, unit)
  return toNumber(value)
}

const HOURS_IN: Readonly<Record<string, number>> = { minute: 1 / 60, hour: 1, day: 24, week: 168 }

function toDurationText(value: number, unit: string): string {
  const perUnit = HOURS_IN[unit.toLowerCase().replace(/s$/, '') || 'hour']
  if (perUnit === undefined) return `${toNumber(value)} ${unit}`
  const hours = value * perUnit
  if (Math.abs(hours) >= 48) return `${toNumber(hours / 24, 1)} days`
  if (Math.abs(hours) >= 1 || hours === 0) return `${toNumber(hours, 1)} h`
  return `${toNumber(hours * 60, 1)} min`
}

export interface ChangeText {
  /** Whether the value rose, fell, or stayed. */
  direction: 'up' | 'down' | 'same'
  /** Without a sign: `28%`, `5 points`, or `new`. */
  text: string
  /** Whether the change is good, where the metric says which direction is. */
  tone: 'good' | 'bad' | 'neutral'
}

/** A change in words; undefined where there is nothing to compare with. */
export function toChange(
  value: number | null,
  previous: number | null | undefined,
  { better }: { better?: 'lower' | 'higher' | null | undefined } = {},
): ChangeText | undefined {
  if (value === null || previous === null || previous === undefined) return undefined
  if (value === previous) return { direction: 'same', text: '0%', tone: 'neutral' }
  const direction = value > previous ? 'up' : 'down'
  const isGood = better === (direction === 'up' ? 'higher' : 'lower')
  const tone = better === null || better === undefined ? 'neutral' : isGood ? 'good' : 'bad'
  if (previous === 0) return { direction, text: 'new', tone: 'neutral' }
  const share = Math.abs((value - previous) / previous) * 100
  const text = share < 1 ? '<1%' : share >= 1000 ? `${toNumber(share / 100 + 1, 0)}×` : `${toNumber(share, 0)}%`
  return { direction, text, tone }
}
