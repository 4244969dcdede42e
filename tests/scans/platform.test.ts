import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Scan } from '../../src/scans/model.ts'
import { commentOf, pageOf, spaceOf, startWiki, stopWikis } from '../connectors/wiki/support.ts'
import { deletePage, editComment } from '../sample/edits.ts'
import { onPath, type SampleFault } from '../sample/fault.ts'
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
const codes = (scan: Scan) => scan.warnings.map(({ code }) => code)

async function scanned() {
  const wiki = await startWiki({ spaces, pages })
  await createWikiSource(bench, wiki.url)
  expect(await bench.scan()).toMatchObject({ status: 'COMPLETED' })
  expect(countKept(bench)).toEqual({ open: PAGES, resolved: 0, deleted: 0 })
  return wiki
}

/** Answers of a list as if nothing were in it. */
const empty: SampleFault['respond'] = {
  rewrite: (reply) => ({ ...reply, status: 200, body: { results: [], _links: {} } }),
}

it('a loss of 60 % of the pages, or an empty list, resolves nothing until a second complete listing agrees', async () => {
  const wiki = await scanned()
  for (const { id } of pages.slice(0, DELETED)) deletePage(wiki.tenant, id)
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

describe('a credential', () => {
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
  editComment(wiki.tenant, '75', '<p>nothing</p>')
  for (let times = 0; times < 3; times++) {
    const scan = await bench.scan()
    expect(codes(scan)).toContain('comments_unavailable')
    expect(countKept(bench)).toEqual({ open: PAGES + 2, resolved: 0, deleted: 0 })
  }
  wiki.faults.splice(0)
  await bench.scan()
  expect(countKept(bench)).toEqual({ open: PAGES + 1, resolved: 1, deleted: 0 })
})
