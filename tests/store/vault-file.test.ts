import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readKeyStatus, replaceKey } from '../../src/store/keys/key-rotation.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import { type FileStore, Store } from '../../src/store/store.ts'
import { startEntry } from '../support/entry.ts'
import { isLong } from '../support/long.ts'
import { openNewFile } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

let home: string
let store: FileStore
const open = (env: Record<string, string> = {}) => openVault({ store, home, env, now: Date.now })
const reasonOf = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    return error instanceof Error && 'facts' in error ? (error.facts as { reason?: string }).reason : String(error)
  }
  return 'no error'
}

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-vault-'))
  store = openNewFile(join(home, 'assay.db'), Date.now)
})
afterEach(() => {
  store.close()
  rmSync(home, { recursive: true, force: true })
})

it.skipIf(process.platform === 'win32')(
  'a key in a pipe is refused immediately, and a regular file is accepted',
  () => {
    execFileSync('mkfifo', [join(home, 'pipe')])
    const vault = open({ ASSAY_KEY_FILE: join(home, 'pipe') })
    expect(vault.problem()?.facts.reason).toBe('not_a_file')
    expect(store.examine().integrity).toBe('ok')
  },
)

describe('sealing', () => {
  it('decrypts what it encrypted, also after a restart', () => {
    const sealed = open().seal('source/a/api_token', 'correct horse')
    expect(open().open('source/a/api_token', sealed)).toBe('correct horse')
  })

  it('never encrypts the same text to the same bytes', () => {
    const vault = open()
    expect(vault.seal('a', 'x')).not.toBe(vault.seal('a', 'x'))
  })

  it.each<[string, (sealed: string) => string]>([
    ['another place', (sealed) => sealed],
    [
      'a changed byte',
      (sealed) => sealed.replace(/(.)(\.[^.]*)$/, (_, last, tag) => `${last === '_' ? 'A' : '_'}${tag}`),
    ],
    ['a shortened tag', (sealed) => sealed.slice(0, -12)],
    ['another version', (sealed) => sealed.replace(/^v1/, 'v2')],
    ['an unknown data key', (sealed) => sealed.replace(/^v1\.\d+/, 'v1.99')],
    ['text that was never sealed', () => 'secret'],
  ])('does not decrypt %s', (name, change) => {
    const vault = open()
    const sealed = vault.seal('source/a/api_token', 'correct horse battery')
    const place = name === 'another place' ? 'source/b/api_token' : 'source/a/api_token'
    expect(reasonOf(() => vault.open(place, change(sealed)))).toBe('secret_unreadable')
  })

  it('keeps the fingerprint key for the life of the folder, apart from the key file', () => {
    const key = Buffer.from(open().fingerprintKey())
    expect(Buffer.from(open().fingerprintKey()).equals(key)).toBe(true)
    expect(readFileSync(join(home, 'assay.key'), 'utf8')).not.toContain(key.toString('base64'))
  })
})

