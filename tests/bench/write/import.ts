import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { quantile } from '../../support/bench.ts'

const main = new URL('../../../dist/main.js', import.meta.url).pathname

/** Has a process print the most memory that it had resident, in kilobytes, to a fourth stream. */
const reportMemory = `data:text/javascript,${encodeURIComponent(`
import { writeSync } from 'node:fs'
process.on('exit', () => writeSync(3, String(process.resourceUsage().maxRSS)))`)}`

interface Run {
  /** Start and end of the process included. */
  seconds: number
  /** The most memory that it had resident. */
  megabytes: number
}

/** Runs the built program. */
function run(args: readonly string[], stdout: number | 'ignore' = 'ignore'): Run {
  const started = performance.now()
  const { status, output } = spawnSync(process.execPath, ['--import', reportMemory, main, ...args], {
    stdio: ['ignore', stdout, 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(`assay ${args[0]} ended with ${status}: ${output[2]}`)
  return { seconds: (performance.now() - started) / 1000, megabytes: (Number(output[3]) * 1024) / 1e6 }
}

interface ImportTimes {
  first: number
  again: number
  /** DuckDB reading the same file into a table on disk, in turns with the first imports. */
  duckDb: number
  /** The most memory that a process of ours had resident. */
  megabytes: number
}

/** Generated findings by `assay import`, into new data folders, and once more into one that has them. */
export async function timeImports(folder: string, rows: number, times: number): Promise<ImportTimes> {
  const file = join(folder, 'findings.ndjson')
  const home = join(folder, 'home')
  const output = openSync(file, 'w')
  run(['generate', '--findings', String(rows), '--seed', '1', '--home', home], output)
  closeSync(output)
  const runs: Run[] = []
  const duckSeconds: number[] = []
  for (let time = 0; time < times; time++) {
    duckSeconds.push(await readByDuckDb(file, join(folder, 'import.duckdb')))
    rmSync(home, { recursive: true, force: true })
    runs.push(run(['import', file, '--source', 'bench', '--home', home]))
  }
  const again = run(['import', file, '--source', 'bench', '--home', home])
  return {
    first: quantile(
      runs.map(({ seconds }) => seconds),
      0.5,
    ),
    again: again.seconds,
    duckDb: quantile(duckSeconds, 0.5),
    megabytes: Math.max(...[...runs, again].map(({ megabytes }) => megabytes)),
  }
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
