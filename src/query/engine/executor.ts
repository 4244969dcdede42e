import type { Engine } from '../../engine/columnar-index.ts'
import { ComboCounts, hasFewCombos } from '../../engine/combo-counts.store.ts'
import { ownFacets } from '../../engine/index/assets.ts'
import { catchUp, createEmptyEngine } from '../../engine/load.store.ts'
import type { ComboSlot } from '../../findings/facets.ts'
import { listDeletedSources } from '../../findings/source-names.store.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { Reader } from '../../store/store.ts'
import type { RunPlan } from '../answer/value.ts'
import type { Plan, PlanCondition } from '../plan/plan.ts'
import { listNames } from '../sql/groups.store.ts'
import { runPlan } from '../sql/plan.store.ts'
import { hasChangesSince } from '../sql/rows.store.ts'
import { type FreeKey, facetOfFreeKey, listValues, MAX_VALUES } from '../sql/words.store.ts'
import { isByCombo, runOnCounts } from './counts-plan.ts'
import { type EngineSnapshot, runOnEngine } from './engine-plan.ts'
import { findTopAssets, type TopCells } from './top-assets.ts'

/** The engine that serves each reader. */
const engines = new WeakMap<Reader, Engine>()

export function attachEngine(reader: Reader, engine: Engine | undefined): void {
  if (engine === undefined) engines.delete(reader)
  else {
    engines.set(reader, engine)
    if (substitutes.has(reader)) substitutes.set(reader, undefined)
  }
}

export const findEngine = (reader: Reader): Engine | undefined => engines.get(reader)

/**
 * Runs work on an empty engine, for its side effects only: its code is compiled and its statements are prepared before
 * the first question needs them. The answers of the work are meaningless.
 */
export function rehearse(reader: Reader, work: () => void): void {
  engines.set(reader, createEmptyEngine(reader))
  try {
    work()
  } finally {
    engines.delete(reader)
  }
}

/** A question needs more than the counts of combinations. */
export class NotCounted extends Error {}

/** The counts that serve each reader instead of an engine. */
const countsOf = new WeakMap<Reader, ComboCounts>()

/**
 * Runs work that is answered by counts, which must be current with the snapshot of the reader, and not by SQL over many
 * findings.
 * @throws NotCounted
 */
export function answerByCounts<Answer>(reader: Reader, counts: ComboCounts, work: () => Answer): Answer {
  countsOf.set(reader, counts)
  try {
    return work()
  } finally {
    countsOf.delete(reader)
  }
}

/** The counts that serve each reader while it has no engine, once they were read. */
const substitutes = new WeakMap<Reader, ComboCounts | undefined>()

/** Lets plans of a reader that has no engine be answered by counts where these suffice, which costs far less than SQL. */
export function allowCounts(reader: Reader): void {
  if (!substitutes.has(reader)) substitutes.set(reader, undefined)
}

/** Reads the counts that a reader may use before a question needs them. */
export function loadCounts(reader: Reader): void {
  findSubstitute(reader)
}

/** Read in one turn of the event loop, because a question waits for them. */
const COMBOS_AT_ONCE = 5_000
/** With so few combinations, reading them takes far less time than reading a snapshot of the engine. */
const FEW_COMBOS = 2_000

/**
 * Runs work on a reader that has no engine, by the counts that it may use, if they were read before or there are few.
 * @throws NotCounted
 */
export function readByCounts<Answer>(reader: Reader, work: (reader: Reader) => Answer): Answer {
  const isSoonRead = () => substitutes.get(reader)?.follow(reader) === true || hasFewCombos(reader, FEW_COMBOS)
  const counts = engines.has(reader) || !isSoonRead() ? undefined : findSubstitute(reader)
  if (counts === undefined) throw new NotCounted()
  return answerByCounts(reader, counts, () => work(reader))
}

