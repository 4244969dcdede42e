import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Connector, Sampling } from '../connectors/connector.ts'
import type { DetectorDescription } from '../detectors/detector.ts'
import { AppError, describeMoreProblems, type Issue, invalidInput, joinPath } from '../kernel/errors.ts'
import { isObject } from '../kernel/json-object.ts'
import { MASK } from '../kernel/redaction.ts'
import { closest } from '../kernel/suggest.ts'
import { parseInput } from '../operation/operation.ts'
import { findConnector, findDetector, isContentDetector, needsContent, type Plugins } from './plugins.ts'
import { Schedule } from './schedule.ts'

export const SamplingConfig = z
  .strictObject({
    strategy: z
      .enum(['LATEST', 'RANDOM', 'ALL'])
      .describe('Which assets a scan takes: the newest, some, or all. Default: LATEST with a limit, else ALL.')
      .optional(),
    limit: z.int().min(1).max(100_000).describe('Number of assets; default 100; ignored for ALL.').optional(),
    order_by_column: z
      .string()
      .min(1)
      .max(100)
      .describe('Field that LATEST sorts by: a date or name of the platform.')
      .optional(),
  })
  .describe('How much of the tenant is scanned; default: all of it.')
export type SamplingConfig = z.infer<typeof SamplingConfig>

export const DetectorChoice = z
  .strictObject({
    type: z.string().min(1).max(64).describe('Detector type, such as BROKEN_LINKS.'),
    enabled: z.boolean().describe('Whether it runs; default true.').optional(),
    config: z.record(z.string(), z.unknown()).describe("The detector's own settings.").optional(),
  })
  .describe('One detector and its settings.')

const commonShape = {
  sampling: SamplingConfig.optional(),
  schedule: Schedule.optional(),
  detectors: z
    .array(DetectorChoice)
    .max(50)
    .describe('Detectors that run on this source; default: the set of its type.')
    .optional(),
}
/** Members of the payload common to all source types. */
export const CommonConfig = z.strictObject(commonShape)
const commonMembers = Object.keys(commonShape)
/** Members whose schema the connector defines. */
const ownMembers = ['type', 'required', 'masked', 'optional']

/** An enabled detector with its validated settings. */
export interface ChosenDetector {
  detector: DetectorDescription
  config: unknown
}

/** A complete, valid payload. */
export interface ParsedConfig {
  connector: Connector
  /** Output of the connector's schema; `masked` contains secrets in plain text. */
  payload: unknown
  secrets: Record<string, string>
  sampling: Omit<Sampling, 'seed'>
  schedule: Schedule | undefined
  detectors: readonly ChosenDetector[]
}

const DEFAULT_LIMIT = 100
const maskLike = /^[*•●∙·]+$/u

/**
 * Validates a whole payload.
 * @throws AppError `invalid_input` with every problem; paths begin with `config`.
 */
export function parseConfig(plugins: Plugins, raw: Readonly<Record<string, unknown>>): ParsedConfig {
  const connector = getConnector(plugins, raw.type)
  const issues: Issue[] = []
  const attempt = <T>(work: () => T, path = ''): T | undefined => {
    try {
      return work()
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      const found = error.facts.issues ?? [{ path: '', message: error.message }]
      issues.push(...found.map((issue) => ({ ...issue, path: joinPath(path, issue.path) })))
      return undefined
    }
  }
  const payload = attempt(() => parseInput(connector.payload, pickMembers(raw, ownMembers)))
  const secrets = isObject(raw.masked) ? checkSecrets(raw.masked, payload, issues) : {}
  for (const name of Object.keys(raw)) {
    if (!ownMembers.includes(name) && !commonMembers.includes(name)) {
      const known = [...ownMembers, ...commonMembers].join(', ')
      issues.push({ path: name, message: `is not a known key; the known keys are ${known}.` })
    }
  }
  // Each member is parsed separately, so that errors in one do not hide errors in another.
  const take = <T>(name: keyof typeof commonShape, schema: z.ZodType<T>) =>
    attempt(() => parseInput(schema, raw[name]), name)
  const sampling = toSampling(connector, take('sampling', commonShape.sampling), raw.sampling, issues)
  const schedule = take('schedule', commonShape.schedule)
  const choices = Array.isArray(raw.detectors)
    ? raw.detectors.map((choice, index) => attempt(() => parseInput(DetectorChoice, choice), `detectors[${index}]`))
    : take('detectors', commonShape.detectors)
  const detectors = toDetectors(plugins, connector, choices, issues, attempt)
  if (issues.length > 0) throw invalidConfig(issues)
  return { connector, payload, secrets, sampling, schedule, detectors }
}

