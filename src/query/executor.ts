import type { Engine } from '../engine/engine.ts'
import { catchUp } from '../engine/load.store.ts'
import type { Reader } from '../store/store.ts'
import { runOnEngine } from './engine-plan.ts'
import { runPlan } from './plan.store.ts'
import { hasChangesSince } from './rows.store.ts'
import type { RunPlan } from './value.ts'

/** Engines that answer in the snapshots of a reader. */
const engines = new WeakMap<Reader, Engine>()

export function attachEngine(reader: Reader, engine: Engine | undefined): void {
  if (engine === undefined) engines.delete(reader)
  else engines.set(reader, engine)
}

export const findEngine = (reader: Reader): Engine | undefined => engines.get(reader)

/** What answers plans in the snapshot of a reader: its engine where that can be brought up to it, else SQL. */
export function openExecutor(reader: Reader): RunPlan {
  const engine = engines.get(reader)
  if (engine === undefined) return (plan) => runPlan(reader, plan)
  if (!catchUp(reader, engine)) {
    engines.delete(reader)
    return (plan) => runPlan(reader, plan)
  }
  const hasChanged = (since: number) => hasChangesSince(reader, since)
  return (plan) => {
    engine.asked.plans += 1
    const cells = runOnEngine(engine, plan, hasChanged)
    if (cells === undefined) engine.asked.left += 1
    return cells ?? runPlan(reader, plan)
  }
}

/** Brings the engine of a reader up to its snapshot, so that the next question need not; says whether anything changed. */
export function followChanges(reader: Reader): boolean {
  const engine = engines.get(reader)
  if (engine === undefined) return false
  const before = engine.seq
  if (catchUp(reader, engine)) return engine.seq !== before
  engines.delete(reader)
  return true
}
