import type { WatchCondition, WatchState } from './model.ts'

/** The state of a group after an evaluation. */
export interface GroupState {
  state: WatchState
  /** Evaluations in a row at which the condition held; evaluations without a result do not count. */
  streak: number
}

/** Whether a value meets a condition; null for no value. For `changeAbove` the value is the change. */
export function meets({ kind, value: threshold }: WatchCondition, value: number | null): boolean | null {
  if (value === null) return null
  return kind === 'below' ? value < threshold : value > threshold
}

/**
 * A group becomes FIRING once the condition has held for the required number of evaluations, and stays so while it
 * holds.
 */
export function nextState(before: GroupState | undefined, met: boolean | null, condition: WatchCondition): GroupState {
  const { state, streak } = before ?? { state: 'UNKNOWN', streak: 0 }
  if (met === null) return { state: 'UNKNOWN', streak }
  if (!met) return { state: 'OK', streak: 0 }
  const needed = condition.for ?? 1
  const held = Math.min(needed, streak + 1)
  return { state: state === 'FIRING' || held >= needed ? 'FIRING' : 'OK', streak: held }
}
