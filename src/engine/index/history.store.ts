import type { Reader } from '../../store/store.ts'
import type { Engine, RowState } from '../columnar-index.ts'
import { readColumns } from '../number-columns.store.ts'
import type { HistoryChange } from './history.ts'
import { NEVER } from './times.ts'

const changeColumns = { columns: ['finding_id', 'seq', 'at', 'from_status'], table: 'status_change' }

type Numbers = readonly number[]

const byTime = (a: HistoryChange, b: HistoryChange) => a.at - b.at

/** Builds the history of an engine whose findings are already loaded. */
export function buildHistory(reader: Reader, engine: Engine): void {
  const { history } = engine
  let subject = -1
  let changes: HistoryChange[] = []
  const close = () => {
    const found = engine.find(subject)
    if (found !== undefined && changes.length > 0) history.add(found, changes.sort(byTime))
  }
  for (const [ids = [], , times = [], statuses = []] of readColumns(reader, changeColumns, [-1, -1])) {
    for (let row = 0; row < ids.length; row++) {
      const id = ids[row] as number
      if (id !== subject) {
        close()
        subject = id
        changes = []
      }
      changes.push({ at: times[row] as number, from: statuses[row] as number })
    }
  }
  close()
  history.sort()
}

/** Adds the status changes of the touched findings to the history. */
export function followHistory(reader: Reader, engine: Engine): void {
  const { history, touched } = engine
  const changes = listChanges(reader, touched.keys())
  for (const [id, before] of touched) {
    if (!history.isComplete) break
    const rows = changes.get(id) ?? []
    if (rows.length > 0 || history.countOf(id) > 0) follow(engine, id, before, rows)
  }
  touched.clear()
  history.flush()
}

/** Ids at most this far apart are read by one range query, together with the ids between them. */
const NEAR = 16

/** The rows that a query with a first and a last id gives for findings, and for others with ids between theirs. */
function* listNear(reader: Reader, query: string, ids: Iterable<number>): Generator<Numbers, void> {
  const select = reader.prepare(query).raw()
  const sorted = Float64Array.from(ids).sort()
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    end = start + 1
    while (end < sorted.length && (sorted[end] ?? 0) - (sorted[end - 1] ?? 0) <= NEAR) end++
    yield* select.all(sorted[start], sorted[end - 1]) as Numbers[]
  }
}

const selectInstants = `SELECT id, coalesce(resolved_at, ${NEVER}), coalesce(last_detected_at, ${NEVER})
  FROM finding WHERE id BETWEEN ? AND ?`

/** Reads when the touched findings were resolved and last detected. */
export function followInstants(reader: Reader, engine: Engine): void {
  for (const [id = 0, resolvedAt = 0, lastDetectedAt = 0] of listNear(reader, selectInstants, engine.touched.keys())) {
    engine.setInstants(id, resolvedAt, lastDetectedAt)
  }
}

const selectValues = 'SELECT id, coalesce(value_id, 0) FROM finding WHERE id BETWEEN ? AND ?'

/** Reads the values of the touched findings. */
export function followValues(reader: Reader, engine: Engine): void {
  for (const [id = 0, value = 0] of listNear(reader, selectValues, engine.touched.keys())) engine.setValue(id, value)
}

/** The status changes of findings, each finding's in `seq` order. */
function listChanges(reader: Reader, ids: Iterable<number>): Map<number, HistoryChange[]> {
  const query =
    'SELECT finding_id, at, from_status FROM status_change WHERE finding_id BETWEEN ? AND ? ORDER BY finding_id, seq'
  const found = new Map<number, HistoryChange[]>()
  for (const [id = 0, at = 0, from = 0] of listNear(reader, query, ids)) {
    const known = found.get(id)
    if (known === undefined) found.set(id, [{ at, from }])
    else known.push({ at, from })
  }
  return found
}

function follow(engine: Engine, id: number, before: RowState | undefined, rows: HistoryChange[]): void {
  const { history, facets } = engine
  const now = engine.find(id)
  if (now === undefined) return
  const count = history.countOf(id)
  const [taken, further] = [rows.slice(0, count).sort(byTime), rows.slice(count).sort(byTime)]
  if (count === 0) {
    history.add(now, further)
    return
  }
  if (before === undefined || taken.length < count) {
    history.isComplete = false
    return
  }
  const statusOf = (combo: number) => facets.facets.status.valueOf(combo)
  const isSameOtherwise =
    before.confidence === now.confidence && facets.withStatus(before.combo, statusOf(now.combo)) === now.combo
  const [first] = further
  if (first === undefined) {
    if (isSameOtherwise && before.combo === now.combo) return
  } else if (isSameOtherwise && first.from === statusOf(before.combo) && first.at >= (taken.at(-1)?.at ?? first.at)) {
    history.add(now, further)
    return
  }
  history.remove({ ...now, ...before }, taken)
  history.add(now, [...taken, ...further].sort(byTime))
}
