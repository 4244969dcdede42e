import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { fetchNode, nodeLines } from '../support/nodes.ts'

// Installs the packed program under the newest version of each supported line of Node.js, without a compiler, and uses it
// there. `npm run test:nodes -- 24` takes only that line. The versions come from the npm registry and are kept in a cache.

const root = fileURLToPath(new URL('../../', import.meta.url))
const given = process.argv.slice(2)
const lines = given.length > 0 ? given : nodeLines
const FINDINGS = 100_000
const THREAD_STARTS = 100

interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

interface RunOptions {
  cwd?: string
  env?: NodeJS.ProcessEnv
  stdin?: string
}

function run(command: string, args: readonly string[], { cwd = root, env, stdin = '' }: RunOptions = {}) {
  const child = spawn(command, args, { cwd, env: env ?? process.env })
  const output = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text
    })
  }
  child.stdin.on('error', () => {}).end(stdin)
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', reject).once('close', (code, signal) => resolve({ code, signal, ...output }))
  })
  return { child, output, ended }
}

/** The standard output of a process that must succeed. */
async function succeed(running: { ended: Promise<Ended> }): Promise<string> {
  const { code, signal, stdout, stderr } = await running.ended
  if (code !== 0) throw new Error(`ended with ${signal ?? code}: ${(stderr || stdout).trim().slice(-600)}`)
  return stdout
}

function expectMatch(text: string, pattern: RegExp): void {
  if (!pattern.test(text)) throw new Error(`${pattern} does not match: ${text.trim().slice(-600)}`)
}

const { npm_execpath: npmCli } = process.env
if (npmCli === undefined) throw new Error('Run this by `npm run test:nodes`.')

interface Installed {
  node: string
  version: string
  dist: string
  home: string
  assay: (args: readonly string[], options?: RunOptions) => ReturnType<typeof run>
}

async function countOpen({ assay }: Installed, home: string): Promise<number> {
  const answer = await succeed(assay(['query', 'open-findings', '--json', '--home', home]))
  return (JSON.parse(answer) as { value: number }).value
}

async function askTools(client: Client): Promise<number> {
  const { tools } = await client.listTools()
  if (tools.length !== 6) throw new Error(`tools/list has ${tools.length} tools`)
  const answer = await client.callTool({ name: 'query_metric', arguments: { metricSlug: 'open-findings' } })
  return (answer.structuredContent as { value: number }).value
}

async function askOverStdio({ node, dist, home }: Installed): Promise<number> {
  const client = new Client({ name: 'smoke', version: '1.0.0' })
  const args = [join(dist, 'main.js'), 'mcp', '--toolsets', 'agent', '--home', home]
  await client.connect(new StdioClientTransport({ command: node, args, stderr: 'ignore' }))
  try {
    return await askTools(client)
  } finally {
    await client.close()
  }
}

async function askOverHttp({ assay, home }: Installed): Promise<number> {
  const server = assay(['serve', '--port', '0', '--toolsets', 'agent', '--home', home])
  try {
    const url = await new Promise<string>((resolve, reject) => {
      server.child.stdout.on('data', () => {
        const [found] = /http:\/\/127\.0\.0\.1:\d+/.exec(server.output.stdout) ?? []
        if (found !== undefined) resolve(found)
      })
      server.ended.then(() => reject(new Error(server.output.stderr)))
    })
    const client = new Client({ name: 'smoke', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)) as Parameters<Client['connect']>[0])
    const value = await askTools(client)
    await client.close()
    return value
  } finally {
    server.child.kill('SIGTERM')
    await succeed(server)
  }
}

interface Step {
  name: string
  try: (installed: Installed) => Promise<unknown>
}

