import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { createWebhookSender } from '../../src/connectors/webhooks.ts'
import { applyFolder } from '../../src/definitions/apply.ts'
import { exportDefinitions, makeExportFolder } from '../../src/definitions/export.ts'
import { readFolder } from '../../src/definitions/folder.ts'
import { createHttpApp } from '../../src/http/server.ts'
import { createMcpSurface } from '../../src/mcp/surface.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { followWatches } from '../../src/watches/revisions.ts'
import { readSignal } from '../../src/watches/states.store.ts'
import { exchange } from '../catalogue/estate.ts'
import { localPerson, NOON, thrownBy } from '../support/context.ts'
import { DAY, openWatching } from './watching.ts'

const watch = {
  slug: 'open',
  displayName: 'Open & <bold>',
  metricSlug: 'open-findings',
  condition: { kind: 'above', value: 0 },
}
const finding = { id: 1, severity: 'HIGH', first: NOON - DAY }

it('the Atom feed lists changes of state, with everything escaped', async () => {
  const watching = openWatching()
  await watching.ask('create_watch', { ...watch, dimensions: ['container'] })
  await watching.bring([{ ...finding, container: 'R&D \u0007"<x>"' }])
  await watching.tick()
  const app = createHttpApp({
    operations,
    contextFor: (asked) => ({ ...watching.context, ...asked }),
    callerOf: () => localPerson,
    version: '1',
    hosts: [],
    log: silentLog,
  })
  const reply = await app.request('http://127.0.0.1:7411/semantic/watches.atom', {
    headers: { host: '127.0.0.1:7411' },
  })
  expect(reply.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
  const text = await reply.text()
  expect(text).toContain('<title>FIRING: Open &amp; &lt;bold&gt;, R&amp;D')
  expect(text).not.toContain('<x>')
  expect(text).not.toContain('\u0007')
  expect(text).toMatch(/<entry>\s*<id>urn:uuid:[0-9a-f-]{36}<\/id>/)
})

it('the resource assay://watches is listed and read, and its subscribers are notified of changes by any process', async () => {
  const watching = openWatching()
  const ending = new AbortController()
  onTestFinished(() => ending.abort())
  const { store } = watching.context
  const surface = createMcpSurface({
    operations,
    toolsets: ['agent', 'admin'],
    contextFor: (asked) => ({ ...watching.context, ...asked }),
    followWatches: (listener) =>
      followWatches(
        { readRevision: () => store.read(readSignal).revision, log: silentLog, signal: ending.signal },
        listener,
      ),
    version: '1',
    log: silentLog,
  })
  let changes: unknown[] = []
  surface.onChange((change) => changes.push(change))
  expect((await surface.listResources(exchange)).map(({ uri }) => uri)).toContain('assay://watches')
  await watching.ask('create_watch', watch)
  await watching.bring([finding])
  await watching.tick()
  await sleep(1_300)
  // That it was created and that it fires are two changes where a look falls between them.
  const updates = ['watches', 'proposals'].map((name) => ({ kind: 'updated', uri: `assay://${name}` }))
  expect([updates, [...updates, ...updates]]).toContainEqual(changes)
  const [read] = await surface.readResource('assay://watches', exchange)
  expect(JSON.parse(read !== undefined && 'text' in read ? read.text : '')).toMatchObject({
    items: [{ slug: 'open', state: 'FIRING', value: 1 }],
  })
  changes = []
  await watching.ask('propose_change', { operation: 'delete_watch', input: { slug: 'open' } })
  await vi.waitFor(() => expect(changes).toEqual(updates), 5_000)
})

it('watches are exported as files without secrets, which apply, diff and prune like other definitions', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-watches-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [one, two] = [openWatching(), openWatching()]
  const slack = 'https://hooks.slack.com/services/T024BE7LH/B024BE7LH/aBcDeFgHiJkLmNoPqRsTuVwX'
  const deliver = [
    { type: 'webhook', url: 'https://hooks.acme.com/a', format: 'json', secret: 'a-long-signing-key' },
    { type: 'webhook', url: slack, format: 'slack' },
  ]
  await one.ask('create_watch', { ...watch, dimensions: ['severity'], deliver })
  const { store } = one.context
  const author = { name: 'ann', via: 'cli', at: NOON } as const
  makeExportFolder(folder)
  exportDefinitions(store, readFolder(folder), { prune: false, force: false })
  const file = join(folder, 'watches', 'open.yaml')
  const text = readFileSync(file, 'utf8')
  expect(text).not.toContain('a-long-signing-key')
  expect(text).not.toContain('aBcDeFgHiJkLmNoPqRsTuVwX')
  expect(text).toContain('url: https://hooks.acme.com/********')
  const apply = (to: typeof one, options: object = {}) =>
    applyFolder(
      to.context.store,
      readFolder(folder),
      { dryRun: false, prune: false, force: false, ...options },
      author,
      { vault: to.context.vault, sender: createWebhookSender({ hosts: [] }) },
    )
  expect(apply(one).changes).toEqual([])
  writeFileSync(file, text.replace('value: 0', 'value: 7'))
  expect(apply(one, { dryRun: true }).changes).toMatchObject([
    { kind: 'watch', name: 'open', members: [{ path: 'condition.value', before: 0, after: 7 }] },
  ])
  apply(one)
  const after = await one.ask('get_watch', { slug: 'open' })
  expect(after).toMatchObject({ condition: { value: 7 }, deliver: [{ secret: '********' }, { format: 'slack' }] })
  const readdressed = text.replace('hooks.acme.com/********', 'hooks.acme.com/another').replace('value: 0', 'value: 7')
  writeFileSync(file, readdressed)
  expect(apply(one).changes).toMatchObject([{ name: 'open', members: [{ path: 'deliver[0].url' }] }])
  expect(apply(one).changes).toEqual([])
  // Another database has not the addresses.
  writeFileSync(file, text)
  expect(thrownBy(() => apply(two)).message).toContain('watches/open.yaml')
  writeFileSync(file, text.replace('open-findings', 'open-finding'))
  expect(thrownBy(() => apply(one)).message).toMatch(/watches\/open\.yaml:\d+:\d+: metricSlug there is no metric/)
  writeFileSync(file, text.replace('- severity', '- mood'))
  expect(thrownBy(() => apply(one)).message).toContain('dimensions[0]')
  rmSync(file)
  expect(readdirSync(join(folder, 'watches'))).toEqual([])
  apply(one, { prune: true })
  expect((await one.ask('list_watches')).total).toBe(0)
})