/**
 * Undefined if the reader may not use counts, or they cannot be current with its snapshot, or there are too many
 * combinations, which are then not read again.
 */
function findSubstitute(reader: Reader): ComboCounts | undefined {
  if (!substitutes.has(reader) || reader.seesEnds) return undefined
  const known = substitutes.get(reader)
  if (known?.follow(reader) === true) return known
  const counts = new ComboCounts(COMBOS_AT_ONCE)
  while (!counts.isLoaded) {
    if (counts.loadSome(reader)) continue
    substitutes.delete(reader)
    return undefined
  }
  substitutes.set(reader, counts)
  return counts.follow(reader) ? counts : undefined
}

/** The reader that each engine was last updated with, and its `dataVersion` then. */
const updates = new WeakMap<Engine, { reader: Reader; dataVersion: number }>()

/**
 * Updates an engine to the snapshot of a reader, unless nothing was committed since the last time; detaches an engine
 * that cannot be updated. An engine follows only recorded changes, so none is current with ends of decisions that are
 * not recorded.
 */
function isCurrent(reader: Reader, engine: Engine): boolean {
  if (reader.seesEnds) return false
  const { dataVersion } = reader
  const last = updates.get(engine)
  if (dataVersion !== undefined && last?.reader === reader && last.dataVersion === dataVersion) return true
  if (catchUp(reader, engine)) {
    if (dataVersion !== undefined) updates.set(engine, { reader, dataVersion })
    return true
  }
  engines.delete(reader)
  return false
}

/**
 * Answers plans in the snapshot of a reader: by its engine if that can be updated to the snapshot, otherwise by counts
 * or SQL.
 */
export function openExecutor(reader: Reader): RunPlan {
  const run = openRunner(reader)
  const narrow = openNarrowing(reader)
  return (plan) => run(narrow(plan))
}

/** Leaves sources that are being deleted out of plans. */
function openNarrowing(reader: Reader): (plan: Plan) => Plan {
  const deleted = listDeletedSources(reader)
  if (deleted.length === 0) return (plan) => plan
  const others: PlanCondition = { key: 'sources', values: deleted, exclude: true, origin: 'caller' }
  return (plan) => ({ ...plan, conditions: [...plan.conditions, others] })
}

/** Finds the top groups of a plan without listing all of them, where there is an engine that can. */
export function openTop(reader: Reader): (plan: Plan, most: number) => TopCells | undefined {
  const engine = engines.get(reader)
  if (engine === undefined || !isCurrent(reader, engine)) return () => undefined
  const [snapshot, narrow] = [openEngineSnapshot(reader), openNarrowing(reader)]
  return (plan, most) => {
    const found = findTopAssets(engine, narrow(plan), most, snapshot)
    if (found !== undefined) engine.asked.plans += 1
    return found
  }
}

function openRunner(reader: Reader): RunPlan {
  const snapshot = openEngineSnapshot(reader)
  const counts = countsOf.get(reader)
  if (counts !== undefined) {
    return (plan) => {
      const cells = runOnCounts(counts, plan, snapshot)
      if (cells === undefined) throw new NotCounted()
      return cells
    }
  }
  const engine = engines.get(reader)
  if (engine === undefined || !isCurrent(reader, engine)) {
    return (plan) => {
      const substitute = isByCombo(plan) ? findSubstitute(reader) : undefined
      const cells = substitute === undefined ? undefined : runOnCounts(substitute, plan, snapshot)
      return cells ?? runPlan(reader, plan)
    }
  }
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
  const counts = countsOf.get(reader)
  const engine = counts?.engine ?? engines.get(reader)
  if (engine === undefined || (counts === undefined && !isCurrent(reader, engine))) return listValues(reader, key)
  const { facets, assets, names } = engine
  const slot = facetOfFreeKey(key).slot
  const ofAssets = isAssetSlot(slot)
  if (ofAssets && counts !== undefined) throw new NotCounted()
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

const byCodeUnits = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
