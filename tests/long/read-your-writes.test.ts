import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ask } from '../e2e/estate.ts'
import { makeHome, serveAssay } from '../support/assay.ts'
import { importLine } from '../support/import-line.ts'
import { missingPrograms, type OwnPostgresServer, startOwnPostgres } from '../support/postgres.ts'

// What one server has acknowledged, another server of the same database answers at once.

const TIMES = Number(process.env.READ_YOUR_WRITES ?? 10_000)
const FINDINGS = 400
const ASSAY_KEY = Buffer.alloc(32, 7).toString('base64')

interface Item {
  id: string
}

describe.skipIf(missingPrograms !== undefined)(`two servers on PostgreSQL ${missingPrograms ?? ''}`, () => {
  let database: OwnPostgresServer
  const homes = [makeHome(), makeHome()]
  const servers: Awaited<ReturnType<typeof serveAssay>>[] = []
  beforeAll(async () => {
    database = await startOwnPostgres()
    database.run('CREATE DATABASE shared')
    const env = { ASSAY_STORE: `${database.url}/shared`, ASSAY_KEY }
    for (const { home } of homes) servers.push(await serveAssay(home, [], env))
  }, 120_000)
  afterAll(async () => {
    for (const { stop } of servers) await stop()
    database.stop()
    for (const { remove } of homes) remove()
  })

  it(`a change through one is in the next answer of the other, ${TIMES} times`, { timeout: 10_800_000 }, async () => {
    const [one, other] = servers.map(({ url }) => url)
    if (one === undefined || other === undefined) throw new Error('two servers are needed')
    const body = Array.from({ length: FINDINGS }, (_, n) => importLine(`page-${n}`)).join('\n')
    const headers = { 'content-type': 'application/x-ndjson' }
    const imported = await fetch(`${one}/findings/import?source=scanner`, { method: 'POST', body, headers })
    expect(imported.status).toBe(200)
    const { items } = (await ask(one, 'GET', `/findings?limit=${FINDINGS}`)).body as unknown as { items: Item[] }
    expect(items).toHaveLength(FINDINGS)
    const term = { slug: 'kept', displayName: 'Kept', filterMapping: { severities: ['HIGH'] } }
    expect((await ask(one, 'POST', '/semantic/glossary', term)).status).toBe(201)

    const ignored = new Set<string>()
    const times: number[] = []
    for (let turn = 0; turn < TIMES; turn++) {
      const [writer, reader] = turn % 2 === 0 ? [one, other] : [other, one]
      if (turn % 10 === 9) {
        const description = `changed ${turn} times`
        expect((await ask(writer, 'PUT', '/semantic/glossary/kept', { description })).status).toBe(200)
        const startedAt = performance.now()
        expect((await ask(reader, 'GET', '/semantic/glossary/kept')).body.description).toBe(description)
        times.push(performance.now() - startedAt)
        continue
      }
      const { id } = items[(turn * 7) % FINDINGS] as Item
      const status = ignored.delete(id) ? 'OPEN' : 'IGNORED'
      if (status === 'IGNORED') ignored.add(id)
      const changed = await ask(writer, 'PATCH', `/findings/${id}`, { status, reason: 'known' })
      expect([turn, changed.status]).toEqual([turn, 200])
      const startedAt = performance.now()
      const { body: answer } = await ask(reader, 'POST', '/semantic/query', { metricSlug: 'open-findings' })
      times.push(performance.now() - startedAt)
      expect([turn, answer.value]).toEqual([turn, FINDINGS - ignored.size])
    }
    const at = (share: number) => times.sort((a, b) => a - b)[Math.floor(share * (times.length - 1))]?.toFixed(1)
    process.stdout.write(`${times.length} answers: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms\n`)
  })
})
