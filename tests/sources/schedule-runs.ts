import { nextRunAt } from '../../src/sources/schedule.ts'
import { expectedRuns, type Pattern, readZone } from './schedule-oracle.ts'

const DAY = 86_400_000
const from = Date.UTC(2026, 0, 1)
const to = Date.UTC(2027, 11, 31)
const zoneOf = (timezone: string) => readZone(timezone, from - 3 * DAY, to + 3 * DAY)

const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index)
const weekdays = range(1, 5)

/** The presets, and times that stand in gaps and in hours that come twice. */
export const patterns: readonly Pattern[] = [
  { cron: '0 * * * *', minutes: [0] },
  { cron: '*/30 * * * *', minutes: [0, 30] },
  { cron: '0 6 * * *', hours: [6], minutes: [0] },
  { cron: '0 2 * * *', hours: [2], minutes: [0] },
  { cron: '0 3 * * 1', hours: [3], minutes: [0], weekdays: [1] },
  { cron: '0 9-17 * * 1-5', hours: range(9, 17), minutes: [0], weekdays },
  { cron: '0 7 * * 1-5', hours: [7], minutes: [0], weekdays },
  { cron: '30 2 * * *', hours: [2], minutes: [30] },
  { cron: '15 1 * * *', hours: [1], minutes: [15] },
  { cron: '0 0 * * *', hours: [0], minutes: [0] },
]

export interface Comparison {
  runs: number
  differences: string[]
}

/** Runs of patterns in one zone over two years: how many there are, and where they differ from the oracle's. */
export function compareYears(timezone: string, chosen: readonly Pattern[]): Comparison {
  const zone = zoneOf(timezone)
  return join(chosen.map((pattern) => compareRuns(timezone, zone, pattern, from, to)))
}

/** The same around each change of the clocks: for two days, or for half of one where runs are at most some hours apart. */
export function compareChanges(timezone: string, chosen: readonly Pattern[]): Comparison & { changes: number } {
  const zone = zoneOf(timezone)
  const changes = zone.flatMap(({ start }) => (start > from && start < to ? start : []))
  const comparisons = changes.flatMap((change) =>
    chosen.map((pattern) => {
      const around = pattern.hours?.length === 1 ? 2 * DAY : DAY / 2
      return compareRuns(timezone, zone, pattern, change - around, change + around)
    }),
  )
  return { ...join(comparisons), changes: changes.length }
}

const join = (comparisons: readonly Comparison[]): Comparison => ({
  runs: comparisons.reduce((sum, { runs }) => sum + runs, 0),
  differences: comparisons.flatMap(({ differences }) => differences),
})

function compareRuns(
  timezone: string,
  zone: ReturnType<typeof readZone>,
  pattern: Pattern,
  from: number,
  to: number,
): Comparison {
  const expected = expectedRuns(zone, pattern, from, to)
  const actual: number[] = []
  for (let at = from; ; ) {
    const next = nextRunAt({ enabled: true, cron: pattern.cron, timezone }, at)
    if (next === undefined || next > to) break
    actual.push(next)
    at = next
  }
  const show = (sign: string, run: number) => `${sign}${new Date(run).toISOString()} ${timezone} ${pattern.cron}`
  const [wanted, had] = [new Set(expected), new Set(actual)]
  return {
    runs: actual.length,
    differences: [
      ...expected.filter((run) => !had.has(run)).map((run) => show('-', run)),
      ...actual.filter((run) => !wanted.has(run)).map((run) => show('+', run)),
    ],
  }
}
