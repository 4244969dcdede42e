import type { DetectionCase, ExpectedSpan } from './cases.ts'

export interface Prediction {
  type: string
  start: number
  end: number
  confidence: number
}

/** How a finding is compared with the spans of a case. */
export interface Matching {
  /** Whether the type must be the labelled one; findings of types that no case labels are then left out. */
  exactType: boolean
  /** Whether touching the span is enough; otherwise half of the shorter of both must be shared. */
  anyOverlap: boolean
}

export const matchings: Readonly<Record<string, Matching>> = {
  SECRETS: { exactType: false, anyOverlap: false },
  PII: { exactType: true, anyOverlap: false },
  PROMPT_INJECTION: { exactType: false, anyOverlap: true },
}

interface Interval {
  start: number
  end: number
}

const LENGTH_FACTOR = 6
const LENGTH_ALLOWANCE = 80

const shared = (a: Interval, b: Interval) => Math.min(a.end, b.end) - Math.max(a.start, b.start)
const length = ({ start, end }: Interval) => end - start

export function isHit(found: Prediction, expected: ExpectedSpan, { exactType, anyOverlap }: Matching): boolean {
  if (exactType && found.type !== expected.type) return false
  const common = shared(found, expected)
  if (common <= 0) return false
  if (anyOverlap) return true
  const isShortEnough = length(found) <= LENGTH_FACTOR * length(expected) + LENGTH_ALLOWANCE
  return isShortEnough && common >= 0.5 * Math.min(length(expected), length(found))
}

export class Tally {
  spans = 0
  spansFound = 0
  findings = 0
  right = 0
  positives = 0
  positivesHit = 0
  clean = 0
  cleanFlagged = 0

  get recall(): number {
    return this.spansFound / this.spans
  }
  get precision(): number {
    return this.right / this.findings
  }
  get f1(): number {
    return (2 * this.precision * this.recall) / (this.precision + this.recall)
  }
}

export interface Judged {
  prediction: Prediction
  right: boolean
}

/** What the findings of one case are worth; those that touch what is to be ignored or optional count neither way. */
export function judge(
  { expected, ignored }: DetectionCase,
  predictions: readonly Prediction[],
  matching: Matching,
): { judged: Judged[]; found: number } {
  const judged = predictions.flatMap((prediction): Judged[] => {
    const right = expected.some((span) => isHit(prediction, span, matching))
    const isNeutral =
      ignored.some((span) => shared(prediction, span) > 0) ||
      (!matching.exactType && expected.some((span) => shared(prediction, span) > 0))
    return !right && isNeutral ? [] : [{ prediction, right }]
  })
  const found = expected.filter((span) => predictions.some((prediction) => isHit(prediction, span, matching))).length
  return { judged, found }
}

export function addCase(tally: Tally, { expected }: DetectionCase, { judged, found }: ReturnType<typeof judge>): void {
  tally.spans += expected.length
  tally.spansFound += found
  tally.findings += judged.length
  tally.right += judged.filter(({ right }) => right).length
  if (expected.length === 0) {
    tally.clean++
    if (judged.length > 0) tally.cleanFlagged++
  } else {
    tally.positives++
    if (found > 0) tally.positivesHit++
  }
}
