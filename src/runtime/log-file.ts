import { closeSync, fstatSync, lstatSync, renameSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { openForAppending } from './regular-file.ts'

export interface LogFile {
  /** Appends a line; one that cannot be written is dropped, so that a full disk does not stop the program. */
  write(line: string): void
  close(): void
}

export interface LogFileOptions {
  /** Folder of `assay.log` and its predecessors `assay.1.log`, `assay.2.log` … */
  folder: string
  maxBytes?: number
  /** Maximum number of files, including the current one. */
  files?: number
}

/** Lines between checks whether another process has started a new file. */
const LINES_PER_ROTATION_CHECK = 50

/** A log of bounded size, readable only by its owner; several processes may append to it. */
export function openLogFile({ folder, maxBytes = 10 * 1024 * 1024, files = 5 }: LogFileOptions): LogFile {
  const nameOf = (number: number) => join(folder, number === 0 ? 'assay.log' : `assay.${number}.log`)
  const current = nameOf(0)
  let handle: number | undefined
  let lines = 0
  const open = () => {
    makeFolder(folder, 0o700)
    handle = openForAppending(current)
    return handle
  }
  const close = () => {
    if (handle !== undefined) closeSync(handle)
    handle = undefined
  }
  const isReplaced = (opened: number) => lstatSync(current, { throwIfNoEntry: false })?.ino !== fstatSync(opened).ino
  const turn = () => {
    close()
    try {
      rmSync(nameOf(files - 1), { force: true })
      for (let number = files - 2; number >= 0; number--) {
        if (lstatSync(nameOf(number), { throwIfNoEntry: false }) !== undefined) {
          renameSync(nameOf(number), nameOf(number + 1))
        }
      }
    } catch {
      // On Windows another program may have one of the files open; the present one is longer until it has closed it.
    }
  }
  return {
    write: (line) => {
      try {
        if (handle !== undefined && lines++ % LINES_PER_ROTATION_CHECK === 0 && isReplaced(handle)) close()
        const opened = handle ?? open()
        if (fstatSync(opened).size + line.length > maxBytes) {
          if (isReplaced(opened)) close()
          else turn()
          writeSync(open(), line)
        } else writeSync(opened, line)
      } catch {
        handle = undefined
      }
    },
    close,
  }
}
