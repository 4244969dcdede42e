import { type RawBuilder, sql } from 'kysely'
import { LruMap } from '../kernel/recent.ts'
import { type BuiltQuery, Statement, toStatement } from './builder.ts'

/** A value in a query, or a placeholder that is filled in on each run. */
export type Bound<T> = T | RawBuilder<T>

/** Returns a placeholder for a value that is picked from the input. */
export type Bind<Input> = <T>(pick: (input: Input) => T) => RawBuilder<T>

export interface CachedQuery<Input, Row> {
  (input: Input): Statement<Row>
  /** Builds and compiles the query again, with the values themselves in place of placeholders. */
  build(input: Input): Statement<Row>
}

/** Placeholder among the parameters of a compiled query for a value of the input. */
class InputPlaceholder<Input> {
  readonly pick: (input: Input) => unknown

  constructor(pick: (input: Input) => unknown) {
    this.pick = pick
  }
}

interface Compiled<Input> {
  sql: string
  picks: readonly ((input: Input) => unknown)[]
}

const MAX_CACHED_SHAPES = 200

function compile<Input, Row>(build: (give: Bind<Input>) => BuiltQuery<Row>): Compiled<Input> {
  const built = toStatement(build((pick) => sql.val(new InputPlaceholder(pick) as never)))
  const picks = built.parameters.map((value) => (value instanceof InputPlaceholder ? value.pick : () => value))
  return { sql: built.sql, picks }
}

function fill<Input, Row>({ sql, picks }: Compiled<Input>, input: Input): Statement<Row> {
  const parameters = picks.map((pick) => pick(input))
  return new Statement(sql, parameters)
}

/**
 * Declares a query that is built and compiled once; values that differ between runs are parameters, bound with `give`.
 */
export function cachedQuery<Input, Row>(build: (give: Bind<Input>) => BuiltQuery<Row>): CachedQuery<Input, Row> {
  let compiled: Compiled<Input> | undefined
  const query = (input: Input): Statement<Row> => {
    compiled ??= compile(build)
    return fill(compiled, input)
  }
  return Object.assign(query, { build: (input: Input) => toStatement(build((pick) => sql.val(pick(input)))) })
}

/**
 * Declares a query that is built and compiled once per shape. `build` sees only the shape of the input, after a round
 * trip through JSON; everything in which two inputs of one shape differ must be a parameter, bound with `give`.
 */
export function cachedQueryByShape<Input, Shape, Row>(
  toShape: (input: Input) => Shape,
  build: (shape: Shape, give: Bind<Input>) => BuiltQuery<Row>,
): CachedQuery<Input, Row> {
  const kept = new LruMap<Compiled<Input>>(MAX_CACHED_SHAPES)
  const query = (input: Input): Statement<Row> => {
    const shape = JSON.stringify(toShape(input))
    return fill(
      kept.use(shape, () => compile((give) => build(JSON.parse(shape), give))),
      input,
    )
  }
  return Object.assign(query, {
    build: (input: Input) => toStatement(build(toShape(input), (pick) => sql.val(pick(input)))),
  })
}

/** Placeholders for a list of `length` values. */
export const bindList = <Input, T>(give: Bind<Input>, length: number, pick: (input: Input) => readonly T[]) =>
  Array.from({ length }, (_, index) => give((input) => pick(input)[index] as T))
