import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, openSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { AppError } from '../kernel/errors.ts'
import { replaceFile } from './replace-file.ts'

const notRegular = (name: string) =>
  new AppError('invalid_input', `${name} is not a regular file but a folder, a pipe or a device; name a file.`, {
    reason: 'not_a_file',
  })

/**
 * Opens a file for reading; refuses a pipe or a device, which might block or never end. `name` is used in messages.
 * Errors of the file system are thrown unchanged.
 * @throws AppError `invalid_input`, reason `not_a_file`.
 */
export function openRegularFile(path: string, name = path): number {
  // Opening a device can have side effects, so its type is checked before.
  if (!statSync(path).isFile()) throw notRegular(name)
  // O_NONBLOCK is undefined on Windows, which has no such pipes.
  const handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  throw notRegular(name)
}

/**
 * Reads a regular file whole.
 * @throws AppError `too_large`, and what `openRegularFile` throws.
 */
export function readRegularFile(path: string, { name = path, maxBytes = Number.POSITIVE_INFINITY } = {}): Buffer {
  const handle = openRegularFile(path, name)
  try {
    if (fstatSync(handle).size > maxBytes) {
      throw new AppError('too_large', `${name} is larger than ${maxBytes} bytes.`)
    }
    return readFileSync(handle)
  } finally {
    closeSync(handle)
  }
}

const APPENDING = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT

/**
 * Opens a file for appending, and creates it with mode 0600. A link is not followed, and a pipe, a device or a file that
 * has another name elsewhere is refused.
 */
export function openForAppending(path: string): number {
  // Both are undefined on Windows.
  const handle = openSync(path, APPENDING | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0), 0o600)
  const found = fstatSync(handle)
  if (found.isFile() && found.nlink <= 1) return handle
  closeSync(handle)
  throw notRegular(path)
}

/** Writes a file atomically; a link is replaced, not followed. */
export function writeWhole(file: string, text: string, mode = 0o666): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}.tmp`
  try {
    writeFileSync(draft, text, { flag: 'wx', mode })
    replaceFile(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}
