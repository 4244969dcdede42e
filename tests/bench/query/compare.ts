import { dropCachedShapes } from '../../../src/query/engine/engine-plan.ts'
import { findEngine } from '../../../src/query/engine/executor.ts'
import type { Store } from '../../../src/store/store.ts'
import { print, quantile } from '../../support/bench.ts'
import type { Duck } from './duck.ts'
import type { OrmDatabase } from './orm.ts'
import type { Question } from './questions.ts'

export interface Measured {
  name: string
  isHard: boolean
  duckMs: number
  warmMs: number
  coldMs: number
  equal: boolean
}

type Asked = Pick<Question, 'name' | 'ask' | 'isHard' | 'columns'>

export const median = (numbers: readonly number[]) => quantile(numbers, 0.5)
export const geometricMean = (numbers: readonly number[]) =>
  Math.exp(numbers.reduce((sum, number) => sum + Math.log(number), 0) / numbers.length)

/** The numbers of an answer, whatever their order and however they are typed. */
function toNumbers(given: readonly unknown[]): number[] {
  return given
    .map((value) => Number(value ?? 0))
    .filter((value) => value !== 0)
    .sort((a, b) => a - b)
}

const areEqual = (left: readonly number[], right: readonly number[]) =>
  left.length === right.length &&
  left.every((value, index) => Math.abs(value - (right[index] ?? 0)) <= 1e-12 * Math.max(1, Math.abs(value)))

/** Whether the rows of a rival hold the numbers of our answer; says so when they do not. */
function checkSame({ name, columns = 1 }: Asked, answer: readonly unknown[], rows: readonly unknown[][]): boolean {
  const [ours, theirs] = [toNumbers(answer), toNumbers(rows.flatMap((row) => row.slice(-columns)))]
  const equal = areEqual(ours, theirs)
  if (!equal) print(`DIFFERENT ${name}: ${ours.slice(0, 5)} and ${theirs.slice(0, 5)}`)
  return equal
}

export async function timed<T>(work: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const started = performance.now()
  const result = await work()
  return { ms: performance.now() - started, result }
}

/** Asks the engine, warm and with its lookup tables forgotten, and DuckDB in the better of its layouts, in turns. */
export async function compare(
  store: Store,
  duck: Duck,
  asked: Asked & { statements: string[][] },
  runs: number,
): Promise<Measured> {
  const rivals: (() => Promise<unknown[][]>[])[] = []
  for (const statements of asked.statements) {
    const prepared = await Promise.all(statements.map((sql) => duck.prepare(sql)))
    rivals.push(() => prepared.map((run) => run()))
  }
  const ask = () => store.read((reader) => asked.ask(reader))
  const cold = () =>
    store.read((reader) => {
      const engine = findEngine(reader)
      if (engine !== undefined) dropCachedShapes(engine)
      return asked.ask(reader)
    })
  const answer = ask()
  const byRival = rivals.map(() => [] as number[])
  const [warmTimes, coldTimes]: [number[], number[]] = [[], []]
  let rows: unknown[][] = []
  const warm = performance.now() + 1500
  for (let round = 0; round < 60 && performance.now() < warm; round++) ask()
  const least = Math.max(3, runs)
  const budget = performance.now() + 12_000
  for (let round = 0; round < least && (round < 3 || performance.now() < budget); round++) {
    for (const [index, rival] of rivals.entries()) {
      const { ms, result } = await timed(async () => {
        const found: unknown[][] = []
        for (const running of rival()) found.push(...(await running))
        return found
      })
      byRival[index]?.push(ms)
      rows = result
    }
    // Our part is short, so it is measured more often, and in the same rounds.
    ask()
    for (let again = 0; again < 5; again++) warmTimes.push((await timed(ask)).ms)
    for (let again = 0; again < 3; again++) coldTimes.push((await timed(cold)).ms)
  }
  return {
    name: asked.name,
    isHard: asked.isHard === true,
    duckMs: Math.min(...byRival.map(median)),
    warmMs: median(warmTimes),
    coldMs: median(coldTimes),
    equal: checkSame(asked, answer, rows),
  }
}

/** How long the table of an ORM takes for each question, asked so many times, until its time is up. */
export function askOrm(
  database: OrmDatabase,
  store: Store,
  asked: readonly (Asked & { statements: string[] })[],
  { times, deadline }: { times: number; deadline: number },
): { name: string; ormMs: number; equal: boolean }[] {
  const found: { name: string; ormMs: number; equal: boolean }[] = []
  for (const one of asked) {
    if (performance.now() > deadline) {
      print(`${one.name.padEnd(44)} ORM not asked: its time is up`)
      continue
    }
    const spent: number[] = []
    let rows: unknown[][] = []
    for (let time = 0; time < times; time++) {
      const started = performance.now()
      rows = one.statements.flatMap((sql) => database.ask(sql))
      spent.push(performance.now() - started)
    }
    const answer = store.read((reader) => one.ask(reader))
    found.push({ name: one.name, ormMs: median(spent), equal: checkSame(one, answer, rows) })
  }
  return found
}

/** The medians of one question to two stores, in turns. */
export function askBoth(
  [large, small]: readonly [Store, Store],
  { ask }: Pick<Question, 'ask'>,
  runs: number,
): { largeMs: number; smallMs: number } {
  const [ofLarge, ofSmall]: [number[], number[]] = [[], []]
  const time = (store: Store) => {
    const started = performance.now()
    store.read((reader) => ask(reader))
    return performance.now() - started
  }
  const until = performance.now() + 3000
  for (let round = -10; round < runs * 5 && (round < 5 || performance.now() < until); round++) {
    const [one, other] = [time(large), time(small)]
    if (round < 0) continue
    ofLarge.push(one)
    ofSmall.push(other)
  }
  return { largeMs: median(ofLarge), smallMs: median(ofSmall) }
}
