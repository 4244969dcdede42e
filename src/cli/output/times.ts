import { line, type PrintableText, showCode } from '../../kernel/shown.ts'

/** The reader's time zone. */
export const readersZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

const formats = new Map<string, Intl.DateTimeFormat>()

function formatIn(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone)
  if (format === undefined) {
    const parts = { year: 'numeric', month: '2-digit', day: '2-digit', hour: '2-digit', minute: '2-digit' } as const
    format = new Intl.DateTimeFormat('en-CA', { ...parts, second: '2-digit', hourCycle: 'h23', timeZone: zone })
    formats.set(zone, format)
  }
  return format
}

/** A moment as `2026-01-31 09:05:00`. */
function toLocal(at: string, zone: string): string | undefined {
  const ms = Date.parse(at)
  return Number.isNaN(ms) ? undefined : formatIn(zone).format(ms).replace(', ', ' ')
}

/** A moment to the minute, such as `2026-01-31 09:05`; a text that is none is shown as it is. */
export function toReadersTime(at: string, zone: string = readersZone()): PrintableText {
  const local = toLocal(at, zone)
  return local === undefined ? showCode(at) : showDayAndTime(local.slice(0, 16))
}

/** A moment in UTC without fractions of a second, such as `2026-01-31T09:05:00Z`. */
export const toUtcTime = (at: string): PrintableText => showCode(at.replace(/\.\d+Z$/, 'Z'))

/** A sentence of this program whose moments are without fractions of a second. */
export const withoutMilliseconds = (sentence: string): string =>
  sentence.replaceAll(/(?<=\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)\.\d{3}(?=Z)/g, '')

/** The beginning of a bucket in the zone of its question: a day, or a time where it is not midnight. */
export function toBucketTime(at: string, zone: string): PrintableText {
  const local = toLocal(at, zone)
  if (local === undefined) return showCode(at)
  return showDayAndTime(local.endsWith(' 00:00:00') ? local.slice(0, 10) : local.slice(0, 16))
}

const showDayAndTime = (text: string): PrintableText => {
  const [day = '', time] = text.split(' ')
  return time === undefined ? showCode(day) : line`${showCode(day)} ${showCode(time)}`
}
