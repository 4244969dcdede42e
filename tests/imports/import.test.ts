import { Readable } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listAuditRows } from '../../src/audit/audit.store.ts'
import type { FindingDetail } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { discardImport } from '../../src/imports/apply/apply-import.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { recognizeFormat } from '../../src/imports/read/recognize.ts'
import type { ImportFormat } from '../../src/imports/request.ts'
import { createConverter } from '../../src/imports/stage/convert.ts'
import { acceptImportFile, addRows, openImportFile, StagedFile } from '../../src/imports/stage/imports.store.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { insertScan } from '../../src/scans/scans.store.ts'
import { insertSource } from '../../src/sources/sources.store.ts'
import type { Store } from '../../src/store/store.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from '../scans/workbench.ts'
import { errorOf } from '../support/context.ts'
import { contentOf } from '../support/new-store.ts'
import { dumpTables, importText, listFindings, streamOf } from './importing.ts'

let bench: Workbench

beforeEach(() => {
  bench = openWorkbench(createTenant({ ENG: 2 }), { extra: findingOperations })
})
afterEach(() => bench.close())

const line = (more: Record<string, unknown> = {}) => ({
  asset: { key: 'repo:a.ts', kind: 'repo.file', name: 'a.ts', url: 'https://code.example/a.ts', container: 'repo' },
  detectorType: 'YARA',
  findingType: 'SUSPICIOUS',
  severity: 'HIGH',
  firstDetectedAt: '2025-03-01T10:00:00Z',
  ...more,
})

const bring = (rows: readonly unknown[], source = 'scanner') =>
  bringText(rows.map((row) => JSON.stringify(row)).join('\n'), source)
const bringText = (text: string, source = 'scanner', format: ImportFormat = 'ndjson') =>
  importText(bench, text, source, format)
const list = () => listFindings(bench)
const only = async () => {
  const [first] = await list()
  if (first === undefined) throw new Error('nothing was imported')
  return bench.run<FindingDetail>('get_finding', { id: first.id })
}
const dump = () => dumpTables(bench)

const askAsset = () => bench.run<{ owner?: string; labels?: string[] }>('get_asset', { id: 'repo:a.ts' })

it('a file may begin with a byte order mark, and end its lines as Windows does', async () => {
  const rows = [line(), line({ findingType: 'Größe' })].map((row) => JSON.stringify(row))
  await bringText(rows.join('\n'))
  const before = dump()
  for (const text of [`\ufeff${rows.join('\n')}`, `\ufeff${rows.join('\r\n')}\r\n`]) {
    await bringText(text)
    expect(dump()).toEqual(before)
  }
  const recognized = await recognizeFormat(Readable.from([Buffer.from('\ufeff'), Buffer.from(rows.join('\n'))]))
  expect(recognized.format).toBe('ndjson')
})

