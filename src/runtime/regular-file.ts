import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { AppError } from '../kernel/errors.ts'

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
