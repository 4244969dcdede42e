import { setTimeout as sleep } from 'node:timers/promises'
import { FindingLedger } from '../findings/ledger.store.ts'
import { suppressOpened } from '../findings/suppressions.ts'
import { openToldAssets, type ToldAssets } from '../findings/told-assets.store.ts'
import { AppError, conflict } from '../kernel/errors.ts'
import type { Log } from '../kernel/log.ts'
import { IMPORT_TYPE, SourceName } from '../sources/model.ts'
import { findSource, getSource, insertSource, setLastCompletedScan } from '../sources/sources.store.ts'
import type { Store, Writer } from '../store/store.ts'
import type { Vault } from '../store/vault.ts'
import { Drive, DriveStopped, isOrphaned } from './drive.ts'
import { type ImportRow, parseImportLine } from './import-line.ts'
import { partRows } from './import-pack.ts'
import { storeRow } from './import-rows.ts'
import {
  acceptImportFile,
  addImportRows,
  dropImportFile,
  dropImportRows,
  dropSomeRows,
  findWaitingRows,
  listStaleImports,
  openImportFile,
  saveStoredRows,
} from './imports.store.ts'
import { type ScanProgress, toScanItem } from './model.ts'
import { type NumberedValue, readNdjson } from './ndjson.ts'
import { createOwner } from './owner.ts'
import { readSarif } from './sarif.ts'
import { addProgress, findActiveScan, finishScan, getScan, insertScan } from './scans.store.ts'
import { PARTS, ROWS_OF_TURN, Staging } from './staging.ts'

export const importFormats = ['ndjson', 'sarif'] as const
export type ImportFormat = (typeof importFormats)[number]

/** Findings of one transaction while nobody waits: few at first, then twice as many each time. */
const ROWS_AT_FIRST = 4_000
const ROWS_AT_MOST = 64_000
/** And while somebody does. */
const ROWS_WHEN_AWAITED = 100
/** So many are stored between two looks whether somebody waits. */
const ROWS_TO_LOOK = 1_000
/** Waiting rows that are thrown away at once. */
const DROPPED_AT_ONCE = 5
/** A file that was not read to its end for so long never will be. */
const STALE_MS = 86_400_000
const HEARTBEAT_MS = 2_000

export interface ImportContext {
  store: Store
  vault: Vault
  log: Log
  now: () => number
  signal: AbortSignal
  caller: { name: string }
}

export interface ImportResult {
  source: { id: string; name: string }
  scanId: string
  /** Findings that the file holds. */
  lines: number
  /** Assets that they are in. */
  assets: number
  findings: ScanProgress['findings']
}

/**
 * Imports findings of another scanner into a source of type IMPORT, which is made when it is not there. The file is
 * read and checked to its end first, so a bad line leaves nothing behind; then it is stored a little at a time, also
 * by another process should this one die.
 * @throws AppError `invalid_input`, reason `bad_line`, naming the line.
 */
export async function importFindings(
  stream: AsyncIterable<Uint8Array | string>,
  { source, format }: { source: string; format: ImportFormat },
  context: ImportContext,
): Promise<ImportResult> {
  const { store, now } = context
  const name = SourceName.parse(source)
  requireImportable(store, name)
  await sweep(context)
  const uid = crypto.randomUUID()
  store.write((writer) => openImportFile(writer, uid, now()))
  let lines: number
  try {
    lines = await stage(uid, format === 'sarif' ? readSarif(stream, now()) : readNdjson(stream), context)
    store.write((writer) => accept(writer, uid, name, context), { durable: true })
  } catch (error) {
    await discard(uid, store)
    throw error
  }
  const owner = createOwner()
  try {
    const options = { store, owner, now, signal: context.signal, heartbeatMs: HEARTBEAT_MS }
    const drive = Drive.claim(uid, options)
    if (drive !== undefined) await storeImport(drive, context)
    else await untilStored(uid, context)
  } finally {
    owner.release()
  }
  return store.read((reader) => {
    const { source: shown, progress } = toScanItem(getScan(reader, uid))
    return { source: shown, scanId: uid, lines, assets: progress.scanned, findings: progress.findings }
  })
}

/** Another process took it up: it is stored all the same. */
async function untilStored(uid: string, { store, signal }: ImportContext): Promise<void> {
  for (;;) {
    const { status } = store.read((reader) => getScan(reader, uid))
    if (status !== 'QUEUED' && status !== 'RUNNING') return
    await sleep(100, undefined, { signal })
  }
}

function requireImportable(store: Store, name: string): void {
  const known = store.read((reader) => findSource(reader, name))
  if (known !== undefined && known.type !== IMPORT_TYPE) {
    throw conflict(`'${known.name}' is scanned by assay itself; choose another name for what is imported.`, {
      reason: 'not_an_import',
    })
  }
}

