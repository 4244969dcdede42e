const MINUTE = 60_000

const dayText = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' })
export const toDayText = (time: number): string => dayText.format(time)
/** The days of a span whose end is exclusive. */
export const toSpanText = (from: number, to: number): string => `${toDayText(from)} – ${toDayText(to - 1)}`

export function toBucketText(time: number, grain: string): string {
  if (grain === 'hour') return `${toDayText(time)}, ${new Date(time).toISOString().slice(11, 16)}`
  if (grain === 'month') {
    return new Date(time).toLocaleDateString('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' })
  }
  return grain === 'week' ? `Week of ${toDayText(time)}` : toDayText(time)
}

/** How long ago, in one word. */
export function toAge(time: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - time) / MINUTE))
  if (minutes < 1) return 'now'
  if (minutes < 60) return `${minutes} min`
  if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`
  const days = Math.round(minutes / 1440)
  return days < 60 ? `${days} d` : days < 700 ? `${Math.round(days / 30.4)} mo` : `${Math.round(days / 365)} y`
}

/** A moment in UTC, such as `3 Aug 2026, 10:03 UTC`. */
export const toMoment = (text: string): string => `${toDayText(Date.parse(text))}, ${text.slice(11, 16)} UTC`

/** A length of time in the largest unit that fits. */
export function toTook(ms: number): string {
  const seconds = Math.max(0, ms / 1000)
  if (seconds < 90) return `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`
  const minutes = seconds / 60
  return minutes < 90 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`
}

/** How long ago, in words. */
export const toAgo = (time: number, now: number): string => {
  const age = toAge(time, now)
  return age === 'now' ? 'just now' : `${age} ago`
}
