import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { contentQualityCheck } from '../../src/cross-asset-checks/quality.ts'
import { contentQualityDetector } from '../../src/detectors/content-quality/index.ts'
import type { Finding } from '../../src/findings/model.ts'
import { openEstateBench } from '../scans/estate-bench.ts'
import { createTenant, type FakePage, type FakeTenant, refuse } from '../scans/fake-tenant.ts'
import type { Workbench } from '../scans/workbench.ts'

const DAY = 86_400_000
const WORDS = 'The lift is looked after twice a year by the people who built it, and they write down what they did.'

let tenant: FakeTenant
let bench: Workbench

beforeEach(async () => {
  tenant = createTenant({ ENG: 0, OPS: 0 })
  bench = await openEstateBench(tenant, { detector: contentQualityDetector, step: contentQualityCheck })
})
afterEach(() => bench.close())

const add = (space: string, page: Partial<FakePage> & { id: string }): FakePage => {
  const added = { body: WORDS, contentUpdatedAt: bench.clock.now - 10 * DAY, ...page }
  tenant.spaces.find(({ key }) => key === space)?.pages.push(added)
  return added
}
const found = async (statuses = ['OPEN']) =>
  (await bench.run<{ items: Finding[] }>('search_findings', { detectorTypes: ['CONTENT_QUALITY'], statuses })).items
    .map(({ findingType, asset }) => `${asset.key.slice(10)} ${findingType}`)
    .sort()
const childOf = (id: string) => ({ type: 'child_of' as const, targetKey: `fake:page:${id}` })

describe('content quality of a tenant', () => {
  it('is evaluated by dates, text, owner and related assets', async () => {
    add('ENG', { id: 'good' })
    add('ENG', { id: 'old', contentUpdatedAt: bench.clock.now - 400 * DAY })
    add('ENG', { id: 'bare', body: '' })
    add('ENG', { id: 'parent', body: '' })
    add('ENG', { id: 'child', links: [childOf('parent')] })
    add('ENG', { id: 'left', facts: { ownerStatus: 'gone' } })
    add('ENG', { id: 'unfinished', body: `${WORDS}\nOwner: TBD\nAs of May 2012 this holds.` })
    await bench.scan()
    expect(await found()).toEqual([
      'bare EMPTY',
      'left OWNER_GONE',
      'old STALE',
      'unfinished OUTDATED_REFERENCE',
      'unfinished PLACEHOLDER',
    ])
    const { items } = await bench.run<{ items: Finding[] }>('search_findings', { findingTypes: ['PLACEHOLDER'] })
    expect(items).toMatchObject([
      { category: 'QUALITY', severity: 'INFO', excerpt: 'to be defined', location: { path: 'body' } },
    ])
  })

  it('changes as time passes, without reading anything again', async () => {
    add('ENG', { id: 'page', body: `${WORDS} Valid as of 2024.` })
    await bench.scan()
    expect(await found()).toEqual([])
    tenant.fetched.length = 0
    bench.clock.now += 400 * DAY
    const scan = await bench.scan()
    expect(scan.progress).toMatchObject({ unchanged: 1, findings: { new: 2 } })
    expect(tenant.fetched).toEqual([])
    expect(await found()).toEqual(['page OUTDATED_REFERENCE', 'page STALE'])
  })

  it('is resolved by an edit, and re-opens as the same finding', async () => {
    const page = add('ENG', { id: 'page', body: '' })
    await bench.scan()
    const [first] = (await bench.run<{ items: Finding[] }>('search_findings')).items
    page.body = WORDS
    await bench.scan()
    expect(await found(['RESOLVED'])).toEqual(['page EMPTY'])
    page.body = ''
    await bench.scan()
    expect((await bench.run<{ items: Finding[] }>('search_findings')).items).toMatchObject([
      { id: first?.id, status: 'OPEN' },
    ])
    expect((await bench.scan()).progress.findings).toEqual({ new: 0, again: 1, resolved: 0 })
  })

  it('keeps findings that can no longer be judged', async () => {
    const page = add('ENG', { id: 'left', facts: { ownerStatus: 'gone' } })
    add('ENG', { id: 'bare', body: '' })
    await bench.scan()
    page.facts = {}
    tenant.onPage = (space) => {
      if (space === 'OPS') throw refuse('forbidden')
    }
    await bench.scan()
    expect(await found()).toEqual(['bare EMPTY', 'left OWNER_GONE'])
  })

  it('reports no empty pages where the listing was incomplete', async () => {
    add('ENG', { id: 'bare', body: '' })
    tenant.warnings = () => [{ code: 'comments_denied', message: 'no comments', incomplete: true }]
    await bench.scan()
    expect(await found()).toEqual([])
    delete tenant.warnings
    await bench.scan()
    expect(await found()).toEqual(['bare EMPTY'])
  })

  it('keeps the decision of a person', async () => {
    add('ENG', { id: 'bare', body: '' })
    await bench.scan()
    const [finding] = (await bench.run<{ items: Finding[] }>('search_findings')).items
    await bench.run('update_finding', { id: finding?.id, status: 'IGNORED', reason: 'on purpose' })
    await bench.scan()
    expect(await found(['IGNORED'])).toEqual(['bare EMPTY'])
  })

  it('ignores the content of archived spaces', async () => {
    add('OPS', { id: 'space', kind: 'wiki.space', facts: { status: 'archived' } })
    add('OPS', { id: 'old', contentUpdatedAt: bench.clock.now - 4000 * DAY })
    await bench.scan()
    expect(await found()).toEqual([])
  })
})
