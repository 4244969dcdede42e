import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Store } from '../../src/store/store.ts'
import { startEntry } from '../support/entry.ts'
import { isLong } from '../support/long.ts'
import { snapshotOf } from './workbench.ts'

/** After so many listing pages each. */
const KILLED_AFTER = isLong ? [1, 3, 2, 5] : [3, 2]
const entry = new URL('./kill-entry.ts', import.meta.url)

/** Runs the scan in a process of its own, and kills it after so many listing pages; undefined lets it end. */
async function lease(home: string, killAfterPages?: number): Promise<{ pages: string[]; end: unknown }> {
  const { child, ended } = await startEntry(entry, [home])
  const pages: string[] = []
  let end: unknown
  let rest = ''
  child.stdout?.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line.startsWith('page ')) pages.push(line)
      else end = JSON.parse(line)
      if (killAfterPages !== undefined && pages.length >= killAfterPages) child.kill('SIGKILL')
    }
  })
  await ended
  return { pages, end }
}

function contentOf(home: string): unknown[] {
  const store = Store.open(join(home, 'assay.db'), { now: Date.now })
  try {
    expect(store.read((reader) => reader.prepare('PRAGMA integrity_check').get())).toEqual({ integrity_check: 'ok' })
    return snapshotOf(store)
  } finally {
    store.close()
  }
}

it('a scan that is killed repeatedly has the same result as an undisturbed one', async () => {
  const homes = [mkdtempSync(join(tmpdir(), 'assay-kill-')), mkdtempSync(join(tmpdir(), 'assay-kill-'))] as const
  try {
    const calm = await lease(homes[0])
    const pages: string[] = []
    for (const after of KILLED_AFTER) pages.push(...(await lease(homes[1], after)).pages)
    const last = await lease(homes[1])
    expect(last.end).toEqual(calm.end)
    expect(calm.end).toMatchObject({
      done: 'COMPLETED',
      progress: { discovered: 64, scanned: 64, unchanged: 0, findings: { new: 64, again: 0, resolved: 0 } },
    })
    expect(contentOf(homes[1])).toEqual(contentOf(homes[0]))
    // A kill costs the page that was under way and the one that was fetched ahead.
    expect(pages.length + last.pages.length).toBeLessThanOrEqual(calm.pages.length + KILLED_AFTER.length * 2)
  } finally {
    for (const home of homes) rmSync(home, { recursive: true, force: true })
  }
}, 120_000)