/** The problems for which `parseConfig` would refuse a payload. */
export function listConfigProblems(plugins: Plugins, raw: Readonly<Record<string, unknown>>): Issue[] {
  try {
    parseConfig(plugins, raw)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return error.facts.issues ?? []
  }
}

function getConnector(plugins: Plugins, type: unknown): Connector {
  const connector = typeof type === 'string' ? findConnector(plugins, type) : undefined
  if (connector !== undefined) return connector
  const known = plugins.connectors.map((candidate) => candidate.type)
  throw invalidConfig([{ path: 'type', message: `must be one of ${known.join(', ')}.` }])
}

export function invalidConfig(issues: readonly Issue[], reason?: string): AppError {
  const [first] = issues
  const more = describeMoreProblems(issues)
  const at = (path: string) => (path === '' ? 'config' : `config.${path}`)
  return invalidInput(`The source is not valid: ${at(first?.path ?? '')} ${first?.message ?? ''}${more}`, {
    issues: issues.map(({ path, message }) => ({ path: at(path), message })),
    ...(reason === undefined ? {} : { reason }),
  })
}

function checkSecrets(masked: Record<string, unknown>, payload: unknown, issues: Issue[]): Record<string, string> {
  for (const [name, value] of Object.entries(masked)) {
    if (typeof value === 'string' && maskLike.test(value.trim())) {
      issues.push({ path: `masked.${name}`, message: 'is a placeholder; enter the actual secret.' })
    }
  }
  const parsed = isObject(payload) && isObject(payload.masked) ? payload.masked : masked
  return Object.fromEntries(
    Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  )
}

export const strategyOf = ({ strategy, limit }: Partial<SamplingConfig> = {}): Sampling['strategy'] =>
  strategy ?? (limit === undefined ? 'ALL' : 'LATEST')

function toSampling(
  connector: Connector,
  sampling: SamplingConfig | undefined,
  raw: unknown,
  issues: Issue[],
): Omit<Sampling, 'seed'> {
  const { limit = DEFAULT_LIMIT } = sampling ?? {}
  const strategy = strategyOf(sampling)
  const column = isObject(raw) ? SamplingConfig.shape.order_by_column.safeParse(raw.order_by_column).data : undefined
  if (column === undefined) return { strategy, limit }
  const wanted = column.replace(/[_-]+(\w)/g, (_, letter: string) => letter.toUpperCase()).toLowerCase()
  const orderBy = connector.orderByColumns.find((name) => name.toLowerCase() === wanted)
  if (orderBy !== undefined) return { strategy, limit, orderBy }
  const known = connector.orderByColumns.join(', ')
  issues.push({ path: 'sampling.order_by_column', message: `must be one of ${known}.` })
  return { strategy, limit }
}

function toDetectors(
  plugins: Plugins,
  connector: Connector,
  choices: readonly (z.infer<typeof DetectorChoice> | undefined)[] | undefined,
  issues: Issue[],
  attempt: <T>(work: () => T, path?: string) => T | undefined,
): ChosenDetector[] {
  const chosen = choices ?? connector.defaultDetectors.map((type) => ({ type }) as z.infer<typeof DetectorChoice>)
  const seen = new Set<string>()
  return chosen.flatMap((choice, index) => {
    if (choice === undefined) return []
    const { type, enabled = true, config = {} } = choice
    const at = `detectors[${index}]`
    const detector = findDetector(plugins, type)
    if (detector === undefined) {
      if (choices !== undefined) issues.push({ path: `${at}.type`, message: unknownDetector(plugins, type) })
      return []
    }
    if (seen.has(type)) issues.push({ path: `${at}.type`, message: `names ${type} twice; merge the two.` })
    seen.add(type)
    const before = issues.length
    const schema = ('settings' in detector ? detector.settings : undefined) ?? detector.config
    const checked = attempt(() => parseInput(schema, config), `${at}.config`)
    return enabled && issues.length === before ? [{ detector, config: checked }] : []
  })
}

