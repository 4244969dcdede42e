import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { duplicatesCheck } from '../../src/cross-asset-checks/duplicates.ts'
import { duplicateDetector } from '../../src/detectors/duplicate/index.ts'
import type { Finding } from '../../src/findings/model.ts'
import { createRandom, makeWords } from '../detectors/duplicate/texts.ts'
import { openEstateBench } from '../scans/estate-bench.ts'
import { createTenant, type FakePage, type FakeTenant } from '../scans/fake-tenant.ts'
import type { Workbench } from '../scans/workbench.ts'

const text = (seed: number, length = 120) => makeWords(createRandom(seed), length).join(' ')

let tenant: FakeTenant
let bench: Workbench

beforeEach(async () => {
  tenant = createTenant({ ENG: 0, OPS: 0 })
  bench = await openEstateBench(tenant, { detector: duplicateDetector, step: duplicatesCheck })
})
afterEach(() => bench.close())

const add = (space: string, id: string, body: string, more: Partial<FakePage> = {}): FakePage => {
  const page = { id, body, contentCreatedAt: Number(id) * 1_000_000, ...more }
  tenant.spaces.find(({ key }) => key === space)?.pages.push(page)
  return page
}
const findings = async (statuses = ['OPEN']) =>
  (await bench.run<{ items: Finding[] }>('search_findings', { statuses })).items
const lines = async (statuses?: string[]) =>
  (await findings(statuses)).map(({ findingType, asset }) => `${asset.key.slice(10)} ${findingType}`).sort()

describe('duplicates in a tenant', () => {
  it('are reported on the newer asset and name the older one', async () => {
    add('ENG', '2', text(1), { title: 'Copy' })
    add('OPS', '1', text(1), { title: 'Original' })
    add('ENG', '3', `${text(1)} with a few words more`)
    add('ENG', '4', [text(5), text(1), text(6)].join(' '))
    add('ENG', '5', text(9))
    await bench.scan()
    expect(await lines()).toEqual(['2 EXACT_DUPLICATE', '3 NEAR_DUPLICATE', '4 CONTAINED_DUPLICATE'])
    expect(await findings()).toContainEqual(
      expect.objectContaining({
        findingType: 'EXACT_DUPLICATE',
        category: 'QUALITY',
        severity: 'MEDIUM',
        confidence: 1,
        excerpt: 'The same text as "Original" (fake:page:1).',
      }),
    )
  })

  it('appear and disappear with either of the two assets, and nothing else is read again', async () => {
    const original = add('ENG', '1', text(1))
    add('OPS', '2', text(2))
    const copy = add('OPS', '3', text(1))
    await bench.scan()
    const [first] = await findings()
    tenant.fetched.length = 0
    original.body = text(4)
    await bench.scan()
    expect(tenant.fetched).toEqual(['1'])
    expect(await lines(['RESOLVED'])).toEqual(['3 EXACT_DUPLICATE'])
    copy.body = text(4)
    await bench.scan()
    expect(await findings()).toMatchObject([{ id: first?.id, status: 'OPEN' }])
    tenant.spaces[0]?.pages.splice(0, 1)
    await bench.scan()
    await bench.scan()
    expect(await lines()).toEqual([])
  })

  it('remain the same finding after a small edit of the copy', async () => {
    add('ENG', '1', text(1))
    const copy = add('ENG', '2', text(1))
    await bench.scan()
    const [exact] = await findings()
    copy.body = `${text(1)} and so on`
    await bench.scan()
    expect(await findings()).toMatchObject([{ id: exact?.id, findingType: 'NEAR_DUPLICATE' }])
    expect((await bench.scan()).progress.findings).toEqual({ new: 0, again: 1, resolved: 0 })
  })

  it('are not reported between workspaces of a BI platform, where copies are deployment stages', async () => {
    for (const [space, id] of [
      ['ENG', '1'],
      ['OPS', '2'],
      ['OPS', '3'],
    ] as const) {
      add(space, id, text(1), { kind: 'bi.dataset' })
    }
    await bench.scan()
    expect(await lines()).toEqual(['3 EXACT_DUPLICATE'])
  })

  it('are not searched in archived spaces', async () => {
    add('OPS', '9', '', { kind: 'wiki.space', facts: { status: 'archived' } })
    add('OPS', '1', text(1))
    add('ENG', '2', text(1))
    await bench.scan()
    expect(await lines()).toEqual([])
  })

  it('keep the decision of a person, which applies to this pair only', async () => {
    add('ENG', '1', text(1))
    const copy = add('ENG', '2', text(1))
    await bench.scan()
    const [finding] = await findings()
    await bench.run('update_finding', { id: finding?.id, status: 'FALSE_POSITIVE', reason: 'one for each hall' })
    copy.body = `${text(1)} for the other hall`
    await bench.scan()
    expect(await lines(['FALSE_POSITIVE'])).toEqual(['2 NEAR_DUPLICATE'])
    copy.body = text(3)
    add('ENG', '0', text(3))
    await bench.scan()
    expect(await lines()).toEqual(['2 EXACT_DUPLICATE'])
  })

  it('store no words of a text', async () => {
    add('ENG', '1', `${text(1)} zanzibarian`)
    await bench.scan()
    const stored = bench.store.read((reader) => reader.prepare('SELECT data FROM asset_digest').all()) as {
      data: Uint8Array
    }[]
    expect(stored).toHaveLength(1)
    for (const { data } of stored) expect(Buffer.from(data).includes('zanzibarian')).toBe(false)
  })
})
