import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { writeWhole } from './regular-file.ts'

// `assay serve` writes its address into the data folder, where other processes on the folder find it.

const fileOf = (home: string) => join(home, 'served.json')
const RECHECK_MS = 5000

/** Announces the address until the returned function is called; a folder that cannot be written to is left as it is. */
export function announceAddress(home: string, url: string): () => void {
  const text = JSON.stringify({ url, pid: process.pid })
  try {
    writeWhole(fileOf(home), text, 0o600)
  } catch {
    return () => {}
  }
  return () => {
    if (read(home) === text) rmSync(fileOf(home), { force: true })
  }
}

/** Finds the address of a server that runs on the folder; it is read again after five seconds. */
export function createAddressFinder(home: string, now: () => number): () => string | undefined {
  let found: string | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (now() - readAt >= RECHECK_MS) {
      found = findAddress(home)
      readAt = now()
    }
    return found
  }
}

function findAddress(home: string): string | undefined {
  try {
    const { url, pid } = JSON.parse(read(home) ?? '{}')
    if (typeof url !== 'string' || !/^https?:/.test(url) || !Number.isInteger(pid)) return undefined
    // A server that was killed leaves its file.
    process.kill(pid, 0)
    return url
  } catch {
    return undefined
  }
}

function read(home: string): string | undefined {
  try {
    return readFileSync(fileOf(home), 'utf8')
  } catch {
    return undefined
  }
}
