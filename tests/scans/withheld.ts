import type { RequestRecord, SampleReply } from '../../src/sample/exchange.ts'
import type { SampleFault } from '../sample/fault.ts'
import type { Options } from './planted-platform.ts'

/** One way in which something is withheld from a scan. */
export interface Withheld {
  name: string
  faults?: SampleFault[]
  /** Options of the source that differ. */
  optional?: object
}

/** A platform under test: its faults may be changed while it runs. */
interface Platform {
  faults: SampleFault[]
  requests: readonly RequestRecord[]
}

/** The members of the replies of each endpoint. */
type Replies = ReadonlyMap<string, ReadonlySet<string>>

const id = /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|att\d+|\d+)$/i
const toEndpoint = ({ method, path }: Pick<RequestRecord, 'method' | 'path'>) =>
  `${method} ${path
    .split('/')
    .map((segment) => (id.test(segment) ? '*' : segment))
    .join('/')}`

const withoutMark = (text: string) => text.replace(/^\uFEFF/, '')

function parseBody({ body }: SampleReply): unknown {
  if (typeof body !== 'string') return body instanceof Uint8Array ? undefined : body
  try {
    return JSON.parse(withoutMark(body))
  } catch {
    return undefined
  }
}

/** The steps of a member's path, as `listMembers` writes it. */
const toSteps = (member: string) => member.split(/\.|\[\]/).filter((step) => step !== '')

/** The members of a reply, lists taken together. */
function listMembers(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listMembers(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [`${path}.${key}`, ...listMembers(member, `${path}.${key}`)])
}

/** The value with a member changed wherever its path leads; one that is changed to undefined is missing. */
function changeMember(value: unknown, steps: readonly string[], change: (member: unknown) => unknown): unknown {
  const [step = '', ...rest] = steps
  if (Array.isArray(value)) return value.map((item) => changeMember(item, steps, change))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => {
    if (name !== step) return [name, member]
    return [name, rest.length === 0 ? change(member) : changeMember(member, rest, change)]
  })
  return Object.fromEntries(members.filter(([, member]) => member !== undefined))
}

/** Takes note of every endpoint that is asked, and of every member of its replies. */
export function watchReplies(platform: Platform): Map<string, Set<string>> {
  const seen = new Map<string, Set<string>>()
  platform.faults.push({
    match: () => true,
    respond: {
      rewrite: (reply, request) => {
        const endpoint = toEndpoint(request)
        const members = seen.get(endpoint) ?? new Set()
        seen.set(endpoint, members)
        for (const member of listMembers(parseBody(reply))) members.add(member)
        return reply
      },
    },
  })
  return seen
}

const statuses: readonly { status: number; body?: unknown }[] = [
  { status: 400, body: { error: { code: 'BadRequest' } } },
  { status: 401, body: { code: 401, message: 'Unauthorized; scope does not match' } },
  { status: 403, body: { error: { code: 'PowerBINotAuthorizedException' } } },
  { status: 404, body: { error: { code: 'ItemNotFound' } } },
  { status: 501, body: {} },
]

/** A value of another type than the contract gives. */
const toOtherType = (value: unknown): unknown => (typeof value === 'string' ? { value } : 'another type')

const rewriteBody =
  (change: (body: unknown) => unknown) =>
  (reply: SampleReply): SampleReply => {
    const body = parseBody(reply)
    if (body === undefined) return reply
    const changed = change(body)
    return { ...reply, body: typeof reply.body === 'string' ? JSON.stringify(changed) : changed }
  }

const CURSOR = 'cut-short'
const isSecondPage = ({ query }: RequestRecord) => query.get('cursor') === CURSOR

/** The first entry of a list, with a link to a second page. */
function cutList(body: unknown, { path }: RequestRecord, query: string): unknown {
  const list = body as { results?: unknown[]; value?: unknown[] }
  const next = `${path}?${query}`
  if (Array.isArray(list.results)) return { ...list, results: list.results.slice(0, 1), _links: { next } }
  if (Array.isArray(list.value)) {
    return { ...list, value: list.value.slice(0, 1), '@odata.nextLink': `http://next.invalid${next}` }
  }
  return body
}

const secondPages: readonly { name: string; query: string; respond?: SampleFault['respond'] }[] = [
  { name: 'names a second page that is refused', query: `cursor=${CURSOR}`, respond: { status: 403, body: {} } },
  { name: 'names a second page that fails', query: `cursor=${CURSOR}`, respond: { status: 501, body: {} } },
  { name: 'names a second page that is not a list', query: `cursor=${CURSOR}`, respond: { status: 200, body: {} } },
  { name: 'repeats its first page', query: `cursor=${CURSOR}` },
  { name: 'names a second page without a cursor', query: 'limit=25' },
]

