import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError, conflict, type Issue, invalidInput } from '../kernel/errors.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { readRegularFile, writeWhole } from '../runtime/regular-file.ts'
import type { DefinitionChange } from './changes.ts'
import { requireInside } from './files.ts'
import { type DefinitionSet, keyOf, kindWords, toDigest } from './model.ts'

const FOLDER = '.assay'
const MAX_BYTES = 8 * 1024 * 1024

const BaseFile = z.record(z.string(), z.string())

/** The definitions at the last synchronization of folder and database: a digest of each, by kind and name. */
export type Base = ReadonlyMap<string, string>

/** One state file for each database that the folder was synchronized with. */
const fileOf = (installId: string) => `${FOLDER}/${installId.replace(/[^\w-]/g, '')}.json`

/**
 * Undefined when the folder was never synchronized with this database, as in a fresh clone: the files then take
 * precedence.
 * @throws AppError `invalid_input` when the file exists but cannot be parsed
 */
export function readBase(folder: string, installId: string | undefined): Base | undefined {
  if (installId === undefined) return undefined
  if (!existsSync(join(folder, FOLDER))) return undefined
  let text: string
  try {
    requireInside(folder, join(folder, FOLDER))
    text = readRegularFile(join(folder, fileOf(installId)), { maxBytes: MAX_BYTES }).toString('utf8')
  } catch (error) {
    if (error instanceof AppError) throw error
    return undefined
  }
  try {
    return new Map(Object.entries(BaseFile.parse(JSON.parse(text))))
  } catch (cause) {
    throw invalidInput(`${fileOf(installId)} is damaged; remove it to apply the files without a check for conflicts.`, {
      cause,
    })
  }
}

export const toBase = (definitions: DefinitionSet): Base =>
  new Map([...definitions].map(([key, definition]) => [key, toDigest(definition)]))

export function writeBase(folder: string, installId: string | undefined, base: Base): void {
  if (installId === undefined) return
  makeFolder(join(folder, FOLDER))
  requireInside(folder, join(folder, FOLDER))
  const sorted = Object.fromEntries([...base].sort(([a], [b]) => (a < b ? -1 : 1)))
  writeWhole(join(folder, FOLDER, '.gitignore'), '*\n')
  writeWhole(join(folder, fileOf(installId)), `${JSON.stringify(sorted, null, 2)}\n`)
}

/**
 * Allows a change only if the database still has the definition of the last synchronization, so that later edits in the
 * database are not lost.
 * @throws AppError `conflict`, reason `definitions_changed`, listing every such definition
 */
export function requireKnown(base: Base | undefined, changes: readonly DefinitionChange[]): void {
  if (base === undefined) return
  const issues = changes.flatMap(({ kind, name, before, action }): Issue[] => {
    const known = base.get(keyOf({ kind, name }))
    if (known === (before === undefined ? undefined : toDigest(before))) return []
    const message =
      before === undefined
        ? 'was deleted in the database since then; remove the file, or apply with --force to create it again.'
        : `was ${known === undefined ? 'created' : 'changed'} in the database since then and would be ${action}d; export it first, or apply with --force.`
    return [{ path: `${kindWords[kind]} ${name}`, message }]
  })
  requireNone(issues, 'The database has changed since the last export or apply of this folder')
}

/** @throws AppError `conflict`, reason `definitions_changed` */
export function requireNone(issues: readonly Issue[], what: string): void {
  const [first] = issues
  if (first === undefined) return
  const more = issues.length > 1 ? ` (and ${issues.length - 1} more, see issues)` : ''
  throw conflict(`${what}: ${first.path} ${first.message}${more}`, {
    reason: 'definitions_changed',
    issues: [...issues],
  })
}
