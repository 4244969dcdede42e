import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { openMachine, openThisMachine } from '../support/machines.ts'
import { fetchNode, nodeLines } from '../support/nodes.ts'
import { steps } from '../support/smoke.ts'

// Installs the packed program under the newest version of each supported line of Node.js, without a compiler, and takes
// there the steps that a user takes first, with the outcome that they have here. `npm run test:nodes -- 24` takes only that
// line. The versions come from the npm registry and are kept in a cache.

const root = fileURLToPath(new URL('../../', import.meta.url))
const given = process.argv.slice(2)
const lines = given.length > 0 ? given : nodeLines
const THREAD_STARTS = 100

const { npm_execpath: npmCli } = process.env
if (npmCli === undefined) throw new Error('Run this by `npm run test:nodes`.')

/** The standard output of a process that must succeed. */
async function succeed(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'pipe'] })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  const end = await new Promise((resolve, reject) =>
    child.once('error', reject).once('close', (code, signal) => resolve(signal ?? code)),
  )
  if (end !== 0) throw new Error(`ended with ${end}: ${(output.stderr || output.stdout).trim().slice(-600)}`)
  return output.stdout
}

let failures = 0
async function attempt(version: string, name: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now()
  const outcome = await work().then(
    () => 'ok',
    (error: Error) => `FAILED ${error.message}`,
  )
  if (outcome !== 'ok') failures++
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  process.stdout.write(`${version.padEnd(8)} ${name.padEnd(48)} ${seconds.padStart(5)} s  ${outcome}\n`)
}

const folder = mkdtempSync(join(tmpdir(), 'assay-smoke-'))
await succeed('npm', ['pack', '--ignore-scripts', '--pack-destination', folder])
const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''
const here = openThisMachine()
const expected: unknown[] = []
for (const [, step] of steps) expected.push(await step(here))

for (const line of lines) {
  let node: string
  try {
    node = fetchNode(line)
  } catch (error) {
    process.stdout.write(`skipped: ${(error as Error).message}\n`)
    continue
  }
  const version = (await succeed(node, ['--version'])).trim().slice(1)
  const prefix = join(folder, `app-${line}`)
  // What would compile native code fails.
  const tools = Object.fromEntries(['CC', 'CXX', 'npm_config_python', 'MAKE'].map((name) => [name, '/bin/false']))
  const env = { ...process.env, ...tools, PATH: `${join(node, '..')}${delimiter}${process.env.PATH}`, NODE_OPTIONS: '' }
  await attempt(version, 'npm install --global', () =>
    succeed(node, [npmCli, 'install', '--global', '--prefix', prefix, join(folder, tarball)], env),
  )
  const dist = join(prefix, process.platform === 'win32' ? '' : 'lib', 'node_modules', 'assay', 'dist')
  const machine = openMachine({ command: [node], program: join(dist, 'main.js'), env })
  for (const [index, [name, step]] of steps.entries()) {
    await attempt(version, name, async () => {
      const outcome = await step(machine)
      if (!isDeepStrictEqual(outcome, expected[index]))
        throw new Error(`${JSON.stringify(outcome)} in place of ${JSON.stringify(expected[index])}`)
    })
  }
  const threads = fileURLToPath(new URL('./threads.ts', import.meta.url))
  const home = join(machine.folder, 'home')
  await attempt(version, `${THREAD_STARTS} starts and ends of each kind of thread`, () =>
    succeed(node, ['--expose-gc', threads, dist, home, String(THREAD_STARTS)]),
  )
  machine.close()
}
here.close()
rmSync(folder, { recursive: true, force: true })
process.stdout.write(failures === 0 ? 'The smoke test passed.\n' : `${failures} steps failed.\n`)
if (failures > 0) process.exitCode = 1
