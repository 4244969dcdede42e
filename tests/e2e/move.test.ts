import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeHome, runAssay, serveAssay } from '../support/assay.ts'
import { ask, callTool, connectStdio, mustRun } from './estate.ts'

const toTerm = (slug: string) => ({ slug, displayName: slug, filterMapping: { severities: ['HIGH'] } })
const create = (slug: string) => ['call', 'create_glossary_term', JSON.stringify(toTerm(slug))]

it('assay move leaves a folder that answers and refuses every change, by command line, HTTP and MCP', {
  timeout: 180_000,
}, async () => {
  const { home, remove } = makeHome()
  const target = mkdtempSync(join(tmpdir(), 'assay-target-'))
  const to = `sqlite:${join(target, 'assay.db')}`
  await mustRun(home, ['init'])
  await mustRun(home, create('kept'))
  const running = await serveAssay(home)
  expect((await ask(running.url, 'GET', '/ready')).status).toBe(200)
  const refused = await runAssay(['move', '--to', to], { home })
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('stop `assay serve`')])
  await running.stop()

  expect(await mustRun(home, ['move', '--to', to, '--dry-run'])).toContain('nothing was changed')
  const printed = await mustRun(home, ['move', '--to', to])
  expect(printed).toContain('The key was not copied')
  copyFileSync(join(home, 'assay.key'), join(target, 'assay.key'))

  const refusal = `The database has moved to ${to}`
  const { code, stderr } = await runAssay(create('mine'), { home })
  expect([code, stderr]).toEqual([1, expect.stringContaining(refusal)])
  const doctor = await runAssay(['doctor'], { home })
  expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(refusal)])
  const server = await serveAssay(home)
  const reply = await ask(server.url, 'POST', '/semantic/glossary', toTerm('mine'))
  expect(reply.status).toBe(503)
  expect(JSON.stringify(reply.body)).toContain(refusal)
  expect((await ask(server.url, 'GET', '/semantic/glossary/kept')).status).toBe(200)
  const client = await connectStdio(home)
  const answer = await client.callTool({ name: 'create_glossary_term', arguments: toTerm('mine') })
  expect([answer.isError, JSON.stringify(answer.content)]).toEqual([true, expect.stringContaining(refusal)])
  expect(await callTool(client, 'get_glossary_term', { slug: 'kept' })).toMatchObject({ slug: 'kept' })
  await client.close()
  await server.stop()

  await mustRun(target, create('mine'))
  expect(await mustRun(target, ['audit', 'verify'])).toContain('The trail is intact')
  expect((await runAssay(['doctor', '--deep'], { home: target })).stdout).not.toContain('FAIL')
  remove()
  rmSync(target, { recursive: true, force: true })
})
