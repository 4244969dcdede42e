import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { moveDatabase } from '../../src/commands/move.ts'
import { listRows, makeFolders, makeOriginal, moveUntilKilled, open } from '../store/moved-folders.ts'
import { createDatabase, missingPostgres, startPostgres } from '../support/postgres.ts'

const KILLS = 30
const MAX_DELAY_MS = 2_000
const { signal } = new AbortController()

it.skipIf(missingPostgres !== undefined)(
  `a move to PostgreSQL that is killed ${KILLS} times has every row once ${missingPostgres ?? ''}`,
  async () => {
    const server = await startPostgres()
    const root = mkdtempSync(join(tmpdir(), 'assay-move-'))
    const original = await makeOriginal(root, 200)
    let moves = 0
    for (let kills = 0; kills < KILLS; moves++) {
      const database = createDatabase(server)
      const folders = makeFolders(root, original)
      // Tables that a database on a server has not.
      const { sqlite_stat1: _, engine_snapshot: __, sqlite_sequence: ___, ...rows } = listRows(folders.database)
      const killed = { ...folders, to: database.connectionString }
      for (let isMoved = false; !isMoved; ) {
        isMoved = await moveUntilKilled(killed, kills < KILLS ? Math.random() * MAX_DELAY_MS : 60_000, 3)
        if (!isMoved) kills += 1
      }
      const folder = await open(folders.home, { ASSAY_STORE: database.connectionString })
      await moveDatabase(folder, folders.to, { signal, questions: 20 })
      folder.close()
      expect(listRows(join(folders.target, 'assay.db'))).toMatchObject(rows)
      database.drop()
    }
    process.stdout.write(`${KILLS} kills in ${moves} moves\n`)
    rmSync(root, { recursive: true, force: true })
    server.stop()
  },
)
