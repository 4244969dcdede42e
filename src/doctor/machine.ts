import { lookup } from 'node:dns/promises'
import { existsSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { homedir } from 'node:os'
import type { Check } from '../cli/host.ts'
import type { Config } from '../config.ts'
import { type ForwardProxy, listUnclear, nameVariable, type ProxyMember, toProxy } from '../connectors/http/proxy.ts'
import { count } from '../kernel/count.ts'
import { AppError } from '../kernel/errors.ts'
import { showNames } from '../kernel/shown.ts'
import { changesNothing, planChange } from '../mcp-install/change.ts'
import { type Client, type ClientEnvironment, clients, thisEnvironment } from '../mcp-install/clients.ts'
import { readRegularFile } from '../runtime/regular-file.ts'
import { shell } from '../runtime/shell.ts'
import { explainUnsupported, findEndOfLine } from '../runtime/supported-node.ts'
import { type CheckResult, check, toCheck } from './check.ts'

type Environment = Readonly<Record<string, string | undefined>>

const PROXY_WAIT_MS = 2_000
const MAX_UNCLEAR = 5
const OLDEST_PLAUSIBLE_CLOCK = Date.UTC(2025, 0, 1)
const NEWER_NODE = 'Install a version that is maintained and tested: nvm install 24'
const WHOLE_NODE = 'Install a Node with full language data (ICU): nvm install 24'
/** How to set the clock of this machine, from which the times of findings come. */
export const SET_CLOCK = `Set the clock of this machine: ${shell.setClock}`

/** Checks the machine and its environment. */
export async function checkMachine(config: Config, env: Environment): Promise<Check[]> {
  return [
    check('node', () => checkNode(), NEWER_NODE),
    check('clock', checkClock, SET_CLOCK),
    check('time zones', checkZones, WHOLE_NODE),
    await checkNames(),
    toCheck('proxy', await checkProxy(config, env)),
    check(
      'certificates',
      () => checkCertificates(env),
      shell.unset('NODE_TLS_REJECT_UNAUTHORIZED', 'NODE_EXTRA_CA_CERTS'),
    ),
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
  const fix = `Define localhost on this machine as 127.0.0.1: ${shell.nameLocalhost}`
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

/** How to get rid of a setting of the proxy, which is a variable or in config.json. */
function toProxyFix(member: ProxyMember, env: Environment): string {
  const name = nameVariable(member)
  const set = [name.toLowerCase(), name].filter((each) => env[each]?.trim())
  return set.length === 0
    ? 'Correct `proxy` in config.json of the data folder, then: assay doctor'
    : `Correct it; or, to do without it: ${shell.unset(...set)}`
}

async function checkProxy({ proxy }: Config, env: Environment): Promise<CheckResult> {
  const found: string[] = []
  for (const scheme of ['https', 'http'] as const) {
    const written = proxy[scheme]
    if (written === undefined) continue
    const named = toProxy(written)
    const fix = toProxyFix(scheme, env)
    if (typeof named === 'string') return { failed: `${nameVariable(scheme)} ${named}`, fix }
    const fault = await findConnectionFault(named)
    if (fault !== undefined) return { failed: `The proxy ${named.place} cannot be reached (${fault}).`, fix }
    found.push(`${scheme} addresses are requested through ${named.place}`)
  }
  // What precedes an at sign may be a password.
  const unclear = listUnclear(proxy.no)
    .slice(0, MAX_UNCLEAR)
    .map((entry) => entry.replace(/^.*@/s, '…@'))
  if (unclear.length > 0) {
    const warning = `NO_PROXY contains what is no host or network, and is ignored: ${showNames(unclear)}.`
    return { warning, fix: toProxyFix('no', env) }
  }
  const [all] = ['all_proxy', 'ALL_PROXY'].filter((name) => env[name]?.trim())
  if (all !== undefined && proxy.https === undefined) {
    const fix = `If sources can only be reached through the proxy, set HTTPS_PROXY; otherwise: ${shell.unset(all)}`
    return { warning: `${all} is set, which Assay does not use, as opposed to HTTPS_PROXY and HTTP_PROXY.`, fix }
  }
  return found.length === 0 ? 'none is set' : found.join(', ')
}

/** Why no connection to a proxy can be opened; undefined if one can. */
function findConnectionFault({ address }: ForwardProxy): Promise<string | undefined> {
  const { protocol, hostname, port } = new URL(address)
  const socket = connect(Number(port || (protocol === 'https:' ? 443 : 80)), hostname.replace(/^\[|\]$/g, ''))
  return new Promise<string | undefined>((resolve) => {
    socket.setTimeout(PROXY_WAIT_MS, () => resolve('ETIMEDOUT'))
    socket.once('connect', () => resolve(undefined)).once('error', ({ code }: NodeJS.ErrnoException) => resolve(code))
  }).finally(() => socket.destroy())
}

function checkCertificates(env: Environment) {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    return {
      failed: 'NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off, so anyone can impersonate a source.',
      fix: shell.unset('NODE_TLS_REJECT_UNAUTHORIZED'),
    }
  }
  const extra = env.NODE_EXTRA_CA_CERTS
  if (extra === undefined || extra === '') return 'those of Node and of the system'
  if (existsSync(extra)) return 'those of Node, of the system and of NODE_EXTRA_CA_CERTS'
  return { failed: 'NODE_EXTRA_CA_CERTS names a file that does not exist.', fix: shell.unset('NODE_EXTRA_CA_CERTS') }
}

function checkPort({ host, port }: Config): Promise<Check> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () =>
      resolve(
        toCheck('port', {
          warning: `${host}:${port} is in use, perhaps by a running assay serve.`,
          fix: `\`${shell.showUserOfPort(port)}\` shows by which process; or use another port: assay serve --port 0`,
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
    return { warning: `${file} cannot be read.`, fix: shell.makeUsable(file) }
  }
}

/** The built programs (`dist/main.js`) that a configuration names. */
const programsIn = (text: string): string[] =>
  [...text.matchAll(/"(?:[^"\\\n]|\\.)*[\\/]dist[\\/]+main\.js"/g)].map(([written]) => JSON.parse(written) as string)
