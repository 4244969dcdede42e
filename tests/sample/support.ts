import { onTestFinished } from 'vitest'
import { type SampleBi, type SampleBiOptions, startSampleBi } from '../../src/sample/bi/server.ts'
import { type SampleWiki, type SampleWikiOptions, startSampleWiki } from '../../src/sample/wiki/server.ts'

export interface Answer {
  status: number
  headers: Headers
  /** Parsed where it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: replies are looked at member by member
  body: any
}

export async function ask(address: string, init: RequestInit = {}): Promise<Answer> {
  const reply = await fetch(address, { redirect: 'manual', ...init })
  const text = (await reply.text()).replace(/^\uFEFF/, '')
  const isJson = reply.headers.get('content-type')?.startsWith('application/json') === true
  return { status: reply.status, headers: reply.headers, body: isJson ? JSON.parse(text) : text }
}

export const basic = (email: string, token: string) => `Basic ${Buffer.from(`${email}:${token}`).toString('base64')}`

export interface OpenWiki extends SampleWiki {
  /** Asks the site, signed in; a path without a leading `/wiki` or `/_edge` is one of the v2 API. */
  get(path: string, init?: RequestInit): Promise<Answer>
  authorization: string
}

export async function openWiki(options: SampleWikiOptions = {}): Promise<OpenWiki> {
  const wiki = await startSampleWiki(options)
  onTestFinished(() => wiki.close())
  const authorization = basic(wiki.credentials.accountEmail, wiki.credentials.apiToken)
  const get = (path: string, init: RequestInit = {}) => {
    const full = /^\/(?:wiki|_edge|ex)\//.test(path) ? path : `/wiki/api/v2${path}`
    return ask(`${wiki.url}${full}`, { ...init, headers: { authorization, ...init.headers } })
  }
  return Object.assign(wiki, { get, authorization })
}

export interface OpenBi extends SampleBi {
  get(path: string, init?: RequestInit): Promise<Answer>
  post(path: string, body: unknown): Promise<Answer>
}

export async function openBi(options: SampleBiOptions & { as?: 'application' | 'person' } = {}): Promise<OpenBi> {
  const bi = await startSampleBi(options)
  onTestFinished(() => bi.close())
  const authorization = `Bearer ${bi.issueToken(options.as ?? 'application')}`
  const get = (path: string, init: RequestInit = {}) =>
    ask(`${bi.apiUrl}${path}`, { ...init, headers: { authorization, ...init.headers } })
  const post = (path: string, body: unknown) =>
    get(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
  return Object.assign(bi, { get, post })
}

/** Walks a list of the wiki to its end by cursor, the way a client must: only the cursor of `next` is used. */
export async function walk(wiki: OpenWiki, path: string): Promise<{ items: { id: string }[]; pages: number }> {
  const items: { id: string }[] = []
  const join = path.includes('?') ? '&' : '?'
  let cursor: string | null = null
  for (let pages = 1; ; pages++) {
    const { body }: Answer = await wiki.get(
      cursor === null ? path : `${path}${join}cursor=${encodeURIComponent(cursor)}`,
    )
    items.push(...body.results)
    const { next } = body._links as { next?: string }
    if (next === undefined) return { items, pages }
    cursor = new URL(next, 'http://host.invalid').searchParams.get('cursor')
  }
}
