import { z } from 'zod'
import { isObject } from '../../kernel/json-object.ts'
import { isLoopbackHost } from '../http/loopback.ts'

const guid = z.guid('must be a UUID, such as 3f2504e0-4f89-41d3-9a0c-0305e82c3301.')

function isSafeAddress(address: string): boolean {
  const url = URL.parse(address)
  if (url === null) return true
  const secure = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopbackHost(url.hostname))
  return secure && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
}

const address = z.url('must be an address, such as https://host.example.').refine(isSafeAddress, {
  error: 'must be https (http only on this computer), without credentials, query or fragment.',
})

const PrincipalRequired = z.strictObject({
  auth_mode: z.literal('SERVICE_PRINCIPAL').describe('Sign in as an application with its own secret.'),
  tenant_id: guid.describe('Directory (tenant) id.'),
  client_id: guid.describe('Application (client) id.'),
})

const TokenRequired = z.strictObject({
  auth_mode: z.literal('ACCESS_TOKEN').describe('Use an access token that a person has obtained.'),
  tenant_id: guid.optional().describe('Not used: the token names its tenant.'),
  client_id: guid.optional().describe('Not used: the token names its application.'),
})

const Required = z.discriminatedUnion('auth_mode', [PrincipalRequired, TokenRequired])

const Masked = z.strictObject({
  client_secret: z
    .string()
    .trim()
    .min(1)
    .describe('Client secret of the application (its value, not its id). Required for SERVICE_PRINCIPAL.')
    .optional(),
  access_token: z.string().trim().min(1).describe('Short-lived delegated token. Required for ACCESS_TOKEN.').optional(),
})

const Connection = z.strictObject({
  api_base_url: address
    .default('https://api.powerbi.com/v1.0/myorg')
    .describe('Base address of the API; also determines the cloud that the token is requested for.'),
  authority_url: address
    .default('https://login.microsoftonline.com')
    .describe('Base address of the identity provider that issues tokens.'),
  timeout_seconds: z.int().min(5).max(300).default(30).describe('Time limit of one API call.'),
})

const Scope = z.strictObject({
  workspace_ids: z.array(guid).optional().describe('Only these workspaces, by id; an empty list restricts nothing.'),
  workspace_names: z
    .array(z.string().min(1))
    .optional()
    .describe(
      'Only these workspaces, by name, case-insensitively; an empty list means all. Ids and names are combined.',
    ),
  include_personal_workspaces: z
    .boolean()
    .default(false)
    .describe('Also personal workspaces, where the account can see them.'),
})

const Extraction = z.strictObject({
  extract_dashboards: z.boolean().default(true).describe('Extract dashboards with their tiles.'),
  extract_dataset_schema: z
    .boolean()
    .default(true)
    .describe('Try to read tables, columns, measures and expressions of datasets.'),
  extract_datasets_to_containers: z
    .boolean()
    .default(false)
    .describe('Make each table an asset of its own, contained in its dataset.'),
  extract_ownership: z.boolean().default(false).describe('Record owners of workspaces, reports and datasets.'),
  extract_reports: z.boolean().default(true).describe('Extract reports with their page names.'),
  extract_workspaces_to_containers: z
    .boolean()
    .default(true)
    .describe('Store each workspace as an asset of its own, and its name as the container of its items.'),
})

interface Shape {
  required: { auth_mode?: unknown }
  masked: Record<string, unknown>
}

/** Runs the check even if other members are invalid, so that all problems are reported together. */
const whenShaped = ({ value }: { value: unknown }) =>
  isObject(value) && isObject(value.required) && isObject(value.masked)

const modes = {
  SERVICE_PRINCIPAL: { needs: 'client_secret', refuses: 'access_token' },
  ACCESS_TOKEN: { needs: 'access_token', refuses: 'client_secret' },
} as const

const modeOf = (value: unknown) => modes[(value as Shape).required.auth_mode as keyof typeof modes]

const needed = (member: 'client_secret' | 'access_token') => ({
  check: (value: unknown) => modeOf(value)?.needs !== member || (value as Shape).masked[member] !== undefined,
  params: {
    path: ['masked', member],
    error: 'is required for this auth_mode.',
    when: whenShaped,
  },
})

const unwanted = (member: 'client_secret' | 'access_token') => ({
  check: (value: unknown) => modeOf(value)?.refuses !== member || (value as Shape).masked[member] === undefined,
  params: {
    path: ['masked', member],
    error: 'is not used with this auth_mode; leave it out.',
    when: whenShaped,
  },
})

