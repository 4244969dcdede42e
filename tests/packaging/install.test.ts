import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installPackage } from '../support/package.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
let folder: string

const install = (name: string, how: Parameters<typeof installPackage>[1]) => installPackage(join(folder, name), how)

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
  it('runs when its folder and its data folder have spaces and non-Latin letters in their names', () => {
    const main = install('Größe 100 % – 資料', 'whole')
    const home = join(folder, 'Daten für Ümläute #1 ?')
    expect(run(main, ['init'], home)).toMatchObject({ status: 0, stderr: '' })
    expect(run(main, ['query', 'open-findings', '--json'], home)).toMatchObject({ status: 0, stderr: '' })
    const detected = spawnSync(process.execPath, [main, 'detect', '--types', 'PII'], {
      input: '{"id":"1","text":"call +49 30 901820 now"}\n',
      encoding: 'utf8',
    })
    expect(detected.stdout).toContain('"PHONE"')
  })

  it.each([
    ['init', 'without a binary'],
    ['mcp', 'with a damaged binary'],
  ] as const)('says in one sentence that SQLite cannot be loaded: %s %s', (command, how) => {
    const { status, stdout, stderr } = run(install(how, how), [command], join(folder, 'home'))
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(
      /^assay: SQLite cannot be loaded on \w+ \w+; install Assay again with its packages, [^.]*\.\n$/,
    )
  })

  it('shows the same to `assay doctor`', () => {
    const home = join(folder, 'examined')
    run(join(root, 'dist', 'main.js'), ['init'], home)
    const { stdout } = run(install('examined-install', 'without a binary'), ['doctor'], home)
    expect(stdout).toMatch(
      /FAIL {2}database: SQLite cannot be loaded .*\n.*→ Install Assay again: npm install, or npm install -g/,
    )
  })

  it('reports a missing package', () => {
    const { status, stderr } = run(install('no-driver', 'without the driver'), ['init'], folder)
    expect(status).toBe(1)
    expect(stderr).toMatch(/^assay: A package that Assay needs is not installed; install Assay again/)
    expect(stderr).not.toContain(folder)
  })

  it('reports that its data folder cannot be created', () => {
    const main = join(root, 'dist', 'main.js')
    const file = join(folder, 'a-file')
    writeFileSync(file, '')
    const { status, stdout, stderr } = run(main, ['mcp'], join(file, 'home'))
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
    expect(stderr).toMatch(/^assay: The data folder cannot be created; name a .* --home or ASSAY_HOME\.\n$/)
  })
})
