import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { mainFile } from '../support/assay.ts'
import { median, print, printMachine, readCount, readFlags, saveResults } from '../support/bench.ts'

// `assay import` of generated findings into a new data folder, and again into one that has them.
// npm run bench -- import [--rows 1e5] [--rounds 3] [--json FILE]

const flags = readFlags({ rows: '1e5', rounds: '3' })
const rows = readCount('rows', flags.rows)
const rounds = readCount('rounds', flags.rounds)
const folder = mkdtempSync(join(tmpdir(), 'assay-bench-import-'))
const file = join(folder, 'findings.ndjson')
const home = join(folder, 'home')

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

function run(args: readonly string[], stdout: number | 'ignore' = 'ignore'): Run {
  const started = performance.now()
  const { status, output } = spawnSync(process.execPath, ['--import', reportMemory, ...args], {
    stdio: ['ignore', stdout, 'pipe', 'pipe'],
  })
  if (status !== 0) throw new Error(`${args.join(' ')} ended with ${status}: ${output[2]}`)
  return { seconds: (performance.now() - started) / 1000, megabytes: (Number(output[3]) * 1024) / 1e6 }
}

const importing = [mainFile, 'import', file, '--source', 'bench', '--home', home]
try {
  printMachine()
  const output = openSync(file, 'w')
  run([mainFile, 'generate', '--findings', String(rows), '--seed', '1', '--home', home], output)
  closeSync(output)
  const runs: Record<string, Run[]> = { first: [], again: [] }
  for (let round = 0; round < rounds; round++) {
    rmSync(home, { recursive: true, force: true })
    runs.first?.push(run(importing))
    runs.again?.push(run(importing))
  }
  const results = Object.entries(runs).map(([name, all]) => ({
    name,
    seconds: median(all.map(({ seconds }) => seconds)),
    megabytes: Math.max(...all.map(({ megabytes }) => megabytes)),
  }))
  print(`${rows} findings, ${(statSync(file).size / 1e6).toFixed(0)} MB; medians of ${rounds}`)
  for (const { name, seconds, megabytes } of results) {
    const speed = Math.round(rows / seconds).toLocaleString('en')
    print(
      `${name.padEnd(8)}${seconds.toFixed(2).padStart(8)} s  ${speed} a second, ${megabytes.toFixed(0)} MB resident`,
    )
  }
  saveResults(flags.json, { rows, results })
} finally {
  rmSync(folder, { recursive: true, force: true })
}
