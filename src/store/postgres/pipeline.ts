import pg from 'pg'
import type { PostgresStep } from './client.ts'

/** The part of a connection of the `pg` package that a query uses. */
interface ProtocolConnection {
  parsedStatements: Record<string, string>
  parse(statement: { text: string; name: string }): void
  bind(values: { statement: string; values: readonly unknown[]; valueMapper: (value: unknown) => unknown }): void
  execute(portal: object): void
  sendCopyFromChunk(bytes: Uint8Array): void
  endCopyFrom(): void
}

/** The part of a query of the `pg` package that a pipeline extends. */
interface ProtocolQuery extends pg.Submittable {
  prepare(connection: ProtocolConnection): void
  handleDataRow(message: object): void
  handleCommandComplete(message: { text: string }, connection: ProtocolConnection): void
  handleCopyInResponse(connection: ProtocolConnection): void
}

interface QueryConfig {
  text: string
  values?: unknown[]
  name?: string
  rowMode: 'array'
  queryMode?: 'extended'
  callback: (error: Error | undefined, result: pg.QueryArrayResult) => void
}

const Query = pg.Query as unknown as new (config: QueryConfig) => ProtocolQuery

/** A query that is sent together with the statements before it, in one round trip. */
class PipelinedQuery extends Query {
  readonly #before: readonly PostgresStep[]
  /** The number of rows that each statement before the query has changed. */
  readonly changesBefore: number[] = []

  constructor(config: QueryConfig, before: readonly PostgresStep[]) {
    super(config)
    this.#before = before
  }

  override prepare(connection: ProtocolConnection): void {
    const known = connection.parsedStatements
    for (const { text, values, name } of this.#before) {
      if (name === '' || known[name] !== text) connection.parse({ text, name })
      // After an error the names are not used again, so it does not matter which of them the server has.
      if (name !== '') known[name] = text
      connection.bind({ statement: name, values, valueMapper: toWireValue })
      connection.execute({})
    }
    super.prepare(connection)
  }

  override handleDataRow(message: object): void {
    if (this.changesBefore.length === this.#before.length) super.handleDataRow(message)
  }

  override handleCommandComplete(message: { text: string }, connection: ProtocolConnection): void {
    if (this.changesBefore.length === this.#before.length) super.handleCommandComplete(message, connection)
    else this.changesBefore.push(Number(/\d+$/.exec(message.text)?.[0] ?? 0))
  }
}

const toWireValue = (value: unknown) =>
  value === null ? null : value instanceof Uint8Array ? Buffer.from(value) : String(value)

/** Runs the last of several statements, and those before it, which return no rows. */
export function runPipeline(
  client: pg.Client,
  before: readonly PostgresStep[],
  { text, values, name }: PostgresStep,
): Promise<{ result: pg.QueryArrayResult; changesBefore: number[] }> {
  return new Promise((resolve, reject) => {
    const query = new PipelinedQuery(
      {
        text,
        values: [...values],
        ...(name === '' ? {} : { name }),
        rowMode: 'array',
        queryMode: 'extended',
        callback: (error, result) => {
          if (error) reject(error)
          else resolve({ result, changesBefore: query.changesBefore })
        },
      },
      before,
    )
    client.query(query)
  })
}

/** A COPY whose rows are sent once the server asks for them. */
class CopyQuery extends Query {
  readonly #lines: string

  constructor(config: QueryConfig, lines: string) {
    super(config)
    this.#lines = lines
  }

  override handleCopyInResponse(connection: ProtocolConnection): void {
    connection.sendCopyFromChunk(Buffer.from(this.#lines))
    connection.endCopyFrom()
  }
}

/** Copies rows in text format into a table. */
export function copyLines(client: pg.Client, text: string, lines: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const callback = (error: Error | undefined) => (error ? reject(error) : resolve())
    client.query(new CopyQuery({ text, rowMode: 'array', callback }, lines))
  })
}
