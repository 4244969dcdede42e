import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { findMove } from '../../src/store/move/marker.ts'
import { Store } from '../../src/store/store.ts'
import { listRows, makeFolders, makeOriginal, moveUntilKilled } from '../store/moved-folders.ts'

const KILLS = 100
const MAX_DELAY_MS = 250

it('a move that is killed 100 times has every row of the former database once', async () => {
  const root = mkdtempSync(join(tmpdir(), 'assay-move-'))
  const original = await makeOriginal(root, 200)
  const killedAt: Record<string, number> = {}
  let moves = 0
  for (let kills = 0; kills < KILLS; moves++) {
    const folders = makeFolders(root, original)
    const rows = listRows(folders.database)
    for (let isMoved = false; !isMoved; ) {
      isMoved = await moveUntilKilled(folders, kills < KILLS ? Math.random() * MAX_DELAY_MS : 20_000, 3)
      if (!isMoved) kills += 1
      expect(listRows(folders.database)).toEqual(rows)
      const store = Store.open(folders.database, { now: Date.now })
      const state = store.read(findMove)?.name ?? 'not begun'
      store.close()
      if (!isMoved) killedAt[state] = (killedAt[state] ?? 0) + 1
      if (isMoved) expect(state).toBe('moved_to')
    }
    expect(listRows(join(folders.target, 'assay.db'))).toEqual(rows)
  }
  process.stdout.write(`${KILLS} kills in ${moves} moves: ${JSON.stringify(killedAt)}\n`)
  rmSync(root, { recursive: true, force: true })
})
