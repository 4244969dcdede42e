import { findEngine } from '../../../src/query/engine/executor.ts'
import { dropCachedShapes } from '../../../src/query/engine/prepare.ts'
import type { Store } from '../../../src/store/store.ts'
import { median, print } from '../../support/bench.ts'
import type { Duck } from './duck.ts'
import type { Question } from './questions.ts'

export interface Measured {
  name: string
  duckMs: number
  warmMs: number
  coldMs: number
  equal: boolean
}

const ROUNDS = 15
/** A question that DuckDB takes long for is asked less often. */
const BUDGET_MS = 12_000

/** The numbers of an answer, whatever their order and however they are typed. */
const toNumbers = (given: readonly unknown[]): number[] =>
  given
    .map((value) => Number(value ?? 0))
    .filter((value) => value !== 0)
    .sort((a, b) => a - b)

const areEqual = (left: readonly number[], right: readonly number[]) =>
  left.length === right.length &&
  left.every((value, index) => Math.abs(value - (right[index] ?? 0)) <= 1e-12 * Math.max(1, Math.abs(value)))

/** Asks the index, warm and with its lookup tables forgotten, and DuckDB, in turns. */
export async function compare(store: Store, duck: Duck, { name, ask, sql }: Question): Promise<Measured> {
  const prepared = await Promise.all([sql].flat().map((statement) => duck.prepare(statement)))
  const warm = () => store.read((reader) => ask(reader))
  const cold = () =>
    store.read((reader) => {
      const engine = findEngine(reader)
      if (engine !== undefined) dropCachedShapes(engine)
      return ask(reader)
    })
  const timed = (work: () => unknown) => {
    const started = performance.now()
    work()
    return performance.now() - started
  }
  const answer = warm()
  const [warmTimes, coldTimes, duckTimes]: [number[], number[], number[]] = [[], [], []]
  let rows: unknown[][] = []
  const warmUntil = performance.now() + 1500
  for (let round = 0; round < 60 && performance.now() < warmUntil; round++) warm()
  const until = performance.now() + BUDGET_MS
  for (let round = 0; round < ROUNDS && (round < 3 || performance.now() < until); round++) {
    const started = performance.now()
    rows = []
    for (const run of prepared) rows.push(...(await run()))
    duckTimes.push(performance.now() - started)
    // Our part is short, so it is measured more often, and in the same rounds.
    warm()
    for (let again = 0; again < 5; again++) warmTimes.push(timed(warm))
    for (let again = 0; again < 3; again++) coldTimes.push(timed(cold))
  }
  const [ours, theirs] = [toNumbers(answer), toNumbers(rows.map((row) => row.at(-1)))]
  const equal = areEqual(ours, theirs)
  if (!equal) print(`DIFFERENT ${name}: ${ours.slice(0, 5)} and ${theirs.slice(0, 5)}`)
  return {
    name,
    duckMs: median(duckTimes),
    warmMs: median(warmTimes),
    coldMs: median(coldTimes),
    equal,
  }
}