describe('an accepted file', () => {
  const busy = () => new AppError('unavailable', 'busy', { reason: 'busy' })
  /** The same store, whose writes fail as long as `fails` says so. */
  const withFaults = (fails: () => boolean): Store => {
    const { store } = bench.context
    const scans = () => store.read((reader) => reader.prepare('SELECT uid FROM scan').all())
    const write: Store['write'] = (work, options) => {
      if (scans().length > 0 && fails()) throw busy()
      return store.write(work, options)
    }
    return new Proxy(store, {
      get: (target, key) => {
        if (key === 'write') return write
        const value: unknown = Reflect.get(target, key)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }
  const importInto = (store: Store) =>
    importFindings(
      streamOf(JSON.stringify(line())),
      { source: 'scanner', format: 'ndjson' },
      { ...bench.context, store },
    )

  it('is stored once the database is no longer busy', async () => {
    let faults = 0
    const result = await importInto(withFaults(() => faults++ < 3))
    expect(result).toMatchObject({ lines: 1, findings: { new: 1 } })
    expect(await list()).toHaveLength(1)
    expect(faults).toBeGreaterThan(3)
  })

  it('is not discarded by its own request, which has not seen that it was accepted', async () => {
    const { store } = bench.context
    const uid = 'accepted-meanwhile'
    const converted = createConverter(new Uint8Array(32))(Buffer.from(JSON.stringify(line())))
    if ('refused' in converted) throw new Error('not converted')
    store.write((writer) => {
      openImportFile(writer, uid, 0)
      addRows(writer, new StagedFile(uid).toRows(converted))
      acceptImportFile(writer, uid)
      const source = {
        uid: 'scanner',
        name: 'scanner',
        type: 'IMPORT',
        config: { type: 'IMPORT' },
        secrets: {},
      } as const
      const sourceId = insertSource(writer, { ...source, nextRunAt: null }, 0)
      const draft = { trigger: 'IMPORT', requestedBy: 'test', configHash: '', detectorsHash: '', seed: 0 } as const
      insertScan(writer, { ...draft, uid, sourceId, sampled: false }, 0)
    })
    discardImport(uid, store)
    const count = () => store.read((reader) => reader.prepare('SELECT count(*) FROM import_finding').pluck().get())
    expect(count()).toBe(1)
    store.write((writer) => writer.prepare(`UPDATE scan SET status = 'CANCELLED'`).run())
    discardImport(uid, store)
    expect(count()).toBe(0)
  })
})

describe('owner and labels of an imported asset', () => {
  const withAsset = (more: object, fingerprint: string) => {
    const { asset, ...rest } = line({ fingerprint })
    return { ...rest, asset: { ...asset, ...more } }
  }

  it('are those of the last line that has them; a line without them changes nothing', async () => {
    await bring([
      withAsset({ owner: 'Ada', labels: ['legal', 'q3'] }, '1'),
      withAsset({}, '2'),
      withAsset({ labels: ['Legal'] }, '3'),
      withAsset({}, '4'),
    ])
    expect(await askAsset()).toMatchObject({ owner: 'Ada', labels: ['Legal'] })
    const before = dump()
    await bring([withAsset({ owner: 'Ada', labels: ['Legal'] }, '1')])
    expect(dump()).toEqual(before)
    await bring([withAsset({ owner: '', labels: [] }, '1')])
    expect(await askAsset()).not.toHaveProperty('owner')
    expect(await askAsset()).not.toHaveProperty('labels')
  })

  it('filter findings and assets in any letter case', async () => {
    await bring([withAsset({ owner: 'Åsa', labels: ['Öffentlich'] }, '1')])
    const count = async (filter: Record<string, unknown>) =>
      (await bench.run<{ items: unknown[] }>('search_findings', filter)).items.length
    expect(await count({ owners: ['åsa'], labels: ['ÖFFENTLICH'] })).toBe(1)
    expect(await count({ labels: ['(none)'] })).toBe(0)
    expect(await count({ assets: ['repo:a.ts'] })).toBe(1)
    expect(await count({ assets: ['REPO:a.ts'] })).toBe(0)
  })

  it.each([
    ['more than 50', Array.from({ length: 51 }, (_, index) => `l${index}`)],
    ['one of more than 100 characters', ['x'.repeat(101)]],
    ['an empty one', ['']],
  ])('refuses labels: %s', async (_, labels) => {
    const error = await errorOf(bring([withAsset({ labels }, '1')]))
    expect(error.facts.issues?.[0]?.path).toMatch(/^line 1\.asset\.labels/)
  })
})

describe('an imported line', () => {
  it('becomes a finding in an asset of a new source', async () => {
    const result = await bring([line({ category: 'MALWARE', confidence: 0.81234, excerpt: 'odd bytes' })])
    expect(result).toMatchObject({ lines: 1, assets: 1, findings: { new: 1, again: 0, resolved: 0 } })
    expect(await only()).toMatchObject({
      detectorType: 'YARA',
      findingType: 'SUSPICIOUS',
      category: 'MALWARE',
      severity: 'HIGH',
      status: 'OPEN',
      confidence: 0.8123,
      excerpt: 'odd bytes',
      firstDetectedAt: '2025-03-01T10:00:00.000Z',
      lastDetectedAt: '2025-03-01T10:00:00.000Z',
      asset: { key: 'repo:a.ts', kind: 'repo.file', name: 'a.ts', url: 'https://code.example/a.ts', container: 'repo' },
      history: [],
    })
    expect(await bench.run('get_source', { id: 'scanner' })).toMatchObject({
      type: 'IMPORT',
      lastCompletedScanAt: '2026-01-05T12:00:00.000Z',
      counts: { assets: 1, findings: 1, openFindings: 1 },
    })
    expect(await bench.run('get_scan', { id: result.scanId })).toMatchObject({ status: 'COMPLETED', trigger: 'IMPORT' })
  })

  it('has defaults for all optional members', async () => {
    await bring([line({ asset: { key: 'k' } })])
    expect(await only()).toMatchObject({
      category: '',
      confidence: 1,
      status: 'OPEN',
      asset: { key: 'k', name: 'k', url: '', container: '' },
    })
  })

  it('may have null instead of absent fields', async () => {
    await bring([line({ asset: { key: 'k', url: null }, resolvedAt: null, category: null, fingerprint: null })])
    expect(await list()).toHaveLength(1)
  })

  describe('with a date in the future', () => {
    const at = (aheadMs: number) => new Date(bench.clock.now + aheadMs).toISOString()
    const DAY = 86_400_000

    it.each<[string, (time: string) => Record<string, unknown>]>([
      ['firstDetectedAt', (firstDetectedAt) => ({ firstDetectedAt })],
      ['firstDetectedAt', (time) => ({ firstDetectedAt: time.replace('Z', '+00:00') })],
      ['resolvedAt', (resolvedAt) => ({ status: 'RESOLVED', resolvedAt })],
    ])('is refused if it is ahead by more than a day: %s', async (member, toMembers) => {
      const error = await errorOf(bring([line(), line(toMembers(at(DAY + 60_000)))]))
      expect(error.facts).toMatchObject({ reason: 'bad_line', issues: [{ path: `line 2.${member}` }] })
      expect(error.message).toContain('more than a day ahead')
      expect(await list()).toEqual([])
      await bring([line(toMembers(at(DAY - 60_000)))])
      expect(await list()).toHaveLength(1)
    })

    it('is also refused in a SARIF log', async () => {
      const log = (time: string) =>
        JSON.stringify({
          version: '2.1.0',
          runs: [{ tool: { driver: { name: 'x' } }, invocations: [{ endTimeUtc: time }], results: [{ ruleId: 'a' }] }],
        })
      const error = await errorOf(bringText(log(at(2 * DAY)), 'scanner', 'sarif'))
      expect(error.facts).toMatchObject({ reason: 'bad_line', issues: [{ path: 'line 1.firstDetectedAt' }] })
      await bringText(log(at(0)), 'scanner', 'sarif')
      expect(await list()).toHaveLength(1)
    })
  })

  it('is resolved from resolvedAt, with its history', async () => {
    await bring([line({ status: 'RESOLVED', resolvedAt: '2025-04-01T00:00:00+02:00' })])
    expect(await only()).toMatchObject({
      status: 'RESOLVED',
      resolvedAt: '2025-03-31T22:00:00.000Z',
      history: [{ at: '2025-03-31T22:00:00.000Z', from: 'OPEN', to: 'RESOLVED', by: 'import' }],
    })
  })

  it.each(['FALSE_POSITIVE', 'IGNORED'])('is %s when it is created', async (status) => {
    await bring([line({ status })])
    expect(await only()).toMatchObject({ status, history: [] })
  })

  it('is without what is masked in another text of the line', async () => {
    const secret = 'tR7kQm2ZpW9xLb4'
    const card = '4539 1488 0343 6467'
    const asset = { key: 'a', name: `Notes ${secret}`, url: `https://code.example/a/${secret.toLowerCase()}` }
    await bring([
      line({ asset: { key: 'b' } }),
      line({ asset, excerpt: `password: ${secret}, then Q${secret}` }),
      line({ asset: { key: `cards/${card}`, name: card, url: `https://code.example/${card.replaceAll(' ', '-')}` } }),
      line({ asset: { key: 'c', name: `api_key = "${secret}X"` }, excerpt: `found x${secret}X here` }),
      line({ asset: { key: 'd' }, excerpt: `${'long '.repeat(195)}password: ${secret} and ${'more '.repeat(40)}` }),
    ])
    const all = contentOf(bench.store) + JSON.stringify(await list())
    expect(all).not.toMatch(/tR7kQ|4539.1488/i)
    expect(all).toContain('https://code.example/a')
  })

  it('is without what a line far away in the file reports', async () => {
    const secret = 'tR7kQm2ZpW9xLb4'
    const asset = { key: `notes/${secret}`, name: `Notes ${secret}`, url: `https://code.example/${secret}` }
    const between = Array.from({ length: 12 }, (_, n) =>
      line({ asset: { key: `b${n}` }, excerpt: 'x'.repeat(100_000) }),
    )
    await bring([
      line({ asset, fingerprint: '1' }),
      line({ asset: { ...asset, owner: 'ada' }, fingerprint: '2' }),
      ...between,
      line({ asset, excerpt: `password: ${secret}`, fingerprint: '3' }),
      ...between,
      line({ asset: { ...asset, owner: 'bob' }, fingerprint: '4' }),
    ])
    expect(contentOf(bench.store) + JSON.stringify(await list())).not.toContain(secret)
    const assets = bench.store.read((reader) => reader.prepare('SELECT count(*) FROM asset').pluck().get())
    expect(assets).toBe(13)
    const { items } = await bench.run<{ items: object[] }>('list_assets', { owners: ['bob'] })
    expect(items).toMatchObject([{ name: 'Notes ********', owner: 'bob' }])
  })

  it('is without what its own texts or an excerpt report, whatever the other files and lines say', async () => {
    const [titled, labelled, excerpted] = ['tR7kQm2ZpW9xLb4', 'ada.tern@lumenwerk.io', 'vB4nXs81KqLw0Zt']
    const own = {
      key: `a/${titled}`,
      name: `DB password is ${titled}`,
      url: `https://code.example/${titled}?to=${labelled}`,
      container: `Keys ${titled}`,
      labels: [`contact: ${labelled}`],
    }
    const told = { key: 'b', name: `Notes ${excerpted}`, container: `Box ${excerpted}`, labels: [`about ${excerpted}`] }
    await bring([
      line({ asset: own }),
      line({ asset: told, excerpt: `password: ${excerpted}`, fingerprint: '1' }),
      line({ asset: { ...told, owner: 'bob' }, fingerprint: '2' }),
    ])
    const stored = contentOf(bench.store) + JSON.stringify(await list())
    expect([titled, labelled, excerpted].filter((value) => stored.includes(value))).toEqual([])
    const { items } = await bench.run<{ items: object[] }>('list_assets', { owners: ['bob'] })
    expect(items).toMatchObject([{ name: 'Notes ********', owner: 'bob' }])
  })

  it('has its excerpt masked like that of a detected finding', async () => {
    const secret = ['glpat', 'a8Kx29QwLmZp03RtYvBn'].join('-')
    await bring([line({ excerpt: `token: ${secret} in use` })])
    expect((await only()).excerpt).not.toContain(secret)
    expect(contentOf(bench.store)).not.toContain(secret)
  })
})

describe('the identity of an imported finding', () => {
  it('consists of asset, types, key, excerpt and first detection when there is no fingerprint', async () => {
    const variants = [
      {},
      { asset: { key: 'other' } },
      { detectorType: 'OTHER' },
      { findingType: 'OTHER' },
      { customDetectorKey: 'other' },
      { excerpt: 'other' },
      { firstDetectedAt: '2025-03-01T10:00:01Z' },
    ]
    await bring([...variants, ...variants].map((variant) => line(variant)))
    expect(await list()).toHaveLength(variants.length)
  })

  it('is the fingerprint when there is one', async () => {
    await bring([line({ fingerprint: 'f1', severity: 'LOW' }), line({ fingerprint: 'f2' })])
    const before = await list()
    await bring([line({ fingerprint: 'f1', severity: 'CRITICAL', excerpt: 'now with text' })])
    const after = await list()
    expect(after.map(({ id }) => id).sort()).toEqual(before.map(({ id }) => id).sort())
    expect(after.map(({ severity }) => severity).sort()).toEqual(['CRITICAL', 'HIGH'])
  })
})

describe('importing again', () => {
  const rows = [
    line(),
    line({ findingType: 'B', status: 'RESOLVED', resolvedAt: '2025-05-01T00:00:00Z' }),
    line({ findingType: 'C', status: 'IGNORED', lastDetectedAt: '2025-06-01T00:00:00Z' }),
    line({ asset: { key: 'x' }, fingerprint: 'f' }),
  ]

  it('never resolves findings that the file does not contain', async () => {
    await bring(rows)
    await bring([line({ findingType: 'Z' })])
    expect((await list()).filter(({ status }) => status === 'OPEN')).toHaveLength(3)
  })

  it('resolves and re-opens findings that the file contains', async () => {
    await bring([line()])
    await bring([line({ status: 'RESOLVED', resolvedAt: '2025-07-01T00:00:00Z' })])
    expect(await only()).toMatchObject({ status: 'RESOLVED', resolvedAt: '2025-07-01T00:00:00.000Z' })
    await bring([line()])
    expect(await only()).toMatchObject({ status: 'OPEN', history: [{ to: 'RESOLVED' }, { to: 'OPEN' }] })
    expect(await only()).not.toHaveProperty('resolvedAt')
  })

  it('keeps the decision of a person', async () => {
    await bring([line()])
    const { id } = await only()
    await bench.run('update_finding', { id, status: 'FALSE_POSITIVE', reason: 'a test file' })
    await bring([line({ severity: 'LOW' })])
    await bring([line({ status: 'RESOLVED', resolvedAt: '2025-12-01T00:00:00Z' })])
    expect(await only()).toMatchObject({ status: 'FALSE_POSITIVE', history: [{ by: 'ada', reason: 'a test file' }] })
  })

  it('corrects when a finding was resolved', async () => {
    await bring([line({ status: 'RESOLVED', resolvedAt: '2025-07-01T00:00:00Z' })])
    await bring([line({ status: 'RESOLVED', resolvedAt: '2025-07-02T00:00:00Z' })])
    expect(await only()).toMatchObject({
      resolvedAt: '2025-07-02T00:00:00.000Z',
      history: [{ at: '2025-07-02T00:00:00.000Z', to: 'RESOLVED' }],
    })
  })
})

describe('an invalid file', () => {
  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown key', { extra: 1 }, 'line 2.extra'],
    ['an unknown key of the asset', { asset: { key: 'k', path: 'p' } }, 'line 2.asset.path'],
    ['no asset', { asset: undefined }, 'line 2.asset'],
    ['a detector type in small letters', { detectorType: 'yara' }, 'line 2.detectorType'],
    ['an unknown severity', { severity: 'SEVERE' }, 'line 2.severity'],
    ['a confidence over 1', { confidence: 1.2 }, 'line 2.confidence'],
    ['a date without a time', { firstDetectedAt: '2025-01-01' }, 'line 2.firstDetectedAt'],
    ['an impossible date', { firstDetectedAt: '2025-02-30T00:00:00Z' }, 'line 2.firstDetectedAt'],
    ['resolved without a time', { status: 'RESOLVED' }, 'line 2.resolvedAt'],
    ['open with resolvedAt', { resolvedAt: '2025-05-01T00:00:00Z' }, 'line 2.resolvedAt'],
    ['resolved before it was found', { status: 'RESOLVED', resolvedAt: '2025-01-01T00:00:00Z' }, 'line 2.resolvedAt'],
    ['last before first', { lastDetectedAt: '2025-01-01T00:00:00Z' }, 'line 2.lastDetectedAt'],
  ])('with %s is refused as a whole, naming the line', async (_name, more, path) => {
    const error = await bring([line(), line(more), line()]).catch((reason: AppError) => reason)
    expect(error).toMatchObject({
      code: 'invalid_input',
      facts: { reason: 'bad_line', facts: { line: 2 }, issues: [{ path }] },
    })
    expect(await list()).toEqual([])
    expect(await bench.run('list_sources')).toMatchObject({ total: 0 })
  })

  it('describes the problem of each field', async () => {
    const error = await bring([{ detectorTipe: 'X', severity: 'HIHG' }]).catch((reason: AppError) => reason)
    const issues = error instanceof AppError ? (error.facts.issues ?? []) : []
    expect(Object.fromEntries(issues.map(({ path, message }) => [path, message]))).toMatchObject({
      'line 1.asset':
        'is missing; give an object {key, kind, name, url, container, owner, labels, contentUpdatedAt, audience, audienceSize}.',
      'line 1.findingType': 'is missing; give a string.',
      'line 1.severity': 'must be one of CRITICAL, HIGH, MEDIUM, LOW, INFO; did you mean HIGH?',
      'line 1.detectorTipe': expect.stringContaining('is not a known key'),
    })
  })

  it('that is not valid UTF-8 is refused', async () => {
    async function* bytes() {
      yield Buffer.from([0x7b, 0xff, 0xfe, 0x7d])
    }
    const work = importFindings(bytes(), { source: 's', format: 'ndjson' }, bench.context)
    await expect(work).rejects.toMatchObject({ code: 'invalid_input' })
  })

  it('an empty file changes nothing', async () => {
    expect(await bringText('\n\n')).toMatchObject({ lines: 0, findings: { new: 0 } })
  })
})

it('an import into a source that is scanned is refused', async () => {
  await createFake(bench)
  await expect(bring([line()], 'FAKE')).rejects.toMatchObject({ code: 'conflict', facts: { reason: 'not_an_import' } })
  await bring([line()])
  await expect(bench.run('start_scan', { id: 'scanner' })).rejects.toMatchObject({
    facts: { reason: 'nothing_to_scan' },
  })
})

it('an accepted file of a dead process is imported by another one', async () => {
  const stop = new AbortController()
  const store = new Proxy(bench.store, {
    get: (target, name) => {
      const value = Reflect.get(target, name)
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value
      return (...args: Parameters<typeof target.write>) => {
        const result = target.write(...args)
        if (target.read((reader) => reader.prepare('SELECT 1 FROM scan').get()) !== undefined) stop.abort()
        return result
      }
    },
  })
  const text = Array.from({ length: 900 }, (_, index) => JSON.stringify(line({ findingType: `T${index}` }))).join('\n')
  const context = { ...bench.context, signal: stop.signal, store }
  const broken = importFindings(streamOf(text), { source: 's', format: 'ndjson' }, context)
  await expect(broken).rejects.toMatchObject({ code: 'unavailable' })
  expect(await bench.run('get_source', { id: 's' })).toMatchObject({ counts: { assets: 0, findings: 0 } })
  const [scan] = (await bench.run<{ items: { id: string }[] }>('list_scans')).items
  bench.queue.start(scan?.id ?? '')
  await bench.queue.settled(scan?.id ?? '')
  expect(await bench.run('get_scan', { id: scan?.id ?? '' })).toMatchObject({
    status: 'COMPLETED',
    progress: { findings: { new: 900 } },
  })
  expect(await bench.run('get_source', { id: 's' })).toMatchObject({ counts: { findings: 900 } })
})

describe('a text that is not well-formed', () => {
  const rows = [
    line({ asset: { key: 'a\ud83d', name: '\ude00' }, excerpt: 'x\ud83d' }),
    line({ asset: { key: 'b\u0000' }, excerpt: `${'a'.repeat(998)}\ud83d\ude00bc` }),
  ]

  it.each(['ndjson', 'sarif'] as const)(
    'is imported with replacements, and stays the same in an export: %s',
    async (format) => {
      await bring(rows)
      const before = await list()
      expect(before.map(({ asset }) => asset.key).sort()).toEqual(['a\ufffd', 'b\ufffd'])
      expect(JSON.stringify(before).isWellFormed()).toBe(true)
      expect(JSON.stringify(before)).not.toMatch(/\\ud|\\u0000/)
      let text = ''
      const write = findingOperations.find(({ name }) => name === 'search_findings')?.files?.[format]
      for await (const chunk of write?.({}, bench.context) ?? []) text += chunk
      await bringText(text, 'scanner', format)
      expect(await list()).toHaveLength(2)
    },
  )
})

it('an import is in the audit trail, a dry run and a refused file are not', async () => {
  const listed = () =>
    bench.store
      .read((reader) => listAuditRows(reader, { kind: 'source', limit: 10 }))
      .map(({ action, name }) => [action, name])
  await importFindings(streamOf(`${JSON.stringify(line())}\n`), { source: 'scanner', dryRun: true }, bench.context)
  await errorOf(importText(bench, '{}\n', 'scanner', 'ndjson'))
  expect(listed()).toEqual([])
  const { scanId } = await importText(bench, `${JSON.stringify(line())}\n`, 'scanner', 'ndjson')
  expect(listed()).toEqual([['import', 'scanner']])
  const [row] = bench.store.read((reader) => listAuditRows(reader, { kind: 'source', limit: 10 }))
  expect(JSON.parse(row?.after ?? '')).toEqual({ scan: scanId, complete: false })
})
