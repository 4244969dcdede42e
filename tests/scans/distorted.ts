import type { RequestRecord, SampleReply } from '../../src/sample/exchange.ts'
import type { SampleFault } from '../../src/sample/fault.ts'
import { listKept, openSectionedBench } from './sectioned.ts'
import {
  decide,
  isOmittedWhenEmpty,
  parseBody,
  scanAndCompare,
  toEndpoint,
  toSteps,
  type Withheld,
  watchReplies,
} from './withheld.ts'
import { type PlatformCase, startPlatform } from './withheld-run.ts'

function changeMember(value: unknown, steps: readonly string[], change: (member: unknown) => unknown): unknown {
  const [step = '', ...rest] = steps
  if (Array.isArray(value)) return value.map((item) => changeMember(item, steps, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (name !== step) return [name, member]
      return [name, rest.length === 0 ? change(member) : changeMember(member, rest, change)]
    }),
  )
}

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

/** Every endpoint with bodies, lists and members that the contract does not have. */
export function listDistorted(replies: ReadonlyMap<string, ReadonlySet<string>>): Withheld[] {
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

/** Code of the warning that announces what a second scan in a row takes for removed. */
const announced = 'scope_gone'

/**
 * Withholds each part from two scans in a row: the first resolves nothing, the second only what it announces, and once
 * the part is back, everything is as before.
 */
export async function runWithheldTwice(
  platformCase: PlatformCase,
  list: (replies: ReadonlyMap<string, ReadonlySet<string>>) => Withheld[],
  take: (index: number, name: string) => boolean,
): Promise<{ cases: number; announced: number; problems: string[] }> {
  const { server, config } = await startPlatform(platformCase)
  const bench = openSectionedBench()
  const problems: string[] = []
  let announcements = 0
  try {
    await bench.run('create_source', { name: 'fake', config: { ...config, detectors: [{ type: 'WORDS' }] } })
    const seen = watchReplies(server)
    await bench.scan()
    await decide(bench)
    await bench.scan()
    server.faults.splice(0)
    const cases = list(seen).filter(({ name }, index) => take(index, name))
    for (const { name, faults = [] } of cases) {
      const say = (problem: string) => problems.push(`${name}: ${problem}`)
      server.faults.splice(0, server.faults.length, ...faults.map((fault) => ({ ...fault })))
      let isAnnounced = false
      for (const turn of ['first', 'second'] as const) {
        const { scan, changed, unseen } = await scanAndCompare(bench)
        isAnnounced ||= turn === 'second' && scan.warnings.some(({ code }) => code === announced)
        if (!isAnnounced) for (const change of changed.slice(0, 3)) say(`the ${turn} scan changes ${change}`)
        const isSaid = scan.status !== 'COMPLETED' || scan.warnings.length > 0
        if (unseen > 0 && !isSaid) say(`the ${turn} scan did not see ${unseen} findings, and says nothing`)
      }
      if (isAnnounced) announcements++
      server.faults.splice(0)
      await scanAndCompare(bench)
      const { changed, unseen } = await scanAndCompare(bench)
      for (const change of changed.slice(0, 3)) say(`afterwards ${change}`)
      if (unseen > 0) say(`${unseen} findings are not found afterwards`)
      const lost = listKept(bench).filter(({ status }) => status === 'RESOLVED')
      for (const { asset, excerpt } of lost.slice(0, 3)) say(`not open again: ${asset}: ${excerpt}`)
    }
    return { cases: cases.length, announced: announcements, problems }
  } finally {
    await bench.close()
    await server.close()
  }
}