/** The detectors of the source's type that its list of detectors leaves out or turns off. */
export function listLeftOut(plugins: Plugins, { type, detectors }: { type?: unknown; detectors?: unknown }): string[] {
  if (!Array.isArray(detectors) || typeof type !== 'string') return []
  const runs = new Set(detectors.filter(isObject).flatMap((choice) => (choice.enabled === false ? [] : [choice.type])))
  return (findConnector(plugins, type)?.defaultDetectors ?? []).filter((each) => !runs.has(each))
}

function unknownDetector(plugins: Plugins, type: string): string {
  const names = plugins.detectors.map((detector) => detector.type)
  const [nearest] = closest(type, names, (name) => name, 1)
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`
  return `is not a detector; the detectors are ${names.join(', ')}.${hint}`
}

const pickMembers = (raw: Readonly<Record<string, unknown>>, names: readonly string[]) =>
  Object.fromEntries(Object.entries(raw).filter(([name]) => names.includes(name)))

/** The payload as it is stored: without its secrets. */
export function withoutSecrets(raw: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { masked: _, ...rest } = raw
  return rest
}

/** The payload as it is shown: every secret is the same placeholder, regardless of its length. */
export function toShownConfig(
  stored: Readonly<Record<string, unknown>>,
  secretNames: readonly string[],
): Record<string, unknown> {
  const { type, required, ...rest } = stored
  const masked = Object.fromEntries(secretNames.map((name) => [name, MASK]))
  return {
    type,
    ...(required === undefined ? {} : { required }),
    ...(secretNames.length === 0 ? {} : { masked }),
    ...rest,
  }
}

/**
 * Merges a partial payload into a whole one by member; lists are replaced, and null removes a member. A new preset
 * without a cron expression removes the stored cron expression, which would override it.
 */
export function mergeConfig(
  whole: Readonly<Record<string, unknown>>,
  partial: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged = mergeMembers(whole, partial)
  const { schedule } = partial
  if (isObject(schedule) && schedule.preset !== undefined && schedule.cron === undefined && isObject(merged.schedule)) {
    const { cron: _, ...rest } = merged.schedule
    merged.schedule = rest
  }
  return merged
}

function mergeMembers(
  whole: Readonly<Record<string, unknown>>,
  partial: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const merged: Record<string, unknown> = { ...whole }
  for (const [name, value] of Object.entries(partial)) {
    const before = Object.hasOwn(whole, name) ? whole[name] : undefined
    if (value === null) delete merged[name]
    else if (isObject(value)) merged[name] = mergeMembers(isObject(before) ? before : {}, value)
    else merged[name] = value
  }
  return merged
}

/** Hash of the settings that determine what a scan lists: a checkpoint made under another hash cannot be resumed. */
export function hashListing({ payload, sampling }: Pick<ParsedConfig, 'payload' | 'sampling'>): string {
  const settings = isObject(payload) ? withoutSecrets(payload) : {}
  return hashOf({ settings: withoutEmpty(settings), sampling })
}

/** What the list of scopes depends on: a scope that another scan with the same hash listed, and this one did not, is gone. */
export const hashScopes = ({ connector, payload }: Pick<ParsedConfig, 'connector' | 'payload'>): string =>
  hashOf(connector.scopeSettings(payload))

/** Removes empty groups of settings, which are equal to absent ones. */
function withoutEmpty(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(settings).map(([name, value]) => [name, isObject(value) ? withoutEmpty(value) : value])
  return Object.fromEntries(entries.filter(([, value]) => !isObject(value) || Object.keys(value).length > 0))
}

/** Hash of the detectors and settings that determine the findings and digests of a document. */
export function hashContentDetectors(chosen: readonly ChosenDetector[]): string {
  const content = chosen.filter(({ detector }) => needsContent(detector))
  return hashOf(
    content
      .map(({ detector, config }) => [
        detector.type,
        detector.version,
        ...(isContentDetector(detector) ? [config] : []),
      ])
      .sort((a, b) => (String(a[0]) < String(b[0]) ? -1 : 1)),
  )
}

function hashOf(value: unknown): string {
  const canonical = JSON.stringify(value, (_key, member: unknown) =>
    isObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  )
  return hash('sha256', canonical).slice(0, 32)
}
