import { z } from 'zod'
import { definitionText } from '../operation/lockdown/disclosure.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const numberKeys = ['resolutionHours', 'ageHours', 'confidence'] as const
const timeKeys = ['contentUpdatedAt', 'lastDetectedAt', 'resolvedAt'] as const
/** A filter key whose condition is a half-open range. */
export type RangeKey = (typeof numberKeys)[number] | (typeof timeKeys)[number]
export const rangeKeys: readonly RangeKey[] = [...numberKeys, ...timeKeys]

export const isRangeKey = (key: string): key is RangeKey => (rangeKeys as readonly string[]).includes(key)
const isTimeKey = (key: RangeKey) => (timeKeys as readonly string[]).includes(key)

const timestamp = /^(\d{4})-(\d{2})-(\d{2})(?:T(\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?(Z|[+-]\d{2}:\d{2})?)?$/i

/**
 * Reads an ISO 8601 date or timestamp, in UTC unless it has an offset; a date is the start of that day as `from` and its
 * end as `to`. Undefined for any other text.
 */
export function readBound(text: string, bound: 'from' | 'to'): number | undefined {
  const match = timestamp.exec(text.trim())
  if (match === null) return undefined
  const [, year = '', month = '', day = '', hour, minute = '', second = '00', fraction = '', offset = 'Z'] = match
  const date = Date.parse(`${year}-${month}-${day}T00:00:00Z`)
  if (Number.isNaN(date) || new Date(date).toISOString().slice(0, 10) !== `${year}-${month}-${day}`) return undefined
  if (hour === undefined) return bound === 'to' ? date + DAY : date
  const ms = fraction.padEnd(3, '0').slice(0, 3)
  const instant = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}${offset.toUpperCase()}`)
  return Number.isNaN(instant) ? undefined : instant
}

const Bound = definitionText('own').max(60)
const noRange = 'must have at least one end; leave the key out to not restrict by it.'

const NumberRange = z
  .strictObject({
    min: z.number().min(0).describe('Inclusive.').optional(),
    max: z.number().min(0).describe('Exclusive.').optional(),
  })
  .superRefine(({ min, max }, context) => {
    if (min === undefined && max === undefined) context.addIssue({ code: 'custom', message: noRange })
    if (min !== undefined && max !== undefined && min >= max) {
      context.addIssue({ code: 'custom', path: ['min'], message: 'must be less than max, which is exclusive.' })
    }
  })

const TimeBounds = z
  .strictObject({
    from: Bound.describe('Inclusive.').optional(),
    to: Bound.describe('Exclusive.').optional(),
  })
  .superRefine((range, context) => {
    if (range.from === undefined && range.to === undefined) context.addIssue({ code: 'custom', message: noRange })
    const read = (bound: 'from' | 'to') => {
      const text = range[bound]
      const instant = text === undefined ? undefined : readBound(text, bound)
      if (text !== undefined && instant === undefined) {
        const message = 'must be an ISO 8601 date or timestamp such as 2026-03-01 or 2026-03-01T09:00:00Z.'
        context.addIssue({ code: 'custom', path: [bound], message })
      }
      return instant
    }
    const [from, to] = [read('from'), read('to')]
    if (from !== undefined && to !== undefined && from >= to) {
      context.addIssue({ code: 'custom', path: ['from'], message: 'must be before to.' })
    }
  })

/** Half-open ranges: `min` and `from` are included, `max` and `to` are not. */
export const FilterRanges = z
  .strictObject({
    resolutionHours: NumberRange.describe('Hours from detection to resolution.').optional(),
    ageHours: NumberRange.describe('Hours since detection.').optional(),
    confidence: NumberRange.describe('Confidence, 0 to 1.').optional(),
    contentUpdatedAt: TimeBounds.describe('When the item was last changed.').optional(),
    lastDetectedAt: TimeBounds.describe('When it was last found.').optional(),
    resolvedAt: TimeBounds.describe('When it was resolved.').optional(),
  })
  .refine((ranges) => Object.values(ranges).some((range) => range !== undefined), {
    message: 'must have at least one range; leave the key out to not restrict by it.',
  })
  .describe('Half-open: {min, max} or {from, to}.')
export type FilterRanges = z.infer<typeof FilterRanges>

/** Both ends of each range; an open one is infinite. Times are in milliseconds. */
export function listRanges(ranges: FilterRanges): { key: RangeKey; values: [low: number, high: number] }[] {
  return rangeKeys.flatMap((key) => {
    const range:
      | { min?: number | undefined; max?: number | undefined; from?: string | undefined; to?: string | undefined }
      | undefined = ranges[key]
    if (range === undefined) return []
    const { from, to } = range
    const low = range.min ?? (from === undefined ? undefined : readBound(from, 'from'))
    const high = range.max ?? (to === undefined ? undefined : readBound(to, 'to'))
    return [{ key, values: [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY] }]
  })
}

/** The ends of a range in words, such as `>= 72` and `< 100`. */
export function describeRange(key: RangeKey, [low = 0, high = 0]: readonly number[]): string[] {
  const write = (end: number) => (isTimeKey(key) ? new Date(end).toISOString() : String(end))
  return [...(Number.isFinite(low) ? [`>= ${write(low)}`] : []), ...(Number.isFinite(high) ? [`< ${write(high)}`] : [])]
}

/** Whole milliseconds from which on a number of hours is reached. */
export const toMilliseconds = (hours: number): number => Math.ceil(Number((hours * HOUR).toFixed(3)))

/** The first detections, as a half-open range, of findings whose age at an instant is in a range of hours. */
export function toFirstDetected([min = 0, max = 0]: readonly number[], at: number): [from: number, to: number] {
  // An age is never negative, even if the first detection is dated later.
  if (max <= 0) return [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  return [
    Number.isFinite(max) ? at - toMilliseconds(max) + 1 : Number.NEGATIVE_INFINITY,
    min > 0 ? at - toMilliseconds(min) + 1 : Number.POSITIVE_INFINITY,
  ]
}
