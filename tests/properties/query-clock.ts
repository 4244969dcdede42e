// The wall clock of a zone, computed by stepping. It imports nothing from src/.

const HOUR = 3_600_000
const QUARTER = HOUR / 4
const DAY = 24 * HOUR

const FIRST = Date.UTC(2023, 0, 1)
const LAST = Date.UTC(2030, 0, 1)
const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

const clocks = new Map<string, Clock>()

export function getClock(timeZone: string): Clock {
  const clock = clocks.get(timeZone) ?? new Clock(timeZone)
  clocks.set(timeZone, clock)
  return clock
}

/** The wall clock of a zone, as a table of what it shows at every hour. */
export class Clock {
  readonly #offsets: Float64Array

  constructor(timeZone: string) {
    const format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset', year: 'numeric' })
    const offsetAt = (instant: number) => {
      const shown = format.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value
      const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d\d):(\d\d)/.exec(shown ?? '') ?? []
      return (sign === '-' ? -1 : 1) * (Number(hours) * HOUR + Number(minutes) * 60_000)
    }
    // Clocks change at whole hours of UTC, and once in a day at most, in these zones and years.
    this.#offsets = new Float64Array((LAST - FIRST) / HOUR)
    let offset = offsetAt(FIRST)
    for (let day = FIRST; day < LAST; day += DAY) {
      const next = offsetAt(day + DAY)
      for (let at = day; at < day + DAY; at += HOUR) {
        this.#offsets[(at - FIRST) / HOUR] = next === offset ? offset : offsetAt(at)
      }
      offset = next
    }
  }

  local(instant: number): number {
    return instant + (this.#offsets[Math.floor((instant - FIRST) / HOUR)] ?? 0)
  }

  /** The first instant at which the clock shows this or later. */
  instant(local: number): number {
    for (let at = local - 16 * HOUR; ; at += QUARTER) {
      if (this.local(at) >= local) return at
    }
  }

  read(text: string, bound: 'from' | 'to'): number {
    if (text.length > 10) return Date.parse(text)
    return this.instant(Date.parse(text) + (bound === 'to' ? DAY : 0))
  }

  shift(instant: number, months: number, dayCount: number): number {
    const shown = new Date(this.local(instant))
    const time = shown.getTime() % DAY
    const first = Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + months, 1)
    const last = new Date(Date.UTC(shown.getUTCFullYear(), shown.getUTCMonth() + months + 1, 0)).getUTCDate()
    const day = months === 0 ? shown.getUTCDate() : Math.min(shown.getUTCDate(), last)
    return this.instant(first + (day - 1 + dayCount) * DAY + time)
  }

  /** The first instant of the week, month, quarter or year that an instant is in. */
  startOf(instant: number, period: string, weekStart: string): number {
    const shown = new Date(this.local(instant))
    const [year, month] = [shown.getUTCFullYear(), shown.getUTCMonth()]
    const first = {
      month: Date.UTC(year, month),
      quarter: Date.UTC(year, [0, 0, 0, 3, 3, 3, 6, 6, 6, 9, 9, 9][month] ?? 0),
    }
    if (period === 'month' || period === 'quarter') return this.instant(first[period])
    if (period === 'year') return this.instant(Date.UTC(year, 0))
    let day = Math.floor(shown.getTime() / DAY) * DAY
    while (days[new Date(day).getUTCDay()] !== weekStart) day -= DAY
    return this.instant(day)
  }

  back(instant: number, window: string, count: number): number {
    const length = Number.parseInt(window, 10) * count
    if (window.endsWith('mo')) return this.shift(instant, -length, 0)
    if (window.endsWith('h')) return instant - length * HOUR
    return this.shift(instant, 0, -length * (window.endsWith('w') ? 7 : 1))
  }

  edges(
    { from, to, openFrom }: { from: number; to: number; openFrom: boolean },
    granularity: string,
    weekStart: string,
  ): number[] {
    /** The same number for instants of the same bucket, and another one for those of its neighbours. */
    const label = (at: number): number => {
      const shown = this.local(at)
      if (granularity === 'hour') return Math.floor(shown / HOUR) * 2 * DAY + (shown - at)
      if (granularity === 'month') {
        const date = new Date(shown)
        return date.getUTCFullYear() * 12 + date.getUTCMonth()
      }
      const day = Math.floor(shown / DAY)
      return granularity === 'day' ? day : Math.floor((day + 4 - days.indexOf(weekStart)) / 7)
    }
    const floor = (at: number) => {
      let start = Math.floor(at / QUARTER) * QUARTER
      while (label(start - QUARTER) === label(start)) start -= QUARTER
      return start
    }
    let first = openFrom ? floor(to - 1) : floor(from)
    if (openFrom) {
      const count = { hour: 48, day: 30, week: 26, month: 12 }[granularity] ?? 1
      for (let back = 1; back < count; back++) first = floor(first - 1)
    }
    const edges = [first]
    for (let at = first + QUARTER; ; at += QUARTER) {
      if (label(at) === label(at - QUARTER)) continue
      edges.push(at)
      if (at >= to) return edges
    }
  }
}