const rules = [needed('client_secret'), needed('access_token'), unwanted('client_secret'), unwanted('access_token')]

const Payload = z.strictObject({
  type: z.literal('BI_PLATFORM').describe('A BI platform tenant.'),
  required: Required.describe('The account that signs in.'),
  masked: Masked.describe('The secret for auth_mode; masked when shown.'),
  optional: z
    .strictObject({
      connection: Connection.prefault({}).describe('Addresses and time limits.'),
      scope: Scope.prefault({}).describe('Which workspaces are scanned.'),
      extraction: Extraction.prefault({}).describe('What is extracted from them.'),
    })
    .prefault({})
    .describe('Settings that have defaults.'),
})

export type BiConfig = z.infer<typeof Payload>

/** The payload of a `BI_PLATFORM` source; `masked` must match `required.auth_mode`. */
export const BiPayload: z.ZodType<BiConfig> = rules.reduce(
  (schema, { check, params }) => schema.refine(check, params),
  Payload,
)

/** The same as one object for each `auth_mode`, for JSON Schema, which shows no refinements. */
export const PublishedBiPayload = z.union([
  Payload.extend({
    required: PrincipalRequired.describe('The account that signs in.'),
    masked: z.strictObject({ client_secret: Masked.shape.client_secret.unwrap() }).describe('The secret of it.'),
  }),
  Payload.extend({
    required: TokenRequired.describe('The account that signs in.'),
    masked: z.strictObject({ access_token: Masked.shape.access_token.unwrap() }).describe('The secret of it.'),
  }),
])

/** Who signs in, without members that the mode does not use. */
export const toIdentity = ({ required }: BiConfig) =>
  required.auth_mode === 'SERVICE_PRINCIPAL' ? required : { auth_mode: required.auth_mode }

interface Cloud {
  scope: string
  web: string
  authority: string
}

const commercial: Cloud = {
  scope: 'https://analysis.windows.net/powerbi/api/.default',
  web: 'https://app.powerbi.com',
  authority: 'login.microsoftonline.com',
}

/** National clouds by API host. */
const clouds: Record<string, Cloud> = {
  'api.powerbi.com': commercial,
  'api.powerbigov.us': {
    scope: 'https://analysis.usgovcloudapi.net/powerbi/api/.default',
    web: 'https://app.powerbigov.us',
    authority: 'login.microsoftonline.com',
  },
  'api.high.powerbigov.us': {
    scope: 'https://high.analysis.usgovcloudapi.net/powerbi/api/.default',
    web: 'https://app.high.powerbigov.us',
    authority: 'login.microsoftonline.us',
  },
  'api.mil.powerbigov.us': {
    scope: 'https://mil.analysis.usgovcloudapi.net/powerbi/api/.default',
    web: 'https://app.mil.powerbigov.us',
    authority: 'login.microsoftonline.us',
  },
  'api.powerbi.cn': {
    scope: 'https://analysis.chinacloudapi.cn/powerbi/api/.default',
    web: 'https://app.powerbi.cn',
    authority: 'login.chinacloudapi.cn',
  },
}

export interface BiAddresses {
  apiOrigin: string
  /** Without a trailing slash. */
  apiPath: string
  authorityOrigin: string
  authorityPath: string
  /** OAuth scope requested for tokens. */
  scope: string
  /** Base URL of the web app, used for items without a URL from the platform. */
  web: string
  /** False where the API and the identity provider are known to belong to different clouds. */
  cloudsMatch: boolean
}

/** Unknown hosts, such as proxies, are treated as the commercial cloud. */
export function toAddresses(config: BiConfig): BiAddresses {
  const api = new URL(config.optional.connection.api_base_url)
  const authority = new URL(config.optional.connection.authority_url)
  const known = clouds[api.hostname]
  const cloud = known ?? commercial
  const knownAuthority = Object.values(clouds).some((other) => other.authority === authority.hostname)
  const path = api.pathname.replace(/\/+$/, '')
  return {
    apiOrigin: api.origin,
    apiPath: path === '' ? '/v1.0/myorg' : path,
    authorityOrigin: authority.origin,
    authorityPath: authority.pathname.replace(/\/+$/, ''),
    scope: cloud.scope,
    web: cloud.web,
    cloudsMatch: known === undefined || !knownAuthority || cloud.authority === authority.hostname,
  }
}
