import { randomBytes } from 'node:crypto'
import { realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { basename, sep } from 'node:path'
import { invalidInput } from '../kernel/errors.ts'

/** Writes a file so that it is there whole or as it was; a link in its place is replaced, not followed. */
export function writeWhole(file: string, text: string): void {
  const draft = `${file}.${randomBytes(4).toString('hex')}.tmp`
  try {
    writeFileSync(draft, text)
    renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Whether a path leads to something in the folder, links followed; false where it leads to nothing. */
export function isInside(folder: string, path: string): boolean {
  try {
    return realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`)
  } catch {
    return false
  }
}

/** @throws AppError `invalid_input`, reason `link_outside`. */
export function requireInside(folder: string, path: string): void {
  if (isInside(folder, path)) return
  throw invalidInput(`${basename(path)} in the folder is a link that leads out of it; put a folder in its place.`, {
    reason: 'link_outside',
  })
}