const steps: readonly Step[] = [
  {
    name: 'demo --once',
    try: async ({ assay, home }) =>
      expectMatch(
        await succeed(assay(['demo', '--once', '--home', home])),
        /sample-wiki: COMPLETED[\s\S]*sample-bi: COMPLETED[\s\S]*assay mcp/,
      ),
  },
  {
    name: `import of ${FINDINGS.toLocaleString('en')}`,
    try: async ({ assay, home }) => {
      const lines = await succeed(assay(['generate', '--findings', String(FINDINGS), '--seed', '5']))
      const file = join(home, 'findings.ndjson')
      writeFileSync(file, lines)
      expectMatch(await succeed(assay(['import', file, '--source', 'generated', '--home', home])), /100,?000/)
    },
  },
  {
    name: 'triage',
    try: async (installed) => {
      const before = await countOpen(installed, installed.home)
      const filter = ['--sources', 'sample-wiki', '--statuses', 'OPEN', '--detector-types', 'BROKEN_LINKS']
      const decision = ['--as', 'ignored', '--reason', 'smoke', '--yes', '--home', installed.home]
      await succeed(installed.assay(['triage', ...filter, ...decision]))
      const after = await countOpen(installed, installed.home)
      if (!(after < before)) throw new Error(`${before} open findings before, ${after} after`)
    },
  },
  {
    name: 'the same answer over MCP on stdio and HTTP',
    try: async (installed) => {
      const values = [
        await countOpen(installed, installed.home),
        await askOverStdio(installed),
        await askOverHttp(installed),
      ]
      if (new Set(values).size !== 1) throw new Error(values.join(', '))
    },
  },
  {
    name: 'backup and restore',
    try: async (installed) => {
      const { assay, home } = installed
      const copy = join(home, 'copy.backup')
      const before = await countOpen(installed, home)
      await succeed(assay(['backup', copy, '--home', home]))
      const filter = ['--sources', 'sample-bi', '--statuses', 'OPEN']
      await succeed(assay(['triage', ...filter, '--as', 'resolved', '--yes', '--home', home]))
      const between = await countOpen(installed, home)
      await succeed(assay(['restore', copy, '--home', home]))
      const after = await countOpen(installed, home)
      if (before !== after || between >= before) throw new Error(`${before}, ${between}, ${after} open findings`)
    },
  },
  {
    name: `${THREAD_STARTS} starts and ends of each kind of thread`,
    try: ({ node, dist, home }) =>
      succeed(
        run(node, [
          '--expose-gc',
          fileURLToPath(new URL('./threads.ts', import.meta.url)),
          dist,
          home,
          String(THREAD_STARTS),
        ]),
      ),
  },
  {
    name: 'doctor',
    // It fails for the sample tenants alone, which have ended with the demo.
    try: async ({ assay, home, version }) => {
      const { stdout, signal } = await assay(['doctor', '--home', home]).ended
      if (signal !== null) throw new Error(`ended with ${signal}`)
      expectMatch(stdout, new RegExp(`ok +node: Node ${version} on .*supported until`))
      const failed = stdout.match(/^FAIL .*/gm)?.filter((text) => !text.includes('source sample-')) ?? []
      if (failed.length > 0) throw new Error(failed.join('; '))
    },
  },
]

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
await succeed(run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder]))
const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? ''

for (const line of lines) {
  let node: string
  try {
    node = fetchNode(line)
  } catch (error) {
    process.stdout.write(`skipped: ${(error as Error).message}\n`)
    continue
  }
  const version = (await succeed(run(node, ['--version']))).trim().slice(1)
  const prefix = join(folder, `app-${line}`)
  const home = join(folder, `home-${line}`)
  mkdirSync(home)
  // What would compile native code fails.
  const tools = Object.fromEntries(['CC', 'CXX', 'npm_config_python', 'MAKE'].map((name) => [name, '/bin/false']))
  const env = { ...process.env, ...tools, PATH: `${join(node, '..')}${delimiter}${process.env.PATH}`, NODE_OPTIONS: '' }
  await attempt(version, 'npm install --global', () =>
    succeed(run(node, [npmCli, 'install', '--global', '--prefix', prefix, join(folder, tarball)], { env })),
  )
  const dist = join(prefix, process.platform === 'win32' ? '' : 'lib', 'node_modules', 'assay', 'dist')
  const assay: Installed['assay'] = (args, options) => run(node, [join(dist, 'main.js'), ...args], { env, ...options })
  for (const step of steps) await attempt(version, step.name, () => step.try({ node, version, dist, home, assay }))
}
rmSync(folder, { recursive: true, force: true })
process.stdout.write(failures === 0 ? 'The smoke test passed.\n' : `${failures} steps failed.\n`)
if (failures > 0) process.exitCode = 1
