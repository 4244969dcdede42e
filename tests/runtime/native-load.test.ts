import { describe, expect, it } from 'vitest'
import { startEntry } from '../support/entry.ts'
import { isLong } from '../support/long.ts'

const entry = new URL('native-load-entry.ts', import.meta.url)
/** Each three times. */
const THREADS = isLong ? 3000 : 60
const PROCESSES = isLong ? 300 : 5

describe('a process whose threads load the driver of SQLite', () => {
  it('is not aborted when threads are terminated then', async () => {
    const { ended } = await startEntry(entry, ['threads', String(THREADS)])
    expect(await ended).toBe(0)
  })

  it('is not aborted when it ends then', async () => {
    for (let count = 0; count < PROCESSES; count++) {
      const { ended } = await startEntry(entry, ['process'])
      expect(await ended).toBe(0)
    }
  })
})
