import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createScanThread, type ScanThread } from '../../src/background/scan-thread.ts'
import type { WriteContext } from '../../src/operation/context.ts'
import { call } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import type { Scan } from '../../src/scans/model.ts'
import { scanOperations } from '../../src/scans/operations.ts'
import { sourceOperations } from '../../src/sources/operations.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import type { Store } from '../../src/store/store.ts'
import { editComment, editPage, replaceAttachment } from '../sample/edits.ts'
import { generatedWiki, toGeneratedId } from '../sample/generated-wiki.ts'
import { type SampleWiki, startSampleWiki } from '../sample/servers.ts'
import { contextOf, localPerson } from '../support/context.ts'
import { openNewFile } from '../support/new-store.ts'

/** More than one page of a list. */
const PAGES = 255
const catalogue = [...sourceOperations, ...scanOperations]
const script = new URL('../../dist/background/scan.worker.js', import.meta.url)

let wiki: SampleWiki
let home: string
let store: Store
let thread: ScanThread
let context: WriteContext

const run = async <T>(name: string, input: object): Promise<T> => {
  const operation = catalogue.find((candidate) => candidate.name === name)
  if (operation === undefined) throw new Error(`no operation ${name}`)
  return (await call(operation, input, context)) as T
}

async function scan(): Promise<{ scan: Scan; requests: SampleWiki['requests'] }> {
  const from = wiki.requests.length
  const { id } = await run<Scan>('start_scan', { id: 'wiki' })
  for (;;) {
    const current = await run<Scan>('get_scan', { id, waitSeconds: 60 })
    if (current.finishedAt !== undefined) return { scan: current, requests: wiki.requests.slice(from) }
  }
}

/** The keys of assets that were looked at since an instant, without their tenant. */
const scannedSince = (at: number) =>
  store
    .read(
      (reader) =>
        reader
          .prepare(
            `SELECT key FROM asset WHERE last_scanned_at >= ? AND checksum <> coalesce(
               (SELECT checksum FROM before WHERE before.key = asset.key), '') ORDER BY key`,
          )
          .all(at) as { key: string }[],
    )
    .map(({ key }) => key.split(':').slice(-2).join(':'))

const remember = () =>
  store.write((writer) => {
    writer.prepare('DROP TABLE IF EXISTS before').run()
    writer.prepare('CREATE TABLE before AS SELECT key, checksum FROM asset').run()
  })

beforeAll(async () => {
  wiki = await startSampleWiki({ tenant: generatedWiki({ pages: PAGES, sentences: 4 }) })
  home = mkdtempSync(join(tmpdir(), 'assay-unchanged-'))
  const now = () => Date.now()
  store = openNewFile(join(home, 'assay.db'), now)
  const vault = openVault({ store, home, env: {}, now })
  thread = createScanThread({
    store,
    home,
    env: {},
    log: silentLog,
    logLevel: 'silent',
    writeLine: () => {},
    now,
    script,
  })
  context = contextOf({ store, now, caller: localPerson, vault, scans: thread })
  const { config } = sampleSourceConfigs({ wikiUrl: wiki.url, biUrl: wiki.url, authorityUrl: wiki.url }).wiki
  const detectors = [{ type: 'SECRETS', enabled: true }]
  await run('create_source', { name: 'wiki', config: { ...config, detectors } })
  const first = await scan()
  expect(first.scan).toMatchObject({ status: 'COMPLETED', failures: [] })
  remember()
}, 240_000)
afterAll(async () => {
  await thread.close()
  await wiki.close()
  store.close()
  rmSync(home, { recursive: true, force: true })
})

const carriesBodies = ({ url }: { url: string }) => /[?&]body-format=/.test(url)
const isDownload = ({ server, path }: { server: string; path: string }) =>
  server === 'media' || path.endsWith('/download')
const isReplyList = ({ path }: { path: string }) => path.endsWith('/children')

describe(`a second scan of ${PAGES} pages`, () => {
  it('without changes fetches no body and no attachment, in at most 20 requests', async () => {
    const { scan: second, requests } = await scan()
    expect(second).toMatchObject({ status: 'COMPLETED', failures: [], progress: { scanned: 0 } })
    expect(second.progress.unchanged).toBe(second.progress.discovered)
    expect(second.progress.findings).toMatchObject({ new: 0, resolved: 0 })
    expect(requests.filter(carriesBodies)).toEqual([])
    expect(requests.filter(isDownload)).toEqual([])
    expect(requests.filter((request) => !isReplyList(request)).length).toBeLessThanOrEqual(20)
  }, 120_000)

  it('after edits of one page, one comment and one attachment changes exactly those', async () => {
    const { tenant } = wiki
    const [page, commented, attached] = [toGeneratedId(5), toGeneratedId(9), toGeneratedId(19)]
    const comment = tenant.comments
      .values()
      .find(({ pageId, parentId }) => pageId === commented && parentId === undefined)
    const attachment = tenant.attachments.values().find(({ pageId }) => pageId === attached)
    if (comment === undefined || attachment === undefined) throw new Error('the generated wiki has changed')
    editPage(tenant, page, { body: '<p>A new text.</p>' })
    editComment(tenant, comment.id, '<p>A new word.</p>')
    replaceAttachment(tenant, attachment.id, Buffer.from('new bytes'))
    const at = Date.now()
    const { scan: third, requests } = await scan()
    expect(third).toMatchObject({ status: 'COMPLETED', failures: [], progress: { scanned: 3 } })
    expect(scannedSince(at).map((key) => key.replace(/:\d.*$|:att.*$/, ''))).toEqual(['attachment', 'comments', 'page'])
    expect(requests.filter(isDownload).filter(({ server }) => server === 'media')).toHaveLength(1)
  }, 120_000)
})
