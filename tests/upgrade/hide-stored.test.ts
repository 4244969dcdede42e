import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { openFolder } from '../../src/commands/data-folder.ts'
import { loadConfig } from '../../src/config.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import { importFindings } from '../../src/imports/imports.ts'
import { auditOperations } from '../../src/metrics/audit-operations.ts'
import { listDamagedDefinitions } from '../../src/store/digests.store.ts'
import { createTenant } from '../scans/fake-tenant.ts'
import { openWorkbench } from '../scans/workbench.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { isLong } from '../support/long.ts'
import { filesOf } from '../support/new-store.ts'
import { CARD, type EarlierFolder, makeEarlierFolder } from './earlier-folder.ts'

let root: string
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'assay-hidden-'))
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

const KILLS = Number(process.env.ASSAY_KILLS ?? 1)
/** Processes that start at once after the last kill. */
const KEEPERS = isLong ? [1, 2, 3] : [1, 2]
const entry = new URL('open-folder-entry.ts', import.meta.url)
const config = (home: string) => loadConfig({ home }, {})

/** What of the planted texts the files of the database hold, in either case: indexes of texts keep small letters. */
function listLeaks({ home, planted }: EarlierFolder): string[] {
  const files = ['', '-wal'].map((end) => join(home, `assay.db${end}`)).filter(existsSync)
  const bytes = files.map((file) => readFileSync(file, 'latin1').toLowerCase()).join('')
  return [CARD, 'hunter2-is-kept', ...planted.map((token) => token.slice(7))].filter((text) =>
    bytes.includes(text.toLowerCase()),
  )
}

const idQueries = [
  'SELECT id, uid, source_id FROM asset ORDER BY id',
  'SELECT id, asset_id, fp, first_detected_at, value_fp FROM finding ORDER BY id',
  'SELECT id, uid FROM source ORDER BY id',
  'SELECT seq FROM audit WHERE seq <= 29 ORDER BY seq',
  'SELECT id, slug FROM term ORDER BY id',
  'SELECT finding_id, seq, at FROM status_change ORDER BY 1, 2',
]

function readAll({ home }: EarlierFolder, queries: readonly string[]): unknown[] {
  const database = new Database(join(home, 'assay.db'), { readonly: true })
  try {
    return queries.map((query) => database.prepare(query).raw().all())
  } finally {
    database.close()
  }
}

/** Opens the folder as the program does, and gives what it logs. */
async function open({ home }: EarlierFolder): Promise<string> {
  let logged = ''
  const spy = vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    logged += String(text)
    return true
  })
  try {
    const folder = await openFolder(config(home), {})
    folder.close()
  } finally {
    spy.mockRestore()
  }
  return logged
}

const mark = (folder: EarlierFolder) =>
  readAll(folder, ["SELECT value FROM install WHERE name = 'texts_hidden'"]).flat(2).at(0)

it('upgrading an earlier database leaves no credential in files or answers, and does not change ids', async () => {
  const folder = makeEarlierFolder(root)
  const ids = readAll(folder, idQueries)
  expect(listLeaks(folder).length).toBe(folder.planted.length + 2)
  expect(await open(folder)).toMatch(/older backups may still contain them/)
  expect(listLeaks(folder)).toEqual([])
  expect(readAll(folder, idQueries)).toEqual(ids)
  expect(Number(mark(folder))).toBeGreaterThan(1e12)

  const bench = openWorkbench(createTenant({}), {
    home: folder.home,
    extra: [...findingOperations, ...auditOperations],
  })
  try {
    expect(bench.store.read((reader) => verifyAudit(reader))).not.toHaveProperty('brokenAt')
    expect(bench.store.read(listDamagedDefinitions)).toEqual([])
    expect(filesOf(bench.store).examine('full')).toMatchObject({ integrity: 'ok', foreignKeys: 0, differences: [] })
    const answers = JSON.stringify([
      await bench.run('search_findings', { limit: 500 }),
      await bench.run('list_sources'),
      await bench.run('get_scan', { id: 'scan' }),
      await bench.run('list_audit'),
    ])
    for (const text of [CARD, ...folder.planted]) expect(answers).not.toContain(text)
    expect(answers).toContain('Page ********')
  } finally {
    await bench.close()
  }
  // The next start has nothing to do.
  expect(await open(folder)).toBe('')
})

