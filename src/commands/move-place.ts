import { existsSync } from 'node:fs'
import { rememberSecret } from '../kernel/redaction.ts'
import { SQLITE_PREFIX, toFolder } from '../store/move/marker.ts'
import { FileOrigin } from '../store/move/sqlite-origin.ts'
import { SqliteTarget } from '../store/move/sqlite-target.ts'
import type { MoveTarget } from '../store/move/target.ts'
import {
  checkTarget,
  deleteUnfinished,
  parseTarget,
  readSize,
  readUnfinished,
  type TargetChecks,
} from '../store/move/target-checks.ts'
import { loadPostgresCopies } from '../store/open-store.ts'
import type { FileStore, Store } from '../store/store.ts'
import { describePlace, isServerAddress, readAddress, requireFile, withoutPassword } from '../store/store-place.ts'
import type { Folder } from './data-folder.ts'

/** Where a database can be moved to. */
export interface MovePlace {
  /** Its address, without the user of a server. */
  to: string
  /** The address of a server without the password. */
  server?: string
  /** The data folder that it is used from. */
  home: string
  /**
   * @param moveId the id of an unfinished move to it
   * @throws AppError when nothing can be moved there; changes nothing
   */
  check(moveId: string | undefined): void
  open(moveId: string): MoveTarget
  /** What is there of a move that has made the former database read-only. */
  stateOf(moveId: string): 'missing' | 'unfinished' | 'complete'
  /** Removes the unfinished copy of a move. */
  removeCopy(moveId: string): void
}

type Moving = Pick<Folder, 'config' | 'env' | 'store'>

/** @throws AppError `invalid_input` for an address that names no database */
export async function openMovePlace(
  folder: Moving,
  address: string,
  checks: Partial<TargetChecks>,
): Promise<MovePlace> {
  return isServerAddress(address) ? toServerPlace(folder, address) : toFilePlace(folder, address, checks)
}

async function toServerPlace({ config, env, store }: Moving, text: string): Promise<MovePlace> {
  requireFile(store.place, 'copy it to another one with `pg_dump` and `pg_restore`')
  const address = readAddress(text, env, '--to')
  if (address.password !== undefined) rememberSecret(address.password)
  const [{ checkServerTarget, PostgresTarget, readTargetState, removeServerCopy }] = await loadPostgresCopies()
  const { file } = store as FileStore
  return {
    to: describePlace({ kind: 'postgres', address }),
    server: withoutPassword(text),
    home: config.home,
    check: (moveId) => checkServerTarget(address, moveId),
    open: (moveId) => PostgresTarget.open(address, moveId, file),
    stateOf: (moveId) => readTargetState(address, moveId),
    removeCopy: (moveId) => removeServerCopy(address, moveId),
  }
}

async function toFilePlace(
  { config, store }: Moving,
  address: string,
  checks: Partial<TargetChecks>,
): Promise<MovePlace> {
  const file = parseTarget(address)
  const to = `${SQLITE_PREFIX}${file}`
  const { describeSource, open } = await toSource(store)
  return {
    to,
    home: toFolder(to),
    check: (moveId) => checkTarget(describeSource(), file, moveId, { networkFolder: config.networkFolder, ...checks }),
    open: (moveId) => open(file, moveId),
    stateOf: (moveId) => {
      if (!existsSync(file)) return 'missing'
      return readUnfinished(file) === moveId ? 'unfinished' : 'complete'
    },
    removeCopy: (moveId) => {
      if (readUnfinished(file) === moveId) deleteUnfinished(file)
    },
  }
}

/** How a database file is made from a store. */
async function toSource({ place }: Store) {
  if (place.kind === 'file') {
    const { file } = place
    return {
      describeSource: () => ({ file, bytes: readSize(file) }),
      open: (target: string, moveId: string) =>
        SqliteTarget.open(target, moveId, (database) => new FileOrigin(database, file)),
    }
  }
  const [, { openOrigin, readServerSize }] = await loadPostgresCopies()
  const { address } = place
  return {
    describeSource: () => ({ bytes: readServerSize(address) }),
    open: (target: string, moveId: string) =>
      SqliteTarget.open(target, moveId, (database) => openOrigin(address, database)),
  }
}