/** A row of a query has null where a description or an expression is empty: findings in it are gone. */
const isEmptyCell = (member: string) => /\.rows\[\]\.\[[xe]\]$/.test(member)

/** Members that the BI platform omits when they are empty: without them, a scan reads an empty item. */
const isOmittedWhenEmpty = (endpoint: string, member: string) =>
  endpoint.includes('/myorg/') &&
  (/\.(?:description|title|currentValue|connectionString|roles|tablePermissions|source|expressions)$/.test(member) ||
    /\.connectionDetails\.\w+$|\.datasourceInstances\[\]\.name$/.test(member) ||
    (endpoint.endsWith('/datasources') && member === '.value[].name'))

/** Every endpoint refused or failing, and every member of every reply missing. */
function listWithheld(replies: Replies): Withheld[] {
  return [...replies].flatMap(([endpoint, members]) => {
    const match = (request: RequestRecord) => toEndpoint(request) === endpoint
    const required = [...members].filter((member) => !isOmittedWhenEmpty(endpoint, member))
    return [
      ...statuses.map((respond) => ({ name: `${endpoint} answers ${respond.status}`, faults: [{ match, respond }] })),
      { name: `${endpoint} gives no JSON`, faults: [{ match, respond: 'html' as const }] },
      ...required.map((member) => ({
        name: `${endpoint} lacks ${member}`,
        faults: [
          { match, respond: { rewrite: rewriteBody((body) => changeMember(body, toSteps(member), () => undefined)) } },
        ],
      })),
    ]
  })
}

/** Every endpoint with bodies, lists and members that the contract does not have. */
function listDistorted(replies: Replies): Withheld[] {
  return [...replies].flatMap(([endpoint, members]) => {
    const match = (request: RequestRecord) => toEndpoint(request) === endpoint
    const bodies: Withheld[] = [
      { name: `${endpoint} has an empty body`, faults: [{ match, respond: 'empty' }] },
      { name: `${endpoint} answers {}`, faults: [{ match, respond: { status: 200, body: {} } }] },
      { name: `${endpoint} answers null`, faults: [{ match, respond: { status: 200, body: 'null' } }] },
    ]
    const lists = [...members].some((member) => member === '.results' || member === '.value')
      ? secondPages.map(({ name, query, respond }): Withheld => {
          const second: SampleFault[] =
            respond === undefined ? [] : [{ match: (request) => match(request) && isSecondPage(request), respond }]
          const rewrite = (reply: SampleReply, request: RequestRecord) =>
            rewriteBody((body) => cutList(body, request, query))(reply)
          return { name: `${endpoint} ${name}`, faults: [...second, { match, respond: { rewrite } }] }
        })
      : []
    const required = [...members].filter((member) => !isOmittedWhenEmpty(endpoint, member))
    const values = required.flatMap((member): Withheld[] => {
      const steps = toSteps(member)
      const to = (change: (value: unknown) => unknown): SampleFault[] => [
        { match, respond: { rewrite: rewriteBody((body) => changeMember(body, steps, change)) } },
      ]
      const ofOtherType = { name: `${endpoint} has another type as ${member}`, faults: to(toOtherType) }
      return isEmptyCell(member)
        ? [ofOtherType]
        : [{ name: `${endpoint} has null as ${member}`, faults: to(() => null) }, ofOtherType]
    })
    return [...bodies, ...lists, ...values]
  })
}

/** Options that leave nothing out. */
const reshaping = new Set(['include_personal_workspaces', 'extract_datasets_to_containers'])

/** Every boolean option of a source the other way round, where that leaves something out. */
function listSwitches(optional: Options): Withheld[] {
  return Object.entries(optional).flatMap(([group, options]) =>
    Object.entries(options).flatMap(([name, value]): Withheld[] =>
      typeof value === 'boolean' && !reshaping.has(name)
        ? [{ name: `option ${name} is ${!value}`, optional: { [group]: { [name]: !value } } }]
        : [],
    ),
  )
}

/** Everything that may be withheld from a scan that has had these replies. */
export const listCases = (replies: Replies, optional: Options): Withheld[] => [
  ...listWithheld(replies),
  ...listDistorted(replies),
  ...listSwitches(optional),
]
