import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { expect, it } from 'vitest'

const loader = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
const entry = fileURLToPath(new URL('./source-folder-entry.ts', import.meta.url))

it('starts worker threads when it is run from source in another folder', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-elsewhere-'))
  try {
    // What the checks have compiled before is kept in the system's own temporary folder.
    const { TMPDIR: _, ...env } = process.env
    const { stdout, stderr } = spawnSync(process.execPath, ['--import', loader, entry], {
      cwd: folder,
      encoding: 'utf8',
      env,
    })
    expect([stdout, stderr]).toEqual(['answered\n', ''])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
