import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { quantile } from '../../support/bench.ts'

const main = new URL('../../../dist/main.js', import.meta.url).pathname

/** Runs the built program. Returns its seconds, start and end of the process included. */
function run(args: readonly string[], stdout: number | 'ignore' = 'ignore'): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { stdio: ['ignore', stdout, 'pipe'] })
  if (status !== 0) throw new Error(`assay ${args[0]} ended with ${status}: ${stderr}`)
  return (performance.now() - started) / 1000
}

interface ImportSeconds {
  first: number
  again: number
  /** DuckDB reading the same file into a table on disk, in turns with the first imports. */
  duckDb: number
}

/** Generated findings by `assay import`, into new data folders, and once more into one that has them. */
export async function timeImports(folder: string, rows: number, times: number): Promise<ImportSeconds> {
  const file = join(folder, 'findings.ndjson')
  const home = join(folder, 'home')
  const output = openSync(file, 'w')
  run(['generate', '--findings', String(rows), '--seed', '1', '--home', home], output)
  closeSync(output)
  const [seconds, duckSeconds]: number[][] = [[], []]
  for (let time = 0; time < times; time++) {
    duckSeconds?.push(await readByDuckDb(file, join(folder, 'import.duckdb')))
    rmSync(home, { recursive: true, force: true })
    seconds?.push(run(['import', file, '--source', 'bench', '--home', home]))
  }
  const again = run(['import', file, '--source', 'bench', '--home', home])
  return { first: quantile(seconds ?? [], 0.5), again, duckDb: quantile(duckSeconds ?? [], 0.5) }
}

async function readByDuckDb(file: string, database: string): Promise<number> {
  rmSync(database, { force: true })
  const started = performance.now()
  const instance = await DuckDBInstance.create(database, { threads: '2' })
  const connection = await instance.connect()
  await connection.run(`CREATE TABLE finding AS SELECT * FROM read_ndjson('${file}')`)
  await connection.run('CHECKPOINT')
  connection.closeSync()
  instance.closeSync()
  return (performance.now() - started) / 1000
}
