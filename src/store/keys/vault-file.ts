import { randomBytes } from 'node:crypto'
import { AppError } from '../../kernel/errors.ts'
import { rememberSecret } from '../../kernel/redaction.ts'
import { db } from '../builder.ts'
import type { Reader, Store, Writer } from '../store.ts'
import {
  checkValue,
  KEY_BYTES,
  type Purpose,
  sealWith,
  unreadable,
  unsealWith,
  VERSION,
  wrapPlace,
  wrappingKey,
} from './envelope.ts'
import { createKeyFile, describeKeyPlace, type Environment, type FoundKey, findKey, keyMissing } from './key-file.ts'
import type { Vault } from './vault.ts'

/** A vault that reports in advance whether it is usable; data that is not sealed stays readable without it. */
export interface KeyedVault extends Vault {
  /** Why nothing can be sealed or opened: reason `key_missing`, `key_mismatch`, `key_invalid` or `key_exposed`. */
  problem(): AppError | undefined
  /** Where the key was found, and its public check value. */
  source(): { place: string; check?: string }
}

export interface VaultOptions {
  store: Store
  /** Path of the data folder. */
  home: string
  env: Environment
  now: () => number
}

/**
 * Opens the envelope encryption of the data folder: a key stored outside the database wraps data keys, and these seal
 * secrets. Safe when many processes open a new folder at once: the write lock makes them agree on one key.
 */
export function openVault({ store, home, env, now }: VaultOptions): KeyedVault {
  let keys: OpenKeys | AppError
  let place = describeKeyPlace(env)
  let check: string | undefined
  const load = () => {
    try {
      const existing = store.read(readInstall)
      if (existing.check === undefined) createKeys(store, home, env, now())
      const { install, rows } = store.read(readKeys)
      const found = findKey(home, env, (key) => checkValue(key, install.id) === install.check)
      if (found === undefined) throw keyMissing()
      place = found.place
      check = checkValue(found.key, install.id)
      return openKeys(found, install, rows)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      return error
    }
  }
  keys = load()
  const ready = (): OpenKeys => {
    if (keys instanceof AppError) throw keys
    return keys
  }
  return {
    seal(at, plain) {
      const { installId, credential } = ready()
      rememberSecret(plain)
      return sealWith(credential.key, credential.id, toPlace(installId, at), Buffer.from(plain, 'utf8'))
    },
    open(at, sealed) {
      const id = toKeyId(sealed)
      // Another process may have rotated the keys since.
      if (!ready().byId.has(id)) keys = load()
      const { installId, byId } = ready()
      const key = byId.get(id)
      if (key === undefined) throw unreadable()
      const plain = unsealWith(key, toPlace(installId, at), sealed).toString('utf8')
      rememberSecret(plain)
      return plain
    },
    fingerprintKey: () => ready().fingerprint,
    problem: () => (keys instanceof AppError ? keys : undefined),
    source: () => ({ place, ...(check === undefined ? {} : { check }) }),
  }
}

export const toPlace = (installId: string, at: string): string => `${installId}|${at}|${VERSION}`

/** The id of the data key with which a text was sealed; 0 when the text has no valid id. */
export function toKeyId(sealed: string): number {
  const [, id = ''] = sealed.split('.')
  return /^[1-9]\d{0,14}$/.test(id) ? Number(id) : 0
}

export interface Install {
  id: string
  check: string | undefined
}

export interface OpenKeys {
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

/** The id of this installation; undefined until its key is created. */
export const findInstallId = (reader: Reader): string | undefined => readInstall(reader).id || undefined

export interface DataKey {
  id: number
  purpose: Purpose
  wrapped: string
}

/** The installation and its wrapped data keys, from one snapshot. */
export function readKeys(reader: Reader): { install: Install; rows: DataKey[] } {
  const rows = reader.all(db.selectFrom('data_key').select(['id', 'purpose', 'wrapped']).orderBy('id'))
  return { install: readInstall(reader), rows }
}

/**
 * Creates the keys of a new data folder. Runs under the write lock: processes that come later use the keys of the
 * first.
 */
function createKeys(store: Store, home: string, env: Environment, at: number): Install {
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

export function addDataKey(writer: Writer, key: Buffer, installId: string, purpose: Purpose, at: number): void {
  const newest = writer.first(db.selectFrom('data_key').select('id').orderBy('id', 'desc').limit(1))
  const id = (newest?.id ?? 0) + 1
  const wrapped = sealWith(wrappingKey(key, installId), id, wrapPlace(installId, id, purpose), randomBytes(KEY_BYTES))
  writer.run(db.insertInto('data_key').values({ id, purpose, wrapped, created_at: at }))
}

export function openKeys(found: FoundKey, install: Install, rows: readonly DataKey[]): OpenKeys {
  const check = checkValue(found.key, install.id)
  if (check !== install.check) {
    throw new AppError(
      'unavailable',
      `Key mismatch: the database needs key ${install.check}, found ${check} in ${found.place}; provide the key that it was encrypted with.`,
      { reason: 'key_mismatch', facts: { needs: install.check, found: check } },
    )
  }
  const wrapping = wrappingKey(found.key, install.id)
  const byId = new Map(
    rows.map((row) => [row.id, unsealWith(wrapping, wrapPlace(install.id, row.id, row.purpose), row.wrapped)]),
  )
  const newestOf = (purpose: Purpose) => rows.findLast((row) => row.purpose === purpose)?.id ?? 0
  const credentialId = newestOf('credential')
  const credential = byId.get(credentialId)
  const fingerprint = byId.get(newestOf('fingerprint'))
  if (credential === undefined || fingerprint === undefined) throw keyMissing()
  return { installId: install.id, byId, credential: { id: credentialId, key: credential }, fingerprint }
}
