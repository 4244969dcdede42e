import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { ask } from './estate.ts'

const line = (key: string, more: Record<string, unknown> = {}) =>
  JSON.stringify({
    asset: { key, name: `File ${key}`, container: 'shop' },
    detectorType: 'YARA',
    findingType: 'DROPPER',
    severity: 'HIGH',
    firstDetectedAt: '2026-10-01T08:00:00Z',
    ...more,
  })
const file = `${line('a')}\n${line('b', { status: 'RESOLVED', resolvedAt: '2026-10-03T08:00:00Z' })}\n`

let home: string
let remove: () => void
let server: Awaited<ReturnType<typeof serveAssay>>
beforeAll(async () => {
  ;({ home, remove } = makeHome())
  server = await serveAssay(home)
})
afterAll(async () => {
  await server.stop()
  remove()
})

async function send(query: string, body: string, type = 'application/x-ndjson') {
  const reply = await fetch(`${server.url}/findings/import${query}`, {
    method: 'POST',
    body,
    headers: { 'content-type': type },
  })
  return { status: reply.status, body: (await reply.json()) as Record<string, unknown> }
}

describe('importing findings', () => {
  it('takes a file over HTTP, and nothing from it the second time', async () => {
    expect(await send('?source=scanner', file)).toMatchObject({
      status: 200,
      body: { lines: 2, assets: 2, findings: { new: 2 } },
    })
    expect(await send('?source=scanner', file)).toMatchObject({ status: 200, body: { findings: { new: 0, again: 2 } } })
    const { body } = await ask(server.url, 'POST', '/semantic/query', {
      metricSlug: 'total-findings',
      filters: { sources: ['scanner'] },
    })
    expect(body.value).toBe(2)
  })

  it('takes the same file on the command line', async () => {
    const { code, stdout } = await runAssay(['import', '-', '--source', 'scanner', '--json'], { home, stdin: file })
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ source: { name: 'scanner' }, findings: { new: 0, again: 2 } })
  })

  it('names a bad line and keeps nothing of the file', async () => {
    const reply = await send('?source=other', `${line('c')}\n${line('d', { severity: 'BAD' })}\n`)
    expect(reply).toMatchObject({ status: 400, body: { code: 'invalid_input', reason: 'bad_line', line: 2 } })
    const { body } = await ask(server.url, 'GET', '/sources')
    expect((body.items as { name: string }[]).map(({ name }) => name)).toEqual(['scanner'])
  })

  it.each([
    ['another media type', '', 'text/plain', 415],
    ['an unknown format', '?format=xml', 'application/x-ndjson', 400],
    ['an unknown key', '?surce=x', 'application/x-ndjson', 400],
  ])('refuses %s', async (_name, query, type, status) => {
    expect((await send(query, file, type)).status).toBe(status)
  })
})
