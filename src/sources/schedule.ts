import { Cron } from 'croner'
import { z } from 'zod'

/** Cron expressions by preset name. */
export const presets = {
  hourly: '0 * * * *',
  daily: '0 6 * * *',
  nightly: '0 2 * * *',
  weekly: '0 3 * * 1',
  weekday_business: '0 9-17 * * 1-5',
  weekday_morning: '0 7 * * 1-5',
} as const

const presetNames = Object.keys(presets) as (keyof typeof presets)[]

export const CronExpression = z
  .string()
  .max(200)
  .superRefine((cron, context) => {
    const message = findCronProblem(cron)
    if (message !== undefined) context.addIssue({ code: 'custom', message })
  })

export const Schedule = z
  .strictObject({
    enabled: z.boolean().describe('Whether scans run automatically.').optional(),
    preset: z
      .enum(presetNames)
      .describe(`A named schedule: ${presetNames.join(', ')}.`)
      .optional(),
    cron: CronExpression.describe(
      'Five fields: minute, hour, day of month, month, day of week; wins over the preset.',
    ).optional(),
    timezone: z
      .string()
      .max(100)
      .refine(isTimeZone, 'is not a time zone; write an IANA name such as UTC or Europe/Berlin.')
      .describe('IANA time zone, such as Europe/Berlin; default UTC.')
      .optional(),
  })
  .refine(({ enabled, preset, cron }) => enabled !== true || preset !== undefined || cron !== undefined, {
    error: 'is enabled without a time; give `preset` or `cron`.',
    // Also checked when another member is invalid, so that all problems are reported at once.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .describe('When scans run automatically; default: only when started.')
export type Schedule = z.infer<typeof Schedule>

function findCronProblem(cron: string): string | undefined {
  const fields = cron.trim().split(/\s+/)
  if (fields.length !== 5) {
    return `must have five fields (minute, hour, day of month, month, day of week), not ${cron.trim() === '' ? 0 : fields.length}.`
  }
  try {
    const next = new Cron(cron.trim(), { paused: true, timezone: 'UTC', mode: '5-part' }).nextRun()
    return next === null ? 'names a day that does not exist, such as 30 February.' : undefined
  } catch {
    return 'is not a cron expression; an example is `0 6 * * 1-5`.'
  }
}

function isTimeZone(name: string): boolean {
  // Intl accepts offsets such as +02:00, but a schedule needs a zone with rules for summer time.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

/** Whether this schedule starts scans; a schedule with a time but without `enabled` is enabled. */
export function isScheduled(schedule: Schedule | undefined): boolean {
  if (schedule === undefined) return false
  return schedule.enabled ?? (schedule.cron !== undefined || schedule.preset !== undefined)
}

/** The first run after `after`, in milliseconds; undefined when the schedule is off. */
export function nextRunAt(schedule: Schedule | undefined, after: number): number | undefined {
  if (schedule === undefined || !isScheduled(schedule)) return undefined
  const pattern = schedule.cron?.trim() ?? (schedule.preset === undefined ? undefined : presets[schedule.preset])
  if (pattern === undefined) return undefined
  const calculator = new Cron(pattern, { paused: true, timezone: schedule.timezone ?? 'UTC', mode: '5-part' })
  return calculator.nextRun(new Date(after))?.getTime()
}
