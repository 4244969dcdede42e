import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Store } from '../../src/store/store.ts'

/** The bytes of new databases, by the time at which they were migrated. */
const templates = new Map<number, Buffer>()

/** Opens a new database at `file`. It is a copy of one that was migrated before, which is several times as fast. */
export function openNewStore(file: string, now: () => number): Store {
  // The real time differs from call to call; what is migrated in one minute counts as one time.
  const at = now() - (now() % 60_000)
  const template = templates.get(at) ?? makeTemplate(now)
  templates.set(at, template)
  writeFileSync(file, template, { mode: 0o600 })
  return Store.open(file, { now })
}

function makeTemplate(now: () => number): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'assay-template-'))
  try {
    const file = join(folder, 'assay.db')
    Store.open(file, { now }).close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
