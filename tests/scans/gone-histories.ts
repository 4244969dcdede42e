import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectors } from '../../src/connectors/index.ts'
import type { Detector } from '../../src/detectors/detector.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runDetectors } from '../../src/detectors/runner.ts'
import { toFp } from '../../src/findings/finding-record.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { type WikiPage, WikiTenant } from '../../src/sample/wiki/tenant.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import type { Scan } from '../../src/scans/model.ts'
import type { HistoryMode } from '../../src/sources/model.ts'
import { presenceCodes, statusCodes } from '../../src/store/schema.ts'
import {
  archivePage,
  deleteAttachment,
  deleteComment,
  deletePage,
  deleteVersions,
  editComment,
  editPage,
  movePage,
  purgeAttachment,
  purgePage,
  replaceAttachment,
  restorePage,
} from '../sample/edits.ts'
import { startSampleWiki } from '../sample/servers.ts'
import { createTenant, wordDetector } from './fake-tenant.ts'
import { ReaderModel } from './gone-model.ts'
import { openWorkbench, takeUp, type Workbench } from './workbench.ts'

const HOUR_MS = 3_600_000
const SECRETS = ['key:a', 'key:b', 'key:c', 'key:d']
const MAX_HOLDERS = 8
/** Of at most three assets each, so that not too many vanish at once. */
const MAX_VANISHING = 3
const MAX_REQUESTS_BEFORE_KILL = 12

const keys: Detector = {
  ...(wordDetector as Detector),
  type: 'SECRETS',
  findingTypes: ['KEY'],
  *detect({ parts }) {
    for (const [part, { text }] of parts.entries()) {
      for (const match of text.matchAll(/\bkey:\w+/g)) {
        const end = match.index + match[0].length
        yield { findingType: 'KEY', severity: 'CRITICAL', confidence: 0.9, part, start: match.index, end }
      }
    }
  },
}

const fingerprint = createFingerprinter(new Uint8Array(32).fill(7))
const fpOf = (assetKey: string, secret: string) => toFp(fingerprint(`SECRETS|KEY|${assetKey}|${secret}`))

const detect: Detect = async (document, { asset, now }) =>
  runDetectors(document, { asset, now, fingerprint, detectors: [{ detector: keys, config: {} }] })

const openBench = (home: string): Workbench =>
  openWorkbench(createTenant({}), { home, plugins: { connectors, detectors: [keys] }, detect, estate: [] })

const nameOf = (codes: Readonly<Record<string, number>>, code: number) =>
  Object.keys(codes).find((name) => codes[name] === code) ?? ''

interface FindingSqlRow {
  key: string
  fp: number
  status: number
  presence: number
}

/** Where each finding can be read, or that it is resolved, by asset and fingerprint. */
function listTold({ store }: Workbench): Map<string, string> {
  const rows = store.read((reader) =>
    reader
      .prepare(
        `SELECT a.key, f.fp, c.status, c.presence FROM finding f JOIN asset a ON a.id = f.asset_id
         JOIN combo c ON c.id = f.combo_id`,
      )
      .all(),
  ) as FindingSqlRow[]
  return new Map(
    rows.map(({ key, fp, status, presence }) => [
      `${key} ${fp}`,
      nameOf(statusCodes, status) === 'OPEN' ? nameOf(presenceCodes, presence) : nameOf(statusCodes, status),
    ]),
  )
}

export interface GoneOutcome {
  scans: number
  kills: number
  problems: string[]
}

