import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

/**
 * Creates a folder with the missing ones above it. In a file system that refuses new folders as if they were not found,
 * such as /proc, the `recursive` option of Node.js never returns.
 * @throws Error with the code of the file system if it cannot be created or a file is in its place
 */
export function makeFolder(folder: string, mode = 0o777): void {
  const missing: string[] = []
  let at = resolve(folder)
  for (; !existsSync(at); at = dirname(at)) missing.unshift(at)
  for (const path of missing) make(path, mode)
  if (missing.length === 0) make(at, mode)
}

/** Another process may create the folder first. */
function make(path: string, mode: number): void {
  try {
    mkdirSync(path, { mode })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !statSync(path).isDirectory()) throw error
  }
}
