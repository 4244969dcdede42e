import { dimensions } from '../charts/dimensions.ts'
import { toWords } from '../charts/words.ts'
import { flatten, toPathText } from './flatten.ts'
import { type FormMembers, isMembers, type Json } from './schema.ts'

const aggregations: Readonly<Record<string, string>> = {
  COUNT: 'the number of',
  COUNT_DISTINCT: 'the number of different',
  SUM: 'the sum of',
  AVG: 'the mean of',
  MIN: 'the lowest',
  MAX: 'the highest',
  MEDIAN: 'the median of',
}

const fields: Readonly<Record<string, string>> = {
  resolutionHours: 'hours to resolution',
  ageHours: 'hours since detection',
  ageDays: 'days since the last change',
  openFindings: 'open findings',
}
const times: Readonly<Record<string, string>> = {
  firstDetectedAt: 'first detected',
  lastDetectedAt: 'last detected',
  resolvedAt: 'resolved',
  firstSeenAt: 'first seen',
  lastSeenAt: 'last seen',
  lastScannedAt: 'last scanned',
  contentUpdatedAt: 'last changed',
}

const join = (values: readonly unknown[]) => values.map((value) => toWords(String(value))).join(' or ')

/** Filters in words: `severity is Critical or High, and status is not Ignored`. */
export function toFilterText(filters: FormMembers): string {
  const { exclude, ...included } = filters
  const toParts = (mapping: FormMembers, is: string) =>
    Object.entries(mapping).map(([key, value]) => {
      const label = dimensions.find(({ filterKey }) => filterKey === key)?.label ?? toPathText(key)
      const text = Array.isArray(value)
        ? join(value)
        : flatten(value)
            .map((member) => `${toPathText(member.path)} ${member.text}`.trim())
            .join(' and ')
      return `${label.toLowerCase()} ${is} ${text}`
    })
  return [...toParts(included, 'is'), ...(isMembers(exclude) ? toParts(exclude, 'is not') : [])].join(', and ')
}

function toSimpleText({ aggregation, entity, field, p, filters, timeField, mode, window }: FormMembers): string {
  const what = `${String(entity ?? 'finding')}s`
  const name = fields[String(field)] ?? toPathText(String(field ?? '…'))
  const counted =
    aggregation === 'COUNT'
      ? `the number of ${what}`
      : aggregation === 'PERCENTILE'
        ? `the ${Number(p ?? 0.5) * 100}th percentile of ${name} of ${what}`
        : `${aggregations[String(aggregation)] ?? '…'} ${name} of ${what}`
  const where = isMembers(filters) && Object.keys(filters).length > 0 ? ` where ${toFilterText(filters)}` : ''
  const time = times[String(timeField ?? (entity === 'asset' ? 'firstSeenAt' : 'firstDetectedAt'))] ?? timeField
  const when =
    mode === 'stock'
      ? `${where}, as of the end of the time asked about`
      : ` ${time} in the time asked about${where === '' ? '' : `,${where}`}`
  const rolling = !isMembers(window)
    ? ''
    : window.last === undefined
      ? `, from the beginning of each ${window.toDate} on`
      : `, over the last ${window.last} at each moment`
  return `${counted}${when}${rolling}`
}

const toPart = (part: Json): string =>
  !isMembers(part) ? '…' : part.metricSlug === undefined ? toSimpleText(part) : `the metric ${part.metricSlug}`

/** What a metric means, in a sentence. */
export function toSentence({ type, definition, glossaryTermSlug }: FormMembers): string {
  const inner = isMembers(definition) ? definition : {}
  const text =
    type === 'RATIO'
      ? `${toPart(inner.numerator)}; divided by ${toPart(inner.denominator)}`
      : type === 'DERIVED'
        ? `the result of ${inner.formula ?? '…'}`
        : type === 'TREND'
          ? `the change of ${inner.baseMetricSlug ?? '…'} in the last ${inner.currentWindow ?? '…'} against the ${inner.compareWindow ?? '…'} before`
          : toSimpleText(inner)
  const within = typeof glossaryTermSlug === 'string' ? `, always within the term ${glossaryTermSlug}` : ''
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${within}.`
}
