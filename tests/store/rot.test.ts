import { closeSync, copyFileSync, mkdtempSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { chainMigratedEntries, verifyAudit } from '../../src/audit/audit-chain.store.ts'
import { listDamagedDefinitions, sealDefinitions } from '../../src/store/digests.store.ts'
import { type FileStore, Store } from '../../src/store/store.ts'
import { openContext } from '../support/context.ts'
import { cases } from '../support/long.ts'
import { filesOf, sqliteOnly } from '../support/new-store.ts'
import { applyFlip, createRandom, listCells } from './flips.ts'

const FLIPS = cases(80, 1_000)
const now = () => Date.UTC(2026, 5, 15)

let folder: string
let sound: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-rot-'))
  sound = join(folder, 'sound.db')
  const store = Store.open(sound, { now })
  sealDefinitions(store)
  chainMigratedEntries(store)
  store.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** What a deep look finds: an error of the engine, or what is not as it was written. */
function isFound(file: string): boolean {
  let store: FileStore | undefined
  try {
    store = Store.open(file, { now })
    if (store.examine('full').integrity !== 'ok') return true
    if (store.read(listDamagedDefinitions).length > 0) return true
    return store.read(verifyAudit).brokenAt !== undefined
  } catch {
    return true
  } finally {
    store?.close()
  }
}

describe('a bit that flips on the disk', () => {
  it('in a definition or the audit trail is found by the deep check', { timeout: 3_600_000 }, () => {
    const bytes = readFileSync(sound)
    const cells = listCells(sound)
    const random = createRandom(7)
    const copy = join(folder, 'copy.db')
    let found = 0
    const missed: string[] = []
    for (let flip = 0; flip < FLIPS; flip++) {
      copyFileSync(sound, copy)
      const place = applyFlip(bytes, cells, random)
      const handle = openSync(copy, 'r+')
      writeSync(handle, Buffer.from([place.value]), 0, 1, place.at)
      closeSync(handle)
      if (isFound(copy)) found += 1
      else missed.push(`${place.table} at ${place.at}`)
      for (const end of ['-wal', '-shm']) rmSync(`${copy}${end}`, { force: true })
    }
    expect(found / FLIPS, missed.join(', ')).toBeGreaterThanOrEqual(0.999)
  })

  it('is never reported for an intact database after any kind of change', async (test) => {
    sqliteOnly('it changes the file behind the store', test)
    expect(isFound(sound)).toBe(false)
    const { store } = openContext()
    sealDefinitions(store)
    expect(store.read(listDamagedDefinitions)).toEqual([])
    store.write((writer) =>
      writer.prepare("UPDATE term SET description = description || ' ' WHERE slug = 'pii-exposure'").run(),
    )
    expect(store.read(listDamagedDefinitions)).toEqual(['term pii-exposure'])
    store.write((writer) => writer.prepare("UPDATE metric_version SET snapshot = '{}' WHERE metric_id = 1").run())
    expect(store.read(listDamagedDefinitions)).toHaveLength(2)
    const database = new Database(filesOf(store).file)
    database.prepare('DELETE FROM placement WHERE metric_id = 2').run()
    database.close()
    expect(store.read(listDamagedDefinitions)).toHaveLength(3)
  })
})