/** Reads the file to its end into the staging table. Returns how many findings it holds. */
async function stage(uid: string, values: AsyncIterable<NumberedValue>, context: ImportContext): Promise<number> {
  const { store, vault, signal } = context
  const staging = new Staging(vault.fingerprintKey())
  let staged = 0
  let turn = 0
  const flush = async () => {
    const rows = staging.take()
    const parts = turn === 0 && rows.length < ROWS_OF_TURN ? 1 : PARTS
    store.write((writer) => {
      for (const [part, some] of partRows(rows, parts).entries()) addImportRows(writer, uid, { part, turn }, some)
    })
    turn++
    staged += rows.length
    await store.giveWay(signal)
  }
  for await (const { line, value, undated = false } of values) {
    if (signal.aborted) throw new AppError('unavailable', 'The import was stopped; nothing was imported.')
    staging.add(parseImportLine(value, line), undated)
    if (staging.isFull) await flush()
  }
  await flush()
  return staged
}

/** The whole file is good: from here on it will be stored. */
function accept(writer: Writer, uid: string, name: string, { now, caller }: ImportContext): void {
  const at = now()
  if (findSource(writer, name) === undefined) {
    insertSource(
      writer,
      {
        uid: crypto.randomUUID(),
        name,
        type: IMPORT_TYPE,
        config: { type: IMPORT_TYPE },
        secrets: {},
        nextRunAt: null,
      },
      at,
    )
  }
  const source = getSource(writer, name)
  const active = findActiveScan(writer, source.id)
  if (active !== undefined) {
    throw conflict(`An import into '${source.name}' is under way; start this one when it is done.`, {
      reason: 'scan_running',
      facts: { id: active.uid, abandoned: isOrphaned(active, at) },
    })
  }
  insertScan(
    writer,
    {
      uid,
      sourceId: source.id,
      trigger: 'IMPORT',
      requestedBy: caller.name,
      configHash: '',
      detectorsHash: '',
      seed: 0,
      sampled: false,
    },
    at,
  )
  acceptImportFile(writer, uid)
}

async function discard(uid: string, store: Store): Promise<void> {
  while (store.write((writer) => dropSomeRows(writer, uid, DROPPED_AT_ONCE))) await store.giveWay()
  store.write((writer) => dropImportFile(writer, uid))
}

async function sweep({ store, now }: ImportContext): Promise<void> {
  for (const uid of store.read((reader) => listStaleImports(reader, now() - STALE_MS))) await discard(uid, store)
}

/** Stores what an accepted file still holds, and ends its scan. */
export async function storeImport(drive: Drive, { store, now }: Pick<ImportContext, 'store' | 'now'>): Promise<void> {
  const { uid, id: scanId, sourceId } = drive.scan
  const assets = openToldAssets(sourceId)
  let most = ROWS_AT_FIRST
  try {
    for (;;) {
      const waiting = store.read((reader) => findWaitingRows(reader, uid))
      if (waiting === undefined) break
      for (let from = 0; from < waiting.rows.length; ) {
        from = drive.write((writer) => {
          const stored = { findings: { new: 0, again: 0, resolved: 0 }, seen: assets.seen.size }
          const at = now()
          const to = FindingLedger.keep(writer, at, (ledger) => {
            let next = from
            do {
              const size = store.isAwaited ? ROWS_WHEN_AWAITED : ROWS_TO_LOOK
              const rows = waiting.rows.slice(next, next + size)
              storeRows(writer, ledger, rows, { scanId, sourceId, at, assets, findings: stored.findings })
              next += rows.length
            } while (next < waiting.rows.length && next - from < most && !store.isAwaited)
            suppressOpened(writer, ledger, at)
            return next
          })
          const seen = assets.seen.size - stored.seen
          addProgress(writer, scanId, { discovered: seen, scanned: seen, unchanged: 0, findings: stored.findings })
          if (to < waiting.rows.length) saveStoredRows(writer, uid, to - from)
          else dropImportRows(writer, uid, waiting.ordinal)
          return to
        })
        most = Math.min(ROWS_AT_MOST, most * 2)
        await store.giveWay(drive.signal)
      }
    }
  } catch (error) {
    drive.release()
    throw error instanceof DriveStopped
      ? new AppError('unavailable', 'The import was interrupted; it goes on when assay runs again.')
      : error
  }
  drive.end((writer) => {
    const at = now()
    dropImportFile(writer, uid)
    finishScan(writer, scanId, { status: 'COMPLETED' }, at)
    setLastCompletedScan(writer, sourceId, at)
  })
}

interface StoredRows {
  scanId: number
  sourceId: number
  at: number
  assets: ToldAssets
  /** What came of them is added here. */
  findings: ScanProgress['findings']
}

/** Stores findings, those of an asset one after the other. */
function storeRows(
  writer: Writer,
  ledger: FindingLedger,
  rows: readonly ImportRow[],
  { scanId, sourceId, at, assets, findings }: StoredRows,
): void {
  const placed = rows.map((row) => {
    const { assetId, isNew } = assets.save(writer, ledger.facets, row.asset, at)
    return { row, assetId, isNew, sourceId, scanId, at }
  })
  placed.sort((a, b) => a.assetId - b.assetId)
  for (const place of placed) {
    const result = storeRow(ledger, place)
    findings[result.known ? 'again' : 'new']++
    if (result.resolved) findings.resolved++
  }
}
