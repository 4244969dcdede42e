import { type Cell, isMergeable, mergePartials, type Partial, toGroupId } from '../plan/cells.ts'
import type { Plan } from '../plan/plan.ts'
import type { WindowRange } from '../plan/window.ts'
import type { RunPlan } from './value.ts'

/** Answers a plan once for each window, which may overlap; `bucket` is the index of the window. */
export function runWindows(plan: Plan, windows: readonly WindowRange[], run: RunPlan): Cell[] {
  if (!isMergeable(plan)) {
    return windows.flatMap((range, bucket) => run({ ...plan, range }).map((cell) => ({ ...cell, bucket })))
  }
  const borders = [...new Set(windows.flatMap(({ from, to }) => [from, to]))].sort((a, b) => a - b)
  const [from, to] = [borders[0], borders.at(-1)]
  if (from === undefined || to === undefined) return []
  const placeOf = new Map(borders.map((border, index) => [border, index]))
  const groups = new Map<string, { key: Cell['key']; parts: (Partial | undefined)[] }>()
  for (const cell of run({ ...plan, range: { from, to }, edges: borders.slice(1, -1) })) {
    const id = toGroupId(cell.key)
    const group = groups.get(id) ?? { key: cell.key, parts: [] }
    group.parts[cell.bucket] = cell
    groups.set(id, group)
  }
  return [...groups.values()].flatMap(({ key, parts }) =>
    windows.flatMap((window, bucket): Cell[] => {
      const covered = parts.slice(placeOf.get(window.from), placeOf.get(window.to)).filter((part) => part !== undefined)
      return covered.length === 0 ? [] : [{ ...mergePartials(covered), key, bucket }]
    }),
  )
}
