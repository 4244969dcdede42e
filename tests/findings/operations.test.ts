import { beforeEach, describe, expect, it } from 'vitest'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import type { RedactedFinding } from '../../src/detectors/detector.ts'
import { saveAsset } from '../../src/findings/assets.store.ts'
import { applyDetection } from '../../src/findings/detected.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import type { Asset, Finding, FindingDetail } from '../../src/findings/model.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { auditOperations } from '../../src/metrics/audit-operations.ts'
import { insertSource } from '../../src/sources/sources.store.ts'
import { caller, NOON, openContext, type TestContext } from '../support/context.ts'
import { safe } from '../support/safe-text.ts'

let context: TestContext
let run: ReturnType<typeof caller>

const finding = (fingerprint: string, more: Partial<RedactedFinding> = {}): RedactedFinding => ({
  detectorType: 'SECRETS',
  findingType: 'AWS_ACCESS_KEY',
  category: 'SECURITY',
  severity: 'HIGH',
  confidence: 0.9,
  location: { path: 'body', line: 3, column: 7 },
  excerpt: 'key = ****',
  fingerprint,
  ...more,
})

/** Stores assets with findings, each at its own time. */
function fill(): void {
  context.store.write((writer) => {
    const draft = { name: 'Wiki', type: 'WIKI', config: { type: 'WIKI' }, secrets: {}, nextRunAt: null }
    const sourceId = insertSource(writer, { ...draft, uid: 'source-1' }, NOON)
    const pages: [string, string, RedactedFinding[]][] = [
      [
        'page:1',
        'Deploy guide',
        [
          finding('000000000001'),
          finding('000000000002', { detectorType: 'PII', findingType: 'EMAIL', severity: 'LOW' }),
        ],
      ],
      [
        'page:2',
        'Sales, EMEA 100%',
        [
          finding('000000000003', {
            confidence: 0.6,
            location: { path: 'body', line: 3, column: 7, heading: 'Old  tills & keys' },
          }),
        ],
      ],
      ['page:3', 'Empty page', []],
    ]
    pages.forEach(([key, name, found], index) => {
      const at = NOON + index * 1000
      FindingLedger.keep(writer, at, (ledger) => {
        const seen = { sourceId, scopeKey: safe('s'), scanId: 1, at, detectorsHash: 'h', scanned: true }
        const assetId = saveAsset(writer, ledger.facets, {
          ...seen,
          draft: {
            key: safe(key),
            kind: 'wiki.page',
            name: safe(name),
            url: safe(`https://wiki.example/${key}`),
            container: safe(index === 1 ? 'Sales, EMEA' : 'Engineering'),
            checksum: safe('c'),
            links: [],
          },
        })
        const types = new Set(['SECRETS', 'PII'])
        const asset = { id: assetId, sourceId, lastScannedAt: null }
        applyDetection(ledger, { asset, found, examinedTypes: types, complete: types, scanId: 1, at })
      })
    })
  })
}

beforeEach(() => {
  context = openContext()
  run = caller(findingOperations, context)
  fill()
})

const search = async (input: object = {}): Promise<Finding[]> => (await run('search_findings', input)).items
const marks = async (input: object) => (await search(input)).map(({ fingerprint }) => Number(fingerprint))

it('a finding says where it is, how to open the place, and what to do about it', async () => {
  const [under, , plain] = await search({ sort: 'newest' })
  expect(await run('get_finding', { id: under?.id })).toMatchObject({
    location: { heading: 'Old  tills & keys' },
    placeUrl: 'https://wiki.example/page:2#Old-tills-&-keys',
    advice: expect.stringContaining('IAM'),
  })
  expect(await run('get_finding', { id: plain?.id })).not.toHaveProperty('placeUrl')
})

