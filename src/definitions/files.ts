import { realpathSync } from 'node:fs'
import { basename, sep } from 'node:path'
import { invalidInput } from '../kernel/errors.ts'

/** Whether a path resolves, through links, to something inside the folder; false if it does not exist. */
export function isInside(folder: string, path: string): boolean {
  try {
    return realpathSync(path).startsWith(`${realpathSync(folder)}${sep}`)
  } catch {
    return false
  }
}

/** @throws AppError `invalid_input`, reason `link_outside` */
export function requireInside(folder: string, path: string): void {
  if (isInside(folder, path)) return
  throw invalidInput(
    `${basename(path)} in the folder is a symbolic link to a place outside it; replace it with a folder.`,
    {
      reason: 'link_outside',
    },
  )
}
