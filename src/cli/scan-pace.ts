import type { Pause } from '../connectors/http/upstream.ts'
import { count } from '../kernel/count.ts'
import { joinShown, line, type PrintableText, showAmount, showName } from '../kernel/shown.ts'
import type { Scan } from '../scans/model.ts'

type PacedScan = Pick<Scan, 'source' | 'progress' | 'scopes'>

interface Sample {
  at: number
  done: number
  discovered: number
}

/** The speed is that of the last seconds. */
const WINDOW_MS = 10_000
/** The rest can be estimated when nothing more has been listed for this long. */
const LISTED_MS = 3_000

/** Measures how fast a scan is. */
export class ScanPace {
  #samples: Sample[] = []

  add({ progress: { discovered, scanned, unchanged } }: PacedScan, at: number): void {
    this.#samples = [
      ...this.#samples.filter((sample) => at - sample.at <= WINDOW_MS),
      { at, done: scanned + unchanged, discovered },
    ]
  }

  /** Items a second; undefined in the first second. */
  rate(): number | undefined {
    const [first, last] = [this.#samples[0], this.#samples.at(-1)]
    if (first === undefined || last === undefined || last.at - first.at < 1_000) return undefined
    return ((last.done - first.done) * 1_000) / (last.at - first.at)
  }

  /** Undefined while items are still being listed, while nothing moves, and where nothing that is listed is left. */
  secondsLeft(): number | undefined {
    const last = this.#samples.at(-1)
    const rate = this.rate()
    if (last === undefined || rate === undefined || rate === 0 || last.done >= last.discovered) return undefined
    const listed = this.#samples.find(({ discovered }) => discovered === last.discovered)
    if (listed === undefined || last.at - listed.at < LISTED_MS) return undefined
    return (last.discovered - last.done) / rate
  }
}

/** What a scan is doing: its scopes, its speed and the time left, or the wait that the platform requested. */
export function toStatusLine(scan: PacedScan, pace: ScanPace, pause: Pause | undefined, now: number): PrintableText {
  const { discovered, scanned, unchanged } = scan.progress
  const running = scan.scopes.filter(({ state }) => state === 'RUNNING')
  const [first] = running
  const others = running.length > 1 ? line` and ${running.length - 1} more` : line``
  const isListing = running.length === 0 || running.some((scope) => scope.discovered === 0)
  const where = first === undefined ? line`` : line` ${showName(first.name, 40)}${others}`
  const doing = isListing ? line`listing${where}` : line`reading${where}`
  const rate = pace.rate()
  const left = pace.secondsLeft()
  const parts = [
    doing,
    ...(discovered === 0 ? [] : [toDone(scanned + unchanged, discovered)]),
    ...(rate === undefined || discovered === 0
      ? []
      : [line`${showAmount(rate < 10 ? rate.toFixed(1) : rate.toFixed(0))} items a second`]),
    ...(left === undefined || scan.scopes.some(({ state }) => state === 'PENDING')
      ? []
      : [line`about ${toDuration(left)} left`]),
  ]
  const isPaused = pause !== undefined && pause.until > now
  return line`  ${isPaused ? toPauseLine(scan, pause, now) : joinShown(parts)}`
}

/** How much is done of what has been listed; where pages are read as they are listed, the total is not known. */
export const toDone = (done: number, discovered: number): PrintableText =>
  done < discovered ? line`${done} of ${discovered}` : line`${done} so far`

export function toPauseLine({ source }: PacedScan, { until, status }: Pause, now: number): PrintableText {
  const seconds = Math.max(1, Math.ceil((until - now) / 1_000))
  const code = status === undefined ? line`` : line` (${status})`
  return line`waiting ${toDuration(seconds)}, asked by ${showName(source.name)}${code}`
}

function toDuration(seconds: number): PrintableText {
  if (seconds < 90) return line`${Math.max(1, Math.ceil(seconds))} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 90 ? line`${minutes} min` : count(Math.ceil(minutes / 60), 'hour')
}