describe('order, range and total of search_findings', () => {
  it.each<[object, number[]]>([
    [{ sort: 'newest' }, [3, 2, 1]],
    [{ sort: 'severity' }, [3, 1, 2]],
    [{ sort: 'lastDetectedAt' }, [3, 2, 1]],
    [{ from: '2026-06-15T12:00:01Z' }, [3]],
    [{ to: '2026-06-15T12:00:01Z' }, [2, 1]],
    [{ from: '2026-06-15', to: '2026-06-15' }, [3, 2, 1]],
    [{ exclude: { severities: ['LOW'] }, ranges: { confidence: { min: 0.9 } } }, [1]],
  ])('%j', async (input, expected) => {
    expect(await marks(input)).toEqual(expected)
    const paged: number[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await run('search_findings', { ...input, limit: 1, ...(cursor === undefined ? {} : { cursor }) })
      paged.push(...page.items.map(({ fingerprint }: Finding) => Number(fingerprint)))
      cursor = page.nextCursor
      if (cursor === undefined) break
    }
    expect(paged).toEqual(expected)
  })

  it('counts all matches, and names the source', async () => {
    const page = await run('search_findings', { severities: ['HIGH'], limit: 1, total: true })
    expect(page).toMatchObject({ total: 2, items: [{ source: 'Wiki' }] })
    expect(await run('search_findings', { assetId: 'page:1', limit: 1, total: true })).toMatchObject({ total: 2 })
  })

  it('refuses an inverted range and an invalid date', async () => {
    const inverted = { from: '2026-06-16', to: '2026-06-14' }
    await expect(run('search_findings', inverted)).rejects.toMatchObject({ facts: { issues: [{ path: 'from' }] } })
    await expect(run('search_findings', { from: 'soon' })).rejects.toMatchObject({
      facts: { issues: [{ path: 'from' }] },
    })
  })
})

describe('search_findings', () => {
  it('lists the newest first, with the asset', async () => {
    const [first] = await search()
    expect(await marks({})).toEqual([3, 2, 1])
    expect(first).toMatchObject({
      detectorType: 'SECRETS',
      confidence: 0.6,
      status: 'OPEN',
      location: { path: 'body', line: 3, column: 7 },
      excerpt: 'key = ****',
      firstDetectedAt: '2026-06-15T12:00:01.000Z',
      asset: { key: 'page:2', kind: 'wiki.page', name: 'Sales, EMEA 100%', container: 'Sales, EMEA' },
    })
  })

  it.each<[object, number[]]>([
    [{ detectorTypes: 'SECRETS,PII' }, [3, 2, 1]],
    [{ findingTypes: 'EMAIL,OTHER' }, [2]],
    [{ containers: 'Sales, EMEA' }, [3]],
    [{ containers: 'Engineering,Nowhere' }, [2, 1]],
    [{ sources: ['wiki'] }, [3, 2, 1]],
    [{ search: 'deploy' }, [2, 1]],
    [{ search: 'DEPLOY email' }, [2]],
    [{ search: '100%' }, [3]],
    [{ search: '1%' }, []],
    [{ search: '_' }, [3, 1]],
    [{ assetId: 'page:2' }, [3]],
    [{ limit: 1 }, [3]],
  ])('with %j returns %j', async (input, expected) => {
    expect(await marks(input)).toEqual(expected)
  })

  it.each([{ sort: 'severity' }, { severities: ['HIGH'] }, { search: 'key' }, { total: true }])(
    'continues a list with its own cursor, and refuses that of another filter or order: %j',
    async (other) => {
      const { nextCursor: cursor } = await run('search_findings', { limit: 1 })
      expect(await marks({ cursor, limit: 5 })).toEqual([2, 1])
      const asked = run('search_findings', { ...other, cursor })
      if ('total' in other) expect(await asked).toMatchObject({ total: 3 })
      else await expect(asked).rejects.toThrow('this filter and order')
    },
  )

  it.each(['x', 'W10', Buffer.from('["assets",1]').toString('base64url')])('refuses the cursor %j', async (cursor) => {
    await expect(search({ cursor })).rejects.toMatchObject({ code: 'invalid_input' })
  })
})

