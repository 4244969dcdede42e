import { type SpawnSyncReturns, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'

// Installs the packed tarball under several versions of Node, which come as packages, and uses it there.
// `npm run test:nodes -- 22 24` takes only these; `--folder DIR` keeps what was installed, so that a second run is quick.

const root = fileURLToPath(new URL('../../', import.meta.url))
const { values, positionals } = parseArgs({ allowPositionals: true, options: { folder: { type: 'string' } } })
const versions = positionals.length > 0 ? positionals : ['22.21', '22', '24', '26']
const folder = values.folder === undefined ? mkdtempSync(join(tmpdir(), 'assay-nodes-')) : resolve(values.folder)
const nodePackage = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`

interface Row {
  node: string
  step: string
  outcome: string
}
const rows: Row[] = []

const run = (command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env) =>
  spawnSync(command, args, { cwd, env, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })

const told = ({ stdout, stderr, status }: SpawnSyncReturns<string>) =>
  `${status}: ${(stderr || stdout).trim().split('\n').slice(-3).join(' / ')}`

/** A folder in which npm keeps to itself. */
function makeProject(name: string): string {
  const project = join(folder, name)
  mkdirSync(project, { recursive: true })
  const file = join(project, 'package.json')
  if (!existsSync(file)) writeFileSync(file, '{"private":true}\n')
  return project
}

function skip(reason: string): never {
  process.stdout.write(`skipped: ${reason}\n`)
  process.exit(0)
}

interface Installed {
  node: string
  app: string
  env: NodeJS.ProcessEnv
}

/** The folder of the programs of one version of Node. */
function fetchNode(version: string): string {
  const project = makeProject(`node-${version}`)
  const home = join(project, 'node_modules', nodePackage)
  if (!existsSync(home)) {
    const fetched = run('npm', ['install', '--ignore-scripts', `${nodePackage}@${version}`], project)
    if (fetched.status !== 0) skip(`the registry does not give ${nodePackage}@${version} (${told(fetched)})`)
  }
  return join(home, 'bin')
}

const npmCli = join(run('npm', ['root', '--global'], root).stdout.trim(), 'npm', 'bin', 'npm-cli.js')

const assay = ({ node, app, env }: Installed, args: readonly string[]) =>
  run(node, [join(app, 'node_modules', '.bin', 'assay'), ...args], app, env)

/** Writes down how a step went; `wanted` says whether it went well. */
function note(version: string, step: string, done: SpawnSyncReturns<string>, wanted: RegExp): void {
  const all = `${done.stdout}\n${done.stderr}`
  const outcome = wanted.test(all) ? 'ok' : `FAILED ${told(done)}`
  rows.push({ node: version, step, outcome })
  process.stdout.write(`${version}  ${step}: ${outcome}\n`)
}

async function askOverStdio({ node, app, env }: Installed, home: string): Promise<string> {
  const client = new Client({ name: 'nodes', version: '1.0.0' })
  const args = [join(app, 'node_modules', '.bin', 'assay'), 'mcp', '--home', home]
  const shared = Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
  await client.connect(new StdioClientTransport({ command: node, args, env: shared, stderr: 'ignore' }))
  try {
    const { tools } = await client.listTools()
    const answer = await client.callTool({ name: 'query_metric', arguments: { metricSlug: 'open-findings' } })
    const { value } = answer.structuredContent as { value: number }
    return tools.length > 20 && value > 100 ? 'ok' : `FAILED ${tools.length} tools, open-findings ${value}`
  } finally {
    await client.close()
  }
}

async function tryOut(version: string, tarball: string): Promise<void> {
  const bin = fetchNode(version)
  const node = join(bin, 'node')
  const exact = run(node, ['--version'], root).stdout.trim().slice(1)
  const app = makeProject(`app-${version}`)
  const home = join(folder, `home-${version}`)
  rmSync(home, { recursive: true, force: true })
  const env = {
    ...process.env,
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    NODE_OPTIONS: '',
  }
  const installed: Installed = { node, app, env }
  const npm = (args: readonly string[]) => run(node, [npmCli, ...args], app, env)
  const step = (name: string, done: SpawnSyncReturns<string>, wanted: RegExp) => note(exact, name, done, wanted)

  step('npm install --ignore-scripts', npm(['install', '--ignore-scripts', tarball]), /added|changed|up to date/)
  step('--version', assay(installed, ['--version']), /^\d+\.\d+\.\d+\n/)
  step('demo --once', assay(installed, ['demo', '--once', '--home', home]), /sample-bi: COMPLETED[\s\S]*assay mcp/)
  const stdio = await askOverStdio(installed, home).catch((error: unknown) => `FAILED ${error}`)
  rows.push({ node: exact, step: 'tools/list and query_metric over stdio', outcome: stdio })
  step('doctor', assay(installed, ['doctor', '--home', home, '--json']), new RegExp(`Node ${exact} on`))
  step('query', assay(installed, ['query', 'open-findings', '--home', home]), /\d+ findings/)
}

const packed = run('npm', ['pack', '--ignore-scripts', '--pack-destination', makeProject('tarball')], root)
const tarball = readdirSync(join(folder, 'tarball')).find((name) => name.endsWith('.tgz'))
if (tarball === undefined) throw new Error(`npm pack: ${told(packed)}`)

for (const version of versions) await tryOut(version, join(folder, 'tarball', tarball))

const width = Math.max(...rows.map(({ step }) => step.length))
process.stdout.write(`\n${nodePackage}, npm ${run('npm', ['--version'], root).stdout.trim()}\n`)
for (const { node, step, outcome } of rows) process.stdout.write(`${node.padEnd(9)} ${step.padEnd(width)} ${outcome}\n`)
if (values.folder === undefined) rmSync(folder, { recursive: true, force: true })
if (rows.some(({ outcome }) => outcome !== 'ok')) process.exitCode = 1
