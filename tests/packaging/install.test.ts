import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../', import.meta.url))
const shipped = ['dist', 'migrations', 'schemas', 'package.json']
let folder: string

/** The package as it would be installed, in a folder of its own. */
function install(name: string, how: 'whole' | 'without native code' | 'without the driver'): string {
  const target = join(folder, name)
  for (const part of shipped) cpSync(join(root, part), join(target, part), { recursive: true })
  const modules = ['libphonenumber-js', 'bindings', 'file-uri-to-path', ...(how === 'whole' ? ['better-sqlite3'] : [])]
  mkdirSync(join(target, 'node_modules'))
  for (const module of modules) symlinkSync(join(root, 'node_modules', module), join(target, 'node_modules', module))
  if (how === 'without native code') {
    for (const part of ['lib', 'package.json']) {
      const path = join('node_modules', 'better-sqlite3', part)
      mkdirSync(dirname(join(target, path)), { recursive: true })
      cpSync(join(root, path), join(target, path), { recursive: true })
    }
    // As an install without scripts leaves it, wherever the driver looks for what it loads.
    rmSync(join(target, 'node_modules', 'bindings'))
    cpSync(join(root, 'node_modules', 'bindings'), join(target, 'node_modules', 'bindings'), { recursive: true })
  }
  return join(target, 'dist', 'main.js')
}

function run(main: string, args: readonly string[], home: string) {
  const env = { ...process.env, ASSAY_HOME: home, HOME: home }
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], { env, encoding: 'utf8' })
  return { status, stdout, stderr }
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-install-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('an installed assay', () => {
  it('runs from a folder and on a data folder with spaces and letters of other scripts in their names', () => {
    const main = install('Größe 100 % – 資料', 'whole')
    const home = join(folder, 'Daten für Ümläute #1 ?')
    expect(run(main, ['query', 'open-findings', '--json'], home)).toMatchObject({ status: 0, stderr: '' })
    const detected = spawnSync(process.execPath, [main, 'detect', '--types', 'PII'], {
      input: '{"id":"1","text":"call +49 30 901820 now"}\n',
      encoding: 'utf8',
    })
    expect(detected.stdout).toContain('"PHONE"')
  })

  it.each([['query', 'open-findings'], ['mcp']])(
    'says what to run when the native module is missing: %s',
    (...args) => {
      const main = install(`no-native-${args.length}`, 'without native code')
      const { status, stdout, stderr } = run(main, args, join(folder, 'home'))
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toMatch(/^assay: The native SQLite module is missing; run `npm rebuild better-sqlite3[^`]*`/)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    },
  )

  it('says so when a package is missing', () => {
    const { status, stderr } = run(install('no-driver', 'without the driver'), ['query', 'open-findings'], folder)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^assay: A package that assay needs is not installed; install assay again/)
    expect(stderr).not.toContain(folder)
  })

  it('says so when its data folder cannot be made', () => {
    const main = join(root, 'dist', 'main.js')
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const { status, stdout, stderr } = run(main, ['mcp'], join(file, 'home'))
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^assay: The data folder cannot be made; name one .* --home or ASSAY_HOME\.\n$/)
  })
})
