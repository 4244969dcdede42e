import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { onPath, type SampleFault } from '../../src/sample/fault.ts'
import type { Scan } from '../../src/scans/model.ts'
import { guid, payloadFor, type Routes, refuse, startFakeBi } from '../connectors/bi/fake.ts'
import { commentOf, pageOf, spaceOf, startWiki, stopWikis } from '../connectors/wiki/support.ts'
import { countKept, createWikiSource, openPlatformBench } from './platform.ts'
import type { Workbench } from './workbench.ts'

let bench: Workbench
beforeEach(() => {
  bench = openPlatformBench()
})
afterEach(async () => {
  await bench.close()
  await stopWikis()
})

/** In the first space: more than one page of a listing. */
const FIRST = 55
const PAGES = FIRST + 5
const DELETED = 33
const bodyOf = (id: string) => `<p>see word:w${id} here</p>`
const spaces = ['1', '2'].map((id) => spaceOf(id))
const pages = Array.from({ length: PAGES }, (_, index) => {
  const id = String(1000 + index)
  return pageOf(id, { spaceId: index < FIRST ? '1' : '2', body: bodyOf(id) })
})
const listing = onPath(/\/spaces\/\d+\/pages$/)
const never: SampleFault['match'] = () => true
const codes = (scan: Scan) => scan.warnings.map(({ code }) => code)

async function scanned(faults: SampleFault[] = []) {
  const wiki = await startWiki({ spaces, pages })
  await createWikiSource(bench, wiki.url)
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
  expect(countKept(bench)).toEqual({ open: PAGES, resolved: 0, deleted: 0 })
  wiki.faults.push(...faults)
  return wiki
}

/** Answers of a list as if nothing were in it. */
const empty: SampleFault['respond'] = {
  rewrite: (reply) => ({ ...reply, status: 200, body: { results: [], _links: {} } }),
}

