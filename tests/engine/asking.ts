import { Engine } from '../../src/engine/columnar-index.ts'
import type { TimelineOptions } from '../../src/engine/index/timeline.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import type { FilterMapping } from '../../src/findings/filter.ts'
import { evaluateMetric } from '../../src/query/answer/evaluate.ts'
import { evaluateSeries } from '../../src/query/answer/series.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import type { MetricQuestion, SeriesQuestion } from '../../src/query/model.ts'
import type { Reader, Store } from '../../src/store/store.ts'
import { NOW } from '../properties/query-data.ts'
import type { OracleFilter, OracleQuestion } from '../properties/query-terms.ts'

/** The question without a term of its own: its mapping is pinned, which means the same. */
export function toAsked({ term, pinned, filters, ...question }: OracleQuestion) {
  const scopes: OracleFilter[] = [term, pinned].filter((scope) => scope !== undefined)
  const [first, second] = scopes
  return {
    input: {
      ...question,
      ...((filters ?? second) === undefined ? {} : { filters: (filters ?? second) as FilterMapping }),
    },
    options: { now: NOW, pinnedFilters: first as FilterMapping | undefined },
  }
}

export function answer(reader: Reader, question: OracleQuestion, isSeries: boolean): unknown {
  const { input, options } = toAsked(question)
  return isSeries
    ? evaluateSeries(reader, input as SeriesQuestion, options)
    : evaluateMetric(reader, input as MetricQuestion, options)
}

/** The engine as it is read from a snapshot, without reserved memory. */
function toRestored(engine: Engine, options: TimelineOptions | undefined): Engine {
  const image = engine.toImage().map(({ column, used }) => ({ column: column.slice(0, used), used }))
  const restored = Engine.restore(image, options)
  Object.assign(restored.asked, engine.asked)
  return restored
}

interface BothAnswers<Answer> {
  sql: Answer
  engine: Answer
  /** Plans that the engine ran. */
  served: number
}

/** The answers of SQL and of the engine in one snapshot; an engine that cannot follow is built again first. */
export const answerBoth = (
  store: Pick<Store, 'read'>,
  question: OracleQuestion,
  isSeries: boolean,
  options?: TimelineOptions,
): BothAnswers<unknown> => askBoth(store, (reader) => answer(reader, question, isSeries), options)

export function askBoth<Answer>(
  store: Pick<Store, 'read'>,
  ask: (reader: Reader) => Answer,
  options?: TimelineOptions,
): BothAnswers<Answer> {
  return store.read((reader) => {
    if (findEngine(reader)?.history.isComplete !== true) attachEngine(reader, buildEngine(reader, options))
    const present = findEngine(reader)
    if (present !== undefined && present.asked.plans % 5 === 0) attachEngine(reader, toRestored(present, options))
    const engine = findEngine(reader)
    const before = engine?.asked ?? { plans: 0, left: 0 }
    const served = -before.plans + before.left
    const answered = ask(reader)
    const kept = findEngine(reader)
    const after = kept?.asked ?? before
    if (after.plans % 3 === 0) kept?.runMaintenanceStep()
    attachEngine(reader, undefined)
    const sql = ask(reader)
    attachEngine(reader, kept)
    return { sql, engine: answered, served: served + after.plans - after.left }
  })
}