describe('update_finding', () => {
  const idOf = async (mark: number) =>
    (await search()).find(({ fingerprint }) => Number(fingerprint) === mark)?.id ?? ''

  it('records caller, time and reason', async () => {
    context.clock.now = NOON + 60_000
    const updated: FindingDetail = await run('update_finding', {
      id: await idOf(1),
      status: 'IGNORED',
      reason: 'a sample',
    })
    expect(updated).toMatchObject({
      status: 'IGNORED',
      history: [{ at: '2026-06-15T12:01:00.000Z', from: 'OPEN', to: 'IGNORED', by: 'local', reason: 'a sample' }],
    })
  })

  it.each(['FALSE_POSITIVE', 'IGNORED'])('requires a reason for %s', async (status) => {
    const id = await idOf(1)
    const missing = { code: 'invalid_input', facts: { issues: [{ path: 'reason' }] } }
    const filters = { detectorTypes: ['SECRETS'] }
    for (const reason of [undefined, '', '   ']) {
      await expect(run('update_finding', { id, status, reason })).rejects.toMatchObject(missing)
      await expect(run('triage_findings', { filters, status, reason })).rejects.toMatchObject(missing)
    }
    expect(await run('get_finding', { id })).toMatchObject({ status: 'OPEN', history: [] })
  })

  it('records interface, program and person in history and audit trail', async () => {
    const id = await idOf(1)
    const asked = { ...context.caller, name: 'ada', id: 'token/1', via: 'mcp' as const, client: 'desk 2.0' }
    const triage = caller(findingOperations, { ...context, caller: asked })
    await triage('update_finding', { id, status: 'IGNORED', reason: 'a sample' })
    await triage('triage_findings', { filters: { detectorTypes: ['SECRETS'] }, status: 'RESOLVED' })
    const who = { via: 'mcp', client: 'desk 2.0' }
    expect((await run('get_finding', { id })).history).toMatchObject([
      { by: 'ada', ...who },
      { by: 'ada', ...who },
    ])
    const { items } = await caller(auditOperations, context)('list_audit', { kind: 'finding' })
    const actor = { actor: 'ada', actorId: 'token/1', ...who, action: 'triage' }
    expect(items).toMatchObject([
      { ...actor, name: '*', after: { status: 'RESOLVED', findings: 2, filters: { detectorTypes: ['SECRETS'] } } },
      { ...actor, name: id, before: { status: 'OPEN' }, after: { status: 'IGNORED', reason: 'a sample' } },
    ])
    expect(context.read(verifyAudit).brokenAt).toBeUndefined()
  })

  it('sets and clears resolvedAt', async () => {
    const id = await idOf(1)
    expect(await run('update_finding', { id, status: 'RESOLVED' })).toMatchObject({
      resolvedAt: '2026-06-15T12:00:00.000Z',
    })
    expect(await run('update_finding', { id, status: 'OPEN' })).not.toHaveProperty('resolvedAt')
  })

  it('does nothing when the status is the same', async () => {
    const id = await idOf(1)
    expect((await run('update_finding', { id, status: 'OPEN', reason: 'again' })).history).toEqual([])
  })

  it.each(['0', '999', 'abc', '1e3', "1' OR 1"])('does not find %j', async (id) => {
    await expect(run('update_finding', { id, status: 'OPEN' })).rejects.toMatchObject({ code: 'not_found' })
    await expect(run('get_finding', { id })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('list_assets', () => {
  const keys = async (input: object = {}) => (await run('list_assets', input)).items.map(({ key }: Asset) => key)

  it.each<[object, string[]]>([
    [{}, ['page:1', 'page:2', 'page:3']],
    [{ detectorTypes: ['SECRETS'] }, ['page:1', 'page:2']],
    [{ containers: ['Engineering'] }, ['page:1', 'page:3']],
    [{ containers: ['Engineering'], severities: ['HIGH'] }, ['page:1']],
    [{ search: 'empty' }, ['page:3']],
    [{ status: 'DELETED' }, []],
    [{ limit: 2 }, ['page:1', 'page:2']],
  ])('with %j returns %j', async (input, expected) => {
    expect(await keys(input)).toEqual(expected)
  })

  it('shows an asset by id and by key', async () => {
    const { items } = await run('list_assets')
    const byKey = await run('get_asset', { id: 'page:1' })
    expect(byKey).toMatchObject({ key: 'page:1', openFindings: 2, links: [], status: 'ACTIVE' })
    expect(await run('get_asset', { id: items[0].id })).toEqual(byKey)
    await expect(run('get_asset', { id: 'page:9' })).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('an unknown source', () => {
  const unknown = (path: string) => ({
    code: 'not_found',
    facts: { reason: 'unknown_source', issues: [{ path }], suggestions: [{ value: 'Wiki', kind: 'source' }] },
  })

  it.each<[string, Record<string, unknown>, string]>([
    ['search_findings', { sources: ['Wikki'] }, 'sources[0]'],
    ['search_findings', { sources: 'Wiki,Wikki' }, 'sources[1]'],
    ['list_assets', { sources: ['Wikki'] }, 'sources[0]'],
    ['preview_triage', { filters: { sources: ['Wikki'] } }, 'filters.sources[0]'],
    [
      'triage_findings',
      { filters: { exclude: { sources: ['Wikki'] } }, status: 'RESOLVED' },
      'filters.exclude.sources[0]',
    ],
  ])('is not found by %s %j', async (name, input, path) => {
    await expect(run(name, input)).rejects.toMatchObject(unknown(path))
  })
})
