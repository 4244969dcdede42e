import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { appendAudit } from '../audit/audit.store.ts'
import { LoopLease } from '../background/loop-lease.ts'
import type { MoveReport } from '../cli/host.ts'
import { AppError, conflict } from '../kernel/errors.ts'
import { createOwner } from '../scans/owner.ts'
import { listOpenScans } from '../scans/scans.store.ts'
import { findLease } from '../store/lease.store.ts'
import {
  dropMoving,
  findMove,
  type MoveState,
  SQLITE_PREFIX,
  saveMoved,
  saveMoving,
  toMovedMessage,
  toWayOn,
} from '../store/move/marker.ts'
import type { MoveProgress } from '../store/move/target.ts'
import type { TargetChecks } from '../store/move/target-checks.ts'
import { describeDifferences } from '../store/schema-check.ts'
import type { Reader, Store, Writer } from '../store/store.ts'
import { describePlace } from '../store/store-place.ts'
import type { Folder } from './data-folder.ts'
import { type MovePlace, openMovePlace } from './move-place.ts'
import { compareAnswers } from './move-questions.ts'

const BATCH_ROWS = 20_000
const QUESTIONS = 500
/** How long the former database is asked questions, of which each takes up to seconds when it is large. */
const QUESTIONS_MS = 30_000
const LOCAL_WAIT_MS = 3_000
/** Longer than a lease lasts that is not renewed: whether a process of another machine lives is not known. */
const REMOTE_WAIT_MS = 35_000
const LEASE_RETRY_MS = 100

export interface MoveOptions extends Omit<TargetChecks, 'networkFolder'> {
  signal: AbortSignal
  onProgress?: (progress: MoveProgress) => void
  batchRows?: number
  /** Number of random questions that both databases are asked. */
  questions?: number
  questionsMs?: number
  /** How long the lease of a live process on this machine is waited for. */
  localWaitMs?: number
}

type Moving = Pick<Folder, 'vault' | 'config' | 'caller' | 'now' | 'env' | 'store'>

/**
 * Copies the database of a data folder to another place and then makes the former one read-only. If the process ends
 * at any moment, the same call continues, and at no moment can both databases be written to.
 * @throws AppError
 */
export async function moveDatabase(folder: Moving, address: string, options: MoveOptions): Promise<MoveReport> {
  const { store } = folder
  const place = await openMovePlace(folder, address, options)
  const { to, server } = place
  const present = store.read(findMove)
  if (present?.name === 'moved_to') return completeMove(folder, place, present)
  if (present !== undefined && present.to !== to) throw otherMove(present.to)
  const id = present?.id ?? randomUUID()
  const marker = { id, to, ...(server === undefined ? {} : { server }) }
  place.check(present?.id)
  requireOwnSchema(store)
  return holdLease(folder, { id, localWaitMs: options.localWaitMs }, async (renew) => {
    const onTurn = async (progress: MoveProgress) => {
      options.onProgress?.(progress)
      await nextTurn()
      if (options.signal.aborted) throw interrupted(to)
      renew()
    }
    store.write(
      (writer) => {
        requireQuiet(writer)
        // Another process may have begun or completed a move since.
        const now = findMove(writer)
        if (now !== undefined && now.id !== id) throw otherMove(now.to)
        saveMoving(writer, marker)
      },
      // The reason for a move may be that this disk is full.
      { durable: true, essential: true },
    )
    const target = place.open(id)
    try {
      for (const table of target.tables) {
        let rows = 0
        for (let copied = -1; copied !== 0; rows += copied) {
          copied = target.copyBatch(table, options.batchRows ?? BATCH_ROWS)
          await onTurn({ step: 'copying', name: table.name, rows: rows + copied })
        }
      }
      await target.createRest(onTurn)
      const tables = await target.verify(onTurn)
      const { questions: wanted = QUESTIONS, questionsMs = QUESTIONS_MS } = options
      const questions = compareAnswers({
        former: () => store.openSnapshot({ asRecorded: true }),
        copy: () => target.openSnapshot(),
        questions: wanted,
        budgetMs: questionsMs,
        now: folder.now(),
        home: folder.config.home,
      })
      target.flush()
      await onTurn({ step: 'comparing', name: 'answers', rows: questions })
      const copied = Array.from(tables, ([name, { rows }]) => ({ name, rows }))
      const moved = { ...report(folder, place, 'moved', copied), questions }
      store.write(
        (writer) => {
          // Another process may have cancelled the move while this one did not run.
          if (findMove(writer)?.id !== id || !target.isInPlace()) throw cancelled(to)
          saveMoved(writer, marker)
        },
        { durable: true, essential: true },
      )
      target.activate((writer) => audit(writer, folder, moved))
      return moved
    } finally {
      target.close()
    }
  })
}

/** What a move would do; changes nothing. */
export async function planMove(
  folder: Moving,
  address: string,
  options: Omit<MoveOptions, 'signal'> = {},
): Promise<MoveReport> {
  const { store } = folder
  const place = await openMovePlace(folder, address, options)
  const present = store.read(findMove)
  if (present?.name === 'moved_to') throw new AppError('unavailable', toMovedMessage(present.to), { reason: 'moved' })
  if (present !== undefined && present.to !== place.to) throw otherMove(present.to)
  place.check(present?.id)
  requireOwnSchema(store)
  store.read(requireQuiet)
  return report(folder, place, 'planned', [])
}

