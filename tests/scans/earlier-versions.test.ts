import { hash } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Connector, ConnectorSession, EarlierVersion, Whereabouts } from '../../src/connectors/connector.ts'
import type { Detector, RedactedFinding } from '../../src/detectors/detector.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { createRandom } from '../../src/sample/ids.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { cases } from '../support/long.ts'
import { createTenant, type FakePage, type FakeTenant, fakeConnector, refuse, wordDetector } from './fake-tenant.ts'
import { createFake, openWorkbench, type Workbench } from './workbench.ts'

const HOUR = 3_600_000

/** A tenant that keeps the versions of its pages, and a trash. */
interface KeepingTenant extends FakeTenant {
  versions: Map<string, string[]>
  places: Map<string, Whereabouts>
  archived: Set<string>
  refuses: 'versions' | 'trash' | undefined
  /** Which versions were asked for: the page, and how many were handed out. */
  asked: string[]
  onVersion?: () => void
}

const idOf = (key: string) => key.replace('fake:page:', '')

function keeping(tenant: FakeTenant): KeepingTenant {
  return { ...tenant, versions: new Map(), places: new Map(), archived: new Set(), refuses: undefined, asked: [] }
}

/** The fake connector, with earlier versions and a trash. */
function keepingConnector(tenant: KeepingTenant): Connector {
  const plain = fakeConnector(tenant) as Connector
  const document = (text: string) => ({
    mime: 'text/plain',
    parts: [{ kind: 'text' as const, text, path: 'body' }],
    links: [],
  })
  const open = (options: Parameters<Connector['open']>[0]): ConnectorSession => {
    const session = plain.open(options)
    return {
      ...session,
      async *crawl(request) {
        for await (const batch of session.crawl(request)) {
          const assets = batch.assets.map((draft) => ({
            ...draft,
            presence: tenant.archived.has(idOf(draft.key)) ? ('archived' as const) : ('current' as const),
          }))
          yield { ...batch, assets }
        }
      },
      async *earlierVersions(key, { known = 0, limit }): AsyncGenerator<EarlierVersion> {
        const versions = tenant.versions.get(idOf(key)) ?? []
        tenant.asked.push(idOf(key))
        if (tenant.refuses === 'versions') throw refuse('forbidden')
        for (const [index, text] of versions.entries().toArray().reverse().slice(0, limit)) {
          if (index + 1 <= known) return
          tenant.onVersion?.()
          yield { version: index + 1, document: document(text) }
        }
      },
      locate: async (keys) =>
        new Map(
          keys.flatMap((key) => {
            const place = tenant.refuses === 'trash' ? 'unknown' : tenant.places.get(idOf(key))
            return place === undefined ? [] : [[key, place]]
          }),
        ),
      coverage: () => ({
        kinds: [
          { kind: 'wiki.page', read: true },
          { kind: 'whiteboard', read: false, count: 2, reason: 'not_available' },
        ],
        refused: [],
      }),
    }
  }
  return { ...plain, defaultDetectors: ['SECRETS'], open }
}

const detectKeys: Detect = async (document, { asset }) => {
  const text = document.parts.map((part) => part.text).join('\n')
  const findings = [...text.matchAll(/\bkey:(\w+)/g)].map(
    ([, value]): RedactedFinding => ({
      detectorType: 'SECRETS',
      findingType: 'KEY',
      category: 'SECURITY',
      severity: 'CRITICAL',
      confidence: 0.9,
      location: { path: 'body' },
      excerpt: 'key:****',
      fingerprint: hash('sha256', `${asset.key}|${value}`).slice(0, 12),
    }),
  )
  return { findings, warnings: [], values: [] }
}

function openKeeping(tenant: KeepingTenant, home?: string): Workbench {
  const secrets = { ...wordDetector, type: 'SECRETS', findingTypes: ['KEY'] } as Detector
  return openWorkbench(tenant, {
    ...(home === undefined ? {} : { home }),
    plugins: { connectors: [keepingConnector(tenant)], detectors: [secrets] },
    detect: detectKeys,
    estate: [],
  })
}

/** The findings by the page and value that they stand for, with status and presence. */
const statesOf = ({ store }: Workbench): string[] =>
  store.read((reader) =>
    (
      reader
        .prepare(
          `SELECT a.key, c.status, c.presence FROM finding f JOIN combo c ON c.id = f.combo_id
             JOIN asset a ON a.id = f.asset_id ORDER BY a.key, f.id`,
        )
        .all() as { key: string; status: number; presence: number }[]
    ).map(
      ({ key, status, presence }) =>
        `${idOf(key)} ${status === 0 ? ['current', 'archived', 'history', 'trash', 'unknown'][presence] : 'RESOLVED'}`,
    ),
  )

