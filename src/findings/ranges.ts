import { z } from 'zod'
import { type Bound, endMeaning, readBound, startMeaning, type WrittenRange } from '../kernel/time-range.ts'
import { utc } from '../kernel/zone.ts'
import { definitionText } from '../operation/lockdown/disclosure.ts'
import { CONFIDENCE_SCALE } from '../store/schema.ts'

const HOUR = 3_600_000
const numberKeys = ['resolutionHours', 'ageHours', 'confidence', 'audienceSize'] as const
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
    min: z.number().min(0).describe('At least.').optional(),
    above: z.number().min(0).describe('More than, instead of min.').optional(),
    max: z.number().min(0).describe('Less than.').optional(),
    upTo: z.number().min(0).describe('At most, instead of max.').optional(),
  })
  .superRefine(({ min, above, max, upTo }, context) => {
    const [low, high] = [min ?? above, max ?? upTo]
    if (low === undefined && high === undefined) context.addIssue({ code: 'custom', message: noRange })
    for (const [path, one, other] of [['above', min, above] as const, ['upTo', max, upTo] as const]) {
      if (one !== undefined && other !== undefined)
        context.addIssue({
          code: 'custom',
          path: [path],
          message: `cannot be given with ${path === 'above' ? 'min' : 'max'}.`,
        })
    }
    if (low === undefined || high === undefined) return
    // A single value is a range only where both ends include it.
    if (low > high || (low === high && (above !== undefined || max !== undefined))) {
      const [lower, upper] = [min === undefined ? 'above' : 'min', max === undefined ? 'upTo' : 'max']
      context.addIssue({ code: 'custom', path: [lower], message: `must be less than ${upper}.` })
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

/** How many steps make 1: values are whole milliseconds or people, and confidences whole parts of a scale. */
const stepsOf = (key: RangeKey) => (key === 'confidence' ? CONFIDENCE_SCALE : key === 'audienceSize' ? 1 : HOUR)
const toSteps = (key: RangeKey, value: number) => Number((value * stepsOf(key)).toFixed(3))

/** The least value above a number. */
const toNext = (key: RangeKey, value: number) => (Math.floor(toSteps(key, value)) + 1) / stepsOf(key)

/** Ranges of numbers include their ends or not, as is asked for; a day or month as the end of a time is included. */
export const FilterRanges = z
  .strictObject({
    resolutionHours: NumberRange.describe('Hours from detection to resolution.').optional(),
    ageHours: NumberRange.describe('Hours since detection.').optional(),
    confidence: NumberRange.describe('Confidence, 0 to 1.').optional(),
    audienceSize: NumberRange.describe('Number of people who can read it.').optional(),
    contentUpdatedAt: TimeBounds.describe('When the item was last changed.').optional(),
    lastDetectedAt: TimeBounds.describe('When it was last found.').optional(),
    resolvedAt: TimeBounds.describe('When it was resolved.').optional(),
  })
  .refine((ranges) => Object.values(ranges).some((range) => range !== undefined), {
    message: 'must have at least one range; leave the key out to not restrict by it.',
  })
  .describe('Of numbers {min or above, max or upTo}; of times {from, to}.')
export type FilterRanges = z.infer<typeof FilterRanges>

/** Which ranges there are and what they hold, for instructions. */
export const rangesMeaning = `${numberKeys.join(', ')} {min or above, max or upTo}; ${timeKeys.join(', ')} {from, to}`

/** Both ends of each range; an open one is infinite. Times are in milliseconds. */
export function listRanges(ranges: FilterRanges): { key: RangeKey; values: [low: number, high: number] }[] {
  return rangeKeys.flatMap((key) => {
    const range: ({ [end in 'min' | 'above' | 'max' | 'upTo']?: number | undefined } & WrittenRange) | undefined =
      ranges[key]
    if (range === undefined) return []
    const { from, to, above, upTo } = range
    const next = (value: number | undefined) => (value === undefined ? undefined : toNext(key, value))
    const low = range.min ?? next(above) ?? toTime(from, 'from')
    const high = range.max ?? next(upTo) ?? toTime(to, 'to')
    return [{ key, values: [low ?? Number.NEGATIVE_INFINITY, high ?? Number.POSITIVE_INFINITY] }]
  })
}

/** The ends of a range in words, such as `> 72` and `< 100`. */
export function describeRange(key: RangeKey, [low = 0, high = 0]: readonly number[]): string[] {
  const write = (end: number, [own, before]: readonly [string, string]) => {
    if (!Number.isFinite(end)) return []
    if (isTimeKey(key)) return [`${own} ${new Date(end).toISOString()}`]
    // From the next value on means above the value before it: the shorter of the two was asked for.
    const previous = (Math.ceil(toSteps(key, end)) - 1) / stepsOf(key)
    return String(previous).length < String(end).length ? [`${before} ${previous}`] : [`${own} ${end}`]
  }
  return [...write(low, ['>=', '>']), ...write(high, ['<', '<='])]
}

/** Whole milliseconds from which on a number of hours is reached. */
export const toMilliseconds = (hours: number): number => Math.ceil(toSteps('ageHours', hours))

/** The first detections, as a half-open range, of findings whose age at an instant is in a range of hours. */
export function toFirstDetected([min = 0, max = 0]: readonly number[], at: number): [from: number, to: number] {
  // An age is never negative, even if the first detection is dated later.
  if (max <= 0) return [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY]
  return [
    Number.isFinite(max) ? at - toMilliseconds(max) + 1 : Number.NEGATIVE_INFINITY,
    min > 0 ? at - toMilliseconds(min) + 1 : Number.POSITIVE_INFINITY,
  ]
}
