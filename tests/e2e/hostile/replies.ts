import { gzipSync } from 'node:zlib'
import type { RequestRecord, SampleReply } from '../../../src/sample/exchange.ts'
import { toGuid } from '../../../src/sample/ids.ts'
import type { FaultResponse } from '../../sample/fault.ts'

const MEGABYTE = 1024 * 1024
const EMOJI = '😀'
const HALF = '\ud83d'

/** A JSON text with a part that is repeated until it has this many megabytes, packed to some kilobytes. */
function repeated(before: string, part: string, after: string, megabytes = 60): () => FaultResponse {
  let reply: FaultResponse | undefined
  return () => {
    const count = Math.ceil((megabytes * MEGABYTE) / part.length)
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    reply ??= { status: 200, headers, body: gzipSync(before + part.repeat(count) + after, { level: 6 }) }
    return reply
  }
}

const list = '{"results":['
const value = '{"value":['

/** Bodies that cost far more than they weigh; the second form is that of the BI platform. */
const bodies: Record<string, readonly (() => FaultResponse)[]> = {
  'nests lists without end': [repeated('', '[', '', 20), repeated(value, '[', '', 20)],
  'nests objects 5,000 deep': [repeated(`${list}`, '{"a":', '', 0.02), repeated(value, '{"a":', '', 0.02)],
  'lists millions of empty objects': [repeated(list, '{},', '{}]}'), repeated(value, '{},', '{}]}')],
  'lists millions of numbers': [repeated(list, '0,', '0]}', 20), repeated(value, '0,', '0]}', 20)],
  'lists just under a million objects': [
    repeated(list, '{"id":1},', '{}]}', 4),
    repeated(value, '{"id":"1","name":"a"},', '{}]}', 8),
  ],
  'has one text of 60 MB': [repeated('{"results":["', 'x', '"]}'), repeated('{"value":["', 'x', '"]}')],
  'has a text of 20 MB in two-byte letters': [
    repeated('{"results":[{"id":"1","title":"', 'ж', '"}]}', 10),
    repeated('{"value":[{"id":"1","name":"', 'ж', '"}]}', 10),
  ],
  'has a million members': [manyMembers('results'), manyMembers('value')],
  'ends in the middle of 20 MB': [
    repeated(list, '{"id":"1","title":"a"},', '', 20),
    repeated(value, '{"id":"1"},', '', 20),
  ],
}

function manyMembers(name: string): () => FaultResponse {
  let reply: FaultResponse | undefined
  return () => {
    const members = Array.from({ length: 600_000 }, (_, index) => `"m${index}":0`)
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
    reply ??= { status: 200, headers, body: gzipSync(`{${members.join()},"${name}":[]}`, { level: 1 }) }
    return reply
  }
}

type Change = (value: unknown, name: string) => unknown

/** Changes the members of a value, inner ones first. */
function changeAll(value: unknown, change: Change, name = ''): unknown {
  if (Array.isArray(value))
    return change(
      value.map((item) => changeAll(item, change, name)),
      name,
    )
  if (typeof value !== 'object' || value === null) return change(value, name)
  return change(
    Object.fromEntries(Object.entries(value).map(([key, each]) => [key, changeAll(each, change, key)])),
    name,
  )
}

const texts =
  (change: (text: string) => unknown): Change =>
  (value) =>
    typeof value === 'string' ? change(value) : value
const isLink = (text: string) => /^(?:https?:|\/wiki|\/ex\/|\/spaces)/.test(text)
const isDate = (text: string) => /^\d{4}-\d\d-\d\dT/.test(text)
const isId = (name: string) => /id$/i.test(name)

