import { closeSync, fsyncSync, openSync } from 'node:fs'

/** Makes a file, or the names in a folder, survive a power cut; not every platform can do the latter. */
export function syncFile(path: string): void {
  try {
    const handle = openSync(path, 'r')
    try {
      fsyncSync(handle)
    } finally {
      closeSync(handle)
    }
  } catch {
    return
  }
}
