import { setTimeout as sleep } from 'node:timers/promises'
import type { Facets } from '../findings/facets.store.ts'
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
import type { RowList } from './import-block.ts'
import { type ConvertedPiece, toBlocks } from './import-convert.ts'
import { type ImportFacets, parseImportLine } from './import-line.ts'
import { type RowPlace, storeRow } from './import-rows.ts'
import { convertPieces } from './import-threads.ts'
import {
  acceptImportFile,
  addImportBlock,
  dropImportFile,
  dropImportRows,
  dropSomeBlocks,
  findWaitingRows,
  listStaleImports,
  openImportFile,
  saveStoredRows,
} from './imports.store.ts'
import { type ScanProgress, toScanItem } from './model.ts'
import { explainRefused, readPieces } from './ndjson.ts'
import { createOwner } from './owner.ts'
import { readSarif } from './sarif.ts'
import { addProgress, findActiveScan, finishScan, getScan, insertScan } from './scans.store.ts'
import { Staging } from './staging.ts'

export const importFormats = ['ndjson', 'sarif'] as const
export type ImportFormat = (typeof importFormats)[number]

/** Findings of one transaction while nobody waits: few at first, then twice as many each time. */
const ROWS_AT_FIRST = 8_000
const ROWS_AT_MOST = 72_000
/** And while somebody does. */
const ROWS_WHEN_AWAITED = 100
/** So many are stored between two looks whether somebody waits. */
const ROWS_TO_LOOK = 1_000
/** Waiting blocks that are thrown away at once. */
const DROPPED_AT_ONCE = 50
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
    lines = await (format === 'sarif' ? stageLog : stageLines)(uid, stream, context)
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

/** Reads a file of lines to its end into the staging table. Returns how many findings it holds. */
async function stageLines(
  uid: string,
  stream: AsyncIterable<Uint8Array | string>,
  context: ImportContext,
): Promise<number> {
  const staged = { lines: 0, findings: 0, turns: 0 }
  for await (const conversion of convertPieces(
    readPieces(whileGoing(stream, context)),
    context.vault.fingerprintKey(),
  )) {
    requireGoing(context)
    if ('refused' in conversion) {
      throw explainRefused(conversion.refused, staged.lines + conversion.refused.line)
    }
    await addBlocks(uid, staged.turns++, conversion.blocks, context)
    staged.lines += conversion.lines
    staged.findings += conversion.findings
  }
  return staged.findings
}

/** The same with a SARIF log. */
async function stageLog(
  uid: string,
  stream: AsyncIterable<Uint8Array | string>,
  context: ImportContext,
): Promise<number> {
  const staging = new Staging(context.vault.fingerprintKey())
  let staged = 0
  let turn = 0
  const flush = async () => {
    const rows = staging.take()
    staged += rows.length
    await addBlocks(uid, turn++, toBlocks([rows]), context)
  }
  for await (const { line, value, undated } of readSarif(whileGoing(stream, context), context.now())) {
    requireGoing(context)
    staging.add(parseImportLine(value, line), undated)
    if (staging.isFull) await flush()
  }
  await flush()
  return staged
}

/** The stream, until whoever sends it is gone. */
async function* whileGoing<Chunk>(stream: AsyncIterable<Chunk>, context: ImportContext): AsyncGenerator<Chunk> {
  for await (const chunk of stream) {
    requireGoing(context)
    yield chunk
  }
}

function requireGoing({ signal }: ImportContext): void {
  if (signal.aborted) throw new AppError('unavailable', 'The import was stopped; nothing was imported.')
}

async function addBlocks(
  uid: string,
  turn: number,
  blocks: ConvertedPiece['blocks'],
  { store, signal }: ImportContext,
) {
  store.write((writer) => {
    for (const block of blocks) addImportBlock(writer, uid, turn, block)
  })
  await store.giveWay(signal)
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
  while (store.write((writer) => dropSomeBlocks(writer, uid, DROPPED_AT_ONCE))) await store.giveWay()
  store.write((writer) => dropImportFile(writer, uid))
}

async function sweep({ store, now }: ImportContext): Promise<void> {
  for (const uid of store.read((reader) => listStaleImports(reader, now() - STALE_MS))) await discard(uid, store)
}

/** Stores what an accepted file still holds, and ends its scan. */
export async function storeImport(drive: Drive, { store, now }: Pick<ImportContext, 'store' | 'now'>): Promise<void> {
  const { uid, id: scanId, sourceId } = drive.scan
  const assets = openToldAssets(sourceId)
  const combinations = new Map<string, ImportFacets>()
  const facets = new Map<ImportFacets, Facets>()
  let most = ROWS_AT_FIRST
  try {
    for (;;) {
      const waiting = store.read((reader) => findWaitingRows(reader, uid, combinations))
      if (waiting === undefined) break
      const { rows } = waiting
      for (let from = waiting.stored; from < rows.size; ) {
        from = drive.write((writer) => {
          const stored = { findings: { new: 0, again: 0, resolved: 0 }, seen: assets.count }
          const at = now()
          const to = FindingLedger.keep(writer, at, (ledger) => {
            let next = from
            do {
              const to = Math.min(rows.size, next + (store.isAwaited ? ROWS_WHEN_AWAITED : ROWS_TO_LOOK))
              storeRows(writer, ledger, {
                rows,
                from: next,
                to,
                scanId,
                at,
                assets,
                facetsOf,
                findings: stored.findings,
              })
              next = to
            } while (next < rows.size && next - from < most && !store.isAwaited)
            suppressOpened(writer, ledger, at)
            return next
          })
          const seen = assets.count - stored.seen
          addProgress(writer, scanId, { discovered: seen, scanned: seen, unchanged: 0, findings: stored.findings })
          if (to < rows.size) saveStoredRows(writer, uid, to - from)
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

  function facetsOf(names: ImportFacets): Facets {
    const known = facets.get(names) ?? { sourceId, ...names }
    facets.set(names, known)
    return known
  }
}

interface StoredRows {
  rows: RowList
  from: number
  to: number
  scanId: number
  at: number
  assets: ToldAssets
  facetsOf: (names: ImportFacets) => Facets
  /** What came of them is added here. */
  findings: ScanProgress['findings']
}

/** Stores findings, those of an asset one after the other. */
function storeRows(
  writer: Writer,
  ledger: FindingLedger,
  { rows, from, to, scanId, at, assets, facetsOf, findings }: StoredRows,
): void {
  const placed: RowPlace[] = []
  let isInOrder = true
  for (let index = from; index < to; index++) {
    const row = rows.rowAt(index)
    const { assetId, isNew } = assets.save(writer, ledger.facets, row.asset, at)
    isInOrder &&= (placed.at(-1)?.assetId ?? 0) <= assetId
    placed.push({ row, facets: facetsOf(row.facets), assetId, isNew, scanId, at })
  }
  if (!isInOrder) placed.sort((a, b) => a.assetId - b.assetId)
  for (const place of placed) {
    const result = storeRow(ledger, place)
    findings[result.known ? 'again' : 'new']++
    if (result.resolved) findings.resolved++
  }
}