it('importing the earlier file again changes nothing', async () => {
  const folder = makeEarlierFolder(root)
  await open(folder)
  const bench = openWorkbench(createTenant({}), { home: folder.home })
  const look = () =>
    readAll(folder, [
      'SELECT id, uid, key, kind_id, container_id, name, url, owner_id, labels_id FROM asset ORDER BY id',
      'SELECT * FROM finding ORDER BY id',
      'SELECT * FROM combo ORDER BY id',
      'SELECT * FROM status_change ORDER BY 1, 2',
    ])
  try {
    const before = look()
    async function* stream() {
      yield Buffer.from(folder.lines.map((line) => JSON.stringify(line)).join('\n'))
    }
    const result = await importFindings(stream(), { source: 'scanner', format: 'ndjson' }, bench.context)
    expect(result).toMatchObject({ findings: { new: 0, again: folder.lines.length, resolved: 0 } })
    expect(look()).toEqual(before)
  } finally {
    await bench.close()
  }
  const [assets, , combos] = look() as [unknown[][], unknown, unknown[][]]
  expect(new Set(assets.map(([, , key]) => key)).size).toBe(assets.length)
  // Types that are masked alike are one, and its count is that of all.
  expect(combos.map((combo) => combo.at(-1)).filter((n) => n === 12)).toHaveLength(1)
})

it('an upgrade that is killed is completed by the next start', { timeout: 60_000 }, async () => {
  const folder = makeEarlierFolder(root, isLong ? 3000 : 700)
  const ids = readAll(folder, idQueries)
  for (let kill = 0; kill < KILLS; kill++) {
    const running = await startEntry(entry, [folder.home])
    await untilPrinted(running, 'begun')
    await sleep(30 + kill * 45)
    running.child.kill('SIGKILL')
    await running.ended
  }
  const together = await Promise.all(KEEPERS.map(() => startEntry(entry, [folder.home])))
  expect(await Promise.all(together.map(({ ended }) => ended))).toEqual(KEEPERS.map(() => 0))
  expect(listLeaks(folder)).toEqual([])
  expect(readAll(folder, idQueries)).toEqual(ids)
  const { store, close } = await openFolder(config(folder.home), {})
  expect(store.read((reader) => verifyAudit(reader))).not.toHaveProperty('brokenAt')
  close()
})

it('an interrupted compaction is repeated by the next start', async () => {
  const folder = makeEarlierFolder(root)
  await open(folder)
  const database = new Database(join(folder.home, 'assay.db'))
  database.exec("UPDATE install SET value = 'uncompacted' WHERE name = 'texts_hidden'")
  database.close()
  expect(await open(folder)).toMatch(/older backups/)
  expect(Number(mark(folder))).toBeGreaterThan(1e12)
})

it('a trail that was tampered with is still detected after the upgrade', async () => {
  const folder = makeEarlierFolder(root)
  const database = new Database(join(folder.home, 'assay.db'))
  database.exec("INSERT INTO audit_chain (seq, digest) VALUES (1, 'x'), (2, 'y')")
  database.close()
  await open(folder)
  const { store, close } = await openFolder(config(folder.home), {})
  expect(store.read((reader) => verifyAudit(reader)).brokenAt).toBe(1)
  close()
  expect(listLeaks(folder)).toEqual([])
})

it('a new database is marked as upgraded at once, without a warning', async () => {
  const folder = { home: mkdtempSync(join(root, 'new-')), planted: [], lines: [] }
  expect(await open(folder)).toBe('')
  expect(mark(folder)).toBe('0')
})
