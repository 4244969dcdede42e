import { randomUUID } from 'node:crypto'
import { nextRunAt } from '../sources/schedule.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { WatchGroupKey, WatchRecord } from './model.ts'
import type { WatchReading } from './reading.ts'
import {
  dropOldChanges,
  getRun,
  insertChange,
  listStates,
  readSignal,
  removeState,
  saveRun,
  saveState,
  type WatchStateRecord,
} from './states.store.ts'
import { nextState } from './transition.ts'
import { findWatch } from './watches.store.ts'

/** What an evaluation starts from; it is written only if no other process has evaluated the watch meanwhile. */
export interface EvaluationStart {
  watch: WatchRecord
  evaluations: number
  /** Ended scans that the evaluation sees. */
  scans: number
}

export function startEvaluation(reader: Reader, slug: string): EvaluationStart | undefined {
  const watch = findWatch(reader, slug)
  if (watch === undefined) return undefined
  return { watch, evaluations: getRun(reader, watch.id).evaluations, scans: readSignal(reader).scans }
}

/** The groups whose state must be determined even if they are empty now. */
export const listActiveGroups = (reader: Reader, watchId: number): WatchGroupKey[] =>
  listStates(reader, watchId)
    .filter(({ state }) => state !== 'OK')
    .map(({ key }) => key)

/** Writes the states that result from a reading, and their changes; false if the reading is out of date. */
export function applyReading(writer: Writer, start: EvaluationStart, reading: WatchReading, at: number): boolean {
  const watch = findWatch(writer, start.watch.slug)
  if (watch === undefined || watch.id !== start.watch.id || watch.updatedAt !== start.watch.updatedAt) return false
  const run = getRun(writer, watch.id)
  if (run.evaluations !== start.evaluations) return false
  // A group without a state was not in the previous reading, which lists all that meet the condition.
  const isKnownAbsent = run.problem === null && run.evaluatedAt !== null && run.evaluatedAt >= watch.updatedAt
  const before = new Map(listStates(writer, watch.id).map((state) => [JSON.stringify(state.key), state]))
  for (const group of reading.groups) {
    const known = before.get(JSON.stringify(group.key))
    before.delete(JSON.stringify(group.key))
    const { state, streak } = nextState(known, group.met, watch.condition)
    const { key, value, reason } = group
    const since = known?.state === state ? known.since : at
    const record: WatchStateRecord = { key, state, since, value, streak, reason }
    saveState(writer, watch.id, record)
    // A first state is reported only if it is FIRING.
    if (known === undefined ? state !== 'FIRING' : known.state === state) continue
    const from = known?.state ?? (isKnownAbsent ? 'OK' : 'UNKNOWN')
    insertChange(writer, watch.id, { uid: randomUUID(), key, at, from, to: state, value, reason })
  }
  for (const { key } of before.values()) removeState(writer, watch.id, key)
  dropOldChanges(writer, watch.id)
  const { problem, totalGroups } = reading
  const dueAt = toDueAt(watch.cron, at)
  saveRun(writer, watch.id, {
    evaluations: run.evaluations + 1,
    evaluatedAt: at,
    dueAt,
    problem,
    totalGroups,
    seenScans: start.scans,
  })
  return true
}

/** The next time of a cron expression, in UTC; null without one. */
export const toDueAt = (cron: string | null, after: number): number | null =>
  cron === null ? null : (nextRunAt({ cron }, after) ?? null)
