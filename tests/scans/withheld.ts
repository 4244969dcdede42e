import type { RequestRecord, SampleReply } from '../../src/sample/exchange.ts'
import type { SampleFault } from '../../src/sample/fault.ts'
import type { Scan } from '../../src/scans/model.ts'
import { listKept } from './sectioned.ts'
import type { Workbench } from './workbench.ts'

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

const id = /^(?:[0-9a-f]{8}-[0-9a-f-]{27}|att\d+|\d+)$/i
export const toEndpoint = ({ method, path }: Pick<RequestRecord, 'method' | 'path'>) =>
  `${method} ${path
    .split('/')
    .map((segment) => (id.test(segment) ? '*' : segment))
    .join('/')}`

const withoutMark = (text: string) => text.replace(/^\uFEFF/, '')

export function parseBody({ body }: SampleReply): unknown {
  if (typeof body !== 'string') return body instanceof Uint8Array ? undefined : body
  try {
    return JSON.parse(withoutMark(body))
  } catch {
    return undefined
  }
}

/** The steps of a member's path, as `listMembers` writes it. */
export const toSteps = (member: string) => member.split(/\.|\[\]/).filter((step) => step !== '')

/** The members of a reply, lists taken together. */
function listMembers(value: unknown, path = ''): string[] {
  if (Array.isArray(value)) return value.flatMap((item) => listMembers(item, `${path}[]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => [`${path}.${key}`, ...listMembers(member, `${path}.${key}`)])
}

function withoutMember(value: unknown, steps: readonly string[]): unknown {
  const [step = '', ...rest] = steps
  if (Array.isArray(value)) return value.map((item) => withoutMember(item, steps))
  if (typeof value !== 'object' || value === null) return value
  const key = step
  if (rest.length === 0) return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key))
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === key ? withoutMember(member, rest) : member]),
  )
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

/** Members that the BI platform omits when they are empty: without them, a scan reads an empty item. */
export const isOmittedWhenEmpty = (endpoint: string, member: string) =>
  endpoint.includes('/myorg/') &&
  (/\.(?:description|title|currentValue|connectionString|roles|tablePermissions|source|expressions)$/.test(member) ||
    /\.connectionDetails\.\w+$|\.datasourceInstances\[\]\.name$/.test(member) ||
    (endpoint.endsWith('/datasources') && member === '.value[].name'))

/** Every endpoint refused or failing, and every member of every reply missing. */
export function listWithheld(replies: ReadonlyMap<string, ReadonlySet<string>>): Withheld[] {
  return [...replies].flatMap(([endpoint, members]) => {
    const match = (request: RequestRecord) => toEndpoint(request) === endpoint
    const refused = statuses.map(
      (respond): Withheld => ({
        name: `${endpoint} answers ${respond.status}`,
        faults: [{ match, respond }],
      }),
    )
    const lost: Withheld = { name: `${endpoint} gives no JSON`, faults: [{ match, respond: 'html' }] }
    const required = [...members].filter((member) => !isOmittedWhenEmpty(endpoint, member))
    const missing = required.map((member): Withheld => {
      const steps = toSteps(member)
      const rewrite = (reply: SampleReply): SampleReply => {
        const body = parseBody(reply)
        if (body === undefined) return reply
        const changed = withoutMember(body, steps)
        return { ...reply, body: typeof reply.body === 'string' ? JSON.stringify(changed) : changed }
      }
      return { name: `${endpoint} lacks ${member}`, faults: [{ match, respond: { rewrite } }] }
    })
    return [...refused, lost, ...missing]
  })
}

/** Marks a third of the findings as ignored and a third as false. */
export async function decide(bench: Workbench): Promise<void> {
  const rows = bench.store.read((reader) => reader.prepare('SELECT id FROM finding ORDER BY id').all())
  for (const [third, status] of [
    [1, 'IGNORED'],
    [2, 'FALSE_POSITIVE'],
  ] as const) {
    const ids = (rows as { id: number }[]).filter((_, index) => index % 3 === third).map(({ id }) => String(id))
    await bench.run('triage_findings', { ids, status, reason: 'as decided' })
  }
}

export interface Told {
  scan: Scan
  /** Findings whose status or history is another one. */
  changed: string[]
  /** Findings that were not found by the scan. */
  unseen: number
}

/** After so long a scan reads everything, whatever the platform's times show. */
export const PAST_REREAD_MS = 8 * 86_400_000

export function scanLater(bench: Workbench): Promise<Scan> {
  bench.clock.now += PAST_REREAD_MS
  return bench.scan()
}

/** What a scan did to the findings. */
export async function scanAndCompare(bench: Workbench): Promise<Told> {
  const before = new Map(listKept(bench).map((finding) => [`${finding.asset} ${finding.fp}`, finding]))
  const scan = await scanLater(bench)
  const after = listKept(bench)
  const changed = after.flatMap(({ asset, fp, status, history, excerpt }) => {
    const known = before.get(`${asset} ${fp}`)
    const isSame = known !== undefined && known.status === status && known.history === history
    return isSame ? [] : [`${asset}: ${excerpt}: ${known?.status} to ${status}`]
  })
  return { scan, changed, unseen: after.filter(({ isFresh, status }) => !isFresh && status !== 'RESOLVED').length }
}
