import { flatten } from './flatten.ts'

export interface SourceField {
  /** Where the value is in the payload. */
  path: string
  label: string
  hint?: string
  placeholder?: string
  isSecret?: boolean
  isOptional?: boolean
  /** Several values with commas between them. */
  isList?: boolean
}

export interface SourceKind {
  label: string
  type: string
  /** Members of `required` that the kind itself decides. */
  fixed: Readonly<Record<string, string>>
  fields: readonly SourceField[]
}

const WORKSPACES: SourceField = {
  path: 'optional.scope.workspace_names',
  label: 'Only these workspaces',
  hint: 'Names, with commas between them. Empty: all that the account sees.',
  isOptional: true,
  isList: true,
}

/** The kinds of sources that the form can add; other settings are edited with `assay sources edit`. */
export const sourceKinds: Readonly<Record<string, SourceKind>> = {
  wiki: {
    label: 'Confluence',
    type: 'WIKI',
    fixed: {},
    fields: [
      { path: 'required.base_url', label: 'Address', placeholder: 'https://example.atlassian.net' },
      { path: 'required.account_email', label: 'Email address of the account', placeholder: 'you@example.com' },
      { path: 'masked.api_token', label: 'API token', isSecret: true },
      {
        path: 'optional.scope.spaces.keys',
        label: 'Only these spaces',
        hint: 'Keys, with commas between them. Empty: all that the account sees.',
        isOptional: true,
        isList: true,
      },
    ],
  },
  bi: {
    label: 'Power BI (app)',
    type: 'BI_PLATFORM',
    fixed: { auth_mode: 'SERVICE_PRINCIPAL' },
    fields: [
      {
        path: 'required.tenant_id',
        label: 'Directory (tenant) id',
        placeholder: '11111111-2222-3333-4444-555555555555',
      },
      {
        path: 'required.client_id',
        label: 'Application (client) id',
        placeholder: '66666666-7777-8888-9999-000000000000',
      },
      { path: 'masked.client_secret', label: 'Client secret', hint: 'Its value, not its id.', isSecret: true },
      WORKSPACES,
    ],
  },
  token: {
    label: 'Power BI (token)',
    type: 'BI_PLATFORM',
    fixed: { auth_mode: 'ACCESS_TOKEN' },
    fields: [
      { path: 'masked.access_token', label: 'Access token', hint: 'It lasts about an hour.', isSecret: true },
      WORKSPACES,
    ],
  },
}

export const schedulePresets = [
  ['', 'Only when started'],
  ['hourly', 'Every hour'],
  ['daily', 'Every day'],
  ['nightly', 'Every night'],
  ['weekly', 'Every week'],
  ['weekday_morning', 'On weekday mornings'],
] as const

export type SourceValues = Readonly<Record<string, string>>

/** The kind that a stored payload is of. */
export function findKind(config: Readonly<Record<string, unknown>>): string | undefined {
  const given = new Map(flatten(config).map(({ path, text }) => [path, text]))
  return Object.entries(sourceKinds).find(
    ([, { type, fixed }]) =>
      type === config.type && Object.entries(fixed).every(([key, value]) => given.get(`required.${key}`) === value),
  )?.[0]
}

/** The values of the form for a stored payload; those of secrets are never filled in. */
export function toValues(kind: SourceKind, config: Readonly<Record<string, unknown>>): SourceValues {
  const given = new Map(flatten(config).map(({ path, text }) => [path, text]))
  const values = kind.fields.map(({ path, isSecret }) => [path, isSecret ? '' : (given.get(path) ?? '')])
  const isScheduled = given.get('schedule.enabled') === 'true'
  return { ...Object.fromEntries(values), schedule: isScheduled ? (given.get('schedule.preset') ?? '') : '' }
}

/** The payload of a filled form. Of a stored source, empty secrets are left out, which keeps them. */
export function toConfig(kind: SourceKind, values: SourceValues, isStored: boolean): Record<string, unknown> {
  const config: Record<string, unknown> = { type: kind.type, required: { ...kind.fixed }, masked: {} }
  for (const { path, isSecret, isOptional, isList } of kind.fields) {
    const text = (values[path] ?? '').trim()
    if (text === '' && (isSecret ? isStored : isOptional && !isStored)) continue
    const list = text.split(',').map((part) => part.trim())
    put(config, path.split('.'), isList ? list.filter((part) => part !== '') : text)
  }
  const preset = values.schedule ?? ''
  if (preset !== '') config.schedule = { enabled: true, preset }
  else if (isStored) config.schedule = { enabled: false }
  return config
}

function put(target: Record<string, unknown>, [key = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    target[key] = value
    return
  }
  const inner = (target[key] ?? {}) as Record<string, unknown>
  target[key] = inner
  put(inner, rest, value)
}
