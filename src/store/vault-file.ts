import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../kernel/errors.ts'
import { rememberSecret } from '../kernel/redaction.ts'
import { db } from './builder.ts'
import type { Reader, Store, Writer } from './store.ts'
import type { Vault } from './vault.ts'

const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16
const VERSION = 'v1'
const FILE_NAME = 'assay.key'

type Purpose = 'credential' | 'fingerprint'

/** A vault that says beforehand whether it can be used: what is not sealed stays readable without it. */
export interface KeyedVault extends Vault {
  /** Why nothing can be sealed or opened: reason `key_missing`, `key_mismatch`, `key_invalid` or `key_exposed`. */
  problem(): AppError | undefined
  /** Where the key was found, and its public check value. */
  source(): { place: string; check?: string }
}

export interface VaultOptions {
  store: Store
  /** The data folder. */
  home: string
  env: Readonly<Record<string, string | undefined>>
  now: () => number
}

interface FoundKey {
  place: string
  key: Buffer
}

/**
 * Opens the envelope encryption of the data folder: a key that lives outside the database wraps data keys, these seal
 * secrets. Safe when many processes open a new folder at once: they agree on one key under the write lock.
 */
export function openVault({ store, home, env, now }: VaultOptions): KeyedVault {
  let keys: OpenKeys | AppError
  let place = describePlace(env)
  let check: string | undefined
  try {
    const existing = store.read(readInstall)
    const install = existing.check === undefined ? createKeys(store, home, env, now()) : existing
    const found = findKey(home, env)
    if (found === undefined) throw keyMissing()
    place = found.place
    check = checkValue(found.key, install.id)
    keys = openKeys(store, found, install)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    keys = error
  }
  const ready = (): OpenKeys => {
    if (keys instanceof AppError) throw keys
    return keys
  }
  return {
    seal(at, plain) {
      const { installId, credential } = ready()
      rememberSecret(plain)
      return sealWith(credential.key, credential.id, `${installId}|${at}|${VERSION}`, Buffer.from(plain, 'utf8'))
    },
    open(at, sealed) {
      const { installId, byId } = ready()
      const [, keyId] = sealed.split('.')
      const key = byId.get(Number(keyId))
      if (key === undefined) throw unreadable()
      const plain = openWith(key, `${installId}|${at}|${VERSION}`, sealed).toString('utf8')
      rememberSecret(plain)
      return plain
    },
    fingerprintKey: () => ready().fingerprint,
    problem: () => (keys instanceof AppError ? keys : undefined),
    source: () => ({ place, ...(check === undefined ? {} : { check }) }),
  }
}

interface Install {
  id: string
  check: string | undefined
}

interface OpenKeys {
  installId: string
  byId: ReadonlyMap<number, Buffer>
  credential: { id: number; key: Buffer }
  fingerprint: Uint8Array
}

function readInstall(reader: Reader): Install {
  const rows = reader.all(db.selectFrom('install').select(['name', 'value']).where('name', 'in', ['id', 'key_check']))
  const textOf = (name: string) => rows.find((row) => row.name === name)?.value
  return { id: textOf('id') ?? '', check: textOf('key_check') }
}

/** First use of a data folder: one process at a time holds the write lock, the others find what it made. */
function createKeys(store: Store, home: string, env: VaultOptions['env'], at: number): Install {
  return store.write(
    (writer) => {
      const present = readInstall(writer)
      if (present.check !== undefined) return present
      const sealed = writer.first(db.selectFrom('data_key').select('id').limit(1))
      if (sealed !== undefined) throw keyMissing()
      const id = present.id === '' ? crypto.randomUUID() : present.id
      const { key } = findKey(home, env) ?? createKeyFile(home)
      const check = checkValue(key, id)
      if (present.id === '') writer.run(db.insertInto('install').values({ name: 'id', value: id }))
      writer.run(db.insertInto('install').values({ name: 'key_check', value: check }))
      for (const purpose of ['credential', 'fingerprint'] as const) addDataKey(writer, key, id, purpose, at)
      return { id, check }
    },
    { durable: true },
  )
}

function addDataKey(writer: Writer, key: Buffer, installId: string, purpose: Purpose, at: number): void {
  const newest = writer.first(db.selectFrom('data_key').select('id').orderBy('id', 'desc').limit(1))
  const id = (newest?.id ?? 0) + 1
  const wrapped = sealWith(wrappingKey(key, installId), id, wrapPlace(installId, id, purpose), randomBytes(KEY_BYTES))
  writer.run(db.insertInto('data_key').values({ id, purpose, wrapped, created_at: at }))
}

function openKeys(store: Store, found: FoundKey, install: Install): OpenKeys {
  const check = checkValue(found.key, install.id)
  if (check !== install.check) {
    throw new AppError(
      'unavailable',
      `The data folder was sealed with key ${install.check}, but ${found.place} holds key ${check}; give assay the key it was made with.`,
      { reason: 'key_mismatch', facts: { needs: install.check, found: check } },
    )
  }
  const rows = store.read((reader) => reader.all(db.selectFrom('data_key').selectAll().orderBy('id')))
  const wrapping = wrappingKey(found.key, install.id)
  const byId = new Map(
    rows.map((row) => [row.id, openWith(wrapping, wrapPlace(install.id, row.id, row.purpose), row.wrapped)]),
  )
  const newestOf = (purpose: Purpose) => rows.findLast((row) => row.purpose === purpose)?.id ?? 0
  const credentialId = newestOf('credential')
  const credential = byId.get(credentialId)
  const fingerprint = byId.get(newestOf('fingerprint'))
  if (credential === undefined || fingerprint === undefined) throw keyMissing()
  return { installId: install.id, byId, credential: { id: credentialId, key: credential }, fingerprint }
}

