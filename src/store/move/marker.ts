import { dirname } from 'node:path'
import { AppError } from '../../kernel/errors.ts'
import { internalText, type SafeText } from '../../kernel/safe-text.ts'
import { shell } from '../../runtime/shell.ts'
import { isServerAddress } from '../store-place.ts'

/** Where the address of a SQLite file begins; the rest is its absolute path. */
export const SQLITE_PREFIX = 'sqlite:'

/** A move of the database to another place, as the database that is moved records it. */
export interface MoveMarker {
  /** Random; the unfinished target has the same. */
  id: string
  /** Address of the target, without the user of a server. */
  to: string
  /** How a target on a server is reached: its address without the password. */
  server?: string
}

export interface MoveState extends MoveMarker {
  /** `moved_to`: the target is complete, and this database is only read from now on. */
  name: 'moving' | 'moved_to'
}

const selectMove = `SELECT name, value FROM install WHERE name IN ('moving', 'moved_to')`
const upsertMove = `INSERT INTO install (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`
const deleteMoving = `DELETE FROM install WHERE name = 'moving'`

interface Preparing {
  prepare(sql: string): { get(): unknown }
}

/** A connection that can write. */
interface Writing {
  prepare(sql: string): { run(...values: SafeText[]): unknown }
}

export function findMove(database: Preparing): MoveState | undefined {
  const row = database.prepare(selectMove).get() as { name: MoveState['name']; value: string } | undefined
  return row === undefined ? undefined : { name: row.name, ...(JSON.parse(row.value) as MoveMarker) }
}

export function saveMoving(writer: Writing, marker: MoveMarker): void {
  writer.prepare(upsertMove).run(internalText('moving'), internalText(JSON.stringify(marker)))
}

/** From this transaction on the database is only read. */
export function saveMoved(writer: Writing, marker: MoveMarker): void {
  dropMoving(writer)
  writer.prepare(upsertMove).run(internalText('moved_to'), internalText(JSON.stringify(marker)))
}

export function dropMoving(writer: Writing): void {
  writer.prepare(deleteMoving).run()
}

/**
 * @param ours the id of the move that this process performs
 * @throws AppError `unavailable`, reason `moving` or `moved`.
 */
export function requireUnmoved(database: Preparing, ours?: string): void {
  const move = findMove(database)
  if (move === undefined || move.id === ours) return
  const { name, to } = move
  if (name === 'moving') {
    const message = `The database is being moved to ${to}, so nothing is written until the move has finished; if it was interrupted, ${toWayOn(to)}`
    throw new AppError('unavailable', message, { reason: 'moving' })
  }
  throw new AppError('unavailable', toMovedMessage(to), { reason: 'moved' })
}

/** @throws AppError `unavailable`: the schema of a database is not changed while a copy of it is being made, or after. */
export function requireMoveEnded(database: Preparing): void {
  const move = findMove(database)
  if (move?.name === 'moving') {
    const message = `An earlier version of assay has begun to move the database to ${move.to}; complete the move with that version (${toCommand(move.to)}), or undo it with that version (\`assay move --cancel\`), then upgrade.`
    throw new AppError('unavailable', message, { reason: 'moving' })
  }
  requireUnmoved(database)
}

/** The address of a server is recorded without the user, which the command needs. */
const toCommand = (to: string): string =>
  isServerAddress(to) ? 'the same `assay move --to` command' : `\`assay move --to ${shell.quote(to)}\``

/** How an unfinished move is completed or undone, as the end of a sentence. */
export const toWayOn = (to: string): string =>
  `run ${toCommand(to)} again to continue it, or undo it with \`assay move --cancel\`.`

export const toMovedMessage = (to: string): string =>
  `The database has moved to ${to}, and this former copy can only be read; ${
    isServerAddress(to)
      ? 'name the new one in ASSAY_STORE.'
      : `use the new folder with --home ${shell.quote(toFolder(to))} or ASSAY_HOME, and without ASSAY_STORE.`
  }`

/** The data folder of a target that is a file. */
export const toFolder = (to: string): string => dirname(to.slice(SQLITE_PREFIX.length))