describe('the key', () => {
  it('is a file that only its owner can read', () => {
    open()
    expect(statSync(join(home, 'assay.key')).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['hex', Buffer.alloc(32, 7).toString('hex')],
    ['base64', Buffer.alloc(32, 7).toString('base64')],
  ])('comes from ASSAY_KEY as %s, and no file is created', (_, key) => {
    const sealed = open({ ASSAY_KEY: key }).seal('p', 'x')
    expect(open({ ASSAY_KEY: Buffer.alloc(32, 7).toString('hex') }).open('p', sealed)).toBe('x')
    expect(statSync(join(home, 'assay.key'), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('comes from ASSAY_KEY_FILE rather than ASSAY_KEY', () => {
    const file = join(home, 'elsewhere')
    writeFileSync(file, Buffer.alloc(32, 9))
    const sealed = open({ ASSAY_KEY_FILE: file, ASSAY_KEY: Buffer.alloc(32, 7).toString('hex') }).seal('p', 'x')
    expect(open({ ASSAY_KEY: Buffer.alloc(32, 9).toString('hex') }).open('p', sealed)).toBe('x')
  })

  it('is not replaced by a new one while encrypted rows exist', () => {
    open()
    rmSync(join(home, 'assay.key'))
    expect(reasonOf(() => open().seal('p', 'x'))).toBe('key_missing')
    store.write((writer) => writer.prepare("DELETE FROM install WHERE name = 'key_check'").run())
    expect(reasonOf(() => open().seal('p', 'x'))).toBe('key_missing')
    expect(statSync(join(home, 'assay.key'), { throwIfNoEntry: false })).toBeUndefined()
  })

  it('is refused when it is a different one, with the check values of both', () => {
    open()
    writeFileSync(join(home, 'assay.key'), Buffer.alloc(32, 1).toString('base64'))
    const problem = open().problem()
    expect(problem?.facts.reason).toBe('key_mismatch')
    expect(problem?.message).toMatch(/[0-9a-f]{16}.*[0-9a-f]{16}/)
  })

  it.each([['too short'], ['x'.repeat(44)], ['"'.repeat(43)]])('is refused when it is no key: %s', (key) => {
    expect(reasonOf(() => open({ ASSAY_KEY: key }).seal('p', 'x'))).toBe('key_invalid')
  })

  it('is refused when others can read its file', () => {
    open()
    chmodSync(join(home, 'assay.key'), 0o644)
    expect(open().problem()?.facts.reason).toBe('key_exposed')
  })

  it('can be lost without affecting other data', () => {
    open()
    rmSync(join(home, 'assay.key'))
    expect(open().problem()?.code).toBe('unavailable')
    expect(store.read((reader) => reader.prepare('SELECT count(*) AS n FROM source').get())).toEqual({ n: 0 })
  })
})

it('is created once by many processes that start at once', { timeout: 120_000 }, async () => {
  store.close()
  rmSync(home, { recursive: true, force: true })
  home = mkdtempSync(join(tmpdir(), 'assay-vault-'))
  const entry = new URL('./vault-entry.ts', import.meta.url)
  const starts = await Promise.all(Array.from({ length: isLong ? 6 : 3 }, () => startEntry(entry, [home])))
  await Promise.all(starts.map(({ ended }) => ended))
  const keys = starts.map(({ output }) => output().trim())
  expect(new Set(keys).size).toBe(1)
  expect(keys[0]).toMatch(/^[0-9a-f]{64}$/)
  store = Store.open(join(home, 'assay.db'), { now: Date.now })
})

describe('replacing a lost key', () => {
  const place = (env: Record<string, string> = {}) => ({ store, home, env, now: Date.now })
  const addSource = (secrets: object) =>
    store.write((writer) =>
      writer
        .prepare(
          `INSERT INTO source (uid, name, type, config, secrets, created_at, updated_at)
           VALUES ('u', 'wiki', 'WIKI', '{}', @secrets, 0, 0)`,
        )
        .run({ secrets: safe(JSON.stringify(secrets)) }),
    )
  const secretsOf = () => store.read((reader) => reader.prepare('SELECT secrets FROM source').pluck().get())

  it.each<[string, () => void]>([
    ['lost', () => rmSync(join(home, 'assay.key'))],
    ['another', () => writeFileSync(join(home, 'assay.key'), Buffer.alloc(32, 3))],
  ])('deletes the secrets of a key that is %s and encrypts new secrets', (_how, lose) => {
    addSource({ api_token: open().seal('source/u/api_token', 'old') })
    lose()
    expect(open().problem()?.facts.reason).toMatch(/^key_m/)
    const { after, emptied } = replaceKey(place())
    expect(emptied).toBe(1)
    expect(secretsOf()).toBe('{}')
    const vault = open()
    expect([vault.problem(), vault.source().check]).toEqual([undefined, after])
    expect(vault.open('source/u/api_token', vault.seal('source/u/api_token', 'new'))).toBe('new')
    expect(readKeyStatus(place())).toMatchObject({ needs: after, found: after })
  })

  it('keeps a key that exists', () => {
    const sealed = open().seal('source/u/api_token', 'old')
    expect(reasonOf(() => replaceKey(place()))).toBe('key_present')
    expect(open().open('source/u/api_token', sealed)).toBe('old')
  })

  it('is refused with a file that is not a key', () => {
    addSource({ api_token: open().seal('source/u/api_token', 'old') })
    writeFileSync(join(home, 'assay.key'), 'no key at all')
    expect(reasonOf(() => replaceKey(place()))).toBe('key_invalid')
    expect(reasonOf(() => replaceKey(place({ ASSAY_KEY_FILE: join(home, 'nowhere') })))).toBe('key_missing')
    expect(secretsOf()).not.toBe('{}')
  })
})