/** One random history of a wiki, scanned on the way, against what a reader of it can see. */
export async function runGoneHistory(
  seed: number,
  { steps, mode, killed = false }: { steps: number; mode: HistoryMode; killed?: boolean },
): Promise<GoneOutcome> {
  const random = createRandom(`gone ${seed}`)
  const chance = (p: number) => random() < p
  const pick = <T>(items: readonly T[]): T | undefined => items[Math.floor(random() * items.length)]
  let at = Date.UTC(2026, 0, 1)
  const tenant = new WikiTenant({ now: () => ++at })
  tenant.addUser({ accountId: 'account-1', displayName: 'Ana', email: '' })
  const spaceIds = ['ONE', 'TWO'].map((key) => tenant.addSpace({ key, name: key }).id)
  const model = new ReaderModel(tenant, mode)
  const server = await startSampleWiki({ tenant })
  const home = mkdtempSync(join(tmpdir(), 'assay-gone-'))
  let bench = openBench(home)
  const outcome: GoneOutcome = { scans: 0, kills: 0, problems: [] }
  let vanishing = 0
  let log: string[] = []

  const text = () => ['text', ...SECRETS.filter(() => chance(0.3))].join(' ')
  const isListed = ({ status }: WikiPage) => status === 'current' || status === 'archived'
  const holders = (select: (holder: WikiPage) => boolean = isListed) => [...tenant.pages.values()].filter(select)
  const files = (status: string) =>
    [...tenant.attachments.values()].filter((file) => file.status === status && isListed(tenant.getPage(file.pageId)))
  const comments = () => [...tenant.comments.values()].filter(({ pageId }) => isListed(tenant.getPage(pageId)))

  function create(): string | undefined {
    if (tenant.pages.size >= MAX_HOLDERS) return undefined
    const kind = chance(0.6) ? 'page' : 'blogpost'
    const holder = tenant.addPage({
      kind,
      spaceId: pick(spaceIds) ?? '',
      title: `Item ${at}`,
      body: `<p>${text()}</p>`,
    })
    if (chance(0.5)) tenant.addComment(holder.id, { body: `<p>${text()}</p>` })
    if (chance(0.5)) attach(holder)
    return holder.id
  }
  const attach = (holder: WikiPage) =>
    tenant.addAttachment(holder.id, { title: 'a.txt', mediaType: 'text/plain', bytes: Buffer.from(text()) }).id
  /** Does something with one of some items, if there is any. */
  const on = <T extends { id: string }>(items: readonly T[], act: (item: T) => void): string | undefined => {
    const item = pick(items)
    if (item !== undefined) act(item)
    return item?.id
  }
  const remove = <T extends { id: string }>(items: readonly T[], act: (item: T) => void): string | undefined => {
    if (vanishing >= MAX_VANISHING) return undefined
    const done = on(items, act)
    if (done !== undefined) vanishing++
    return done
  }
  const withVersions = () =>
    [...holders(), ...comments(), ...files('current')].filter(({ id }) => (tenant.versions.get(id)?.length ?? 0) > 0)
  const steady: Record<string, () => string | undefined> = {
    create,
    edit: () => on(holders(), ({ id }) => editPage(tenant, id, { body: `<p>${text()}</p>` })),
    'edit again': () => on(holders(), ({ id }) => editPage(tenant, id, { body: `<p>${text()}</p>` })),
    comment: () =>
      on(holders(), ({ id }) =>
        tenant.addComment(id, {
          body: `<p>${text()}</p>`,
          ...(chance(0.3) ? { kind: 'inline', selection: 'text' } : {}),
        }),
      ),
    reply: () =>
      on(
        comments().filter(({ parentId }) => parentId === undefined),
        ({ id, pageId }) => tenant.addComment(pageId, { body: `<p>${text()}</p>`, parentId: id }),
      ),
    'edit comment': () => on(comments(), ({ id }) => editComment(tenant, id, `<p>${text()}</p>`)),
    attach: () => {
      const free = ({ id }: WikiPage) => [...tenant.attachments.values()].every(({ pageId }) => pageId !== id)
      return on(holders(isListed).filter(free), attach)
    },
    'replace file': () => on(files('current'), ({ id }) => replaceAttachment(tenant, id, Buffer.from(text()))),
    'restore file': () =>
      on(files('trashed'), (file) => {
        file.status = 'current'
        tenant.markEdited()
      }),
    'purge file': () => on(files('trashed'), ({ id }) => purgeAttachment(tenant, id)),
    archive: () =>
      on(
        holders(({ kind, status }) => kind === 'page' && status === 'current'),
        ({ id }) => archivePage(tenant, id),
      ),
    restore: () =>
      on(
        holders(({ status }) => status === 'archived'),
        ({ id }) => restorePage(tenant, id),
      ),
    'restore from trash': () =>
      on(
        holders(({ status }) => status === 'trashed'),
        ({ id }) => restorePage(tenant, id),
      ),
    'purge from trash': () =>
      on(
        holders(({ status }) => status === 'trashed'),
        ({ id }) => purgePage(tenant, id),
      ),
    'delete versions': () =>
      on(withVersions(), ({ id }) => {
        const numbers = (tenant.versions.get(id) ?? []).map(({ version }) => version.number)
        deleteVersions(tenant, id, chance(0.4) ? undefined : [pick(numbers) ?? 0])
      }),
    move: () => on(holders(), ({ id }) => movePage(tenant, id, { spaceId: pick(spaceIds) ?? '' })),
    trash: () => remove(holders(), ({ id }) => deletePage(tenant, id)),
    'trash file': () => remove(files('current'), ({ id }) => deleteAttachment(tenant, id)),
    purge: () => remove(chance(0.5) ? holders() : [], ({ id }) => purgePage(tenant, id)),
    'delete comment': () => remove(comments(), ({ id }) => deleteComment(tenant, id)),
  }
  const names = Object.keys(steady)

  function change(): void {
    for (;;) {
      const name = pick(names) ?? ''
      const id = steady[name]?.()
      if (id === undefined) continue
      log.push(`${name} ${id}`)
      return
    }
  }

  /** A scan that is broken off at one of its requests, and goes on in another store. */
  async function scanWithKill(say: (problem: string) => void): Promise<Scan> {
    const { now } = bench.clock
    const before = listTold(bench)
    const due = server.requests.length + 1 + Math.floor(random() * MAX_REQUESTS_BEFORE_KILL)
    let closing: Promise<void> | undefined
    server.faults.push({
      match: () => {
        if (server.requests.length >= due) closing ??= bench.close()
        return false
      },
      respond: { status: 500 },
    })
    const { id } = await bench.run<Scan>('start_scan', { id: 'wiki' })
    await bench.queue.settled(id)
    server.faults.splice(0)
    if (closing === undefined) return await bench.run<Scan>('get_scan', { id })
    outcome.kills++
    await closing
    bench = openBench(home)
    bench.clock.now = now
    compare((problem) => say(`after the kill: ${problem}`), before)
    return await takeUp(bench, id)
  }

  /** `before`: what was said before a scan that is not finished, of which only what it resolved is compared. */
  function compare(say: (problem: string) => void, before?: ReadonlyMap<string, string>): void {
    const stored = listTold(bench)
    const told = new Map(
      [...model.known].flatMap(([key, known]) =>
        [...known.told].map(([secret, is]): [string, string] => [`${key} ${fpOf(key, secret)}`, `${is} ${secret}`]),
      ),
    )
    for (const id of new Set([...stored.keys(), ...told.keys()])) {
      const [is, secret] = told.get(id)?.split(' ') ?? []
      const isLeft = before !== undefined && (stored.get(id) !== 'RESOLVED' || before.get(id) === 'RESOLVED')
      if (!isLeft && stored.get(id) !== is) {
        say(`${id.split(' ')[0]} ${secret}: ${stored.get(id)} in place of ${is}`)
      }
    }
  }

  try {
    const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.url }
    const config = { ...sampleSourceConfigs(urls).wiki.config, detectors: [{ type: 'SECRETS' }] }
    await bench.run('create_source', { name: 'wiki', config, history: mode })
    while (tenant.pages.size < 4) create()
    for (let step = 0; step < steps && outcome.problems.length === 0; ) {
      const until = Math.min(steps, step + 1 + Math.floor(random() * 4))
      for (; step < until; step++) change()
      // Earlier versions are looked at again once a day.
      bench.clock.now += 25 * HOUR_MS
      const say = (problem: string) =>
        outcome.problems.push(`seed ${seed} ${mode} step ${step}: ${problem}; before: ${log.join(', ')}`)
      model.scan()
      const scan = killed && chance(0.4) ? await scanWithKill(say) : await bench.scan('wiki')
      outcome.scans++
      if (scan.status !== 'COMPLETED')
        say(`the scan is ${scan.status} ${scan.reason}: ${JSON.stringify([scan.failures, scan.warnings])}`)
      compare(say)
      vanishing = 0
      if (log.length > 40) log = log.slice(-40)
    }
    return outcome
  } finally {
    await bench.close()
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}