/** Undoes a move that is not complete: the database can be written to again, and the unfinished copy is deleted. */
export async function cancelMove(folder: Moving): Promise<MoveReport> {
  const { store } = folder
  const present = store.read(findMove)
  if (present === undefined) throw conflict('No move is in progress; there is nothing to cancel.')
  const { name, id, to, server } = present
  if (name === 'moved_to') throw new AppError('unavailable', toMovedMessage(to), { reason: 'moved' })
  return holdLease(folder, { id }, async () => {
    const place = await openMovePlace(folder, server ?? to, {})
    store.write((writer) => dropMoving(writer), { durable: true, essential: true })
    place.removeCopy(id)
    return report(folder, place, 'cancelled', [])
  })
}

/** The last step of a move that was killed after the former database had become read-only. */
function completeMove(folder: Moving, place: MovePlace, present: MoveState): MoveReport {
  const { to } = place
  if (present.to !== to) throw new AppError('unavailable', toMovedMessage(present.to), { reason: 'moved' })
  const state = place.stateOf(present.id)
  if (state === 'missing') {
    const message = `The database has moved to ${to}, but it does not exist there any more; restore a backup there or here with \`assay restore FILE\`.`
    throw new AppError('unavailable', message, { reason: 'database_missing' })
  }
  const moved = report(folder, place, 'moved', [])
  if (state === 'unfinished') {
    const target = place.open(present.id)
    try {
      target.activate((writer) => audit(writer, folder, moved))
    } finally {
      target.close()
    }
  }
  return moved
}

/** Records the move in the new database. */
function audit(writer: Writer, { caller, now, store }: Moving, { from, to, rows, tables }: MoveReport): void {
  const author = { name: caller.name, id: caller.id, via: caller.via, at: now() }
  const copied = tables.length > 0 ? { rows, tables: tables.length } : {}
  const before = { at: store.files === undefined ? from : `${SQLITE_PREFIX}${from}` }
  appendAudit(writer, author, {
    action: 'move',
    kind: 'database',
    name: 'assay.db',
    before,
    after: { at: to, ...copied },
  })
}

/** Runs `work` while this process holds the right to run scheduled work, which it must renew from time to time. */
async function holdLease<T>(
  { store, now }: Moving,
  { id, localWaitMs = LOCAL_WAIT_MS }: { id: string; localWaitMs?: number | undefined },
  work: (renew: () => void) => Promise<T>,
): Promise<T> {
  const owner = createOwner()
  const lease = new LoopLease({ store, holder: owner.name, now })
  store.beginMove(id)
  const started = performance.now()
  try {
    while (!lease.hold()) {
      const holder = store.read((reader) => findLease(reader, 'loop'))?.holder ?? ''
      const patience = holder.startsWith(`${hostname()}/`) ? localWaitMs : REMOTE_WAIT_MS
      if (performance.now() - started > patience) throw inUse(holder)
      await sleep(LEASE_RETRY_MS)
    }
    return await work(() => {
      if (!lease.hold()) throw inUse('another process')
    })
  } finally {
    if (store.read(findMove)?.name !== 'moved_to') lease.drop()
    owner.release()
  }
}

/** @throws AppError `conflict` while a scan or an import is in progress. */
function requireQuiet(reader: Reader): void {
  const scans = listOpenScans(reader)
  if (scans.length > 0) {
    const message =
      'A scan or an import is in progress; wait until it has ended (`assay scans`), or cancel it, and run the command again.'
    throw conflict(message, { reason: 'scan_active' })
  }
}

function requireOwnSchema({ files }: Store): void {
  const differences = files?.examine('schema').differences ?? []
  if (differences.length === 0) return
  const message = `The database is not moved, because its schema differs from that of this version: ${describeDifferences(differences)}; see \`assay doctor\`.`
  throw new AppError('unavailable', message, { reason: 'foreign_schema' })
}

function report(
  { store, vault, config, env }: Moving,
  { to, home }: MovePlace,
  state: MoveReport['state'],
  tables: MoveReport['tables'],
): MoveReport {
  const { check } = vault.source()
  const variable = env.ASSAY_KEY_FILE ? 'ASSAY_KEY_FILE' : env.ASSAY_KEY ? 'ASSAY_KEY' : undefined
  const from = variable === undefined ? { file: join(config.home, 'assay.key') } : { variable }
  return {
    state,
    from: describePlace(store.place),
    to,
    home,
    rows: tables.reduce((sum, { rows }) => sum + rows, 0),
    tables,
    questions: 0,
    key: { ...from, ...(check === undefined ? {} : { check }) },
  }
}

const otherMove = (to: string) =>
  conflict(`A move to ${to} is unfinished; ${toWayOn(to)}`, {
    reason: 'moving',
  })

const inUse = (holder: string) =>
  conflict(
    `Another assay process (${holder.split('/').slice(0, 2).join(', process ')}) works on the data folder; stop \`assay serve\` and close the assistants, then run the command again.`,
    { reason: 'in_use' },
  )

const interrupted = (to: string) =>
  new AppError('unavailable', `The move was interrupted, and nothing is written until it has ended; ${toWayOn(to)}`, {
    reason: 'moving',
  })

const cancelled = (to: string) =>
  conflict(`The move to ${to} was cancelled by another process, or its copy was removed; nothing has changed.`, {
    reason: 'move_cancelled',
  })
