import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { z } from 'zod'
import { IssuerSettings, readIssuerEnvironment } from './access/issuer-settings.ts'
import { listUnclear, type ProxySettings, readProxyVariables, toProxy } from './connectors/http/proxy.ts'
import { AppError, describeMoreProblems, invalidInput } from './kernel/errors.ts'
import { given, isObject } from './kernel/json-object.ts'
import { maskCredentials } from './kernel/redaction.ts'
import { cutText } from './kernel/well-formed.ts'
import { parseAll } from './operation/input/parse.ts'
import { logLevels } from './runtime/log.ts'
import { readRegularFile } from './runtime/regular-file.ts'

const network = z
  .union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], 'must be a network such as 10.0.0.0/8, or an address.')
  .describe('A network such as 10.0.0.0/8.')

const proxyAddress = z
  .string()
  .check(({ value, issues }) => {
    const proxy = toProxy(value)
    if (typeof proxy === 'string') issues.push({ code: 'custom', input: undefined, message: proxy })
  })
  .optional()

const MAX_SHOWN_MEMBER = 60

const port = z.int().min(0).max(65_535)

/**
 * Settings from `config.json` in the data folder, `ASSAY_*` variables and flags; a later one overrides an earlier one.
 */
export const Settings = z
  .strictObject({
    host: z.string().min(1).default('127.0.0.1').describe('Address that the HTTP server listens on.'),
    port: port.default(7411).describe('Port that the HTTP server listens on; 0 picks a free one.'),
    probePort: port
      .default(7412)
      .describe('Port on which `assay worker` answers /health, /ready and /metrics; 0 picks a free one.'),
    logLevel: z.enum(logLevels).default('info').describe('Lowest level of the log lines on stderr.'),
    logFile: z.boolean().default(true).describe('Also write the log to files in the data folder, at most 50 MB.'),
    toolsets: z
      .array(z.enum(['agent', 'admin']))
      .min(1)
      .default(['agent', 'admin'])
      .describe('The tools that MCP offers: the six agent tools, the admin tools, or both.'),
    console: z.boolean().default(true).describe('Serve the web console at /console/.'),
    readOnly: z.boolean().default(false).describe('Offer only operations that change nothing.'),
    lockdown: z
      .boolean()
      .default(false)
      .describe('Answer with counts and ids only: no excerpts, names, titles or addresses from tenants.'),
    lockdownCodes: z
      .boolean()
      .default(false)
      .describe('In lockdown, show codes from imports, such as finding types, unmasked.'),
    networkFolder: z
      .boolean()
      .default(false)
      .describe('Allow a data folder on a network file system; set it only if its file locks are known to work.'),
    background: z.boolean().default(true).describe('Run due scans in this process when no other process does.'),
    socket: z
      .string()
      .min(1)
      .optional()
      .describe('Path of a unix socket that the HTTP server listens on instead of a port; only its owner can open it.'),
    publicUrl: z
      .url({ protocol: /^https?$/ })
      .optional()
      .describe('Address at which clients reach this server through a proxy.'),
    trustProxy: z
      .array(network)
      .default([])
      .describe('Networks of proxies whose X-Forwarded-For header is trusted; without it, the header is ignored.'),
    webhookHosts: z
      .array(
        z
          .string()
          .regex(/^[^\s/:@?#]+$|^\[?[0-9a-f:.]+\]?$/i, 'must be a host name or an address, without https:// and port.'),
      )
      .default([])
      .describe('Private or loopback hosts to which watches may send webhooks.'),
    fourEyes: z
      .boolean()
      .default(true)
      .describe('Where tokens or sign-in exist, who last changed what a metric means cannot certify it.'),
    proxy: z
      .strictObject({
        https: proxyAddress.describe('Address of the proxy for requests to https addresses; HTTPS_PROXY overrides it.'),
        http: proxyAddress.describe('Address of the proxy for requests to http addresses; HTTP_PROXY overrides it.'),
        no: z
          .string()
          .refine(
            (no) => listUnclear(no).length === 0,
            'must be a list of hosts and networks, such as .corp.com, 10.0.0.0/8.',
          )
          .describe('Hosts and networks that are reached without a proxy; NO_PROXY overrides it.')
          .optional(),
      })
      .describe('Proxies through which sources, webhooks, links and the identity provider are reached.')
      .optional(),
    oidc: IssuerSettings.optional(),
  })
  .describe('Settings of Assay.')
export type Settings = z.infer<typeof Settings>

export interface Config extends Settings {
  /** Path of the data folder. */
  home: string
  /** Those of the environment are not checked: only requests need them. */
  proxy: ProxySettings
}

const CONFIG_NAME = 'config.json in the data folder'
const MAX_CONFIG_BYTES = 1024 * 1024

type Environment = Readonly<Record<string, string | undefined>>

/** Removes empty `ASSAY_*` variables, which count as not set. */
export const withoutEmpty = (env: Environment): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name, value]) => !name.startsWith('ASSAY_') || value?.trim() !== ''))

/** @throws AppError `unavailable` where the user has none: a relative path would depend on the working directory */
function userHome(): string {
  let home = ''
  try {
    home = homedir()
  } catch {
    // The user of this process is not in the list of users.
  }
  if (isAbsolute(home)) return home
  throw new AppError(
    'unavailable',
    'The home folder of this user is not known; name a data folder with --home or ASSAY_HOME.',
  )
}

