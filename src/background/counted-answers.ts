import { ComboCounts } from '../engine/combo-counts.store.ts'
import { AppError } from '../kernel/errors.ts'
import type { ReadContext } from '../operation/context.ts'
import { answerByCounts, NotCounted } from '../query/engine/executor.ts'
import type { Log } from '../runtime/log.ts'
import type { Reader, Store } from '../store/store.ts'

/** The counts are read once this many questions may have been answered by them. */
const MIN_ASKED = 5
/** How long a question that needs more than the counts is passed on at once. */
const REFUSAL_MS = 60_000
const MAX_REFUSED = 500
/** The delay before the counts are read again, after a change that could not be followed. */
const RELOAD_MS = 1_000

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

  /** One page in each turn of the event loop, so that no request waits. */
  const loadOn = (loading: ComboCounts) => {
    if (closed) return
    try {
      const isSmall = store.read((reader) => loading.loadSome(reader))
      if (isSmall && !loading.isLoaded) return void setImmediate(() => loadOn(loading))
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

  return {
    answer(operation, input, run) {
      if (closed) return undefined
      const id = `${operation} ${JSON.stringify(input)}`
      const until = refused.get(id)
      if (until !== undefined && performance.now() < until) return undefined
      const known = counts
      if (known === undefined) {
        loadLater()
        return undefined
      }
      let failed: unknown
      // Caught within the transaction, which is then not rolled back.
      const read = <Answer>(work: (reader: Reader) => Answer): Answer => {
        const answer = store.read((reader): { own: Answer } | undefined => {
          try {
            return isCurrent(reader, known) ? { own: answerByCounts(reader, known, () => work(reader)) } : undefined
          } catch (error) {
            failed = error
            return undefined
          }
        })
        if (answer === undefined) throw failed ?? new NotCounted()
        return answer.own
      }
      try {
        return { output: run(read) }
      } catch (error) {
        // The query thread reports errors of the question.
        if (!(error instanceof NotCounted || error instanceof AppError)) throw error
        if (counts !== undefined && failed !== undefined) refuse(id)
        return undefined
      }
    },
    close: () => {
      closed = true
    },
  }
}
