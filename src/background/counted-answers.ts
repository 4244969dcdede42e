import { ComboCounts } from '../engine/combo-counts.store.ts'
import { AppError } from '../kernel/errors.ts'
import type { CountedQuestion, ReadContext } from '../operation/context.ts'
import { LastingAnswer } from '../operation/lasting-answer.ts'
import { answerByCounts, NotCounted } from '../query/engine/executor.ts'
import type { Log } from '../runtime/log.ts'
import type { Reader, Store } from '../store/store.ts'

/** The counts are read once this many questions may have been answered by them. */
const MIN_ASKED = 5
/** How long a question that needs more than the counts is passed on at once. */
const REFUSAL_MS = 60_000
const MAX_REFUSED = 500
/** The delay between two pages of the counts, in which requests are answered. */
const PAGE_MS = 2
/** The delay before the counts are read again, after a change that could not be followed. */
const RELOAD_MS = 1_000
/** How long an answer is repeated at most, and its length as JSON. */
const LASTING_MS = 60_000
const MAX_LASTING_LENGTH = 12_000

/** Answers questions in the calling thread by the counts of present findings, which costs less than asking a thread. */
export interface CountedAnswers {
  answer: NonNullable<ReadContext['answerByCounts']>
  close(): void
}

export function createCountedAnswers({ store, log }: { store: Store; log: Log }): CountedAnswers {
  let counts: ComboCounts | undefined
  let isLoading = false
  let [asked, mayLoadAt] = [0, 0]
  let closed = false
  /** The questions that counts do not answer, and until when. */
  const refused = new Map<string, number>()
  /** The last answer to each question. */
  const answered = new WeakMap<object, { reader: Reader; dataVersion: number; lasting: LastingAnswer | undefined }>()

  /** Reads one page after the other, so that no request waits for more than one. */
  const loadOn = (loading: ComboCounts) => {
    if (closed) return
    try {
      const isSmall = store.read((reader) => loading.loadSome(reader))
      if (isSmall && !loading.isLoaded) return void setTimeout(() => loadOn(loading), PAGE_MS).unref()
      if (isSmall) counts = loading
      else mayLoadAt = Number.POSITIVE_INFINITY
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      log.debug('the counts of findings could not be read', { error })
    }
    isLoading = false
  }

  const loadLater = () => {
    asked += 1
    if (isLoading || asked < MIN_ASKED || performance.now() < mayLoadAt) return
    isLoading = true
    mayLoadAt = performance.now() + RELOAD_MS
    setImmediate(() => loadOn(new ComboCounts()))
  }

  const isCurrent = (reader: Reader, known: ComboCounts): boolean => {
    if (reader.seesEnds) return false
    if (known.follow(reader)) return true
    counts = undefined
    return false
  }

  const refuse = (id: string) => {
    if (refused.size >= MAX_REFUSED) refused.clear()
    refused.set(id, performance.now() + REFUSAL_MS)
  }

  /** The answer to a question that was asked before, unless something was committed since, or the time changes it. */
  const repeat = (key: object, now: number): object | undefined => {
    const last = answered.get(key)
    if (last?.lasting?.isValidAt(now) !== true) return undefined
    const isSame = store.read((reader) => last.reader === reader && last.dataVersion === reader.dataVersion)
    return isSame ? last.lasting.at(now) : undefined
  }

  /** Keeps the answer to a question that is asked again without a commit in between. */
  const keep = (reader: Reader, { key, now }: CountedQuestion, first: unknown, answerAt: (now: number) => unknown) => {
    const { dataVersion } = reader
    if (key === undefined || dataVersion === undefined) return
    const last = answered.get(key)
    const until = now + LASTING_MS
    const isKept =
      last?.reader === reader &&
      last.dataVersion === dataVersion &&
      JSON.stringify(first).length <= MAX_LASTING_LENGTH &&
      // Counts change when a decision ends.
      !reader.hasEndBefore(until + 1)
    const lasting = isKept ? LastingAnswer.between({ from: now, until }, first, answerAt(until)) : undefined
    answered.set(key, { reader, dataVersion, lasting })
  }

  /** Undefined, or an error that says why, where the query thread must answer. */
  const answerNow = (
    known: ComboCounts,
    question: CountedQuestion,
  ): { output: unknown } | { error: unknown } | undefined =>
    store.read((reader) => {
      // Errors are caught within the transaction, which is then not rolled back.
      try {
        if (!isCurrent(reader, known)) return undefined
        const { now, run } = question
        const answerAt = (moment: number) => run((work) => answerByCounts(reader, known, () => work(reader)), moment)
        const output = answerAt(now)
        keep(reader, question, output, answerAt)
        return { output }
      } catch (error) {
        return { error }
      }
    })

  return {
    answer(question) {
      if (closed) return undefined
      const { operation, input, now, key } = question
      try {
        const repeated = key === undefined ? undefined : repeat(key, now)
        if (repeated !== undefined) return { output: repeated }
        const id = `${operation} ${JSON.stringify(input)}`
        const until = refused.get(id)
        if (until !== undefined && performance.now() < until) return undefined
        if (counts === undefined) {
          loadLater()
          return undefined
        }
        const answer = answerNow(counts, question)
        if (answer === undefined || 'output' in answer) return answer
        refuse(id)
        throw answer.error
      } catch (error) {
        // The query thread reports errors of the question.
        if (error instanceof NotCounted || error instanceof AppError) return undefined
        throw error
      }
    },
    close: () => {
      closed = true
    },
  }
}
