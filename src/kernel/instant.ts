/** The latest time that is accepted from outside: the end of the year 9999, milliseconds since 1970. */
const MAX_INSTANT = 253_402_300_799_999

/** A time in milliseconds as an ISO 8601 timestamp in UTC; one beyond the range of dates as its last or first one. */
export const toInstant = (ms: number): string =>
  new Date(Number.isNaN(ms) ? 0 : Math.min(MAX_INSTANT, Math.max(-MAX_INSTANT, ms))).toISOString()

/** The same; null for no time. */
export const toInstantOrNull = (ms: number | null | undefined): string | null =>
  ms === null || ms === undefined ? null : toInstant(ms)

/** Parses a date from outside to milliseconds since 1970; undefined unless it is from 1970 to 9999. */
export function readOutsideInstant(text: string): number | undefined {
  const instant = Date.parse(text)
  return instant >= 0 && instant <= MAX_INSTANT ? instant : undefined
}
