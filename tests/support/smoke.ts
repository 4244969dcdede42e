import { deepStrictEqual, ok } from 'node:assert'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { ProcessResult } from './assay.ts'
import type { Machine } from './machines.ts'

// What a user does first, as steps that give the same facts on every machine.

interface Breakdown {
  value: number
  breakdown: { dimensionValue: string; value: number }[]
}

/** Runs a command that has to succeed. */
async function succeed({ run }: Machine, ...args: string[]): Promise<ProcessResult> {
  const result = await run(args)
  ok(result.code === 0, `assay ${args.join(' ')} ended with ${result.code}: ${result.stderr.trim().slice(-600)}`)
  return result
}

const readJson = async (machine: Machine, ...args: string[]): Promise<unknown> =>
  JSON.parse((await succeed(machine, ...args, '--json')).stdout)

async function countBy(machine: Machine, metric: string, dimension: string, ...more: string[]): Promise<unknown> {
  const { value, breakdown } = (await readJson(machine, 'query', metric, '--by', dimension, ...more)) as Breakdown
  return { value, groups: breakdown.map((group) => [group.dimensionValue, group.value]).sort() }
}

/** Names of the files in the data folder, with what is random in them left out. */
const listFiles = ({ folder }: Machine, inside = '.') =>
  readdirSync(join(folder, 'home', inside))
    .map((name) => name.replace(/before-restore-.*/, 'before-restore').replace(/[0-9a-f]{16}$/, 'retired'))
    .filter((name) => name !== 'logs')
    .sort()

const FINDINGS = 400

type Step = (machine: Machine) => Promise<unknown>

export const steps: readonly (readonly [string, Step])[] = [
  ['--version', async (machine) => (await succeed(machine, '--version')).stdout.trim()],
  [
    'init',
    async (machine) => {
      await succeed(machine, 'init')
      return listFiles(machine)
    },
  ],
  [
    'generate and import',
    async (machine) => {
      const file = join(machine.folder, 'findings of a scanner.ndjson')
      writeFileSync(file, (await succeed(machine, 'generate', '--findings', String(FINDINGS))).stdout)
      await succeed(machine, 'import', machine.toPath(file), '--source', 'Prüfer')
      const counted = await countBy(machine, 'total-findings', 'source')
      deepStrictEqual(counted, { value: FINDINGS, groups: [['Prüfer', FINDINGS]] })
      return counted
    },
  ],
  ['questions', (machine) => countBy(machine, 'open-findings', 'severity,detectorType')],
  [
    'a call with JSON in the form that is printed',
    async (machine) => {
      const { stdout } = await succeed(machine, 'call', 'get_metric', "{'slug':'open-findings'}")
      return (JSON.parse(stdout) as { slug: string }).slug
    },
  ],
  [
    'triage',
    async (machine) => {
      const decision = ['--as', 'ignored', '--reason', 'a test', '--yes']
      await succeed(machine, 'triage', '--severities', 'LOW', '--statuses', 'OPEN', ...decision)
      return countBy(machine, 'total-findings', 'status')
    },
  ],
  [
    'an export as CSV',
    async (machine) => (await succeed(machine, 'findings', '--format', 'csv')).stdout.split('\n').length,
  ],
  [
    'definitions as files',
    async (machine) => {
      const place = join(machine.folder, 'definitions')
      for (const command of ['export', 'export', 'diff'])
        await succeed(machine, command, '--dir', machine.toPath(place))
      return readdirSync(place, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.yaml'))
        .sort()
    },
  ],
  [
    'a backup and its restoration',
    async (machine) => {
      const file = machine.toPath(join(machine.folder, 'copies', 'the backup.db'))
      await succeed(machine, 'backup', file)
      await succeed(machine, 'call', 'delete_source', JSON.stringify({ id: await findSource(machine) }))
      await succeed(machine, 'restore', file)
      return [await countBy(machine, 'total-findings', 'source'), listFiles(machine)]
    },
  ],
  [
    'another key',
    async (machine) => {
      await succeed(machine, 'key', 'rotate')
      return listFiles(machine)
    },
  ],
  [
    'the entry of an assistant',
    async (machine) => {
      const { stdout } = await succeed(machine, 'mcp', 'install', 'cursor', '--yes')
      const file = machine.fromPath(stdout.split('\n')[0]?.trim() ?? '')
      const { mcpServers } = JSON.parse(readFileSync(file, 'utf8')) as {
        mcpServers: { assay: { command: string; args: string[] } }
      }
      const { command, args } = mcpServers.assay
      const [program = '', ...options] = args
      const { folder, fromPath } = machine
      const places = [command, program].map((path) => existsSync(fromPath(path)))
      return [places, options.map((option) => fromPath(option).replace(folder, ''))]
    },
  ],
  [
    'demo --once',
    async (machine) => {
      const home = machine.toPath(join(machine.folder, 'demo data'))
      const { stdout } = await succeed(machine, 'demo', '--once', '--home', home)
      const scans = stdout.match(/sample-\w+: COMPLETED.*/g)
      ok(scans?.length === 2, stdout)
      return [scans, await countBy(machine, 'total-findings', 'source,detectorType', '--home', home)]
    },
  ],
  [
    'serve: MCP over HTTP, REST and the console',
    async (machine) => {
      const home = machine.toPath(join(machine.folder, 'demo data'))
      const { url, stop } = await machine.serve(['--home', home])
      try {
        return [
          await askOverMcp(url),
          await Promise.all(['/health', '/ready', '/console/', '/nothing'].map(statusOf(url))),
        ]
      } finally {
        await stop()
      }
    },
  ],
  [
    'doctor, after the server was ended',
    async (machine) => {
      const { checks } = (await readJson(machine, 'doctor', '--full')) as { checks: { name: string; status: string }[] }
      return checks.filter(({ status }) => status !== 'ok').map(({ name }) => name)
    },
  ],
]

async function findSource(machine: Machine): Promise<string> {
  const { items } = (await readJson(machine, 'sources')) as { items: { id: string }[] }
  return items[0]?.id ?? ''
}

const statusOf = (url: string) => async (path: string) => (await fetch(`${url}${path}`)).status

async function askOverMcp(url: string): Promise<unknown> {
  const client = new Client({ name: 'smoke', version: '1.0.0' })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  try {
    const { tools } = await client.listTools()
    const answer = await client.callTool({
      name: 'query_metric',
      arguments: { metricSlug: 'open-findings', dimensions: ['source'] },
    })
    const { value } = answer.structuredContent as { value: number }
    ok(value > 100, `${value} open findings`)
    return [tools.map(({ name }) => name).sort(), value]
  } finally {
    await client.close()
  }
}
