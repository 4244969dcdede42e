import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { makeFolder } from '../../runtime/make-folder.ts'
import { version } from '../../runtime/package-files.ts'
import { newestSchema } from '../../store/migrations.ts'
import { MIN_FREE_BYTES, readFreeBytes } from '../../store/space.ts'
import type { Reader, Store, Writer } from '../../store/store.ts'
import { Engine } from '../columnar-index.ts'
import type { TimelineOptions } from '../index/timeline.ts'
import { addSomeWords, catchUp } from '../load.store.ts'
import {
  deleteSnapshots,
  hasStoredCounts,
  insertSnapshot,
  type LogPosition,
  listSnapshots,
  type SnapshotRow,
} from './snapshot.store.ts'
import { readSnapshotFile, UnusableSnapshot, writeSnapshotFile } from './snapshot-file.ts'

const FOLDER = 'engine'
const SUFFIX = '.columns'
const DRAFT_SUFFIX = '.draft'
const MARK = /^[0-9a-f]{32}$/
/** A draft of another process is deleted when it is older. */
const MAX_DRAFT_AGE_MS = 3_600_000
/** Data folders whose snapshots a database on a server remembers. */
const MAX_FOLDERS = 100

const folderOf = (home: string): string => join(home, FOLDER)

/** The marks of the snapshots in a folder. The mark of a row becomes a part of a path only if it is among them. */
function listMarks(folder: string): string[] {
  if (!existsSync(folder)) return []
  const names = readdirSync(folder).filter((name) => name.endsWith(SUFFIX))
  return names.map((name) => name.slice(0, -SUFFIX.length)).filter((mark) => MARK.test(mark))
}

/** The newest snapshot of a database that is in a data folder. */
export function findSnapshot(reader: Reader, home: string): SnapshotRow | undefined {
  const marks = listMarks(folderOf(home))
  return marks.length === 0 ? undefined : listSnapshots(reader).find(({ mark }) => marks.includes(mark))
}

const identify = (mark: string) => ({ mark, schema: newestSchema(), program: version })

/**
 * Writes the contents of an engine into a data folder, as its only snapshot. The file is complete before the database
 * has the row that names it, and that row is written after everything that the engine includes. So a database that was
 * restored or copied has the row only if its past is the same up to there, and the change log leads on from it.
 * Returns undefined when `isLate` became true, or the disk has no room; the former snapshot then stays.
 */
export function saveSnapshot(
  { store, home }: { store: Store; home: string },
  engine: Engine,
  isLate: () => boolean = () => false,
): LogPosition | undefined {
  const folder = folderOf(home)
  const image = engine.toImage()
  const bytes = image.reduce((sum, { column, used }) => sum + column.BYTES_PER_ELEMENT * used, 0)
  makeFolder(folder, 0o700)
  chmodSync(folder, 0o700)
  if (readFreeBytes(folder) < 2 * MIN_FREE_BYTES + bytes) return undefined
  const mark = randomBytes(16).toString('hex')
  const draft = join(folder, `${mark}${DRAFT_SUFFIX}`)
  const file = join(folder, `${mark}${SUFFIX}`)
  let isKept = false
  try {
    const digest = writeSnapshotFile(draft, image, identify(mark), isLate)
    if (digest === undefined) return undefined
    const { seq, assetSeq } = engine
    // Files are renamed and deleted under the write lock, so that no process deletes what another has just written.
    const replace = (writer: Writer) => {
      deleteSnapshots(writer, listReplaced(store, writer, folder))
      if (!insertSnapshot(writer, { mark, digest, seq, assetSeq })) return false
      // On a server, the transaction may be repeated.
      if (existsSync(draft)) renameSync(draft, file)
      removeFiles(folder, mark)
      return true
    }
    isKept = store.write(replace, { scope: 'loop' })
    return isKept ? { seq, assetSeq } : undefined
  } finally {
    rmSync(draft, { force: true })
    if (!isKept) rmSync(file, { force: true })
  }
}

/** All snapshots of a database in a file; on a server those of the folder, and of folders that are probably gone. */
function listReplaced({ files }: Store, writer: Writer, folder: string): string[] {
  const [marks, own] = [listSnapshots(writer).map(({ mark }) => mark), listMarks(folder)]
  return files === undefined ? marks.filter((mark, place) => own.includes(mark) || place >= MAX_FOLDERS) : marks
}

/**
 * The engine of the snapshot of a database, updated to what a reader sees; undefined when there is none. The reader's
 * snapshot has to stay open for several turns of the event loop.
 * @throws UnusableSnapshot
 */
export async function loadSnapshot(
  reader: Reader,
  home: string,
  options?: TimelineOptions,
): Promise<{ engine: Engine; position: LogPosition } | undefined> {
  const found = findSnapshot(reader, home)
  if (found === undefined) return undefined
  const { mark, digest, seq, assetSeq } = found
  const engine = await restore(join(folderOf(home), `${mark}${SUFFIX}`), mark, digest, options)
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

/** Deletes the snapshot of a database in a data folder, and what interrupted ones have left. */
export function dropSnapshot(store: Store, home: string): void {
  const folder = folderOf(home)
  const drop = (writer: Writer) => {
    deleteSnapshots(writer, listReplaced(store, writer, folder))
    removeFiles(folder)
  }
  store.write(drop, { scope: 'loop' })
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
