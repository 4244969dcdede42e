import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const entry = fileURLToPath(new URL('./source-folder-entry.ts', import.meta.url))

it('starts worker threads when it is run from source in another folder', { timeout: 60_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'assay-elsewhere-'))
  try {
    const { stdout, stderr } = spawnSync(process.execPath, [entry], {
      cwd: folder,
      encoding: 'utf8',
    })
    expect([stdout, stderr]).toEqual(['answered\n', ''])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

it('writes no compiled code beside its sources', () => {
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const { status } = spawnSync(process.execPath, [main, '--version'], { encoding: 'utf8' })
  expect(status).toBe(0)
  expect(existsSync(fileURLToPath(new URL('../../src/code-cache', import.meta.url)))).toBe(false)
})
