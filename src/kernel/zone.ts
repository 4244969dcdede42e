const HOUR = 3_600_000
const DAY = 24 * HOUR
/** No zone has ever been farther from UTC than this. */
const FARTHEST = 16 * HOUR

/** A period in which a zone keeps one UTC offset: `[start, end)` as instants. */
interface Span {
  start: number
  end: number
  offsetMs: number
}

/** The wall clock of a time zone. A local time is the milliseconds that the clock's reading would have as UTC. */
export interface Zone {
  name: string
  /** The spans that cover `[from, to)`, in order; the first and the last may extend beyond it. */
  spans(from: number, to: number): Span[]
  toLocal(instant: number): number
  /** The first instant at which the clock shows `local` or later: a skipped time maps to the end of the gap. */
  toInstant(local: number): number
}

const zones = new Map<string, Zone>()

/** The zone with an IANA name, case-insensitive; undefined when there is none. Fixed offsets are not names. */
export function findZone(name: string): Zone | undefined {
  const known = zones.get(name)
  if (known !== undefined) return known
  if (!/^[A-Za-z][\w+\-/]{1,63}$/.test(name)) return undefined
  try {
    const zone = openZone(name)
    zones.set(name, zone)
    return zone
  } catch {
    return undefined
  }
}

const UTC = /^(?:Etc\/)?(?:UTC|UCT|Zulu|Universal)$/i
const alwaysUtc: Span = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY, offsetMs: 0 }
/** The zone of every time for which none is named. */
export const utc: Zone = openZone('UTC')

function openZone(name: string): Zone {
  const spans = UTC.test(name) ? () => [alwaysUtc] : openSpans(name)
  return {
    name,
    spans,
    toLocal: (instant) => instant + (spans(instant, instant).find(({ end }) => instant < end)?.offsetMs ?? 0),
    toInstant(local) {
      for (const { start, end, offsetMs } of spans(local - FARTHEST, local + FARTHEST)) {
        const instant = Math.max(start, local - offsetMs)
        if (instant < end) return instant
      }
      return local
    },
  }
}

/** The spans of a zone as the calendar of the runtime has them, which takes some 20 ms to be opened. */
function openSpans(name: string): Zone['spans'] {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: name,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    era: 'short',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const offsetAt = (instant: number) => {
    const seconds = Math.floor(instant / 1000) * 1000
    const part: Record<string, string> = {}
    for (const { type, value } of format.formatToParts(seconds)) part[type] = value
    const year = part.era?.startsWith('B') ? 1 - Number(part.year) : Number(part.year)
    const day = utcDay(year, Number(part.month), Number(part.day))
    return day + Number(part.hour) * HOUR + Number(part.minute) * 60_000 + Number(part.second) * 1000 - seconds
  }

  /** Bisects between two instants of different offset to find the instant of the change. */
  const changeBetween = (before: number, after: number, offsetBefore: number) => {
    let [low, high] = [before, after]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === offsetBefore) low = middle
      else high = middle
    }
    return high
  }

  const years = new Map<number, Span[]>()
  const spansOfYear = (year: number): Span[] => {
    const known = years.get(year)
    if (known !== undefined) return known
    const [start, end] = [utcDay(year, 1, 1), utcDay(year + 1, 1, 1)]
    const spans: Span[] = []
    let current: Span = { start, end, offsetMs: offsetAt(start) }
    for (let day = start + DAY; day <= end; day += DAY) {
      const offsetMs = offsetAt(day)
      if (offsetMs === current.offsetMs) continue
      const change = changeBetween(day - DAY, day, current.offsetMs)
      if (change >= end) break
      spans.push({ ...current, end: change })
      current = { start: change, end, offsetMs }
    }
    spans.push(current)
    years.set(year, spans)
    return spans
  }

  return (from, to) => {
    const found: Span[] = []
    for (let year = utcYear(from); year <= utcYear(to); year++) {
      for (const span of spansOfYear(year)) {
        if (span.end <= from || span.start > to) continue
        const last = found.at(-1)
        if (last?.offsetMs === span.offsetMs && last.end === span.start) last.end = span.end
        else found.push({ ...span })
      }
    }
    return found
  }
}

const utcYear = (instant: number) => new Date(instant).getUTCFullYear()

/** Midnight UTC of a day in the proleptic Gregorian calendar, including years below 100. */
export function utcDay(year: number, month: number, day: number): number {
  return new Date(0).setUTCFullYear(year, month - 1, day)
}
