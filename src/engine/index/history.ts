import { grown } from './facet.ts'
import type { FacetTable } from './facets.ts'
import { Timeline, type TimelineOptions } from './timeline.ts'

/** A change of status as its row has it; `from` is the code of the status before. */
export interface HistoryChange {
  at: number
  from: number
}

/** What a finding is counted by. */
interface Subject {
  time: number
  combo: number
  confidence: number
  asset: number
}

/** So many changes of one finding, or more, are counted aside. */
const MANY_CHANGES = 255
/** Findings whose changes may be counted aside: a table holds no more than twice as many. */
const MAX_ASIDE = 2 ** 23
/** Rows that may be there for nothing before the history is to be built again, where that is not a small share of all. */
const MAX_SPARE = 1_000_000

interface HistoryOptions extends TimelineOptions {
  mostSpare?: number
}

/**
 * What tells the past from the present: of every finding whose status changed, which combination it left and which it
 * entered when. Added to the findings as they are now, these give how they were before any moment:
 * a finding counts as it is now from its first detection on, and at that instant turns into what it was then.
 * Nothing is ever removed: to leave what was entered, at the same instant, is as if it had not been.
 */
export class History {
  readonly leaves: Timeline
  readonly enters: Timeline
  /** False when something changed that is not told by adding to it: it must be built again. */
  isWhole = true
  readonly #facets: FacetTable
  readonly #most: number
  #changes = new Uint8Array(64)
  /** Of findings with many changes, and of those with numbers that would leave most of an array empty. */
  readonly #aside = new Map<number, number>()
  #spare = 0

  constructor(facets: FacetTable, { mostSpare = MAX_SPARE, ...options }: HistoryOptions) {
    this.#facets = facets
    this.#most = mostSpare
    this.leaves = new Timeline(facets, options)
    this.enters = new Timeline(facets, options)
  }

  get bytes(): number {
    return this.leaves.bytes + this.enters.bytes + this.#changes.byteLength + this.#aside.size * 40
  }

  /** Whether so much of it was taken back that a new one would be much smaller. */
  get isWorn(): boolean {
    return this.#spare > Math.max(this.#most, this.leaves.count >> 1)
  }

  /** Makes room for ids up to a newest one, where there are so many findings. */
  reserve(newestId: number, count: number): void {
    const isDense = newestId <= 16 * (count + 1_000_000)
    if (isDense && newestId >= this.#changes.length) this.#changes = grown(this.#changes, newestId + 1)
  }

  /** How many changes of a finding are taken in. */
  countOf(id: number): number {
    return this.#aside.get(id) ?? this.#changes[id] ?? 0
  }

  /**
   * Takes in changes of a finding by the order of their time. They follow what was taken in before, if anything was:
   * then the first of them is from the status with which the finding was shown until now.
   */
  add(id: number, subject: Subject, changes: readonly HistoryChange[]): void {
    this.#setCount(id, this.countOf(id) + changes.length)
    this.#tell(subject, changes, 1)
  }

  /** Takes back all changes of a finding as they were taken in; `subject` is what the finding was shown as. */
  takeBack(id: number, subject: Subject, changes: readonly HistoryChange[]): void {
    this.#setCount(id, 0)
    const before = this.leaves.count
    this.#tell(subject, changes, -1)
    this.#spare += 2 * (this.leaves.count - before)
  }

  #setCount(id: number, count: number): void {
    const isNear = id < 2 ** 31 && id <= 16 * (this.#changes.length + 1_000_000)
    if (count >= MANY_CHANGES || !isNear) {
      if (this.#aside.size < MAX_ASIDE) this.#aside.set(id, count)
      else this.isWhole = false
    } else {
      if (id >= this.#changes.length) this.#changes = grown(this.#changes, id + 1)
      this.#changes[id] = count
      this.#aside.delete(id)
    }
  }

  /** From what a finding is shown as, at its first detection, through what it was to what it is shown as. */
  #tell(subject: Subject, changes: readonly HistoryChange[], sign: 1 | -1): void {
    const present = this.#facets.facets.status.valueOf(subject.combo)
    let [time, status] = [subject.time, present]
    for (const { at, from } of changes) {
      this.#move(subject, time, status, from, sign)
      ;[time, status] = [Math.max(at, subject.time), from]
    }
    this.#move(subject, time, status, present, sign)
  }

  #move({ combo, confidence, asset }: Subject, time: number, from: number, to: number, sign: 1 | -1): void {
    if (from === to) return
    const [left, entered] = sign === 1 ? [this.leaves, this.enters] : [this.enters, this.leaves]
    left.push(time, this.#facets.withStatus(combo, from), confidence, asset)
    entered.push(time, this.#facets.withStatus(combo, to), confidence, asset)
  }

  settle(): void {
    this.leaves.settle()
    this.enters.settle()
  }

  /** As `Timeline.tidy`, of one of the two; says whether there was anything to do. */
  tidy(): boolean {
    return this.leaves.tidy() !== undefined || this.enters.tidy() !== undefined
  }
}
