import { hash } from 'node:crypto'
import { cpSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { openFolder } from '../../src/commands/data-folder.ts'
import { loadConfig } from '../../src/config.ts'
import type { FileStore } from '../../src/store/store.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { fillDatabase } from './filled-database.ts'

const entry = new URL('move-entry.ts', import.meta.url)

export interface Folders {
  /** The folder that is moved, and its database. */
  home: string
  database: string
  /** The folder to which it is moved, and the address of its database. */
  target: string
  to: string
}

export async function open(home: string, env: NodeJS.ProcessEnv = {}) {
  const folder = await openFolder(loadConfig({ home, logLevel: 'silent' }, {}), env)
  return { ...folder, store: folder.store as FileStore }
}

/** A data folder with rows in most tables, of which `more` are further assets with findings. */
export async function makeOriginal(root: string, more = 0): Promise<string> {
  const home = mkdtempSync(join(root, 'home-'))
  ;(await open(home)).close()
  fillDatabase(join(home, 'assay.db'), more)
  return home
}

/** A copy of a data folder, and an empty folder beside it. */
export function makeFolders(root: string, original: string): Folders {
  const home = mkdtempSync(join(root, 'home-'))
  cpSync(original, home, { recursive: true })
  const target = mkdtempSync(join(root, 'target-'))
  return { home, database: join(home, 'assay.db'), target, to: `sqlite:${join(target, 'assay.db')}` }
}

/** All rows that a move copies, by table: their number, and a digest of them in order; without the record of the move. */
export function listRows(file: string): Record<string, string> {
  const database = new Database(file, { readonly: true }).defaultSafeIntegers()
  try {
    const names = database
      .prepare(
        `SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual')
         AND name NOT IN ('sqlite_schema', 'lease') ORDER BY name`,
      )
      .pluck()
      .all() as string[]
    return Object.fromEntries(
      names.map((name) => {
        const rows = database
          .prepare(`SELECT * FROM "${name}" WHERE ${rowsOfMove[name] ?? 'true'}`)
          .raw()
          .all()
        const texts = rows
          .map((row: unknown) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
          .sort()
        return [name, `${texts.length} ${hash('sha256', texts.join('\n'))}`]
      }),
    )
  } finally {
    database.close()
  }
}

const rowsOfMove: Readonly<Record<string, string>> = {
  install: "name NOT IN ('moving', 'moved_to')",
  audit: "kind <> 'database'",
  audit_chain: "seq NOT IN (SELECT seq FROM audit WHERE kind = 'database')",
  sqlite_sequence: "name <> 'audit'",
}

/** Starts a move, kills it after a time, and returns whether it was complete by then. */
export async function moveUntilKilled({ home, to }: Folders, afterMs: number, batch = 5): Promise<boolean> {
  const running = await startEntry(entry, [home, to, String(batch)])
  await untilPrinted(running, 'started')
  await sleep(afterMs)
  running.child.kill('SIGKILL')
  await running.ended
  return running.output().includes('moved')
}

/** Why work was refused: its reason, the error itself where it has none, or nothing where it was done. */
export async function reasonOf(work: () => unknown): Promise<unknown> {
  try {
    await work()
  } catch (error) {
    return (error as { facts?: { reason?: string } }).facts?.reason ?? error
  }
  return undefined
}
