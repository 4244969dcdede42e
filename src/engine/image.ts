export type AnyColumn = Uint8Array | Uint16Array | Uint32Array | Float64Array
type ColumnType<Column extends AnyColumn> = { readonly name: string; new (length: number): Column }

/** The contents of an engine, without its names, as columns in a fixed order. */
export type EngineImage = readonly ImageColumn[]

export interface ImageColumn {
  column: AnyColumn
  /** The number of items in use; those behind them are reserved memory. */
  used: number
}

/** Collects columns without copying them, so their owner must not be changed while the image is in use. */
export class ImageWriter {
  readonly columns: ImageColumn[] = []

  add(column: AnyColumn, used = column.length): void {
    this.columns.push({ column, used: Math.min(used, column.length) })
  }

  addNumbers(values: Iterable<number>): void {
    this.add(Float64Array.from(values))
  }

  addPairs(map: ReadonlyMap<number, number>): void {
    const pairs = new Float64Array(2 * map.size)
    let at = 0
    for (const [key, value] of map) {
      pairs[at++] = key
      pairs[at++] = value
    }
    this.add(pairs)
  }
}

/**
 * Returns the columns of an image in the order in which they were added. They are used without copying them.
 * @throws RangeError if the image has another column than the one asked for.
 */
export class ImageReader {
  readonly #columns: EngineImage
  #next = 0

  constructor(columns: EngineImage) {
    this.#columns = columns
  }

  take<Column extends AnyColumn>(...types: readonly ColumnType<Column>[]): Column {
    const column = this.#columns[this.#next++]?.column
    const found = types.find(({ name }) => name === column?.constructor.name)
    if (found === undefined) throw new RangeError('the image of the engine has another column than expected')
    return column as Column
  }

  takeNumbers(): number[] {
    return [...this.take(Float64Array)]
  }

  /** Exactly as many numbers as there are names. */
  takeNamed<Name extends string>(names: readonly Name[]): Record<Name, number> {
    const values = this.takeNumbers()
    if (values.length !== names.length) throw new RangeError('the image of the engine has another number of counters')
    return Object.fromEntries(names.map((name, index) => [name, values[index]])) as Record<Name, number>
  }

  takePairs(into: Map<number, number>): void {
    const pairs = this.take(Float64Array)
    into.clear()
    for (let at = 0; at < pairs.length; at += 2) into.set(pairs[at] as number, pairs[at + 1] as number)
  }
}
