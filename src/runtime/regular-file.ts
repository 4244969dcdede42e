import { closeSync, constants, fstatSync, openSync, readFileSync, statSync } from 'node:fs'
import { AppError } from '../kernel/errors.ts'

const notRegular = (name: string) =>
  new AppError('invalid_input', `${name} is not a plain file but a folder, a pipe or a device; name a file.`, {
    reason: 'not_a_file',
  })

/**
 * Opens a file for reading; a pipe or a device, which might never end or never begin, is refused at once. `name` is how
 * messages call it. Errors of the file system come as they are. @throws AppError `invalid_input`, reason `not_a_file`.
 */
export function openRegularFile(path: string, name = path): number {
  // Opening a device can have effects of its own, so it is looked at before.
  if (!statSync(path).isFile()) throw notRegular(name)
  // Absent on Windows, where there are no such pipes.
  const handle = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  if (fstatSync(handle).isFile()) return handle
  closeSync(handle)
  throw notRegular(name)
}

/** The same, read to its end. */
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