let tenant: KeepingTenant
let bench: Workbench
const pageOf = (id: string): FakePage => {
  const page = tenant.spaces.flatMap(({ pages }) => pages).find((each) => each.id === id)
  if (page === undefined) throw new Error(`no page ${id}`)
  return page
}
function edit(id: string, body: string): void {
  const page = pageOf(id)
  tenant.versions.set(id, [...(tenant.versions.get(id) ?? []), page.body])
  page.body = body
}
const remove = (id: string) => {
  for (const space of tenant.spaces) space.pages = space.pages.filter((page) => page.id !== id)
}

beforeEach(async () => {
  tenant = keeping(createTenant({ ONE: 12 }, 5))
  pageOf('ONE-1').body = 'a key:alpha here'
  bench = openKeeping(tenant)
  await createFake(bench)
  await bench.scan()
})
afterEach(() => bench.close())

describe('a secret that was edited out of a page', () => {
  it('stays open until no version has it, and is looked for once a day or when the page changes', async () => {
    edit('ONE-1', 'nothing here')
    expect(await bench.scan()).toMatchObject({ status: 'COMPLETED', progress: { findings: { resolved: 0 } } })
    expect(statesOf(bench)).toEqual(['ONE-1 history'])
    await bench.scan()
    expect(tenant.asked).toEqual(['ONE-1'])
    edit('ONE-1', 'another text')
    await bench.scan()
    expect(tenant.asked).toHaveLength(2)
    tenant.versions.set('ONE-1', ['only this'])
    bench.clock.now += 25 * HOUR
    expect(await bench.scan()).toMatchObject({ progress: { findings: { resolved: 1 } } })
    expect(statesOf(bench)).toEqual(['ONE-1 RESOLVED'])
  })

  it('is current again once the page has it again', async () => {
    edit('ONE-1', 'nothing here')
    await bench.scan()
    edit('ONE-1', 'a key:alpha here')
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 current'])
  })

  it('is unknown while the versions are refused, which is a right that was lost', async () => {
    edit('ONE-1', 'nothing here')
    await bench.scan()
    tenant.refuses = 'versions'
    bench.clock.now += 25 * HOUR
    const scan = await bench.scan()
    expect(scan).toMatchObject({ status: 'PARTIAL', reason: 'right_lost', warnings: [{ code: 'not_read' }] })
    expect(statesOf(bench)).toEqual(['ONE-1 unknown'])
    tenant.refuses = undefined
    bench.clock.now += 25 * HOUR
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 history'])
  })

  it('is resolved at once with history off', async () => {
    await bench.run('update_source', { id: 'fake', history: 'off' })
    edit('ONE-1', 'nothing here')
    await bench.scan()
    expect([statesOf(bench), tenant.asked]).toEqual([['ONE-1 RESOLVED'], []])
  })

  it('is open again if it was resolved before earlier versions were read', async () => {
    await bench.run('update_source', { id: 'fake', history: 'off' })
    edit('ONE-1', 'nothing here')
    await bench.scan()
    await bench.run('update_source', { id: 'fake', history: 'all' })
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 history'])
  })
})

describe('a page that is no longer listed', () => {
  it('keeps its secrets while the trash has it, and is resolved when it is purged', async () => {
    remove('ONE-1')
    tenant.places.set('ONE-1', 'trash')
    for (let scans = 0; scans < 3; scans++) {
      await bench.scan()
      expect(statesOf(bench)).toEqual(['ONE-1 trash'])
    }
    tenant.places.delete('ONE-1')
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 RESOLVED'])
  })

  it('is current again when it is restored', async () => {
    const page = pageOf('ONE-1')
    remove('ONE-1')
    tenant.places.set('ONE-1', 'trash')
    await bench.scan()
    await bench.scan()
    tenant.spaces[0]?.pages.push(page)
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 current'])
  })

  it('is current again when it is listed after the trash was refused', async () => {
    const page = pageOf('ONE-1')
    remove('ONE-1')
    tenant.refuses = 'trash'
    await bench.scan()
    tenant.spaces[0]?.pages.push(page)
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 current'])
  })

  it('is kept while the trash is refused', async () => {
    remove('ONE-1')
    tenant.refuses = 'trash'
    for (let scans = 0; scans < 3; scans++) {
      const { warnings } = await bench.scan()
      expect(warnings).toMatchObject([{ code: 'not_read' }])
      expect(statesOf(bench)).toEqual(['ONE-1 unknown'])
    }
    tenant.refuses = undefined
    await bench.scan()
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 RESOLVED'])
  })
})

