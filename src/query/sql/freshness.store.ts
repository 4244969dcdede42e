import { sql } from 'kysely'
import { foldCase } from '../../kernel/fold.ts'
import type { Reader } from '../../store/store.ts'
import type { PlanCondition } from '../plan/plan.ts'

export interface SourceFreshness {
  uid: string
  name: string
  type: string
  lastCompletedScanAt: number | null
  /** From when on its findings are known; null before its first completed scan. */
  observedFrom: number | null
  nextRunAt: number | null
  /** Which earlier versions its scans read. */
  history: string
  /** What its last scan read and could not, as JSON; null: its connector does not say. */
  coverage: string | null
}

/** Every source with its last completed scan and its next scheduled run. */
export function listSources(reader: Reader): SourceFreshness[] {
  return reader.all(
    sql<SourceFreshness>`SELECT uid, name, type, last_completed_scan_at AS lastCompletedScanAt,
      observed_from AS observedFrom,
      CASE WHEN schedule_enabled = 1 THEN next_run_at END AS nextRunAt, history, coverage
      FROM source WHERE deleted_at IS NULL ORDER BY name`,
  )
}

/** True when a source matches the source conditions of at least one population. */
export function isInScope(source: SourceFreshness, populations: readonly (readonly PlanCondition[])[]): boolean {
  return populations.some((conditions) =>
    conditions.every(({ key, values, exclude }) => {
      if (key === 'sources') {
        const names = values.map(String)
        return exclude !== (isAmong(source.name, names) || names.some((name) => name.toLowerCase() === source.uid))
      }
      return key !== 'sourceTypes' || exclude !== isAmong(source.type, values.map(String))
    }),
  )
}

const isAmong = (name: string, names: readonly string[]): boolean => {
  const folded = foldCase(name)
  return names.some((other) => foldCase(other) === folded)
}
