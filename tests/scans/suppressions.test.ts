import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { completeDetectors } from '../../src/custom-detectors/lifecycle.ts'
import { createCustomOperations } from '../../src/custom-detectors/operations.ts'
import { customDetector } from '../../src/detectors/custom/index.ts'
import type { Detector } from '../../src/detectors/detector.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runRequest } from '../../src/detectors/request.ts'
import type { Finding, FindingDetail } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { suppressionOperations } from '../../src/findings/suppressions/operations.ts'
import { importFindings } from '../../src/imports/imports.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { createTenant, type FakeTenant, pluginsFor } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const fingerprint = createFingerprinter(new Uint8Array(32))
const detect: Detect = async (document, request) => runRequest(document, request, { fingerprint })

let tenant: FakeTenant
let bench: Workbench

beforeEach(async () => {
  tenant = createTenant({ ENG: 3, OPS: 1 })
  const plugins = { ...pluginsFor(tenant), detectors: [customDetector as Detector] }
  bench = openWorkbench(tenant, {
    extra: [...findingOperations, ...suppressionOperations, ...createCustomOperations(plugins)],
    detect,
    plugins,
    estate: [],
    completeDetectors,
  })
  await createFake(bench, { detectors: [{ type: 'CUSTOM' }] })
  const definition = {
    rule: { any: [{ type: 'REGEX', pattern: 'HB-\\d{4}' }] },
    examples: { match: ['HB-1234'], noMatch: ['x'] },
  }
  await bench.run('create_custom_detector', { key: 'numbers', displayName: 'Numbers', definition })
  say('ENG', 0, 'HB-1111 and HB-2222')
  say('ENG', 1, 'HB-1111')
  say('OPS', 0, 'HB-3333')
})
afterEach(() => bench.close())

const say = (space: string, index: number, body: string) => {
  const page = tenant.spaces.find(({ key }) => key === space)?.pages[index]
  if (page !== undefined) page.body = body
}
const findings = async (filter: Record<string, unknown> = {}) =>
  (await bench.run<{ items: Finding[] }>('search_findings', filter)).items
const statuses = async () =>
  (await findings()).map(({ asset, status, location }) => `${asset.key.slice(10)} ${location?.start} ${status}`).sort()
const at = async (page: string, start = 0) => {
  const found = (await findings()).find(({ asset, location }) => asset.key.endsWith(page) && location?.start === start)
  return found?.id ?? ''
}
const detail = (id: string) => bench.run<FindingDetail>('get_finding', { id })
const suppress = (input: object) =>
  bench.run<{ id: string; changed: number; valueFingerprint?: string }>('create_suppression', {
    reason: 'published numbers',
    ...input,
  })