describe('a page that is archived', () => {
  it('has archived findings, although its text is unchanged', async () => {
    tenant.archived.add('ONE-1')
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 archived'])
    tenant.archived.clear()
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 current'])
  })
})

describe('the history of all items', () => {
  it('is read once, and then only new versions', async () => {
    tenant.versions.set('ONE-2', ['an old key:beta', 'nothing'])
    await bench.run('update_source', { id: 'fake', history: 'all' })
    await bench.scan()
    expect(statesOf(bench)).toEqual(['ONE-1 current', 'ONE-2 history'])
    expect(new Set(tenant.asked).size).toBe(12)
    tenant.asked.length = 0
    await bench.scan()
    expect(tenant.asked).toEqual([])
    edit('ONE-3', 'with key:gamma')
    edit('ONE-3', 'without')
    await bench.scan()
    expect(new Set(tenant.asked)).toEqual(new Set(['ONE-3']))
    expect(statesOf(bench)).toEqual(['ONE-1 current', 'ONE-2 history', 'ONE-3 history'])
  })
})

it('shows what a source reads and what it cannot', async () => {
  expect(await bench.run('get_source', { id: 'fake' })).toMatchObject({
    history: 'vanished',
    coverage: {
      kinds: [
        { kind: 'wiki.page', read: true },
        { kind: 'whiteboard', count: 2 },
      ],
      refused: [],
    },
  })
})

it('is right after random histories with interruptions', async () => {
  for (let seed = 1; seed <= cases(6, 500); seed++) {
    const random = createRandom(seed)
    const below = (count: number) => Math.floor(random() * count)
    await bench.close()
    tenant = keeping(createTenant({ ONE: 6 }, 2))
    bench = openKeeping(tenant)
    await createFake(bench)
    const removed = new Map<string, FakePage>()
    const known = new Set<string>()
    for (let step = 0; step < 30; step++) {
      const id = `ONE-${1 + below(6)}`
      const trashed = removed.get(id)
      const turn = random()
      if (trashed !== undefined) {
        if (turn < 0.3) {
          tenant.spaces[0]?.pages.push(trashed)
          removed.delete(id)
          tenant.places.delete(id)
        } else if (turn < 0.5) tenant.places.delete(id)
      } else if (turn < 0.5) edit(id, below(2) === 0 ? `a key:${'abc'[below(3)]}` : `nothing ${below(9)}`)
      else if (turn < 0.6)
        tenant.versions.set(
          id,
          (tenant.versions.get(id) ?? []).filter(() => below(2) === 0),
        )
      else if (turn < 0.7) {
        removed.set(id, pageOf(id))
        remove(id)
        tenant.places.set(id, 'trash')
      } else if (turn < 0.8) tenant.archived[tenant.archived.has(id) ? 'delete' : 'add'](id)
      if (below(3) > 0) continue
      if (below(3) === 0) {
        let left = 1 + below(4)
        tenant.onVersion = () => {
          if (left-- === 1)
            throw new AppError('unavailable', 'Come back later.', { reason: 'retry_later', retryAfterSeconds: 900 })
        }
        await bench.scan()
        delete tenant.onVersion
      }
      // The second complete scan in a row confirms that a page is gone; a day later all versions are read.
      for (let scans = 0; scans < 2; scans++) {
        bench.clock.now += 25 * HOUR
        await bench.scan()
      }
      const pages = [...(tenant.spaces[0]?.pages ?? [])]
      for (const { id: page, body } of pages)
        if (/key:(\w)/.test(body)) known.add(`${page} ${/key:(\w)/.exec(body)?.[1]}`)
      const expected = [...known].map((name) => {
        const [page = '', value = ''] = name.split(' ')
        const present = pages.find((each) => each.id === page)
        if (present === undefined) return `${page} ${tenant.places.has(page) ? 'trash' : 'RESOLVED'}`
        if (present.body.includes(`key:${value}`))
          return `${page} ${tenant.archived.has(page) ? 'archived' : 'current'}`
        const isEarlier = tenant.versions.get(page)?.some((text) => text.includes(`key:${value}`)) === true
        return `${page} ${isEarlier ? 'history' : 'RESOLVED'}`
      })
      expect([seed, step, statesOf(bench).sort()]).toEqual([seed, step, expected.sort()])
    }
  }
})
