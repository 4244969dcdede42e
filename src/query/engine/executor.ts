import type { Engine } from '../../engine/columnar-index.ts'
import { catchUp } from '../../engine/load.store.ts'
import { listDeletedSources } from '../../findings/source-names.store.ts'
import type { Reader } from '../../store/store.ts'
import type { RunPlan } from '../answer/value.ts'
import type { PlanCondition } from '../plan/plan.ts'
import { runPlan } from '../sql/plan.store.ts'
import { hasChangesSince } from '../sql/rows.store.ts'
import { type FreeKey, facetOfFreeKey, listValues } from '../sql/words.store.ts'
import { runOnEngine } from './engine-plan.ts'

/** The engine that serves each reader. */
const engines = new WeakMap<Reader, Engine>()

export function attachEngine(reader: Reader, engine: Engine | undefined): void {
  if (engine === undefined) engines.delete(reader)
  else engines.set(reader, engine)
}

export const findEngine = (reader: Reader): Engine | undefined => engines.get(reader)

/** The snapshot (the reader's `turn`) that each engine is current with. */
const turns = new WeakMap<Engine, number>()

/**
 * Updates an engine to the snapshot of a reader, at most once for each snapshot; detaches an engine that cannot be
 * updated.
 */
function isCurrent(reader: Reader, engine: Engine): boolean {
  const { turn } = reader
  if (turn !== undefined && turns.get(engine) === turn) return true
  if (catchUp(reader, engine)) {
    if (turn !== undefined) turns.set(engine, turn)
    return true
  }
  engines.delete(reader)
  return false
}

/**
 * Answers plans in the snapshot of a reader: by its engine if that can be updated to the snapshot, otherwise by SQL.
 */
export function openExecutor(reader: Reader): RunPlan {
  const run = openRunner(reader)
  const deleted = listDeletedSources(reader)
  if (deleted.length === 0) return run
  const others: PlanCondition = { key: 'sources', values: deleted, exclude: true, origin: 'caller' }
  return (plan) => run({ ...plan, conditions: [...plan.conditions, others] })
}

function openRunner(reader: Reader): RunPlan {
  const engine = engines.get(reader)
  if (engine === undefined || !isCurrent(reader, engine)) return (plan) => runPlan(reader, plan)
  const hasChanged = (since: number) => hasChangesSince(reader, since)
  return (plan) => {
    engine.asked.plans += 1
    const cells = runOnEngine(engine, plan, hasChanged)
    if (cells === undefined) engine.asked.left += 1
    return cells ?? runPlan(reader, plan)
  }
}

/** Updates a reader's engine to its snapshot ahead of the next question; returns whether anything changed. */
export function followChanges(reader: Reader): boolean {
  const engine = engines.get(reader)
  if (engine === undefined) return false
  const before = engine.seq
  return !isCurrent(reader, engine) || engine.seq !== before
}

const MAX_LISTED = 5000
const listed = new WeakMap<Engine, Map<FreeKey, { version: number; values: string[] }>>()

/**
 * Every value that occurs under a free filter key, ordered by name: like `listValues`, but from the engine if there is
 * one.
 */
export function listSeenValues(reader: Reader, key: FreeKey): string[] {
  const engine = engines.get(reader)
  if (engine === undefined || !isCurrent(reader, engine)) return listValues(reader, key)
  const { facets, assets, names } = engine
  const slot = facetOfFreeKey(key).slot
  const ofAssets = slot === 'kind' || slot === 'container'
  const version = ofAssets ? assets.moves : facets.count
  const kept = listed.get(engine) ?? new Map<FreeKey, { version: number; values: string[] }>()
  listed.set(engine, kept)
  const known = kept.get(key)
  if (known?.version === version) return known.values
  const ids = ofAssets ? assets.listIds(slot) : facets.facets[slot].values
  if (ids.length > MAX_LISTED) return listValues(reader, key)
  const values = ids.flatMap((id) => names.wordOf(id) ?? []).sort(byCodeUnits)
  kept.set(key, { version, values })
  return values
}

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
