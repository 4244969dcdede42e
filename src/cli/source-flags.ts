import { type Command, InvalidArgumentError, Option } from 'commander'
import { isObject } from '../kernel/json-object.ts'
import { UsageError } from './exit.ts'
import { toFlag } from './filter-flags.ts'

interface SourceFlag {
  /** The member of the payload that it sets. */
  path: string
  value: string
  /** Its heading in the help. */
  group: string
  description: string
  isList?: boolean
}

const WIKI = 'Options of a wiki:'
const BI = 'Options of a BI platform:'

/** Options for members of the payload, by the name of the option. */
export const sourceFlags: Readonly<Record<string, SourceFlag>> = {
  baseUrl: {
    path: 'required.base_url',
    value: '<url>',
    group: WIKI,
    description: 'its address, such as https://example.atlassian.net',
  },
  accountEmail: {
    path: 'required.account_email',
    value: '<email>',
    group: WIKI,
    description: 'email address of the account that owns the API token',
  },
  authMode: {
    path: 'required.auth_mode',
    value: '<mode>',
    group: BI,
    description: 'SERVICE_PRINCIPAL (an application) or ACCESS_TOKEN (your own, short-lived)',
  },
  tenantId: { path: 'required.tenant_id', value: '<id>', group: BI, description: 'directory (tenant) id' },
  clientId: { path: 'required.client_id', value: '<id>', group: BI, description: 'application (client) id' },
  apiBaseUrl: {
    path: 'optional.connection.api_base_url',
    value: '<url>',
    group: BI,
    description: 'base address of the API, if it is not the public one',
  },
  authorityUrl: {
    path: 'optional.connection.authority_url',
    value: '<url>',
    group: BI,
    description: 'base address of the identity provider, if it is not the public one',
  },
  spaces: {
    path: 'optional.scope.spaces.keys',
    value: '<list>',
    group: WIKI,
    description: 'only spaces with these keys, such as DOCS,OPS',
    isList: true,
  },
  workspaces: {
    path: 'optional.scope.workspace_names',
    value: '<list>',
    group: BI,
    description: 'only these workspaces, by name',
    isList: true,
  },
}

export interface SettingFlags {
  detectors?: string[]
  withoutDetectors?: string[]
  schedule?: string
  timeZone?: string
  set?: [path: string, value: unknown][]
}

const list = (value: string) => value.split(',').map((item) => item.trim())

/** Adds the options that set members of the payload. */
export function addSettingOptions(command: Command): Command {
  for (const [name, { value, group, description, isList }] of Object.entries(sourceFlags)) {
    const option = new Option(`${toFlag(name)} ${value}`, description).helpGroup(group)
    command.addOption(isList === true ? option.argParser(list) : option)
  }
  return command
    .option(
      '--detectors <list>',
      'run only these detectors, such as SECRETS,PII; all: every one that fits the type (default)',
      list,
    )
    .option('--without-detectors <list>', 'run all detectors but these', list)
    .option('--schedule <when>', 'hourly, daily, nightly, weekly, a cron expression such as "0 6 * * 1-5", or off')
    .option('--time-zone <zone>', 'time zone of the schedule (default: the one of this machine)')
    .option(
      '--set <path=value>',
      'any other setting, such as optional.content.include_attachments=false; repeatable',
      toSetting,
    )
}

function toSetting(text: string, before: SettingFlags['set'] = []): SettingFlags['set'] {
  const at = text.indexOf('=')
  const path = text.slice(0, at).trim()
  if (at < 1 || !/^[a-z_]+(?:\.[a-z_]+)*$/i.test(path))
    throw new InvalidArgumentError('Write it as path=value, such as optional.content.include_attachments=false.')
  if (path === 'masked' || path.startsWith('masked.'))
    throw new InvalidArgumentError('A secret does not belong on the command line, where others can see it.')
  return [...before, [path, toValue(text.slice(at + 1))]]
}

/** A number, a boolean, a list or null as JSON, anything else as text. */
function toValue(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/** The payload that the options state, without secrets; `defaultDetectors` are those of its type. */
export function toSettings(
  options: SettingFlags & Record<string, unknown>,
  defaultDetectors: readonly string[],
): Record<string, unknown> {
  const payload: Record<string, unknown> = {}
  for (const [name, { path }] of Object.entries(sourceFlags)) {
    if (options[name] !== undefined) assign(payload, path, options[name])
  }
  for (const [path, value] of options.set ?? []) assign(payload, path, value)
  const { detectors, withoutDetectors, schedule, timeZone } = options
  if (detectors !== undefined && withoutDetectors !== undefined)
    throw new UsageError('Give --detectors or --without-detectors, not both.')
  const chosen = detectors ?? withoutDetectors
  if (detectors?.join() === 'all') payload.detectors = null
  else if (chosen !== undefined) {
    const toType = (name: string) => name.toUpperCase().replaceAll('-', '_')
    const named = new Set(chosen.map(toType))
    // In capitals, a credential would not be recognized and hidden.
    const unknown = chosen.find((name) => !defaultDetectors.includes(toType(name)))
    if (unknown !== undefined && defaultDetectors.length > 0)
      throw new UsageError(
        `${unknown || 'An empty name'} is not a detector; choose from ${defaultDetectors.join(', ')}.`,
      )
    const kept = defaultDetectors.filter((name) => named.has(name) === (detectors !== undefined))
    payload.detectors = kept.map((type) => ({ type, enabled: true }))
  }
  if (schedule !== undefined) payload.schedule = toSchedule(schedule, timeZone)
  else if (timeZone !== undefined) assign(payload, 'schedule.timezone', timeZone)
  return payload
}

function toSchedule(when: string, timeZone = Intl.DateTimeFormat().resolvedOptions().timeZone): object {
  if (when === 'off') return { enabled: false }
  const isCron = /\s|\*/.test(when.trim())
  return {
    enabled: true,
    ...(isCron ? { cron: when.trim() } : { preset: when.replaceAll('-', '_') }),
    timezone: timeZone,
  }
}

function assign(payload: Record<string, unknown>, path: string, value: unknown): void {
  const names = path.split('.')
  const last = names.pop() ?? path
  let holder = payload
  for (const name of names) {
    const next = isObject(holder[name]) ? holder[name] : {}
    holder[name] = next
    holder = next
  }
  holder[last] = value
}

/** A sentence about the payload in the words of the command line: options in place of members. */
export function inOptionWords(text: string): string {
  const flagOf = new Map(Object.entries(sourceFlags).map(([name, { path }]) => [`config.${path}`, toFlag(name)]))
  const extra = new Map([
    ['config.schedule.preset', '--schedule'],
    ['config.schedule.cron', '--schedule'],
    ['config.schedule.timezone', '--time-zone'],
  ])
  return text
    .replaceAll(/config(?:\.[a-z_]+)+/g, (path) => flagOf.get(path) ?? extra.get(path) ?? path)
    .replaceAll(/config\.masked\.(?:[a-z_]+)/g, 'the secret')
}
