import { DuckDBInstance } from '@duckdb/node-api'

const [, , file, database] = process.argv
const instance = await DuckDBInstance.create(database, { threads: '2' })
const connection = await instance.connect()
await connection.run(`CREATE TABLE finding AS SELECT * FROM read_ndjson('${file}')`)
await connection.run('CHECKPOINT')
connection.closeSync()
instance.closeSync()
