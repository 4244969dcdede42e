import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { type Folder, openFolder } from '../../src/commands/data-folder.ts'
import { loadConfig } from '../../src/config.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { makeEarlierFolder } from '../upgrade/earlier-folder.ts'

const entry = new URL('move-entry.ts', import.meta.url)

export interface Folders {
  /** The folder that is moved, and its database. */
  home: string
  database: string
  /** The folder to which it is moved, and the address of its database. */
  target: string
  to: string
}

export const open = (home: string): Promise<Folder> => openFolder(loadConfig({ home, logLevel: 'silent' }, {}), {})

/** A data folder that version 0.1.0 made, upgraded, with rows in most tables, and an empty folder beside it. */
export async function makeFolders(root: string, more = 0): Promise<Folders> {
  const { home } = makeEarlierFolder(root, more)
  ;(await open(home)).close()
  const target = mkdtempSync(join(root, 'target-'))
  mkdirSync(target, { recursive: true })
  return { home, database: join(home, 'assay.db'), target, to: `sqlite:${join(target, 'assay.db')}` }
}

/** All rows that a move copies, by table: their number, and a digest of them in order. */
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
        const rows = database.prepare(`SELECT * FROM "${name}"`).raw().all() as unknown[][]
        const texts = rows
          .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)))
          .filter((text) => name !== 'install' || !/^\["(?:moving|moved_to)"/.test(text))
          .sort()
        return [name, `${texts.length} ${createHash('sha256').update(texts.join('\n')).digest('hex')}`]
      }),
    )
  } finally {
    database.close()
  }
}

/** Starts a move, kills it after a time, and returns whether it was complete by then. */
export async function moveUntilKilled({ home, to }: Folders, afterMs: number, batch = 5): Promise<boolean> {
  const running = await startEntry(entry, [home, to, String(batch)])
  await untilPrinted(running, 'started')
  await new Promise((resolve) => setTimeout(resolve, afterMs))
  running.child.kill('SIGKILL')
  await running.ended
  return running.output().includes('moved')
}
