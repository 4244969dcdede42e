import type { ImageReader, ImageWriter } from '../image.ts'
import { grown } from './facet.ts'
import type { FacetTable } from './facets.ts'
import { Timeline, type TimelineOptions, type TimelineRows } from './timeline.ts'

/** A status change as stored; `from` is the code of the previous status. */
export interface HistoryChange {
  at: number
  from: number
}

/** The attributes that a finding is counted by. */
interface Subject {
  id: number
  time: number
  combo: number
  confidence: number
  asset: number
}

/** From this number of changes on, a finding's count is kept in `#aside`, because `#changes` has one byte for each. */
const MANY_CHANGES = 255
/** Limit of findings in `#aside`: a Map holds at most 2^24 entries. */
const MAX_ASIDE = 2 ** 23
/** Cancelled-out rows tolerated before the history must be rebuilt; above that, up to half of the rows. */
const MAX_SPARE = 1_000_000

interface HistoryOptions extends TimelineOptions {
  maxSpare?: number
}

/**
 * The difference between past and present: for each finding whose status changed, the combination it left and the one
 * it entered at each change. Added to the present state of the findings, these rows give the state before any moment: a
 * finding counts in its present state from its first detection on, and at that same instant changes to its state of
 * that time. Rows are never removed: an entry is cancelled by leaving it at the same instant.
 */
export class History {
  readonly leaves: Timeline
  readonly enters: TimelineRows
  /** False when a change cannot be expressed by adding rows: the history must then be rebuilt. */
  isComplete = true
  readonly #facets: FacetTable
  readonly #maxSpare: number
  #changes = new Uint8Array(64)
  /** Change counts of findings with many changes, and of ids so sparse that the array would be mostly empty. */
  readonly #aside = new Map<number, number>()
  #spare = 0

  constructor(facets: FacetTable, { maxSpare = MAX_SPARE, ...options }: HistoryOptions) {
    this.#facets = facets
    this.#maxSpare = maxSpare
    this.leaves = new Timeline(facets, options)
    this.enters = this.leaves.entered
  }

  get bytes(): number {
    return this.leaves.bytes + this.#changes.byteLength + this.#aside.size * 40
  }

  /** True when a rebuilt history would be much smaller, because most of its rows cancel out. */
  get needsCompaction(): boolean {
    return this.#spare > Math.max(this.#maxSpare, this.leaves.count >> 1)
  }

  /** Reserves memory for ids up to `newestId`, unless `count` findings would leave the array mostly empty. */
  reserve(newestId: number, count: number): void {
    const isDense = newestId <= 16 * (count + 1_000_000)
    if (isDense && newestId >= this.#changes.length) this.#changes = grown(this.#changes, newestId + 1)
  }

  /** The number of changes of a finding included in the history. */
  countOf(id: number): number {
    return this.#aside.get(id) ?? this.#changes[id] ?? 0
  }

  /**
   * Adds changes of a finding in time order. If some were added before, these follow them, and the first of these
   * starts at the status that the finding has had until now.
   */
  add(subject: Subject, changes: readonly HistoryChange[]): void {
    const { id } = subject
    this.#setCount(id, this.countOf(id) + changes.length)
    this.#pushMoves(subject, changes, 1)
  }

  /** Cancels all changes of a finding; `subject` and `changes` must be as they were added. */
  remove(subject: Subject, changes: readonly HistoryChange[]): void {
    this.#setCount(subject.id, 0)
    const before = this.leaves.count
    this.#pushMoves(subject, changes, -1)
    this.#spare += 2 * (this.leaves.count - before)
  }

  #setCount(id: number, count: number): void {
    const isNear = id < 2 ** 31 && id <= 16 * (this.#changes.length + 1_000_000)
    if (count >= MANY_CHANGES || !isNear) {
      if (this.#aside.size < MAX_ASIDE) this.#aside.set(id, count)
      else this.isComplete = false
    } else {
      if (id >= this.#changes.length) this.#changes = grown(this.#changes, id + 1)
      this.#changes[id] = count
      this.#aside.delete(id)
    }
  }

  /**
   * Adds the moves from the present status, at first detection, through the earlier statuses back to the present one.
   */
  #pushMoves(subject: Subject, changes: readonly HistoryChange[], sign: 1 | -1): void {
    const present = this.#facets.facets.status.valueOf(subject.combo)
    let [time, status] = [subject.time, present]
    for (const { at, from } of changes) {
      this.#move(subject, time, status, from, sign)
      ;[time, status] = [Math.max(at, subject.time), from]
    }
    this.#move(subject, time, status, present, sign)
  }

  #move({ id, combo, confidence, asset }: Subject, time: number, from: number, to: number, sign: 1 | -1): void {
    if (from === to) return
    const [left, entered] = (sign === 1 ? [from, to] : [to, from]).map((status) =>
      this.#facets.withStatus(combo, status),
    )
    this.leaves.push(time, left ?? 0, confidence, asset, id, entered)
  }

  save(image: ImageWriter): void {
    this.leaves.save(image)
    image.addNumbers([this.isComplete ? 1 : 0, this.#spare])
    image.add(this.#changes)
    image.addPairs(this.#aside)
  }

  restore(image: ImageReader): void {
    this.leaves.restore(image)
    const { isComplete, spare } = image.takeNamed(['isComplete', 'spare'])
    this.isComplete = isComplete === 1
    this.#spare = spare
    this.#changes = image.take(Uint8Array)
    image.takePairs(this.#aside)
  }

  /** Sorts the moves of findings that were added in any order, none of which was removed. */
  sort(): void {
    this.leaves.sort()
  }

  flush(): void {
    this.leaves.flush()
  }

  /** Merges late changes when there are enough; returns whether there was work to do. */
  compact(): boolean {
    return this.leaves.compact() !== undefined
  }
}
