import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { count } from '../../kernel/count.ts'
import { AppError, conflict, invalidInput } from '../../kernel/errors.ts'
import { replaceFile } from '../../runtime/replace-file.ts'
import { db } from '../builder.ts'
import { sealDefinition } from '../digests.store.ts'
import type { Store, Writer } from '../store.ts'
import { syncFile } from '../sync-file.ts'
import { checkValue, KEY_BYTES, sealWith, unsealWith, wrapPlace, wrappingKey } from './envelope.ts'
import {
  createKeyFile,
  describeKeyPlace,
  type Environment,
  FILE_NAME,
  type FoundKey,
  findKey,
  keyMissing,
  NEXT_NAME,
  parseKey,
  writeKeyFile,
} from './key-file.ts'
import { addDataKey, type OpenKeys, openKeys, openVault, readKeys, toKeyId, toPlace } from './vault-file.ts'

export interface KeyContext {
  store: Store
  home: string
  env: Environment
  now: () => number
}

export interface Rotation {
  before: string
  after: string
  /** Where the new key is. */
  place: string
  /** File name of the old key, which backups made before the rotation need. */
  retired?: string
  /** Secrets that were sealed again, and those that could not be opened with the old key either. */
  resealed: number
  unreadable: number
}

/**
 * Seals everything with a new key. If the process is killed at any moment, the data folder still holds the key that the
 * database needs: the new key is on disk before the database changes, and replaces the key file only afterwards.
 * @throws AppError `unavailable` when the present key is not the right one; `conflict` when other processes use a
 * database on a server, which would still use the old key.
 */
export function rotateKey(folder: KeyContext, target?: string): Rotation {
  const { store, home, env, now } = folder
  const fromEnvironment = Boolean(env.ASSAY_KEY_FILE || env.ASSAY_KEY)
  if (fromEnvironment && target === undefined) {
    const message =
      'The key comes from the environment; name a file for the new one with --to, then set ASSAY_KEY_FILE to it.'
    throw invalidInput(message, { reason: 'key_place_needed' })
  }
  if (!fromEnvironment && target !== undefined) {
    throw invalidInput('The key is in the data folder and stays there; omit --to.', { reason: 'key_place_fixed' })
  }
  requireNoOthers(store)
  finishRotation(folder)
  const present = getKey(folder)
  const file = target ?? join(home, NEXT_NAME)
  const isNew = writeKeyFile(file, randomBytes(KEY_BYTES))
  syncFile(home)
  if (!isNew && target !== undefined) throw conflict(`${target} already exists; name another file.`)
  const next = parseKey(readFileSync(file), file)
  const counts = store.write((writer) => changeKey(writer, present, next, now()), { durable: true })
  const retired = target === undefined ? finishRotation(folder) : undefined
  const place = target === undefined ? `${FILE_NAME} in the data folder` : target
  return { ...counts, place, ...(retired === undefined ? {} : { retired }) }
}

/** @throws AppError `conflict` when other processes use the same database on a server: each needs the new key. */
function requireNoOthers({ server }: Store): void {
  const others = server?.countOtherSessions() ?? 0
  if (others === 0) return
  throw conflict(
    `Other processes use the database (${count(others, 'connection')}); stop all servers, workers and assistants, change the key, give each of them the new one, and start them again.`,
    { reason: 'database_in_use' },
  )
}

/**
 * The key that the database needs; created in a new data folder.
 * @throws AppError `unavailable` when there is none.
 */
export function getKey({ store, home, env }: KeyContext): FoundKey {
  const { install, rows } = store.read(readKeys)
  if (install.check === undefined) return findKey(home, env) ?? createKeyFile(home)
  const found = findKey(home, env, (key) => checkValue(key, install.id) === install.check)
  if (found === undefined) throw keyMissing()
  openKeys(found, install, rows)
  return found
}

function changeKey(writer: Writer, present: FoundKey, next: Buffer, at: number): Omit<Rotation, 'place' | 'retired'> {
  const { install, rows } = readKeys(writer)
  const before = openKeys(present, install, rows)
  const after = checkValue(next, install.id)
  const wrapping = { old: wrappingKey(present.key, install.id), new: wrappingKey(next, install.id) }
  for (const { id, purpose, wrapped } of rows) {
    const place = wrapPlace(install.id, id, purpose)
    const again = sealWith(wrapping.new, id, place, unsealWith(wrapping.old, place, wrapped))
    writer.run(db.updateTable('data_key').set({ wrapped: again }).where('id', '=', id))
  }
  addDataKey(writer, next, install.id, 'credential', at)
  writer.run(db.updateTable('install').set({ value: after }).where('name', '=', 'key_check'))
  const changed = readKeys(writer)
  const keys = openKeys({ key: next, place: '' }, changed.install, changed.rows)
  return { before: install.check ?? '', after, ...resealSecrets(writer, before, keys) }
}

