import { randomBytes } from 'node:crypto'
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { AppError } from '../../kernel/errors.ts'
import { makeFolder } from '../../runtime/make-folder.ts'
import { readRegularFile } from '../../runtime/regular-file.ts'
import { syncFile } from '../sync-file.ts'
import { KEY_BYTES } from './envelope.ts'

export const FILE_NAME = 'assay.key'
/** The key to which a rotation changes; it becomes the key file once everything is sealed with it. */
export const NEXT_NAME = `${FILE_NAME}.next`

const MAX_KEY_BYTES = 4096

export interface FoundKey {
  place: string
  key: Buffer
}

export type Environment = Readonly<Record<string, string | undefined>>

export function describeKeyPlace(env: Environment): string {
  if (env.ASSAY_KEY_FILE) return 'the file named by ASSAY_KEY_FILE'
  return env.ASSAY_KEY ? 'ASSAY_KEY' : `${FILE_NAME} in the data folder`
}

/**
 * Finds the key, in this order: the file named by ASSAY_KEY_FILE, ASSAY_KEY, the data folder. An interrupted rotation
 * may leave several keys in the data folder, old and new; `fits` decides which one the database needs.
 */
export function findKey(home: string, env: Environment, fits?: (key: Buffer) => boolean): FoundKey | undefined {
  const place = describeKeyPlace(env)
  if (env.ASSAY_KEY_FILE) {
    const bytes = readIfThere(env.ASSAY_KEY_FILE)
    if (bytes === undefined) throw keyMissing(place)
    return { place, key: parseKey(bytes, place) }
  }
  if (env.ASSAY_KEY) return { place, key: parseText(env.ASSAY_KEY, place) }
  const present = readKeyFile(home, FILE_NAME)
  if (fits === undefined || (present !== undefined && fits(present.key))) return present
  for (const name of listRetiredAndNextKeys(home)) {
    const other = readKeyFile(home, name)
    if (other !== undefined && fits(other.key)) return other
  }
  return present
}

function readKeyFile(home: string, name: string): FoundKey | undefined {
  const place = `${name} in the data folder`
  const file = join(home, name)
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

/** File names of the next key of an unfinished rotation and of retired keys, which older backups may still need. */
export function listRetiredAndNextKeys(home: string): string[] {
  if (!existsSync(home)) return []
  const retired = readdirSync(home).filter((name) => /^assay\.key\.[0-9a-f]{16}$/.test(name))
  return [...(existsSync(join(home, NEXT_NAME)) ? [NEXT_NAME] : []), ...retired.sort()]
}

function readIfThere(file: string): Buffer | undefined {
  try {
    return readRegularFile(file, { name: 'The key file', maxBytes: MAX_KEY_BYTES })
  } catch (error) {
    if (error instanceof AppError) throw error
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw new AppError('unavailable', 'The key file cannot be read; check its permissions.', {
      reason: 'key_missing',
      cause: error,
    })
  }
}

/** Accepts 32 raw bytes, or 32 bytes in hex or base64. */
export function parseKey(bytes: Buffer, place: string): Buffer {
  return bytes.length === KEY_BYTES ? bytes : parseText(bytes.toString('utf8'), place)
}

function parseText(written: string, place: string): Buffer {
  const text = written.trim()
  const key = /^[0-9a-f]{64}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64')
  if (key.length === KEY_BYTES && /^[\w+/=-]+$/.test(text)) return key
  throw new AppError(
    'unavailable',
    `The key in ${place} is not 32 bytes in hex or base64; make one with \`node -p "crypto.randomBytes(32).toString('base64')"\`.`,
    { reason: 'key_invalid' },
  )
}

/** Creates the key file atomically; never replaces an existing one. */
export function createKeyFile(home: string): FoundKey {
  makeFolder(home, 0o700)
  const key = randomBytes(KEY_BYTES)
  if (!writeKeyFile(join(home, FILE_NAME), key)) throw keyMissing()
  syncFile(home)
  return { place: `${FILE_NAME} in the data folder`, key }
}

/** Writes a key with mode 0600; false when the file exists already. */
export function writeKeyFile(file: string, key: Buffer): boolean {
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
    if (code === 'EEXIST' || existsSync(file)) {
      unlinkSync(draft)
      return false
    }
    // Some file systems have no hard links; the write lock keeps other processes out here.
    renameSync(draft, file)
  }
  return true
}

export function keyMissing(place = 'the data folder'): AppError {
  return new AppError(
    'unavailable',
    `The key that encrypts the credentials is not in ${place}; put the key back, or replace it with \`assay key replace\`.`,
    { reason: 'key_missing' },
  )
}
