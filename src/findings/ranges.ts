import { z } from 'zod'
import { type Bound, endMeaning, readBound, startMeaning } from '../kernel/time-range.ts'
import { utc } from '../kernel/zone.ts'
import { definitionText } from '../operation/lockdown/disclosure.ts'

const HOUR = 3_600_000
const numberKeys = ['resolutionHours', 'ageHours', 'confidence'] as const
const timeKeys = ['contentUpdatedAt', 'lastDetectedAt', 'resolvedAt'] as const
/** A filter key whose condition is a half-open range. */
export type RangeKey = (typeof numberKeys)[number] | (typeof timeKeys)[number]
export const rangeKeys: readonly RangeKey[] = [...numberKeys, ...timeKeys]

export const isRangeKey = (key: string): key is RangeKey => (rangeKeys as readonly string[]).includes(key)
const isTimeKey = (key: RangeKey) => (timeKeys as readonly string[]).includes(key)

const BoundText = definitionText('own').max(60)
/** An end of a range in UTC; NaN for a text that is no time. */
function toTime(text: string | undefined, bound: Bound): number | undefined {
  return text === undefined ? undefined : Number(readBound(text, bound, utc))
}

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
    from: BoundText.describe(startMeaning).optional(),
    to: BoundText.describe(endMeaning).optional(),
  })
  .superRefine((range, context) => {
    if (range.from === undefined && range.to === undefined) context.addIssue({ code: 'custom', message: noRange })
    const read = (bound: Bound) => {
      const instant = toTime(range[bound], bound)
      if (Number.isNaN(instant)) {
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
    const low = range.min ?? toTime(from, 'from')
    const high = range.max ?? toTime(to, 'to')
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
