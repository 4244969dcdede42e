import { lookup } from 'node:dns/promises'
import { accessSync, constants, existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Check } from '../cli/host.ts'
import type { Config } from '../config.ts'
import { check, toCheck } from './check.ts'

type Environment = Readonly<Record<string, string | undefined>>

const OLDEST_NODE = [20, 19] as const
const OLDEST_PLAUSIBLE_CLOCK = Date.UTC(2025, 0, 1)

/** What this machine and its environment bring. */
export async function checkMachine(config: Config, env: Environment): Promise<Check[]> {
  return [
    check('node', checkNode, 'Install Node 20.19 or later.'),
    check('clock', checkClock, 'Set the clock of this machine; times of findings come from it.'),
    check('time zones', checkZones, 'Install a Node with full ICU data.'),
    await checkNames(),
    check('proxy', () => checkProxy(env), 'unset HTTPS_PROXY HTTP_PROXY'),
    check('certificates', () => checkCertificates(env), 'unset NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS'),
    await checkPort(config),
    check('assistants', checkAssistants, 'See "Connect an assistant" in the README.'),
  ]
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  const fits = major > OLDEST_NODE[0] || (major === OLDEST_NODE[0] && minor >= OLDEST_NODE[1])
  const detail = `Node ${process.versions.node} on ${process.platform} ${process.arch}`
  return fits ? detail : { failed: detail, fix: 'Install Node 20.19 or later.' }
}

function checkClock() {
  const now = new Date()
  if (now.getTime() > OLDEST_PLAUSIBLE_CLOCK) return now.toISOString()
  return { failed: now.toISOString(), fix: 'Set the clock of this machine; times of findings come from it.' }
}

/** The change to summer time in Berlin: schedules depend on such rules being there. */
function checkZones() {
  const hourAt = (at: number) =>
    new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', hour: 'numeric', hourCycle: 'h23' }).format(at)
  const [winter, summer] = [hourAt(Date.UTC(2026, 0, 15, 12)), hourAt(Date.UTC(2026, 6, 15, 12))]
  if (winter === '13' && summer === '14') return `rules are there (${process.versions.tz ?? 'of the system'})`
  return { failed: 'The rules of time zones are missing.', fix: 'Install a Node with full ICU data.' }
}

async function checkNames(): Promise<Check> {
  const fix = 'Check /etc/hosts and the name servers of this machine.'
  try {
    const { address } = await lookup('localhost')
    const isOwn = address === '::1' || address.startsWith('127.')
    return toCheck(
      'names',
      isOwn ? `localhost is ${address}` : { failed: `localhost is ${address}, another machine.`, fix },
    )
  } catch {
    return toCheck('names', { failed: 'localhost cannot be resolved.', fix })
  }
}

function checkProxy(env: Environment) {
  const set = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].filter((name) => env[name] || env[name.toLowerCase()])
  if (set.length === 0) return 'none is set'
  const warning = `${set.join(', ')} is set, but requests to sources go straight.`
  return {
    warning,
    fix: `If a source cannot be reached otherwise, run assay where it can; else: unset ${set.join(' ')}`,
  }
}

function checkCertificates(env: Environment) {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return {
      failed: 'NODE_TLS_REJECT_UNAUTHORIZED=0 lets anybody pose as a source.',
      fix: 'unset NODE_TLS_REJECT_UNAUTHORIZED',
    }
  }
  const extra = env.NODE_EXTRA_CA_CERTS
  if (extra === undefined || extra === '') return 'those of Node'
  if (existsSync(extra)) return 'those of Node and of NODE_EXTRA_CA_CERTS'
  return { failed: 'NODE_EXTRA_CA_CERTS names a file that is not there.', fix: 'unset NODE_EXTRA_CA_CERTS' }
}

function checkPort({ host, port }: Config): Promise<Check> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () =>
      resolve(
        toCheck('port', {
          warning: `${host}:${port} is taken, perhaps by an assay that serves already.`,
          fix: `See who it is with \`lsof -i :${port}\`, or serve on another one: assay serve --port 0`,
        }),
      ),
    )
    server.listen(port, host, () => server.close(() => resolve(toCheck('port', `${host}:${port} is free`))))
  })
}

/** Where assistants keep what they start, below the home folder. */
const clientFiles = [
  'Library/Application Support/Claude/claude_desktop_config.json',
  '.config/Claude/claude_desktop_config.json',
  '.cursor/mcp.json',
  '.codex/config.toml',
  '.claude.json',
]

function checkAssistants() {
  const present = clientFiles.map((name) => join(homedir(), name)).filter((file) => existsSync(file))
  const closed = present.filter((file) => !canRead(file))
  if (closed.length > 0) return { warning: `${closed.join(', ')} cannot be read.`, fix: `chmod u+r '${closed[0]}'` }
  return present.length === 0 ? 'no configuration of one is there' : count(present.length)
}

const count = (files: number) => `${files} ${files === 1 ? 'configuration is' : 'configurations are'} there`

function canRead(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch {
    return false
  }
}
