const HOUR = 3_600_000
const DAY = 24 * HOUR

interface Segment {
  /** Milliseconds from which the offset holds. */
  start: number
  end: number
  offsetMs: number
}

/** The offsets of a zone over a range of time, as the runtime's own time zone data has them. */
export function readZone(timeZone: string, from: number, to: number): Segment[] {
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const offsetAt = (instant: number) => {
    const parts = Object.fromEntries(format.formatToParts(instant).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(instant / 1000) * 1000
  }
  const segments: Segment[] = []
  let current: Segment = { start: Number.NEGATIVE_INFINITY, end: Number.POSITIVE_INFINITY, offsetMs: offsetAt(from) }
  for (let at = from; at < to; at += 6 * HOUR) {
    const next = offsetAt(at + 6 * HOUR)
    if (next === current.offsetMs) continue
    let [low, high] = [at, at + 6 * HOUR]
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2)
      if (offsetAt(middle) === current.offsetMs) low = middle
      else high = middle
    }
    current.end = high
    segments.push(current)
    current = { start: high, end: Number.POSITIVE_INFINITY, offsetMs: next }
  }
  segments.push(current)
  return segments
}

export interface Pattern {
  cron: string
  /** Undefined: every hour. */
  hours?: readonly number[]
  minutes: readonly number[]
  /** 0 is Sunday; undefined: every day. */
  weekdays?: readonly number[]
}

/**
 * When a pattern runs, day by local day. Hours that are named: once, at the first pass of a time that comes twice, and
 * at the first instant after the gap where the time does not come. Every hour: at each time that comes, however often.
 */
export function expectedRuns(zone: readonly Segment[], pattern: Pattern, from: number, to: number): number[] {
  const runs = new Set<number>()
  const hours = pattern.hours ?? Array.from({ length: 24 }, (_, hour) => hour)
  for (let day = Math.floor(from / DAY) * DAY - 2 * DAY; day <= to + 2 * DAY; day += DAY) {
    if (pattern.weekdays !== undefined && !pattern.weekdays.includes(new Date(day).getUTCDay())) continue
    for (const hour of hours) {
      for (const minute of pattern.minutes) {
        const wall = day + hour * HOUR + minute * 60_000
        const passes = zone.flatMap(({ start, end, offsetMs }) => {
          const instant = wall - offsetMs
          return instant >= start && instant < end ? instant : []
        })
        if (passes.length > 0) for (const pass of pattern.hours ? passes.slice(0, 1) : passes) runs.add(pass)
        else {
          const after = zone.find(({ start, offsetMs }) => start > wall - offsetMs && start + offsetMs > wall)
          if (after !== undefined && pattern.hours !== undefined) runs.add(after.start)
        }
      }
    }
  }
  return [...runs].filter((run) => run > from && run <= to).sort((a, b) => a - b)
}