describe('a suppression', () => {
  it('by value applies to every occurrence of the value, now and in later scans', async () => {
    await bench.scan()
    const { changed, valueFingerprint } = await suppress({ findingId: await at('ENG-1') })
    expect([changed, valueFingerprint?.length]).toEqual([2, 12])
    expect(await statuses()).toEqual(['ENG-1 0 IGNORED', 'ENG-1 12 OPEN', 'ENG-2 0 IGNORED', 'OPS-1 0 OPEN'])
    say('ENG', 2, 'once more HB-1111, and HB-4444')
    const scan = await bench.scan()
    expect(scan.progress.findings).toMatchObject({ new: 2 })
    expect(await statuses()).toContain('ENG-3 10 IGNORED')
    expect(await statuses()).toContain('ENG-3 23 OPEN')
  })

  it('by filters and patterns applies to findings that match all of them', async () => {
    await bench.scan()
    const filters = { customDetectorKeys: ['numbers'], containers: ['Space ENG'] }
    const { changed } = await suppress({ filters, patterns: [{ field: 'name', pattern: 'page eng-[23]$' }] })
    expect(changed).toBe(1)
    expect(await statuses()).toEqual(['ENG-1 0 OPEN', 'ENG-1 12 OPEN', 'ENG-2 0 IGNORED', 'OPS-1 0 OPEN'])
    say('ENG', 2, 'HB-5555')
    say('OPS', 0, 'HB-3333 HB-6666')
    await bench.scan()
    expect(await statuses()).toContain('ENG-3 0 IGNORED')
    expect(await statuses()).toContain('OPS-1 8 OPEN')
  })

  it('by heading, column or reason applies to findings of that kind alone', async () => {
    const page = tenant.spaces.find(({ key }) => key === 'OPS')?.pages[0]
    const cell = { kind: 'cell', path: 'body' } as const
    if (page !== undefined) {
      page.parts = [
        { ...cell, text: 'HB-3333', label: 'Ticket', heading: 'Parts' },
        { ...cell, text: 'HB-4444', label: 'Part' },
      ]
    }
    await bench.scan()
    expect(await suppress({ patterns: [{ field: 'column', pattern: '^part$' }] })).toMatchObject({ changed: 1 })
    expect(await suppress({ patterns: [{ field: 'heading', pattern: '^parts$' }] })).toMatchObject({ changed: 1 })
    expect(await suppress({ patterns: [{ field: 'reason', pattern: 'stated as a secret' }] })).toMatchObject({
      changed: 0,
    })
    expect(await suppress({ patterns: [{ field: 'reason', pattern: 'custom detector' }] })).toMatchObject({
      changed: 3,
    })
  })

  it('is recorded in the history of its findings and survives later scans', async () => {
    await bench.scan()
    const { id } = await suppress({ filters: { containers: ['Space OPS'] }, status: 'FALSE_POSITIVE' })
    const finding = await detail(await at('OPS-1'))
    expect(finding).toMatchObject({
      status: 'FALSE_POSITIVE',
      history: [{ from: 'OPEN', to: 'FALSE_POSITIVE', by: `suppression:${id}`, reason: 'published numbers' }],
    })
    await bench.scan()
    say('OPS', 0, 'nothing')
    await bench.scan()
    say('OPS', 0, 'HB-3333')
    await bench.scan()
    expect(await detail(finding.id)).toMatchObject({ status: 'FALSE_POSITIVE', history: [{}] })
  })

  it('applies when a resolved finding re-opens', async () => {
    await bench.scan()
    say('OPS', 0, 'nothing')
    await bench.scan()
    expect(await statuses()).toContain('OPS-1 0 RESOLVED')
    expect(await suppress({ filters: { containers: ['Space OPS'] } })).toMatchObject({ changed: 0 })
    say('OPS', 0, 'HB-3333')
    await bench.scan()
    const { history, status } = await detail(await at('OPS-1'))
    expect(status).toBe('IGNORED')
    expect(history.map(({ to }) => to)).toEqual(['RESOLVED', 'OPEN', 'IGNORED'])
  })

  it('does not override a person who re-opens a finding', async () => {
    await bench.scan()
    await suppress({ filters: { containers: ['Space OPS'] } })
    await bench.run('update_finding', { id: await at('OPS-1'), status: 'OPEN', reason: 'this one matters' })
    say('OPS', 0, 'HB-3333 changed')
    await bench.scan()
    expect(await statuses()).toContain('OPS-1 0 OPEN')
  })

  it('reopens its findings when it is deleted, and resolves those that no longer exist', async () => {
    await bench.scan()
    const { id } = await suppress({ filters: { customDetectorKeys: ['numbers'] } })
    await bench.run('update_finding', { id: await at('ENG-2'), status: 'FALSE_POSITIVE', reason: 'invented' })
    say('OPS', 0, 'nothing')
    await bench.scan()
    expect(await bench.run('delete_suppression', { id })).toMatchObject({ id, changed: 3 })
    expect(await statuses()).toEqual(['ENG-1 0 OPEN', 'ENG-1 12 OPEN', 'ENG-2 0 FALSE_POSITIVE', 'OPS-1 0 RESOLVED'])
    expect(await bench.run('list_suppressions')).toEqual({ items: [], total: 0 })
    await expect(bench.run('delete_suppression', { id })).rejects.toMatchObject({ code: 'not_found' })
  })

  it('applies to imported findings too', async () => {
    const line = {
      asset: { key: 'repo:1' },
      detectorType: 'YARA',
      findingType: 'RULE',
      severity: 'LOW',
      firstDetectedAt: '2025-06-01T00:00:00Z',
      lastDetectedAt: '2025-06-02T00:00:00Z',
    }
    const load = (...rows: object[]) => {
      const bytes = Buffer.from(rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
      return importFindings(Readable.from([bytes]), { source: 'nightly', format: 'ndjson' }, bench.context)
    }
    const yara = { filters: { detectorTypes: ['YARA'] } }
    await expect(suppress(yara)).rejects.toMatchObject({ code: 'invalid_input' })
    await load(line)
    await suppress(yara)
    await load({ ...line, findingType: 'RULE_2' }, { ...line, findingType: 'OTHER', detectorType: 'SCANNER' })
    const imported = async () => (await findings({ sources: ['nightly'] })).map((f) => `${f.detectorType} ${f.status}`)
    expect((await imported()).sort()).toEqual(['SCANNER OPEN', 'YARA IGNORED', 'YARA IGNORED'])
    const { items } = await bench.run<{ items: { id: string }[] }>('list_suppressions')
    await bench.run('delete_suppression', { id: items.at(-1)?.id })
    expect((await imported()).sort()).toEqual(['SCANNER OPEN', 'YARA OPEN', 'YARA OPEN'])
  })

  it.each<[string, object, string]>([
    ['nothing', {}, 'filters'],
    ['statuses', { filters: { statuses: ['OPEN'] } }, 'filters.statuses'],
    ['a pattern of another kind', { patterns: [{ field: 'name', pattern: '(?=x)' }] }, 'patterns[0].pattern'],
  ])('is refused with %s', async (_, input, path) => {
    await expect(suppress(input)).rejects.toMatchObject({ code: 'invalid_input', facts: { issues: [{ path }] } })
    expect(await bench.run('list_suppressions')).toMatchObject({ total: 0 })
  })

  it('is refused for an unknown finding', async () => {
    await expect(suppress({ findingId: '999' })).rejects.toMatchObject({ code: 'not_found' })
  })
})
