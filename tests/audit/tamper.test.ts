import { createCipheriv, randomBytes, randomInt } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { backUp } from '../../src/store/backup.ts'
import { backUpKey, finishRotation, readKeyStatus, rotateKey } from '../../src/store/keys/key-rotation.ts'
import { type KeyedVault, openVault } from '../../src/store/keys/vault-file.ts'
import { Store } from '../../src/store/store.ts'
import { startEntry, untilPrinted } from '../support/entry.ts'
import { cases } from '../support/long.ts'
import { safe } from '../support/safe-text.ts'

const TRIES = 100
const KILLS = cases(5, 50)
const now = () => Date.now()
const PLACE = 'source/one/api_token'
const SECRET = 'correct horse battery staple'

let home: string
let store: Store
let vault: KeyedVault
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), 'assay-tamper-'))
  store = Store.open(join(home, 'assay.db'), { now })
  vault = openVault({ store, home, env: {}, now })
})
afterAll(() => {
  store.close()
  rmSync(home, { recursive: true, force: true })
})

const flip = (bytes: Buffer) => {
  const changed = Buffer.from(bytes)
  const at = randomInt(changed.length)
  changed.writeUInt8(changed.readUInt8(at) ^ (1 << randomInt(8)), at)
  return changed
}
const toText = (bytes: Buffer) => bytes.toString('base64url')
const partsOf = (sealed: string) => sealed.split('.')
const withPart = (sealed: string, index: number, change: (bytes: Buffer) => Buffer) =>
  partsOf(sealed)
    .map((part, at) => (at === index ? toText(change(Buffer.from(part, 'base64url'))) : part))
    .join('.')

const [VERSION_AT, KEY_AT, IV_AT, TEXT_AT, TAG_AT] = [0, 1, 2, 3, 4]
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

type Tampering = (sealed: string, other: string) => { text: string; place?: string }

const classes: [string, Tampering][] = [
  ['another source', (text) => ({ text, place: `source/${randomInt(1e6)}/api_token` })],
  ['another field', (text) => ({ text, place: `source/one/${randomInt(1e6)}` })],
  ['a flipped bit of the text', (sealed) => ({ text: withPart(sealed, TEXT_AT, flip) })],
  ['a flipped bit of the tag', (sealed) => ({ text: withPart(sealed, TAG_AT, flip) })],
  ['a flipped bit of the nonce', (sealed) => ({ text: withPart(sealed, IV_AT, flip) })],
  ['a shortened tag', (sealed) => ({ text: withPart(sealed, TAG_AT, (tag) => tag.subarray(0, randomInt(16))) })],
  [
    'a shortened text',
    (sealed) => ({ text: withPart(sealed, TEXT_AT, (text) => text.subarray(0, randomInt(text.length))) }),
  ],
  [
    'the tag of another text',
    (sealed, other) => ({ text: [...partsOf(sealed).slice(0, TAG_AT), partsOf(other)[TAG_AT]].join('.') }),
  ],
  [
    'the text of another with its own tag',
    (sealed, other) => ({
      text: partsOf(sealed)
        .map((part, at) => (at === TEXT_AT ? partsOf(other)[TEXT_AT] : part))
        .join('.'),
    }),
  ],
  [
    'another spelling of the key number or the version',
    (sealed) => {
      const spelled = [
        ['v2', '1'],
        ['V1', '1'],
        ['v1', '01'],
        ['v1', '1e0'],
        ['v1', '+1'],
        ['v1', ' 1'],
        ['v1', '0'],
        ['v1', '99'],
        ['v1', '2'],
      ]
      const [version = '', key = ''] = spelled[randomInt(spelled.length)] ?? []
      return {
        text: partsOf(sealed)
          .map((part, at) => (at === VERSION_AT ? version : at === KEY_AT ? key : part))
          .join('.'),
      }
    },
  ],
  [
    'spare bits at the end of a part',
    (sealed) => {
      const tag = partsOf(sealed)[TAG_AT] ?? ''
      const last = alphabet.indexOf(tag.slice(-1))
      const spelling = alphabet[last ^ (1 + randomInt(15))] ?? ''
      return { text: [...partsOf(sealed).slice(0, TAG_AT), `${tag.slice(0, -1)}${spelling}`].join('.') }
    },
  ],
  [
    'a text encrypted with a foreign key',
    () => {
      const iv = randomBytes(12)
      const cipher = createCipheriv('aes-256-gcm', randomBytes(32), iv, { authTagLength: 16 })
      const text = Buffer.concat([cipher.update('mine'), cipher.final()])
      return { text: ['v1', '1', toText(iv), toText(text), toText(cipher.getAuthTag())].join('.') }
    },
  ],
]

describe('a sealed secret that was tampered with', () => {
  it.each(classes)('is never decrypted: %s', (_, tamper) => {
    let accepted = 0
    for (let round = 0; round < TRIES; round++) {
      const sealed = vault.seal(PLACE, SECRET)
      expect(vault.open(PLACE, sealed)).toBe(SECRET)
      const { text, place = PLACE } = tamper(sealed, vault.seal(PLACE, 'another secret of some length'))
      try {
        vault.open(place, text)
        accepted += 1
      } catch (error) {
        expect(error).toBeInstanceOf(AppError)
        expect((error as AppError).facts.reason).toBe('secret_unreadable')
      }
    }
    expect(accepted).toBe(0)
  })
})