const wrapPlace = (installId: string, id: number, purpose: Purpose) =>
  `${installId}|data_key/${id}/${purpose}|${VERSION}`

const derive = (key: Buffer, installId: string, use: string) =>
  Buffer.from(hkdfSync('sha256', key, installId, `assay ${use} ${VERSION}`, KEY_BYTES))

const wrappingKey = (key: Buffer, installId: string) => derive(key, installId, 'wrap')

/** Names a key without telling anything about it. */
function checkValue(key: Buffer, installId: string): string {
  return createHmac('sha256', derive(key, installId, 'check'))
    .update(installId)
    .digest('hex')
    .slice(0, 16)
}

/** `v1.<key id>.<iv>.<ciphertext>.<tag>`; `place` is authenticated, so a text that is moved does not open. */
function sealWith(key: Buffer, keyId: number, place: string, plain: Buffer): string {
  const iv = randomBytes(IV_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(place))
  const sealed = Buffer.concat([cipher.update(plain), cipher.final()])
  const texts = [iv, sealed, cipher.getAuthTag()].map((bytes) => bytes.toString('base64url'))
  return [VERSION, keyId, ...texts].join('.')
}

function openWith(key: Buffer, place: string, sealed: string): Buffer {
  const [version, , iv = '', text = '', tag = '', ...rest] = sealed.split('.')
  const [ivBytes, textBytes, tagBytes] = [iv, text, tag].map((part) => Buffer.from(part, 'base64url'))
  const shaped = version === VERSION && rest.length === 0 && ivBytes?.length === IV_BYTES
  if (!shaped || textBytes === undefined || tagBytes?.length !== TAG_BYTES) throw unreadable()
  try {
    const decipher = createDecipheriv('aes-256-gcm', key, ivBytes, { authTagLength: TAG_BYTES })
    decipher.setAAD(Buffer.from(place)).setAuthTag(tagBytes)
    return Buffer.concat([decipher.update(textBytes), decipher.final()])
  } catch (error) {
    throw unreadable(error)
  }
}

function describePlace(env: VaultOptions['env']): string {
  if (env.ASSAY_KEY_FILE) return 'the file named by ASSAY_KEY_FILE'
  return env.ASSAY_KEY ? 'ASSAY_KEY' : `${FILE_NAME} in the data folder`
}

/** The key by the order of places: the file named by ASSAY_KEY_FILE, ASSAY_KEY, the data folder. */
function findKey(home: string, env: VaultOptions['env']): FoundKey | undefined {
  const place = describePlace(env)
  if (env.ASSAY_KEY_FILE) {
    const bytes = readIfThere(env.ASSAY_KEY_FILE)
    if (bytes === undefined) throw keyMissing(place)
    return { place, key: parseKey(bytes, place) }
  }
  if (env.ASSAY_KEY) return { place, key: parseText(env.ASSAY_KEY, place) }
  const file = join(home, FILE_NAME)
  const bytes = readIfThere(file)
  if (bytes === undefined) return undefined
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0) {
    throw new AppError(
      'unavailable',
      `Others can read ${place}; run \`chmod 600\` on it, or keep the key elsewhere with ASSAY_KEY_FILE.`,
      { reason: 'key_exposed' },
    )
  }
  return { place, key: parseKey(bytes, place) }
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readFileSync(file)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new AppError('unavailable', 'The key file cannot be read; check its permissions.', {
      reason: 'key_missing',
      cause: error,
    })
  }
}

/** 32 bytes as they are, or written as hex or base64. */
function parseKey(bytes: Buffer, place: string): Buffer {
  return bytes.length === KEY_BYTES ? bytes : parseText(bytes.toString('utf8'), place)
}

function parseText(written: string, place: string): Buffer {
  const text = written.trim()
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length === KEY_BYTES && /^[\w+/=-]+$/.test(text)) return key
  throw new AppError(
    'unavailable',
    `The key in ${place} is not 32 bytes in hex or base64; make one with \`openssl rand -base64 32\`.`,
    { reason: 'key_invalid' },
  )
}

/** The file appears whole or not at all, and never replaces another. */
function createKeyFile(home: string): FoundKey {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const key = randomBytes(KEY_BYTES)
  const file = join(home, FILE_NAME)
  const draft = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  const handle = openSync(draft, 'wx', 0o600)
  try {
    writeSync(handle, `${key.toString('base64')}\n`)
    fsyncSync(handle)
  } finally {
    closeSync(handle)
  }
  try {
    linkSync(draft, file)
    unlinkSync(draft)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'EEXIST') {
      unlinkSync(draft)
      throw keyMissing()
    }
    // Some file systems have no hard links; the write lock keeps other processes out meanwhile.
    renameSync(draft, file)
  }
  syncFolder(home)
  return { place: `${FILE_NAME} in the data folder`, key }
}

/** Makes the new name survive a power cut; not every platform can. */
function syncFolder(folder: string): void {
  try {
    const handle = openSync(folder, 'r')
    fsyncSync(handle)
    closeSync(handle)
  } catch {
    return
  }
}

function keyMissing(place = 'the data folder'): AppError {
  return new AppError(
    'unavailable',
    `The key that sealed the credentials is not in ${place}; put the key back, or remove the sources and enter them again.`,
    { reason: 'key_missing' },
  )
}

function unreadable(cause?: unknown): AppError {
  return new AppError('unavailable', 'A stored credential cannot be read; enter it again.', {
    reason: 'secret_unreadable',
    ...(cause === undefined ? {} : { cause }),
  })
}