/** Seals all secrets with the newest data key; one that cannot be opened is left unchanged. */
function resealSecrets(writer: Writer, before: OpenKeys, after: OpenKeys): { resealed: number; unreadable: number } {
  const counts = { resealed: 0, unreadable: 0 }
  const reseal = (at: string, sealed: string): string => {
    const place = toPlace(before.installId, at)
    const key = before.byId.get(toKeyId(sealed))
    try {
      if (key === undefined) throw keyMissing()
      const again = sealWith(after.credential.key, after.credential.id, place, unsealWith(key, place, sealed))
      counts.resealed += 1
      return again
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      counts.unreadable += 1
      return sealed
    }
  }
  for (const source of writer.all(db.selectFrom('source').select(['id', 'uid', 'secrets']))) {
    const secrets = Object.entries(JSON.parse(source.secrets) as Record<string, string>)
    const again = secrets.map(([member, sealed]) => [member, reseal(`source/${source.uid}/${member}`, sealed)])
    const text = JSON.stringify(Object.fromEntries(again))
    writer.run(db.updateTable('source').set({ secrets: text }).where('id', '=', source.id))
  }
  for (const { id, uid, watch_uid, sealed } of writer.all(receivers())) {
    const again = reseal(`watch/${watch_uid}/${uid}`, sealed)
    writer.run(db.updateTable('watch_receiver').set({ sealed: again }).where('id', '=', id))
  }
  return counts
}

/** The receivers of all watches, whose addresses are sealed. */
const receivers = () =>
  db
    .selectFrom('watch_receiver')
    .innerJoin('watch', 'watch.id', 'watch_receiver.watch_id')
    .select(['watch_receiver.id', 'watch_receiver.uid', 'watch_receiver.sealed'])
    .select(['watch.uid as watch_uid', 'watch.slug as watch_slug'])

/**
 * Completes an interrupted rotation: moves the key that the database needs to the key file. The old key is kept under a
 * name of its own, which is returned.
 */
export function finishRotation({ store, home }: Pick<KeyContext, 'store' | 'home'>): string | undefined {
  const next = join(home, NEXT_NAME)
  const file = join(home, FILE_NAME)
  if (!existsSync(next)) return undefined
  const { install } = store.read(readKeys)
  const checkOf = (path: string) => checkValue(parseKey(readFileSync(path), path), install.id)
  if (checkOf(next) !== install.check) return undefined
  let retired: string | undefined
  if (existsSync(file)) {
    retired = `${FILE_NAME}.${checkOf(file)}`
    writeKeyFile(join(home, retired), parseKey(readFileSync(file), file))
  }
  replaceFile(next, file)
  syncFile(home)
  return retired
}

export interface KeyReplacement {
  after: string
  place: string
  /** Number of sources that lost their credentials. */
  emptied: number
}

/**
 * Recovers from a lost key: deletes everything that was sealed with it, and uses the key that is present, or else a new
 * one. The fingerprint key changes too, so later scans do not recognise earlier findings.
 * @throws AppError `conflict` when the right key is present, or other processes use a database on a server.
 */
export function replaceKey(folder: KeyContext): KeyReplacement {
  const { store, home, env, now } = folder
  const status = readKeyStatus(folder)
  if (status.problem === undefined) {
    throw conflict('The key is not lost; `assay key rotate` changes it and keeps the credentials.', {
      reason: 'key_present',
    })
  }
  requireNoOthers(store)
  // A key that is present must be valid before anything is deleted; `findKey` throws otherwise.
  findKey(home, env)
  const emptied = store.write(
    (writer) => {
      writer.run(db.deleteFrom('data_key'))
      writer.run(db.deleteFrom('install').where('name', '=', 'key_check'))
      const sealed = writer.all(db.selectFrom('source').select('id').where('secrets', '<>', '{}'))
      writer.run(db.updateTable('source').set({ secrets: '{}' }).where('secrets', '<>', '{}'))
      const watches = new Set(writer.all(receivers()).map(({ watch_slug }) => watch_slug))
      writer.run(db.deleteFrom('watch_receiver'))
      for (const name of watches) sealDefinition(writer, { kind: 'watch', name })
      return sealed.length
    },
    { durable: true },
  )
  const vault = openVault({ store, home, env, now })
  const problem = vault.problem()
  if (problem !== undefined) throw problem
  const { place, check = '' } = vault.source()
  return { after: check, place, emptied }
}

export interface KeyStatus {
  place: string
  /** The check value of the key that the database needs, and of the key that was found. */
  needs?: string
  found?: string
  dataKeys: number
  /** Number of sealed secrets of sources and watches. */
  secrets: number
  problem?: string
}

/**
 * Copies the key to a file with mode 0600.
 * @throws AppError `conflict` when the file exists already.
 */
export function backUpKey(folder: KeyContext, target: string): void {
  const { key } = getKey(folder)
  if (!writeKeyFile(target, key)) throw conflict(`${target} already exists; name another file.`)
}

export function readKeyStatus(folder: KeyContext): KeyStatus {
  const { install, rows } = folder.store.read(readKeys)
  const { sources, sealed } = folder.store.read((reader) => ({
    sources: reader.all(db.selectFrom('source').select('secrets')),
    sealed: reader.all(receivers()).length,
  }))
  const secrets = sources.reduce((sum, row) => sum + Object.keys(JSON.parse(row.secrets) as object).length, sealed)
  const facts = { dataKeys: rows.length, secrets, ...(install.check === undefined ? {} : { needs: install.check }) }
  try {
    const { key, place } = getKey(folder)
    return { place, found: checkValue(key, install.id), ...facts }
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const { found } = (error.facts.facts ?? {}) as { found?: string }
    return {
      place: found === undefined ? 'nowhere' : describeKeyPlace(folder.env),
      ...(found === undefined ? {} : { found }),
      ...facts,
      problem: error.message,
    }
  }
}
