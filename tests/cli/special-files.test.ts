import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runAssay } from '../support/assay.ts'

let folder: string
let pipe: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-special-'))
  pipe = join(folder, 'pipe')
  if (process.platform !== 'win32') execFileSync('mkfifo', [pipe])
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Nobody writes to the pipe: whoever opens it to read waits for ever. */
const inputs: [string, (input: string, home: string) => string[]][] = [
  ['a text to examine', (input) => ['detect', '--file', input]],
  ['a file to import', (input) => ['import', input, '--source', 'scanner']],
  ['a backup', (input) => ['restore', input]],
  [
    'a definition',
    (input, home) => {
      mkdirSync(join(home, 'definitions', 'glossary'), { recursive: true })
      symlinkSync(input, join(home, 'definitions', 'glossary', 'a.yaml'))
      return ['validate', '--dir', join(home, 'definitions')]
    },
  ],
  [
    'the settings',
    (input, home) => {
      symlinkSync(input, join(home, 'config.json'))
      return ['call', '--list']
    },
  ],
]

describe.skipIf(process.platform === 'win32')('a path that is not a regular file', () => {
  it.each(inputs)(
    'is refused immediately as %s',
    async (name, toCall) => {
      for (const input of name === 'a backup' ? [pipe, '/dev/zero', folder] : [pipe]) {
        const home = mkdtempSync(join(folder, 'home-'))
        const args = toCall(input, home)
        const { code, stdout, stderr } = await runAssay(args, { home })
        expect([input, code]).toEqual([input, 1])
        expect(stdout + stderr).toMatch(/not a regular file/)
      }
    },
    15_000,
  )
})

it('unreadable settings are an error and are not treated as absent', async () => {
  if (process.getuid?.() === 0) return
  const home = mkdtempSync(join(folder, 'home-'))
  writeFileSync(join(home, 'config.json'), '{"lockdown": true}', { mode: 0 })
  const { code, stderr } = await runAssay(['call', '--list'], { home })
  expect(code).toBe(1)
  expect(stderr).toContain('cannot be read')
})
