import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { print } from '../support/bench.ts'

// npm run bench -- NAME [flags of its own], or all of them with their defaults: npm run bench -- all

const names = ['query', 'slowest', 'import', 'scan', 'start', 'rest', 'detect']
const file = fileURLToPath(import.meta.url)

function runAll(): number {
  const failed = names.filter((name) => {
    print(`\n# ${name}`)
    return spawnSync(process.execPath, [...process.execArgv, file, name], { stdio: 'inherit' }).status !== 0
  })
  if (failed.length > 0) print(`\nfailed: ${failed.join(', ')}`)
  return failed.length === 0 ? 0 : 1
}

const isUsage = (error: unknown): error is Error =>
  error instanceof RangeError ||
  (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

const [name = ''] = process.argv.splice(2, 1)
try {
  if (name === 'all') process.exitCode = runAll()
  else if (names.includes(name)) await import(new URL(`${name}.ts`, import.meta.url).href)
  else throw new RangeError(`Name a benchmark: npm run bench -- ${['all', ...names].join(' | ')}`)
} catch (error) {
  if (!isUsage(error)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 2
}
