import { grown } from './facet.ts'
import type { FacetTable } from './facets.ts'
import { Timeline, type TimelineOptions } from './timeline.ts'

/** A change of status as its row has it; `from` is the code of the status before. */
export interface StatusChange {
  at: number
  from: number
}

interface Subject {
  time: number
  combo: number
  confidence: number
  asset: number
}

/** Changes of one finding that can be told apart by number. */
const MOST_CHANGES = 255

/**
 * What tells the past from the present: of every finding whose status changed, which combination it left and which it
 * entered when. Added to the findings as they are now, these give how they were before any moment:
 * a finding counts as it is now from its first detection on, and at that instant turns into what it was then.
 */
export class History {
  readonly leaves: Timeline
  readonly enters: Timeline
  /** False when something changed that is not told by adding to it: it must be built again. */
  isWhole = true
  readonly #facets: FacetTable
  #changes = new Uint8Array(64)

  constructor(facets: FacetTable, options: TimelineOptions) {
    this.#facets = facets
    this.leaves = new Timeline(facets, options)
    this.enters = new Timeline(facets, options)
  }

  get bytes(): number {
    return this.leaves.bytes + this.enters.bytes + this.#changes.byteLength
  }

  /** How many changes of a finding are taken in. */
  countOf(id: number): number {
    return this.#changes[id] ?? 0
  }

  /**
   * Takes in changes of a finding, the first of which follows what was taken in before; `status` is the one that the
   * finding was shown with until now, and was entered into the time before its first change.
   */
  add(id: number, subject: Subject, changes: readonly StatusChange[], known: { count: number; status: number }): void {
    const { time, combo } = subject
    const total = known.count + changes.length
    if (total >= MOST_CHANGES || id >= 2 ** 31 || id > 16 * (this.#changes.length + 1_000_000)) {
      this.isWhole = false
      return
    }
    if (id >= this.#changes.length) this.#changes = grown(this.#changes, id + 1)
    this.#changes[id] = total
    const present = this.#facets.facets.status.valueOf(combo)
    this.#move(subject, time, present, known.status)
    for (const [index, { at, from }] of changes.entries()) {
      this.#move(subject, Math.max(at, time), from, changes[index + 1]?.from ?? present)
    }
  }

  #move({ combo, confidence, asset }: Subject, time: number, from: number, to: number): void {
    if (from === to) return
    this.leaves.push(time, this.#facets.withStatus(combo, from), confidence, asset)
    this.enters.push(time, this.#facets.withStatus(combo, to), confidence, asset)
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
