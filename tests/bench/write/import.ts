import { spawnSync } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { quantile } from '../../support/bench.ts'

const main = new URL('../../../dist/main.js', import.meta.url).pathname

/** Runs the built program. Returns its seconds, start and end of the process included. */
function run(args: readonly string[], stdout: number | 'ignore' = 'ignore'): number {
  const started = performance.now()
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { stdio: ['ignore', stdout, 'pipe'] })
  if (status !== 0) throw new Error(`assay ${args[0]} ended with ${status}: ${stderr}`)
  return (performance.now() - started) / 1000
}

/** Generated findings by `assay import`, into new data folders, and once more into one that has them. */
export function timeImports(folder: string, rows: number, times: number): { first: number; again: number } {
  const file = join(folder, 'findings.ndjson')
  const home = join(folder, 'home')
  const output = openSync(file, 'w')
  run(['generate', '--findings', String(rows), '--seed', '1', '--home', home], output)
  closeSync(output)
  const seconds = Array.from({ length: times }, () => {
    rmSync(home, { recursive: true, force: true })
    return run(['import', file, '--source', 'bench', '--home', home])
  })
  return { first: quantile(seconds, 0.5), again: run(['import', file, '--source', 'bench', '--home', home]) }
}
