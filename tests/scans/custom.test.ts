import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { completeDetectors } from '../../src/custom-detectors/lifecycle.ts'
import { createCustomOperations } from '../../src/custom-detectors/operations.ts'
import { customDetector } from '../../src/detectors/custom/index.ts'
import type { Detector } from '../../src/detectors/detector.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runRequest } from '../../src/detectors/request.ts'
import type { Finding } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { createTenant, type FakeTenant, pluginsFor } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const fingerprint = createFingerprinter(new Uint8Array(32))
const detect: Detect = async (document, request) => runRequest(document, request, { fingerprint })
const detectorFor = (key: string, keyword: string, more: object = {}) => ({
  key,
  displayName: key,
  definition: {
    rule: { any: [{ type: 'KEYWORDS', keywords: [keyword] }] },
    examples: { match: [keyword], noMatch: ['nothing'] },
    ...more,
  },
})

let tenant: FakeTenant
let bench: Workbench

beforeEach(async () => {
  tenant = createTenant({ ENG: 2, OPS: 1 })
  const plugins = { ...pluginsFor(tenant), detectors: [customDetector as Detector] }
  bench = openWorkbench(tenant, {
    extra: [...findingOperations, ...createCustomOperations(plugins)],
    detect,
    plugins,
    estate: [],
    completeDetectors,
  })
  await createFake(bench, { detectors: [{ type: 'CUSTOM' }] })
})
afterEach(() => bench.close())

const found = async (statuses = ['OPEN']) =>
  (await bench.run<{ items: Finding[] }>('search_findings', { statuses })).items
    .map(({ asset, findingType, customDetectorKey }) => `${asset.key.slice(10)} ${findingType} ${customDetectorKey}`)
    .sort()
const say = (text: string) => {
  for (const { pages } of tenant.spaces) for (const page of pages) page.body = text
}

describe('custom detectors in scans', () => {
  it('report matches of their rule in every source, under their key', async () => {
    say('Blue Heron starts in May.')
    await bench.run('create_custom_detector', detectorFor('secret-projects', 'Blue Heron'))
    await bench.scan()
    expect(await found()).toEqual([
      'ENG-1 SECRET_PROJECTS secret-projects',
      'ENG-2 SECRET_PROJECTS secret-projects',
      'OPS-1 SECRET_PROJECTS secret-projects',
    ])
    const mapped = await bench.run<{ items: Finding[] }>('search_findings', { customDetectorKeys: ['secret-projects'] })
    expect(mapped.items).toHaveLength(3)
  })

  it('rescan unchanged assets when a rule is added, changed or deleted', async () => {
    say('Blue Heron and Grey Goose.')
    await bench.scan()
    expect(await found()).toEqual([])
    await bench.run('create_custom_detector', detectorFor('birds', 'Blue Heron', { containers: ['Space OPS'] }))
    await bench.scan()
    expect(await found()).toEqual(['OPS-1 BIRDS birds'])
    tenant.fetched.length = 0
    await bench.scan()
    expect(tenant.fetched).toEqual([])
    const { definition } = detectorFor('birds', 'Grey Goose', { containers: ['Space OPS'] })
    await bench.run('update_custom_detector', { key: 'birds', definition })
    await bench.scan()
    expect([await found(), await found(['RESOLVED'])]).toEqual([['OPS-1 BIRDS birds'], ['OPS-1 BIRDS birds']])
    await bench.run('update_custom_detector', { key: 'birds', enabled: false })
    await bench.scan()
    expect(await found()).toEqual([])
    await bench.run('update_custom_detector', { key: 'birds', enabled: true })
    await bench.scan()
    expect(await found()).toEqual(['OPS-1 BIRDS birds'])
    await bench.run('delete_custom_detector', { key: 'birds' })
    await bench.scan()
    expect(await found()).toEqual([])
  })

  it('run only where a source or the detector enables it', async () => {
    say('Blue Heron')
    await bench.run('create_custom_detector', detectorFor('one', 'Blue Heron'))
    await bench.run('create_custom_detector', detectorFor('two', 'Blue Heron', { sources: ['another'] }))
    await bench.run('create_custom_detector', detectorFor('three', 'Blue Heron', { sourceTypes: ['FAKE'] }))
    await bench.scan()
    expect(new Set((await found()).map((line) => line.split(' ')[2]))).toEqual(new Set(['one', 'three']))
    const detectors = [{ type: 'CUSTOM', config: { keys: ['three'] } }]
    await bench.run('update_source', { id: 'fake', config: { detectors } })
    await bench.scan()
    expect(new Set((await found()).map((line) => line.split(' ')[2]))).toEqual(new Set(['three']))
  })

  it('keep their findings while they are disabled, until the page is deleted', async () => {
    say('Blue Heron starts in May.')
    await bench.run('create_custom_detector', detectorFor('secret-projects', 'Blue Heron'))
    await bench.scan()
    const before = await found()
    const choose = (enabled: boolean) =>
      bench.run('update_source', { id: 'fake', config: { detectors: [{ type: 'CUSTOM', enabled }] } })
    await choose(false)
    say('Nothing starts in May.')
    expect(await bench.scan()).toMatchObject({ status: 'COMPLETED', progress: { findings: { resolved: 0 } } })
    expect([await found(), await found(['RESOLVED'])]).toEqual([before, []])
    tenant.spaces[1]?.pages.pop()
    for (let time = 0; time < 2; time++) await bench.scan()
    expect([await found(), await found(['RESOLVED'])]).toEqual([before.slice(0, 2), before.slice(2)])
    await choose(true)
    await bench.scan()
    expect([await found(), await found(['RESOLVED'])]).toEqual([[], before])
  })

  it('take no rules from the settings of a source', async () => {
    const definitions = [{ key: 'x', findingType: 'X', category: 'X', severity: 'LOW', confidence: 1, rule: {} }]
    const config = { detectors: [{ type: 'CUSTOM', config: { definitions } }] }
    await expect(bench.run('update_source', { id: 'fake', config })).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it('can be previewed on a source without storing anything', async () => {
    say('Blue Heron')
    const page = tenant.spaces[0]?.pages[0]
    if (page !== undefined) page.body = 'nothing'
    const { definition } = detectorFor('birds', 'Blue Heron')
    const preview = await bench.run('preview_custom_detector', { definition, source: 'fake' })
    expect(preview).toMatchObject({ examined: 3, matched: 2, hits: 2, warnings: [] })
    expect(await bench.run('preview_custom_detector', { definition, source: 'fake', limit: 1 })).toMatchObject({
      examined: 1,
    })
    expect(await found()).toEqual([])
    expect(bench.store.read((reader) => reader.prepare('SELECT count(*) AS n FROM asset').get())).toEqual({ n: 0 })
  })
})