/** The per-user data folder of the platform. */
export function defaultHome(env: Environment, platform: NodeJS.Platform = process.platform): string {
  if (platform === 'win32') return join(env.LOCALAPPDATA || join(userHome(), 'AppData', 'Local'), 'assay')
  if (platform === 'darwin') return join(userHome(), 'Library', 'Application Support', 'assay')
  return join(env.XDG_DATA_HOME || join(userHome(), '.local', 'share'), 'assay')
}

/**
 * Merges settings: flags override environment variables, environment variables override the file in the data folder,
 * and the file overrides the defaults.
 * @throws AppError `invalid_input` naming the setting.
 */
export function loadConfig(flags: Partial<Settings> & { home?: string | undefined }, env: Environment): Config {
  const { home: homeFlag, ...settingFlags } = flags
  const home = resolve(homeFlag ?? env.ASSAY_HOME ?? defaultHome(env))
  const file = readFile(home)
  const places = [file, readEnvironment(env), given(settingFlags)]
  const oidc = mergeIssuer(file.oidc, readIssuerEnvironment(env))
  const merged = Object.assign({}, ...places, given({ oidc }))
  const settings = parseSettings(merged, (member) => nameOrigin(member, settingFlags, env))
  const proxy = { ...settings.proxy, ...readProxyVariables(env) }
  // Lockdown set in any place cannot be lifted by another.
  return { ...settings, lockdown: places.some(({ lockdown }) => lockdown === true), proxy, home }
}

/** Parses the merged settings; a problem names the flag, the variable or the file that the value comes from. */
function parseSettings(merged: unknown, originOf: (member: string) => string): Settings {
  try {
    return parseAll(Settings, merged, showMember)
  } catch (error) {
    const { issues = [], ...facts } = error instanceof AppError ? error.facts : {}
    const [first] = issues
    if (!(error instanceof AppError) || first === undefined) throw error
    const more = describeMoreProblems(issues)
    throw new AppError(error.code, `${originOf(first.path)} ${first.message}${more}`, {
      ...facts,
      issues: issues.map(({ path, message }) => ({ path: originOf(path), message })),
    })
  }
}

const toSnake = (member: string) => member.replaceAll(/[A-Z]/g, '_$&').toUpperCase()

/** Where the value of a setting comes from, as a person would name it. */
function nameOrigin(path: string, flags: Readonly<Record<string, unknown>>, env: Environment): string {
  const [member = '', inner = ''] = path.split(/[.[]/)
  if (flags[member] !== undefined) return `--${toSnake(member).toLowerCase().replaceAll('_', '-')}`
  const variable = member === 'oidc' ? `ASSAY_OIDC_${toSnake(inner)}` : `ASSAY_${toSnake(member)}`
  return env[variable] === undefined ? `${path} in ${CONFIG_NAME}` : variable
}

/** Masks with `maskCredentials` only: loading `detectors/safe-text.ts` would delay every start. */
const showMember = (key: string) => cutText(maskCredentials(key), MAX_SHOWN_MEMBER)

/** Each `ASSAY_OIDC_*` variable overrides one member of `oidc` in the file. */
function mergeIssuer(inFile: unknown, inEnvironment: Record<string, unknown> | undefined): unknown {
  if (inEnvironment === undefined || (inFile !== undefined && !isObject(inFile))) return inFile
  return { ...inFile, ...inEnvironment }
}

function readFile(home: string): Record<string, unknown> {
  let text: string
  try {
    text = readRegularFile(join(home, 'config.json'), { name: CONFIG_NAME, maxBytes: MAX_CONFIG_BYTES }).toString(
      'utf8',
    )
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return {}
    // An unreadable file must not disable the lockdown that it may set.
    throw new AppError('unavailable', `${CONFIG_NAME} cannot be read; check its permissions.`, { cause: error })
  }
  try {
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''))
    if (isObject(value)) return value
  } catch {
    // Invalid JSON is reported below, together with JSON that is not an object.
  }
  throw invalidInput(`${CONFIG_NAME} is not a JSON object; correct it or remove it.`)
}

function readEnvironment(env: Environment): Record<string, unknown> {
  const flag = (value: string | undefined) =>
    value === undefined ? undefined : !['0', 'false', 'no', 'off'].includes(value.toLowerCase())
  return given({
    host: env.ASSAY_HOST,
    port: env.ASSAY_PORT === undefined ? undefined : Number(env.ASSAY_PORT),
    probePort: env.ASSAY_PROBE_PORT === undefined ? undefined : Number(env.ASSAY_PROBE_PORT),
    logLevel: env.ASSAY_LOG_LEVEL,
    logFile: flag(env.ASSAY_LOG_FILE),
    toolsets: env.ASSAY_TOOLSETS?.split(',').map((name) => name.trim()),
    console: flag(env.ASSAY_CONSOLE),
    readOnly: flag(env.ASSAY_READ_ONLY),
    lockdown: flag(env.ASSAY_LOCKDOWN),
    networkFolder: flag(env.ASSAY_NETWORK_FOLDER),
    background: flag(env.ASSAY_BACKGROUND),
    socket: env.ASSAY_SOCKET,
    publicUrl: env.ASSAY_PUBLIC_URL,
    trustProxy: env.ASSAY_TRUST_PROXY?.split(',').map((each) => each.trim()),
  })
}
