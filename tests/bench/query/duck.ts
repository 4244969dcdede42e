import { type DuckDBConnection, DuckDBInstance, type DuckDBPreparedStatement } from '@duckdb/node-api'
import {
  categories,
  containerName,
  detectors,
  type Filled,
  OWNERS,
  ownerName,
  severities,
  sourceName,
  statuses,
  typeName,
} from './estate.ts'

export interface Duck {
  prepare(sql: string): Promise<() => Promise<unknown[][]>>
  close(): void
}

const list = (names: readonly string[]) => names.map((name) => `'${name}'`).join(', ')
const range = (count: number, toName: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => toName(index))

/** Opens DuckDB in a file and loads the findings in the order of time, with an enumeration for each word. */
export async function openDuck(file: string, filled: Filled): Promise<Duck> {
  const instance = await DuckDBInstance.create(file, { threads: '2' })
  const connection = await instance.connect()
  await load(connection, filled)
  return {
    async prepare(sql) {
      const statement: DuckDBPreparedStatement = await connection.prepare(sql)
      return async () => (await statement.runAndReadAll()).getRows()
    },
    close() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

async function load(connection: DuckDBConnection, { findingFile, spanFile, containers }: Filled): Promise<void> {
  const names = {
    source: range(20, sourceName),
    detector: detectors,
    ftype: range(60, typeName),
    category: categories,
    severity: severities,
    status: statuses,
    container: range(containers, containerName),
    owner: range(OWNERS, ownerName),
  }
  for (const [name, values] of Object.entries(names)) {
    await connection.run(`CREATE TYPE e_${name} AS ENUM (${list(values)})`)
  }
  // Severities are numbered from 1 in the file, all else from 0.
  const pick = (name: keyof typeof names) => `enum_range(NULL::e_${name})[${name} + ${name === 'severity' ? 0 : 1}]`
  const words = Object.keys(names) as (keyof typeof names)[]
  const columns = words.map((name) => `(${pick(name)})::e_${name} AS ${name}`).join(', ')
  const numbers = ['conf', 'asset', ...words].map((name) => `'${name}': 'INTEGER'`).join(', ')
  const types = `columns = {'t': 'BIGINT', ${numbers}}`
  const read = `read_csv('${findingFile}', header = false, ${types})`
  await connection.run(
    `CREATE TABLE f AS SELECT epoch_ms(t) AS t, conf, asset, ${columns} FROM ${read} ORDER BY epoch_ms(t)`,
  )
  await connection.run(
    `CREATE TABLE spans AS SELECT epoch_ms(since) AS since, epoch_ms(until) AS until
     FROM read_csv('${spanFile}', header = false, columns = {'since': 'BIGINT', 'until': 'BIGINT'})`,
  )
}
