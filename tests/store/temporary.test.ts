import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { makeHome } from '../support/assay.ts'
import { startEntry } from '../support/entry.ts'

const entry = new URL('temporary-entry.ts', import.meta.url)

it.runIf(process.platform === 'linux')('the temporary files of SQLite are in the data folder', async () => {
  const { home, remove } = makeHome()
  const { ended, output } = await startEntry(entry, [join(home, 'assay.db')])
  expect(await ended).toBe(0)
  const folders = (JSON.parse(output()) as string[]).map(dirname)
  expect([...new Set(folders)]).toEqual([home])
  remove()
})
