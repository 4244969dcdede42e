import { spawnSync } from 'node:child_process'
import { readdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { print, readCount, readFlags } from '../support/bench.ts'
import { readRatioTable, writeRatioTable } from './all/ratios.ts'

// npm run bench -- NAME [flags of its own]
// npm run bench -- all [--rows 1e6] [--results FOLDER] [--page FILE]: one after the other, each result kept as
// FOLDER/NAME.json, and a table of all ratios as FOLDER/ratios.md; in FILE, too, when it is named (docs/performance.md)

const file = fileURLToPath(import.meta.url)
const folder = new URL('./', import.meta.url)
const names = readdirSync(folder)
  .filter((each) => each.endsWith('.ts') && each !== basename(file))
  .map((each) => basename(each, '.ts'))
const ofAll = ['query', 'write', 'mixed', 'ready', 'serve', 'start']
const withRows = new Set(['query', 'write', 'mixed', 'ready'])

function runAll(): number {
  const flags = readFlags({ rows: '1e6', results: 'bench-results', page: '' })
  readCount('rows', flags.rows)
  const failed: string[] = []
  for (const name of ofAll) {
    const kept = join(flags.results, `${name}.json`)
    const args = [name, ...(withRows.has(name) ? ['--rows', flags.rows] : []), '--json', kept]
    print(`\n# ${args.join(' ')}`)
    const { status } = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' })
    if (status !== 0) failed.push(name)
  }
  const table = readRatioTable(flags.results)
  writeFileSync(join(flags.results, 'ratios.md'), `${table}\n`)
  if (flags.page !== '' && failed.length === 0) writeRatioTable(flags.page, table)
  print(`\n${table}`)
  print(failed.length === 0 ? `\nall kept in ${flags.results}` : `\nfailed: ${failed.join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

const isUsage = (error: unknown): error is Error =>
  error instanceof RangeError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

const [name = ''] = process.argv.splice(2, 1)
try {
  if (name === 'all') process.exitCode = runAll()
  else if (names.includes(name)) await import(new URL(`${name}.ts`, folder).href)
  else throw new RangeError(`Name a benchmark: npm run bench -- ${['all', ...names].join(' | ')}`)
} catch (error) {
  if (!isUsage(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
