import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Flushes a file, or the entries of a folder, to disk; not every platform supports the latter. */
export function syncFile(path: string): void {
  try {
    // Windows flushes only what is open for writing.
    const handle = openSync(path, process.platform === 'win32' ? 'r+' : 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    return
  }
}