/** What is done to each value of a reply that is otherwise in order. */
const changes: Record<string, Change> = {
  'has half a surrogate pair in each text': texts((text) => (isLink(text) || isDate(text) ? text : `${text}${HALF}`)),
  'has half a surrogate pair in each id': (value, name) =>
    typeof value === 'string' && isId(name) ? `${value}${HALF}` : value,
  'has NUL in each text': texts((text) => (isDate(text) ? text : `\u0000${text}\u0000`)),
  'has a heading of 199 letters and an emoji in each text': texts((text) =>
    isDate(text) || isLink(text) ? text : `<h1>${'a'.repeat(199)}${EMOJI}</h1>${text}`,
  ),
  'has links to titles of 4,095 letters and an emoji': texts((text) =>
    text.startsWith('<')
      ? `<ac:link><ri:page ri:content-title="${'t'.repeat(4095)}${EMOJI}"/></ac:link><a href="https://a.example/${'u'.repeat(4076)}${EMOJI}">x</a>${text}`
      : text,
  ),
  'has dates beyond the range of dates': texts((text) => (isDate(text) ? '+275760-09-13T00:00:00.000Z' : text)),
  'has dates before the range of dates': texts((text) => (isDate(text) ? '-271821-04-20T00:00:00.000Z' : text)),
  'has numbers beyond all numbers': (value) => (typeof value === 'number' ? 1.7e308 : value),
  'has negative numbers': (value) => (typeof value === 'number' ? -9e15 : value),
  'has null as each text': texts(() => null),
  'has null as each number': (value) => (typeof value === 'number' ? null : value),
  'has lists as texts': texts((text) => [text]),
  'has objects as lists': (value) => (Array.isArray(value) ? { 0: value } : value),
  'has numbers as texts': texts((text) => text.length),
  'has texts of 100 KB': texts((text) => (isDate(text) || isLink(text) ? text : text + 'long '.repeat(20_000))),
  'has members named like those of objects': (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? JSON.parse(
          `{"__proto__":{"id":"1"},"constructor":1,"toString":null,${JSON.stringify(value).slice(1)}`.replace(
            ',}',
            '}',
          ),
        )
      : value,
}

const rewrite =
  (change: (body: unknown, request: RequestRecord) => unknown) =>
  (reply: SampleReply, request: RequestRecord): SampleReply => {
    const isJson = typeof reply.body === 'object' && reply.body !== null && !(reply.body instanceof Uint8Array)
    return isJson && reply.status < 300 ? { ...reply, body: change(reply.body, request) } : reply
  }

/** As `rewrite`, also where the sample tenant refuses the cursor: the body of the first page is used again. */
function continued(change: (body: unknown, request: RequestRecord) => unknown) {
  const first = new Map<string, SampleReply>()
  return (reply: SampleReply, request: RequestRecord): SampleReply => {
    if (reply.status < 300) first.set(request.path, reply)
    const page = first.get(request.path)
    return page === undefined ? reply : rewrite(change)(structuredClone(page), request)
  }
}

let turn = 0

/** The body with a link to a next page. */
function withNext(body: unknown, { path }: RequestRecord, cursor: string): unknown {
  if (typeof body !== 'object' || body === null) return body
  const next = `${path}?cursor=${cursor}&limit=250`
  return 'results' in body
    ? { ...body, _links: { next } }
    : { ...body, '@odata.nextLink': `http://next.invalid${path}?$skiptoken=${cursor}` }
}

const renew: Change = (value, name) => {
  if (typeof value !== 'string' || name.toLowerCase() !== 'id') return value
  return /^[\da-f-]{36}$/.test(value) ? toGuid(`${value} ${++turn}`) : String(1e12 + ++turn)
}

const filled = (body: unknown, count: number): unknown => {
  const { results, value } = body as { results?: unknown[]; value?: unknown[] }
  const items = results ?? value
  if (items === undefined || items.length === 0) return body
  const many = Array.from({ length: count }, (_, index) => items[index % items.length])
  return results === undefined ? { ...(body as object), value: many } : { ...(body as object), results: many }
}

/** Lists that do not end. */
const lists: Record<string, (body: unknown, request: RequestRecord) => unknown> = {
  'links to the same page of a list for ever': (body, request) => withNext(body, request, 'same'),
  'links to two pages in turn': (body, request) => withNext(body, request, request.url.includes('one') ? 'two' : 'one'),
  'links to new pages with the same items for ever': (body, request) => withNext(body, request, `c${++turn}`),
  'links to new empty pages for ever': (body, request) => withNext(emptied(body), request, `c${++turn}`),
  'links to new pages with new items for ever': (body, request) =>
    withNext(changeAll(filled(body, 200), renew), request, `c${++turn}`),
  'links to a page with a cursor of 1 MB': (body, request) => withNext(body, request, 'c'.repeat(MEGABYTE)),
}

const emptied = (body: unknown): unknown => {
  const { results } = body as { results?: unknown[] }
  return results === undefined ? { ...(body as object), value: [] } : { ...(body as object), results: [] }
}

/** Refusals that ask for waits beyond all times. */
const waits: Record<string, FaultResponse> = Object.fromEntries(
  ['8640000000000', '9'.repeat(400), 'Tue, 13 Sep 275760 00:00:00 GMT', '1e999', '-1', '0x7fffffff'].map((wait) => [
    `asks to wait ${wait.length > 40 ? 'a number of 400 digits' : wait}`,
    { status: 429, headers: { 'retry-after': wait }, body: {} },
  ]),
)

export interface HostileReply {
  name: string
  platform: 'WIKI' | 'BI_PLATFORM'
  respond: FaultResponse
}

/** Everything that is done to the reply of an endpoint. */
export function listReplies(platform: HostileReply['platform']): HostileReply[] {
  const form = platform === 'WIKI' ? 0 : 1
  const named = (name: string, respond: FaultResponse) => ({ name, platform, respond })
  return [
    ...Object.entries(changes).map(([name, change]) =>
      named(name, { rewrite: rewrite((body) => changeAll(body, change)) }),
    ),
    ...Object.entries(lists).map(([name, change]) => named(name, { rewrite: continued(change) })),
    ...Object.entries(bodies).map(([name, forms]) => named(name, forms[form]?.() ?? 'empty')),
    ...Object.entries(waits).map(([name, respond]) => named(name, respond)),
    ...(['gzip_bomb', 'endless', 'slow', 'stall'] as const).map((fault) => named(`is answered: ${fault}`, fault)),
  ]
}
