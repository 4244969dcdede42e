import type { Engine } from '../../engine/columnar-index.ts'
import { ownFacets } from '../../engine/index/assets.ts'
import { catchUp } from '../../engine/load.store.ts'
import type { ComboSlot } from '../../findings/facets.ts'
import { attachIndex } from '../../findings/finding-index.ts'
import { type FreeKey, facetOfFreeKey, listValues, MAX_VALUES } from '../../findings/seen-words.store.ts'
import { listDeletedSources } from '../../findings/source-names.store.ts'
import { byCodeUnits } from '../../kernel/by-code-units.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { Reader } from '../../store/store.ts'
import type { RunPlan } from '../answer/value.ts'
import type { GroupOrder } from '../model.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import { listNames } from '../sql/groups.store.ts'
import { runPlan } from '../sql/plan.store.ts'
import { hasChangesSince } from '../sql/rows.store.ts'
import { runOnEngine } from './engine-plan.ts'
import { openFindingIndex } from './finding-index.ts'
import { openLookups } from './lookups.store.ts'
import type { EngineSnapshot } from './prepare.ts'
import { findTop, type TopCells, type TopPlans } from './top.ts'

/** The engine that serves each reader. */
const engines = new WeakMap<Reader, Engine>()

export function attachEngine(reader: Reader, engine: Engine | undefined): void {
  attachIndex(reader, engine && openFindingIndex(reader, engine, () => isCurrent(reader, engine)))
  if (engine === undefined) engines.delete(reader)
  else engines.set(reader, engine)
}

export const findEngine = (reader: Reader): Engine | undefined => engines.get(reader)

/**
 * Updates an engine to the snapshot of a reader; detaches an engine that cannot be updated. An engine follows only
 * recorded changes, so none is current with ends of decisions that are not recorded.
 */
function isCurrent(reader: Reader, engine: Engine): boolean {
  if (reader.seesEnds) return false
  if (catchUp(reader, engine)) return true
  attachEngine(reader, undefined)
  return false
}

/**
 * Answers plans in the snapshot of a reader: by its engine if that can be updated to the snapshot, otherwise by
 * SQL.
 */
export function openExecutor(reader: Reader): RunPlan {
  const run = openRunner(reader)
  const narrow = openNarrowing(reader)
  return (plan) => run(narrow(plan))
}

/** Leaves sources that are being deleted out of plans. */
export function openNarrowing(reader: Reader): (plan: Plan) => Plan {
  const deleted = listDeletedSources(reader)
  if (deleted.length === 0) return (plan) => plan
  const others: PlanCondition = { key: 'sources', values: deleted, exclude: true, origin: 'caller' }
  return (plan) => ({ ...plan, conditions: [...plan.conditions, others] })
}

/** Finds the top groups of plans without listing all of them, where there is an engine that can. */
export type FindTop = (plans: TopPlans, most: number, orderBy: GroupOrder) => TopCells | undefined

export function openTop(reader: Reader): FindTop {
  const engine = engines.get(reader)
  if (engine === undefined || !isCurrent(reader, engine)) return () => undefined
  const [snapshot, narrow] = [openEngineSnapshot(reader), openNarrowing(reader)]
  return ([now, before], most, orderBy) => {
    const found = findTop(engine, [narrow(now), before && narrow(before)], { most, orderBy }, snapshot)
    if (found !== undefined) engine.asked.plans += found.cells.length
    return found
  }
}

function openRunner(reader: Reader): RunPlan {
  const engine = engines.get(reader)
  if (engine === undefined || !isCurrent(reader, engine)) return (plan) => runPlan(reader, plan)
  const snapshot = openEngineSnapshot(reader)
  return (plan) => {
    engine.asked.plans += 1
    const cells = runOnEngine(engine, plan, snapshot)
    if (cells === undefined) engine.asked.left += 1
    return cells ?? runPlan(reader, plan)
  }
}

export const openEngineSnapshot = (reader: Reader): EngineSnapshot => ({
  hasChanged: (since) => hasChangesSince(reader, since),
  hasEndBefore: (moment) => reader.hasEndBefore(moment),
  nameAssets: (ids) => listNames(reader, 'asset', ids),
  lookups: openLookups(reader),
})

/** Updates a reader's engine to its snapshot ahead of the next question; returns whether anything changed. */
export function followChanges(reader: Reader): boolean {
  const engine = engines.get(reader)
  if (engine === undefined || reader.seesEnds) return false
  const before = engine.seq
  return !isCurrent(reader, engine) || engine.seq !== before
}

const listed = new WeakMap<Engine, Map<FreeKey, { version: number; values: SafeText[] }>>()

/**
 * Every value that occurs under a free filter key, ordered by name: like `listValues`, but from the engine if there is
 * one.
 */
export function listSeenValues(reader: Reader, key: FreeKey): SafeText[] {
  const engine = engines.get(reader)
  if (engine === undefined || !isCurrent(reader, engine)) return listValues(reader, key)
  const { facets, assets, names } = engine
  const slot = facetOfFreeKey(key).slot
  const ofAssets = isAssetSlot(slot)
  const version = ofAssets ? assets.version : facets.count
  const kept = listed.get(engine) ?? new Map<FreeKey, { version: number; values: SafeText[] }>()
  listed.set(engine, kept)
  const known = kept.get(key)
  if (known?.version === version) return known.values
  const values = ofAssets ? assets.listIds(slot) : facets.facets[slot as ComboSlot].values
  const ids = slot === 'labels' ? [...new Set(values.flatMap((set) => names.labelsOf(set)))] : values
  if (ids.length > MAX_VALUES) return listValues(reader, key)
  const words = ids.flatMap((id) => names.wordOf(id) ?? []).sort(byCodeUnits)
  kept.set(key, { version, values: words })
  return words
}

const assetSlots = ['kind', 'container', ...ownFacets] as const
const isAssetSlot = (slot: string): slot is (typeof assetSlots)[number] =>
  (assetSlots as readonly string[]).includes(slot)
