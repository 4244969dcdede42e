import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { version } from '../../runtime/package-files.ts'
import { newestSchema } from '../../store/migrations.ts'
import { MIN_FREE_BYTES, readFreeBytes } from '../../store/space.ts'
import type { Reader, Store } from '../../store/store.ts'
import { Engine } from '../columnar-index.ts'
import type { TimelineOptions } from '../index/timeline.ts'
import { addSomeWords, catchUp } from '../load.store.ts'
import { dropSnapshots, findSnapshot, hasStoredCounts, type LogPosition, replaceSnapshot } from './snapshot.store.ts'
import { readSnapshotFile, UnusableSnapshot, writeSnapshotFile } from './snapshot-file.ts'

const FOLDER = 'engine'
const SUFFIX = '.columns'
const DRAFT_SUFFIX = '.draft'
/** A draft of another process is deleted when it is older. */
const MAX_DRAFT_AGE_MS = 3_600_000

const folderOf = (database: string): string => join(dirname(database), FOLDER)

const identify = (mark: string) => ({ mark, schema: newestSchema(), program: version })

/**
 * Writes the contents of an engine beside the database, as its only snapshot. The file is complete before the database
 * has the row that names it, and that row is written after everything that the engine includes. So a database that was
 * restored or copied has the row only if its past is the same up to there, and the change log leads on from it.
 * Returns undefined when `isLate` became true, the disk has no room, or the database is on a server; the former snapshot
 * then stays.
 */
export function saveSnapshot(
  store: Store,
  engine: Engine,
  isLate: () => boolean = () => false,
): LogPosition | undefined {
  if (store.files === undefined) return undefined
  const { file: database } = store.files
  const folder = folderOf(database)
  const image = engine.toImage()
  const bytes = image.reduce((sum, { column, used }) => sum + column.BYTES_PER_ELEMENT * used, 0)
  if (readFreeBytes(dirname(database)) < 2 * MIN_FREE_BYTES + bytes) return undefined
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  chmodSync(folder, 0o700)
  const mark = randomBytes(16).toString('hex')
  const draft = join(folder, `${mark}${DRAFT_SUFFIX}`)
  const file = join(folder, `${mark}${SUFFIX}`)
  let isKept = false
  try {
    const digest = writeSnapshotFile(draft, image, identify(mark), isLate)
    if (digest === undefined) return undefined
    const { seq, assetSeq } = engine
    // Files are renamed and deleted under the write lock, so that no process deletes what another has just written.
    isKept = store.write((writer) => {
      if (!replaceSnapshot(writer, { mark, digest, seq, assetSeq })) return false
      renameSync(draft, file)
      removeFiles(folder, mark)
      return true
    })
    return isKept ? { seq, assetSeq } : undefined
  } finally {
    rmSync(draft, { force: true })
    if (!isKept) rmSync(file, { force: true })
  }
}

/**
 * The engine of the snapshot of a database, updated to what a reader sees; undefined when there is none. The reader's
 * snapshot has to stay open for several turns of the event loop.
 * @throws UnusableSnapshot
 */
export async function loadSnapshot(
  reader: Reader,
  database: string,
  options?: TimelineOptions,
): Promise<{ engine: Engine; position: LogPosition } | undefined> {
  const found = findSnapshot(reader)
  if (found === undefined) return undefined
  const { mark, digest, seq, assetSeq } = found
  // The mark becomes a part of a path.
  if (!/^[0-9a-f]{32}$/.test(mark)) throw new UnusableSnapshot('its name is damaged')
  const engine = await restore(join(folderOf(database), `${mark}${SUFFIX}`), mark, digest, options)
  if (engine.seq !== seq || engine.assetSeq !== assetSeq) throw new UnusableSnapshot('it is another snapshot')
  while (addSomeWords(reader, engine)) await nextTurn()
  if (!catchUp(reader, engine)) throw new UnusableSnapshot('the change log does not lead on from it')
  if (!engine.history.isComplete || engine.history.needsCompaction)
    throw new UnusableSnapshot('its history is outdated')
  if (!hasStoredCounts(reader, engine)) throw new UnusableSnapshot('its counts differ from those of the database')
  return { engine, position: { seq, assetSeq } }
}

async function restore(
  file: string,
  mark: string,
  digest: string,
  options: TimelineOptions | undefined,
): Promise<Engine> {
  const image = await readSnapshotFile(file, identify(mark), digest)
  try {
    return Engine.restore(image, options)
  } catch (error) {
    if (error instanceof RangeError) throw new UnusableSnapshot('its columns do not fit together', { cause: error })
    throw error
  }
}

/** Deletes the snapshot of a database, and what interrupted ones have left. */
export function dropSnapshot(store: Store): void {
  store.write((writer) => {
    dropSnapshots(writer)
    if (store.files !== undefined) removeFiles(folderOf(store.files.file))
  })
}

/** Deletes all snapshots but that of a mark, and drafts of processes that ended meanwhile. */
function removeFiles(folder: string, mark?: string): void {
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    const isOld = name.endsWith(SUFFIX) && name !== `${mark}${SUFFIX}`
    const isLeft = name.endsWith(DRAFT_SUFFIX) && (mark === undefined || ageOf(file) > MAX_DRAFT_AGE_MS)
    try {
      if (isOld || isLeft) rmSync(file, { force: true })
    } catch {
      // On Windows another process may be reading it; the next snapshot deletes it.
    }
  }
}

const ageOf = (file: string): number => Date.now() - (statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0)