describe('the encryption key', () => {
  const entry = new URL('../store/rotate-entry.ts', import.meta.url)

  function makeFolder(): { folder: string; close: () => void } {
    const folder = mkdtempSync(join(tmpdir(), 'assay-rotate-'))
    const own = Store.open(join(folder, 'assay.db'), { now })
    const keyed = openVault({ store: own, home: folder, env: {}, now })
    own.write((writer) =>
      writer
        .prepare(
          "INSERT INTO source (uid, name, type, config, secrets, created_at, updated_at) VALUES ('one', 'One', 'WIKI', '{}', ?, 0, 0)",
        )
        .run(safe(JSON.stringify({ api_token: keyed.seal(PLACE, SECRET) }))),
    )
    own.close()
    return { folder, close: () => rmSync(folder, { recursive: true, force: true }) }
  }

  function readSecret(folder: string, env: Record<string, string> = {}): string {
    const own = Store.open(join(folder, 'assay.db'), { now })
    try {
      const row = own.read((reader) => reader.prepare('SELECT secrets FROM source').get()) as { secrets: string }
      return openVault({ store: own, home: folder, env, now }).open(PLACE, JSON.parse(row.secrets).api_token)
    } finally {
      own.close()
    }
  }

  it('rotation re-encrypts every secret, keeps the old key for old backups, and takes effect in running processes', () => {
    const { folder, close } = makeFolder()
    const backup = backUp(join(folder, 'assay.db'), join(folder, 'copy.db'))
    const own = Store.open(join(folder, 'assay.db'), { now })
    const open = openVault({ store: own, home: folder, env: {}, now })
    const before = own.read((reader) => reader.prepare('SELECT secrets FROM source').get())
    const rotation = rotateKey({ store: own, home: folder, env: {}, now })
    expect(rotation).toMatchObject({ resealed: 1, unreadable: 0, retired: `assay.key.${rotation.before}` })
    const after = own.read((reader) => reader.prepare('SELECT secrets FROM source').get()) as { secrets: string }
    expect(after).not.toEqual(before)
    expect(open.open(PLACE, JSON.parse(after.secrets).api_token)).toBe(SECRET)
    own.close()
    expect(readSecret(folder)).toBe(SECRET)
    writeFileSync(join(folder, 'assay.db'), readFileSync(backup.file))
    for (const end of ['-wal', '-shm']) rmSync(join(folder, `assay.db${end}`), { force: true })
    expect(readSecret(folder)).toBe(SECRET)
    close()
  })

  it('a killed rotation leaves a key that decrypts everything, and can be completed', {
    timeout: 120_000,
  }, async () => {
    const { folder, close } = makeFolder()
    for (let kill = 0; kill < KILLS; kill++) {
      const running = await startEntry(entry, [folder])
      await untilPrinted(running, 'started')
      await sleep(Math.random() * 20)
      running.child.kill('SIGKILL')
      await running.ended
      expect(readSecret(folder)).toBe(SECRET)
    }
    const own = Store.open(join(folder, 'assay.db'), { now })
    finishRotation({ store: own, home: folder })
    expect(readKeyStatus({ store: own, home: folder, env: {}, now }).problem).toBeUndefined()
    own.close()
    expect(readdirSync(folder)).toContain('assay.key')
    close()
  })

  it('rotation keeps the current key in place until the database is updated', () => {
    const { folder, close } = makeFolder()
    const present = readFileSync(join(folder, 'assay.key'), 'utf8')
    const own = Store.open(join(folder, 'assay.db'), { now })
    writeFileSync(join(folder, 'assay.key.next'), Buffer.alloc(32, 3).toString('base64'), { mode: 0o600 })
    expect(finishRotation({ store: own, home: folder })).toBeUndefined()
    expect(readFileSync(join(folder, 'assay.key'), 'utf8')).toBe(present)
    own.close()
    close()
  })

  it('rotation of a key from the environment writes a key file that decrypts everything', () => {
    const folder = mkdtempSync(join(tmpdir(), 'assay-rotate-'))
    const env = { ASSAY_KEY: Buffer.alloc(32, 5).toString('base64') }
    const own = Store.open(join(folder, 'assay.db'), { now })
    const sealed = openVault({ store: own, home: folder, env, now }).seal(PLACE, SECRET)
    const place = { store: own, home: folder, env, now }
    expect(() => rotateKey(place)).toThrow(/--to/)
    rotateKey(place, join(folder, 'new.key'))
    const later = { ASSAY_KEY_FILE: join(folder, 'new.key') }
    expect(openVault({ store: own, home: folder, env: later, now }).open(PLACE, sealed)).toBe(SECRET)
    expect(openVault({ store: own, home: folder, env, now }).problem()?.message).toMatch(
      /^Key mismatch: the database needs key [0-9a-f]{16}, found [0-9a-f]{16}/,
    )
    own.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('a backup of the key decrypts everything', () => {
    const { folder, close } = makeFolder()
    const own = Store.open(join(folder, 'assay.db'), { now })
    backUpKey({ store: own, home: folder, env: {}, now }, join(folder, 'kept'))
    own.close()
    rmSync(join(folder, 'assay.key'))
    expect(readSecret(folder, { ASSAY_KEY_FILE: join(folder, 'kept') })).toBe(SECRET)
    close()
  })
})
