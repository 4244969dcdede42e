import { chmodSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { findingStatuses } from '../findings/model.ts'
import { AppError, invalidInput, notFound } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { makeFolder } from '../runtime/make-folder.ts'
import { readRegularFile } from '../runtime/regular-file.ts'

const FOLDER = 'undo'
/** Files kept in a data folder; older ones are deleted. */
const MAX_FILES = 20
const MAX_BYTES = 4 * 1024 * 1024

/** A triage with the previous status of each finding that it changed. */
export const UndoRecord = z.strictObject({
  status: z.enum(findingStatuses),
  items: z.array(
    z.strictObject({
      id: z.string().regex(/^\d{1,15}$/),
      from: z.enum(findingStatuses),
      until: z.iso.datetime().optional(),
    }),
  ),
})
export type UndoRecord = z.output<typeof UndoRecord>

const isName = (name: string) => /^\d{8}T\d{6}\d{3}$/.test(name)
const pathOf = (home: string, name: string) => join(home, FOLDER, `${name}.json`)

/** Keeps a triage in the data folder, and returns the name by which it can be undone. */
export function keepUndo(home: string, record: UndoRecord, now: number): string {
  const folder = join(home, FOLDER)
  makeFolder(folder, 0o700)
  chmodSync(folder, 0o700)
  for (let at = now; ; at += 1) {
    const name = new Date(at).toISOString().replaceAll(/[-:.Z]/g, '')
    try {
      writeFileSync(pathOf(home, name), JSON.stringify(record), { flag: 'wx', mode: 0o600 })
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EEXIST') continue
      throw error
    }
    for (const older of listUndos(home).slice(0, -MAX_FILES)) removeUndo(home, older)
    return name
  }
}

/** The names of the kept triages, the oldest first. */
function listUndos(home: string): string[] {
  try {
    return readdirSync(join(home, FOLDER))
      .map((file) => file.replace(/\.json$/, ''))
      .filter(isName)
      .sort()
  } catch {
    return []
  }
}

export const removeUndo = (home: string, name: string): void => rmSync(pathOf(home, name), { force: true })

/** Without a name, the latest triage. @throws AppError `not_found`, `invalid_input` */
export function readUndo(home: string, wanted: string | undefined): { name: string; record: UndoRecord } {
  const names = listUndos(home)
  const name = wanted ?? names.at(-1)
  if (name === undefined)
    throw notFound(
      'There is no triage to undo in the data folder; those of up to 100 findings print a command with their ids.',
    )
  if (!names.includes(name)) {
    const kept = names.length === 0 ? '' : ` The latest is ${names.at(-1)}.`
    throw notFound(`There is no triage ${quote(name)} to undo; it was undone, or is too old.${kept}`)
  }
  const path = pathOf(home, name)
  try {
    const record = UndoRecord.parse(JSON.parse(readRegularFile(path, { maxBytes: MAX_BYTES }).toString('utf8')))
    return { name, record }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw invalidInput(`The file ${path} is damaged; nothing was changed.`, { cause })
  }
}
