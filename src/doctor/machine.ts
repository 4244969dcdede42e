import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { homedir } from 'node:os'
import type { Check } from '../cli/host.ts'
import type { Config } from '../config.ts'
import { count } from '../kernel/count.ts'
import { AppError } from '../kernel/errors.ts'
import { changesNothing, planChange } from '../mcp-install/change.ts'
import { type Client, type ClientEnvironment, clients, thisEnvironment } from '../mcp-install/clients.ts'
import { readRegularFile } from '../runtime/regular-file.ts'
import { explainUnsupported, findEndOfLine } from '../runtime/supported-node.ts'
import { type CheckResult, check, quote, toCheck } from './check.ts'

type Environment = Readonly<Record<string, string | undefined>>

const OLDEST_PLAUSIBLE_CLOCK = Date.UTC(2025, 0, 1)
const NEWER_NODE = 'Install a version that is maintained and tested: nvm install 24'
const WHOLE_NODE = 'Install a Node with full language data (ICU): nvm install 24'
const clockCommands: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'sudo sntp -sS time.apple.com',
  win32: 'w32tm /resync',
}
/** How to set the clock of this machine, from which the times of findings come. */
export const SET_CLOCK = `Set the clock of this machine: ${clockCommands[process.platform] ?? 'sudo timedatectl set-ntp true'}`

/** Checks the machine and its environment. */
export async function checkMachine(config: Config, env: Environment): Promise<Check[]> {
  return [
    check('node', () => checkNode(), NEWER_NODE),
    check('clock', checkClock, SET_CLOCK),
    check('time zones', checkZones, WHOLE_NODE),
    await checkNames(),
    check('proxy', () => checkProxy(env), 'env | grep -i proxy'),
    check('certificates', () => checkCertificates(env), 'unset NODE_TLS_REJECT_UNAUTHORIZED NODE_EXTRA_CA_CERTS'),
    await checkPort(config),
    check('assistants', () => checkAssistants(env), 'assay mcp install --help'),
  ]
}

/** `version` and `today` (`YYYY-MM-DD`) are those of this process unless a test gives others. */
export function checkNode(version = process.versions.node, today = new Date().toISOString().slice(0, 10)) {
  const detail = `Node ${version} on ${process.platform} ${process.arch}`
  const unsupported = explainUnsupported(version)
  if (unsupported !== undefined) return { failed: unsupported, fix: NEWER_NODE }
  const endsOn = findEndOfLine(version)
  if (endsOn === undefined) return { warning: `${detail}, a version that Assay is not tested on`, fix: NEWER_NODE }
  if (today > endsOn) return { warning: `${detail}, whose maintenance ended on ${endsOn}`, fix: NEWER_NODE }
  return `${detail}, supported until ${endsOn}`
}

function checkClock() {
  const now = new Date()
  if (now.getTime() > OLDEST_PLAUSIBLE_CLOCK) return now.toISOString()
  return { failed: now.toISOString(), fix: SET_CLOCK }
}

/** Checks summer time in Berlin, because schedules depend on time zone rules. */
function checkZones() {
  const hourAt = (at: number) =>
    new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', hour: 'numeric', hourCycle: 'h23' }).format(at)
  const [winter, summer] = [hourAt(Date.UTC(2026, 0, 15, 12)), hourAt(Date.UTC(2026, 6, 15, 12))]
  if (winter === '13' && summer === '14')
    return `the time zone database is available (${process.versions.tz ?? 'of the system'})`
  return { failed: 'The time zone database is missing.', fix: WHOLE_NODE }
}

async function checkNames(): Promise<Check> {
  const fix = "Define localhost on this machine: echo '127.0.0.1 localhost' | sudo tee -a /etc/hosts"
  try {
    const { address } = await lookup('localhost')
    const isOwn = address === '::1' || address.startsWith('127.')
    return toCheck(
      'names',
      isOwn
        ? `localhost is ${address}`
        : { failed: `localhost resolves to ${address}, which is another machine.`, fix },
    )
  } catch {
    return toCheck('names', { failed: 'localhost cannot be resolved.', fix })
  }
}

function checkProxy(env: Environment) {
  const names = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  const set = names.filter((name) => env[name])
  if (set.length === 0) return 'none is set'
  const warning = `${set.join(', ')} is set, but requests to sources do not use a proxy.`
  return {
    warning,
    fix: `If sources can only be reached through the proxy, run Assay on another machine; otherwise: unset ${set.join(' ')}`,
  }
}

function checkCertificates(env: Environment) {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return {
      failed: 'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off, so anyone can impersonate a source.',
      fix: 'unset NODE_TLS_REJECT_UNAUTHORIZED',
    }
  }
  const extra = env.NODE_EXTRA_CA_CERTS
  if (extra === undefined || extra === '') return 'those of Node'
  if (existsSync(extra)) return 'those of Node and NODE_EXTRA_CA_CERTS'
  return { failed: 'NODE_EXTRA_CA_CERTS names a file that does not exist.', fix: 'unset NODE_EXTRA_CA_CERTS' }
}

function checkPort({ host, port }: Config): Promise<Check> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () =>
      resolve(
        toCheck('port', {
          warning: `${host}:${port} is in use, perhaps by a running assay serve.`,
          fix: `\`lsof -i :${port}\` shows by which process; or use another port: assay serve --port 0`,
        }),
      ),
    )
    server.listen(port, host, () => server.close(() => resolve(toCheck('port', `${host}:${port} is free`))))
  })
}

/** Checks that the programs which configurations of assistants start exist. */
function checkAssistants(env: Environment): CheckResult {
  const place = { ...thisEnvironment(), env, home: env.HOME || homedir() }
  const present = clients.filter((client) => existsSync(client.file(place)))
  for (const client of present) {
    const wrong = findFault(client, place)
    if (wrong !== undefined) return wrong
  }
  if (present.length === 0) return 'no configuration was found'
  return `${count(present.length, 'configuration')} can be read`
}

function findFault(client: Client, place: ClientEnvironment): CheckResult | undefined {
  const file = client.file(place)
  const fix = `assay mcp install ${client.id}`
  try {
    const isThere = !changesNothing(planChange(file, (text) => client.remove(text, 'assay')))
    const gone = isThere
      ? programsIn(readRegularFile(file).toString('utf8')).find((program) => !existsSync(program))
      : undefined
    if (gone === undefined) return undefined
    return { warning: `${client.title} is configured to start ${gone}, which does not exist.`, fix }
  } catch (error) {
    if (error instanceof AppError) return { warning: error.message, fix }
    return { warning: `${file} cannot be read.`, fix: `chmod u+r ${quote(file)}` }
  }
}

/** The built programs (`dist/main.js`) that a configuration names. */
const programsIn = (text: string): string[] =>
  [...text.matchAll(/"(?:[^"\\\n]|\\.)*[\\/]dist[\\/]+main\.js"/g)].map(([written]) => JSON.parse(written) as string)
