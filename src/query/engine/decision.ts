import type { FilterCondition } from '../../findings/conditions.ts'
import { isDueKey, type SlaOutcome } from '../../findings/due-conditions.ts'
import { findFacetByFilterKey } from '../../findings/facets.ts'
import type { PlanCondition } from '../plan/plan.ts'

/** What due dates make of a finding; `rest`: it is not due. */
type DueSide = 'rest' | 'pending' | 'overdue' | 'met' | 'late'

/** Rows that are counted alike: all of them, or those on one side of the day on which they are due. */
export type RowClass = { side: 'all' } | { side: Exclude<DueSide, 'rest'>; days: number }

const all: RowClass = { side: 'all' }

/** A condition on one facet. */
export type Atom = Pick<PlanCondition, 'key' | 'values' | 'exclude'>

/** Conditions that several facets decide together: those on terms and on due dates. */
export interface JointDecision {
  atoms: readonly Atom[]
  /** The class of the rows of which exactly some atoms hold; undefined if none of them counts. */
  classOf: (holds: (atom: number) => boolean) => RowClass | undefined
}

type Test = (holds: (atom: number) => boolean) => boolean

/** Keys of assets are not in the index, and values belong to neither combinations nor assets. */
const isOfFacet = ({ key }: Atom): boolean =>
  key !== 'assets' && key !== 'values' && findFacetByFilterKey(key) !== undefined

const isDecidable = (condition: Atom & Pick<FilterCondition, 'anyOf'>): boolean =>
  !isDueKey(condition.key) && (condition.anyOf?.every((inner) => inner.every(isDecidable)) ?? isOfFacet(condition))

/** Whether facets decide a condition, with a least confidence; not ranges and keys of assets, also within terms and policies. */
export function isDecidedByFacets(condition: PlanCondition): boolean {
  if (condition.key === 'minConfidence' || condition.key === 'scanned') return true
  return condition.due?.every((group) => group.conditions.every(isDecidable)) ?? isDecidable(condition)
}

const isDecided = ({ anyOf }: PlanCondition): boolean => anyOf !== undefined

/** The decision that conditions need; undefined if each is on one facet. */
export function toJointDecision(conditions: readonly PlanCondition[]): JointDecision | undefined {
  if (!conditions.some(isDecided)) return undefined
  const atoms: Atom[] = []
  const add = (atom: Atom): Test => {
    const number = atoms.push(atom) - 1
    return (holds) => holds(number)
  }
  const toTest = (condition: Atom & Pick<FilterCondition, 'anyOf'>): Test => {
    if (condition.anyOf === undefined) return add(condition)
    const { anyOf, exclude } = condition
    const lists = anyOf.map((inner) => inner.map(toTest))
    return (holds) => lists.some((tests) => tests.every((test) => test(holds))) !== exclude
  }
  const terms = conditions.filter((condition) => isDecided(condition) && condition.due === undefined).map(toTest)
  const dated = conditions.filter(({ due }) => due !== undefined)
  const groups = (dated[0]?.due ?? []).map(({ days, conditions: own }) => ({ days, tests: own.map(toTest) }))
  const [isOpen, isResolved] = (['OPEN', 'RESOLVED'] as const).map((status) =>
    dated.length === 0 ? () => false : add({ key: 'statuses', values: [status], exclude: false }),
  )
  return {
    atoms,
    classOf(holds) {
      if (!terms.every((test) => test(holds))) return undefined
      if (dated.length === 0) return all
      const fitting = groups.filter(({ tests }) => tests.every((test) => test(holds)))
      const days = Math.min(...fitting.map((group) => group.days))
      const open = fitting.length > 0 && isOpen?.(holds) === true
      const resolved = fitting.length > 0 && isResolved?.(holds) === true
      const sides: DueSide[] = open ? ['pending', 'overdue'] : resolved ? ['met', 'late'] : ['rest']
      const [side, other] = sides.filter((own) => dated.every((condition) => admits(condition, own)))
      if (side === undefined) return undefined
      return side === 'rest' || other !== undefined ? all : { side, days }
    },
  }
}

const outcomeOf: Readonly<Partial<Record<DueSide, SlaOutcome>>> = { met: 'MET', late: 'MISSED', overdue: 'MISSED' }

function admits({ key, values, exclude }: PlanCondition, side: DueSide): boolean {
  const outcome = outcomeOf[side]
  const matches = key === 'overdue' ? side === 'overdue' : outcome !== undefined && values.includes(outcome)
  return matches !== exclude
}

/** Items by which masks admit them. */
export interface Signatures {
  /** The signature of each item. */
  column: Uint32Array
  /** For each signature, 1 for the masks that admit its items. */
  bits: Uint8Array[]
}

/** @param masks for each item of a column, whether it is admitted */
export function toSignatures(
  count: number,
  masks: readonly { column: Uint32Array; allowed: Uint8Array }[],
): Signatures {
  const column = new Uint32Array(count)
  let bits: Uint8Array[] = [new Uint8Array(masks.length)]
  for (const [index, mask] of masks.entries()) {
    const numbers = new Map<number, number>()
    const next: Uint8Array[] = []
    for (let item = 0; item < count; item++) {
      const bit = mask.allowed[mask.column[item] as number] as number
      const before = column[item] as number
      let number = numbers.get(2 * before + bit)
      if (number === undefined) {
        const own = (bits[before] as Uint8Array).slice()
        own[index] = bit
        number = next.push(own) - 1
        numbers.set(2 * before + bit, number)
      }
      column[item] = number
    }
    bits = next
  }
  return { column, bits }
}