describe('an incomplete listing resolves nothing, even when it is repeated', () => {
  it.each<[string, SampleFault[], Partial<Scan>]>([
    [
      'a closed space',
      [{ match: onPath(/\/spaces\/1\/pages$/), respond: { status: 403, body: {} } }],
      { status: 'PARTIAL', reason: 'forbidden' },
    ],
    [
      'every space closed',
      [{ match: listing, respond: { status: 403, body: {} } }],
      { status: 'FAILED', reason: 'forbidden' },
    ],
    ['a sign-in page', [{ match: listing, respond: 'html' }], { status: 'FAILED', reason: 'protocol_error' }],
    ['a truncated reply', [{ match: listing, respond: 'cut' }], { status: 'FAILED', reason: 'protocol_error' }],
    ['an anonymous success', [{ match: never, respond: 'anonymous' }], { status: 'FAILED', reason: 'auth_failed' }],
    [
      'a refused credential',
      [{ match: onPath(/\/wiki\//), respond: { status: 401, body: {} } }],
      { status: 'FAILED', reason: 'auth_failed' },
    ],
    [
      'a list with a cursor loop',
      [
        {
          match: onPath(/\/spaces\/1\/pages$/),
          respond: {
            rewrite: (reply) => ({
              ...reply,
              status: 200,
              headers: {},
              body: { results: [], _links: { next: '/wiki/x?cursor=bG9vcA' } },
            }),
          },
        },
      ],
      { status: 'PARTIAL', reason: 'cursor_loop' },
    ],
  ])('%s', async (_name, faults, expected) => {
    const wiki = await scanned(faults)
    for (const { id } of pages.slice(0, 22)) wiki.tenant.deletePage(id)
    for (let times = 0; times < 2; times++) {
      expect(await bench.scan()).toMatchObject(expected)
      expect(countKept(bench)).toEqual({ open: PAGES, resolved: 0, deleted: 0 })
    }
  })

  it('an abort at any page', async () => {
    const wiki = await scanned()
    for (const { id } of pages.slice(0, 22)) wiki.tenant.deletePage(id)
    for (let after = 0; after < 2; after++) {
      const fault: SampleFault = { match: listing, after, times: 1, respond: 'hang' }
      wiki.faults.splice(0, wiki.faults.length, fault)
      const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
      await expect.poll(() => fault.times, { timeout: 60_000 }).toBe(0)
      await bench.run('cancel_scan', { id })
      await bench.queue.settled(id)
      expect(await bench.run('get_scan', { id })).toMatchObject({ status: 'CANCELLED' })
      expect(countKept(bench)).toEqual({ open: PAGES, resolved: 0, deleted: 0 })
    }
  })

  it('a loss of 60 % of the pages, and an empty list, until a second complete listing agrees', async () => {
    const wiki = await scanned()
    for (const { id } of pages.slice(0, DELETED)) wiki.tenant.deletePage(id)
    expect(await bench.scan()).toMatchObject({ status: 'PARTIAL', reason: 'mass_vanishing' })
    expect(countKept(bench)).toEqual({ open: PAGES, resolved: 0, deleted: 0 })
    wiki.faults.push({ match: onPath(/\/spaces\/2\/pages$/), times: 1, respond: empty })
    // The pages of the second space are found by their ids.
    const second = await bench.scan()
    expect([second.status, codes(second)]).toEqual(['COMPLETED', ['outside_scope']])
    expect(countKept(bench)).toMatchObject({ resolved: DELETED })
    expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
    expect(countKept(bench)).toEqual({ open: PAGES - DELETED, resolved: DELETED, deleted: DELETED })
  })
})

describe('a credential', () => {
  it('that expires during the scan stops it, and its results so far are kept', async () => {
    const wiki = await startWiki({ spaces, pages })
    await createWikiSource(bench, wiki.url)
    wiki.faults.push({ match: onPath(/\/spaces\/2\/pages$/), respond: { status: 401, body: {} } })
    wiki.faults.push({ match: onPath(/\/user\/current$/), after: 1, respond: { status: 401, body: {} } })
    const scan = await bench.scan()
    expect(scan).toMatchObject({ status: 'PARTIAL', reason: 'auth_expired' })
    expect(scan.failures).toContainEqual(expect.objectContaining({ code: 'auth_expired' }))
    expect(countKept(bench)).toEqual({ open: FIRST, resolved: 0, deleted: 0 })
    wiki.faults.splice(0)
    expect(await bench.scan()).toMatchObject({ status: 'COMPLETED', progress: { scanned: 6, unchanged: FIRST + 1 } })
  })

  it('without the scope for comments still reads pages, with a warning', async () => {
    const scopeMissing = { status: 401, body: { code: 401, message: 'Unauthorized; scope does not match' } }
    const wiki = await startWiki(
      { spaces, pages, comments: [commentOf('70', '1001')] },
      { faults: [{ match: onPath(/comments/), respond: scopeMissing }] },
    )
    await createWikiSource(bench, wiki.url)
    const scan = await bench.scan()
    expect(scan).toMatchObject({ status: 'PARTIAL', reason: 'comments_denied' })
    expect(codes(scan)).toContain('comments_denied')
    expect(countKept(bench).open).toBe(PAGES)
  })
})

describe('a scope', () => {
  it('with one wrong key among valid ones is scanned, and the wrong one is named', async () => {
    const wiki = await startWiki({ spaces, pages })
    await createWikiSource(bench, wiki.url, { scope: { spaces: { keys: ['S1', 'S2', 'S99'] } } })
    const scan = await bench.scan()
    expect(scan).toMatchObject({ status: 'COMPLETED', progress: { discovered: PAGES + 2 } })
    expect(scan.warnings).toContainEqual(expect.objectContaining({ code: 'scope_unmatched', scope: 'S99' }))
  })

  it('of wrong keys only fails', async () => {
    const wiki = await startWiki({ spaces, pages })
    await createWikiSource(bench, wiki.url, { scope: { spaces: { keys: ['S98', 'S99'] } } })
    expect(await bench.scan()).toMatchObject({ status: 'FAILED', reason: 'scope_unmatched' })
  })
})

it('a detector that is disabled or not listed does not run', async () => {
  const wiki = await startWiki({ spaces, pages })
  await createWikiSource(bench, wiki.url)
  await bench.run('update_source', { id: 'fake', config: { detectors: [{ type: 'WORDS', enabled: false }] } })
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
  await bench.run('update_source', { id: 'fake', config: { detectors: [] } })
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
  expect(countKept(bench).open).toBe(0)
  await bench.run('update_source', { id: 'fake', config: { detectors: [{ type: 'WORDS', enabled: true }] } })
  await bench.scan()
  expect(countKept(bench).open).toBe(PAGES)
})

it('findings in replies are not resolved while replies cannot be read', async () => {
  const comments = [
    commentOf('70', '1001'),
    commentOf('71', '1001', { parentId: '70', body: '<p>word:reply</p>' }),
    commentOf('75', '1001', { body: '<p>word:root</p>' }),
  ]
  const wiki = await startWiki({ spaces, pages, comments })
  await createWikiSource(bench, wiki.url)
  await bench.scan()
  expect(countKept(bench).open).toBe(PAGES + 2)
  wiki.faults.push({ match: onPath(/\/70\/children$/), respond: { status: 500 } })
  wiki.tenant.editComment('75', '<p>nothing</p>')
  for (let times = 0; times < 3; times++) {
    const scan = await bench.scan()
    expect(codes(scan)).toContain('comments_unavailable')
    expect(countKept(bench)).toEqual({ open: PAGES + 2, resolved: 0, deleted: 0 })
  }
  wiki.faults.splice(0)
  await bench.scan()
  expect(countKept(bench)).toEqual({ open: PAGES + 1, resolved: 1, deleted: 0 })
})

it('one closed workspace of ten affects only itself, and its findings are kept', async () => {
  const ids = Array.from({ length: 10 }, (_, index) => guid('a', index + 1))
  const routes: Routes = {
    'GET /groups': ids.map((id, index) => ({ id, name: `Workspace ${index + 1}` })),
    ...Object.fromEntries(
      ids.map((id, index) => [
        `GET /groups/${id}/reports`,
        [{ id: guid('e', index + 1), name: 'Report', description: `word:r${index}` }],
      ]),
    ),
    'GET /groups/*/datasets': [],
    'GET /groups/*/dashboards': [],
    'GET /groups/*/reports/*/pages': [],
    'POST /admin/workspaces/getInfo': refuse(403),
  }
  const fake = await startFakeBi(routes)
  await bench.run('create_source', { name: 'fake', config: { ...payloadFor(fake), detectors: [{ type: 'WORDS' }] } })
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
  fake.routes[`GET /groups/${ids[4]}/reports`] = refuse(403)
  for (let times = 0; times < 3; times++) {
    const scan = await bench.scan()
    expect(scan).toMatchObject({ status: 'PARTIAL', reason: 'forbidden' })
    expect(scan.scopes.filter(({ state }) => state === 'COMPLETE')).toHaveLength(9)
    expect(scan.scopes.filter(({ state }) => state === 'FAILED').map(({ key }) => key)).toEqual([ids[4]])
    expect(countKept(bench)).toEqual({ open: 10, resolved: 0, deleted: 0 })
  }
})
