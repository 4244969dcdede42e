import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { writeWhole } from './regular-file.ts'

// `assay serve` describes itself in the data folder, where other processes on the folder find it.

const fileOf = (home: string) => join(home, 'served.json')
const RECHECK_MS = 5000

/** A running server. */
export interface Served {
  /** Where people open the console; absent: it has none. */
  url?: string
  questions?: QuestionAddress
}

/** Where a server answers the questions of other processes of its user, and by which token it knows them. */
export interface QuestionAddress {
  /** Such as `http://127.0.0.1:7411`, or `unix:/path`. */
  address: string
  token: string
  version: string
  /** Its database: see `identifyFile`. */
  database: string
}

/** Identifies a file on this machine, also under another path; undefined if there is none. */
export function identifyFile(file: string): string | undefined {
  const found = statSync(file, { throwIfNoEntry: false, bigint: true })
  return found === undefined ? undefined : `${found.dev}:${found.ino}`
}

/**
 * Announces a server until the returned function is called, readable by its user only; a folder that cannot be written
 * to is left as it is.
 */
export function announceServer(home: string, served: Served): () => void {
  const text = JSON.stringify({ ...served, pid: process.pid })
  try {
    writeWhole(fileOf(home), text, 0o600)
  } catch {
    return () => {}
  }
  return () => {
    if (read(home) === text) rmSync(fileOf(home), { force: true })
  }
}

/** As `findServer`, but looks again only after five seconds. */
export function createServerFinder(home: string, now: () => number): () => Served | undefined {
  let found: Served | undefined
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    if (now() - readAt >= RECHECK_MS) {
      found = findServer(home)
      readAt = now()
    }
    return found
  }
}

/** Finds a server that runs on the folder. */
export function findServer(home: string): Served | undefined {
  try {
    const { url, pid, questions } = JSON.parse(read(home) ?? '{}')
    if (!Number.isInteger(pid)) return undefined
    // A server that was killed leaves its file.
    process.kill(pid, 0)
    return {
      ...(typeof url === 'string' && /^https?:/.test(url) ? { url } : {}),
      ...(isQuestionAddress(questions) ? { questions } : {}),
    }
  } catch {
    return undefined
  }
}

const isQuestionAddress = (value: unknown): value is QuestionAddress =>
  typeof value === 'object' &&
  value !== null &&
  ['address', 'token', 'version', 'database'].every(
    (name) => typeof (value as Record<string, unknown>)[name] === 'string',
  ) &&
  URL.canParse((value as QuestionAddress).address)

function read(home: string): string | undefined {
  try {
    return readFileSync(fileOf(home), 'utf8')
  } catch {
    return undefined
  }
}
