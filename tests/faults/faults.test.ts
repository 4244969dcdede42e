import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Store } from '../../src/store/store.ts'
import { openLastingCommandLine } from '../cli/command-line.ts'
import { mainFile, makeHome, runAssay, spawnAssay } from '../support/assay.ts'
import { cases } from '../support/long.ts'
import { readTitles } from '../support/titles.ts'
import { faults } from './faults.ts'

const root = new URL('../../', import.meta.url)
const KILLS = cases(1, 100)
const TERMS = 150

describe('the table of faults', () => {
  it.each(faults)('names existing tests for: $fault', ({ tests }) => {
    expect(tests).not.toEqual({})
    for (const [file, titles] of Object.entries(tests)) {
      const path = fileURLToPath(new URL(`tests/${file}`, root))
      expect(existsSync(path), file).toBe(true)
      if (file.endsWith('.test.ts')) expect([...readTitles(path)]).toEqual(expect.arrayContaining([...titles]))
    }
  })
})

it('apply changes all or nothing when it is killed at any moment', { timeout: 600_000 }, async () => {
  const { home, remove } = makeHome()
  onTestFinished(remove)
  const dir = join(home, 'definitions')
  mkdirSync(join(dir, 'glossary'), { recursive: true })
  for (let index = 0; index < TERMS; index++) {
    const text = `slug: term-${index}\ndisplayName: Term ${index}\nfilterMapping:\n  severities: [HIGH]\n`
    writeFileSync(join(dir, 'glossary', `${index}.yaml`), text)
  }
  const { run } = openLastingCommandLine({}, { home })
  expect((await run(['init'])).code).toBe(0)
  const open = () => Store.open(join(home, 'assay.db'), { now: () => Date.now() })
  const look = () => {
    const store = open()
    try {
      const count = store.read((reader) =>
        reader.prepare("SELECT count(*) FROM term WHERE slug LIKE 'term-%'").pluck().get(),
      )
      return { count, ...store.examine() }
    } finally {
      store.close()
    }
  }
  const startedAt = performance.now()
  expect((await runAssay(['apply', '--dir', dir], { home })).code).toBe(0)
  const wholeMs = performance.now() - startedAt
  for (let kill = 0; kill < KILLS; kill++) {
    const store = open()
    store.write((writer) => writer.prepare("DELETE FROM term WHERE slug LIKE 'term-%'").run())
    store.close()
    const child = spawnAssay(['apply', '--dir', dir, '--force'], { home })
    const ended = once(child, 'close')
    await Promise.race([sleep((wholeMs * (kill + 1)) / (KILLS + 1)), ended])
    child.kill('SIGKILL')
    await ended
    const { count, integrity, foreignKeys } = look()
    expect([0, TERMS]).toContain(count)
    expect([integrity, foreignKeys]).toEqual(['ok', 0])
  }
  expect((await run(['apply', '--dir', dir, '--force'])).code).toBe(0)
  expect(look().count).toBe(TERMS)
})

/** Somebody who may read the program, and owns nothing. */
const NOBODY = 65_534
const asNobody = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
const canRun = spawnSync(process.execPath, [mainFile, '--version'], asNobody).status === 0

it.skipIf(process.platform === 'win32' || !canRun)(
  'a folder that cannot be written to is reported and not changed',
  async () => {
    const home = mkdtempSync(join(tmpdir(), 'assay-read-only-'))
    onTestFinished(() => {
      chmodSync(home, 0o755)
      rmSync(home, { recursive: true, force: true })
    })
    expect((await openLastingCommandLine({}, { home }).run(['init'])).code).toBe(0)
    rmSync(join(home, 'logs'), { recursive: true, force: true })
    for (const name of readdirSync(home)) chmodSync(join(home, name), 0o444)
    chmodSync(home, 0o555)
    const before = readdirSync(home)
    for (const args of [
      ['query', 'total-findings'],
      ['token', 'create', '--scope', 'read'],
      ['serve', '--port', '0'],
    ]) {
      const env = { ...process.env, ASSAY_HOME: home, HOME: tmpdir() }
      const { status, stdout, stderr } = spawnSync(process.execPath, [mainFile, ...args], {
        ...asNobody,
        env,
        encoding: 'utf8',
        timeout: 20_000,
      })
      expect([args[0], status, stdout]).toEqual([args[0], 1, ''])
      expect(stderr).toMatch(/cannot be written to/)
      expect(stderr.trim().split('\n')).toHaveLength(1)
    }
    expect(readdirSync(home)).toEqual(before)
  },
  60_000,
)
