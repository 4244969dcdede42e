import { setTimeout as sleep } from 'node:timers/promises'
import { AppError, conflict, invalidInput } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import type { Log } from '../runtime/log.ts'
import { ScanLease } from '../scans/lease.ts'
import { type ScanProgress, toScanItem } from '../scans/model.ts'
import { createOwner } from '../scans/owner.ts'
import { findActiveScan, findScan, insertScan, isOpenScan } from '../scans/scans.store.ts'
import { IMPORT_TYPE, SourceName } from '../sources/model.ts'
import { findSource, getSource, insertSource } from '../sources/sources.store.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Store, Writer } from '../store/store.ts'
import { applyStagedImport } from './apply/apply-import.ts'
import { discardImport, sweepImports } from './apply/stale-imports.ts'
import { MAX_AHEAD_MS, parseImportLine } from './read/import-line.ts'
import { explainRefused, readPieces } from './read/ndjson.ts'
import { readSarif } from './read/sarif.ts'
import { convertPieces } from './stage/import-threads.ts'
import { acceptImportFile, addImportBlock, openImportFile } from './stage/imports.store.ts'
import { type PartBlock, Staging } from './stage/staging.ts'

export const importFormats = ['ndjson', 'sarif'] as const
export type ImportFormat = (typeof importFormats)[number]

const HEARTBEAT_MS = 2_000
/** How long an accepted file is tried to be stored where the database does not take it, and how often. */
const MAX_RETRY_MS = 30_000
const RETRY_MS = 500

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
  /** Findings in the file. */
  lines: number
  /** Assets with these findings. */
  assets: number
  findings: ScanProgress['findings']
}

/**
 * Imports findings of another scanner into a source of type IMPORT, which is created if it does not exist. The whole
 * file is read and checked first, so a bad line leaves nothing behind; then it is stored in small transactions, which
 * another process continues if this one dies.
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
  await sweepImports(context)
  const uid = crypto.randomUUID()
  store.write((writer) => openImportFile(writer, uid, now()), { scope: 'imports' })
  let lines: number
  try {
    lines = await (format === 'sarif' ? stageLog : stageLines)(uid, stream, context)
    store.write((writer) => accept(writer, uid, name, context), { durable: true })
  } catch (error) {
    // An accepted file will be stored, even if an error occurred after the acceptance was committed.
    if (store.read((reader) => findScan(reader, uid)) === undefined) await discardImport(uid, store)
    throw error
  }
  await applyAccepted(uid, context)
  return store.read((reader) => {
    const scan = findScan(reader, uid)
    if (scan === undefined || scan.reason === 'source_deleted') {
      throw conflict(`${quote(name)} was deleted while findings were being imported into it.`, {
        reason: 'source_deleted',
      })
    }
    if (scan.status === 'CANCELLED') {
      throw conflict('The import was cancelled; nothing was imported.', { reason: 'cancelled' })
    }
    const { source: shown, progress } = toScanItem(scan)
    return { source: shown, scanId: uid, lines, assets: progress.scanned, findings: progress.findings }
  })
}

/**
 * Stores an accepted file. While the database is busy or cannot be reached it is tried again, because the caller would
 * take an error for a refusal of the file.
 * @throws AppError `unavailable`, reason `interrupted`, if that takes too long; the import continues by itself
 */
async function applyAccepted(uid: string, context: ImportContext): Promise<void> {
  const { store, now, signal } = context
  const deadline = performance.now() + MAX_RETRY_MS
  for (;;) {
    const owner = createOwner()
    try {
      const lease = ScanLease.claim(uid, { store, owner, now, signal, heartbeatMs: HEARTBEAT_MS })
      return void (lease === undefined ? await untilStored(uid, context) : await applyStagedImport(lease, context))
    } catch (error) {
      if (!isPassing(error)) throw error
      if (signal.aborted || performance.now() > deadline) {
        throw new AppError('unavailable', INTERRUPTED, { reason: 'interrupted', cause: error })
      }
    } finally {
      owner.release()
    }
    await sleep(RETRY_MS, undefined, { signal }).catch(() => {})
  }
}

const INTERRUPTED = 'The file was accepted, and its import was interrupted; it continues by itself.'

const isPassing = (error: unknown) =>
  error instanceof AppError && ['busy', 'database_unreachable'].includes(String(error.facts.reason))

/** Waits until another process, which holds the lease, has stored the import. */
async function untilStored(uid: string, { store, signal }: ImportContext): Promise<void> {
  for (;;) {
    if (signal.aborted || !store.read((reader) => isOpenScan(reader, uid))) return
    await sleep(100, undefined, { signal }).catch(() => {})
  }
}

function requireImportable(store: Store, name: string): void {
  const known = store.read((reader) => findSource(reader, name))
  if (known !== undefined && known.type !== IMPORT_TYPE) {
    throw conflict(
      `${quote(known.name)} is a source that Assay scans; choose another name for the imported findings.`,
      {
        reason: 'not_an_import',
      },
    )
  }
}

/** Reads an NDJSON file completely into the staging table; returns the number of findings. */
async function stageLines(
  uid: string,
  stream: AsyncIterable<Uint8Array | string>,
  context: ImportContext,
): Promise<number> {
  const staged = { lines: 0, findings: 0, turns: 0 }
  const latest = context.now() + MAX_AHEAD_MS
  for await (const conversion of convertPieces(
    readPieces(untilAborted(stream, context)),
    context.vault.fingerprintKey(),
    { latest },
  )) {
    requireNotAborted(context)
    if ('refused' in conversion) {
      throw explainRefused(conversion.refused, staged.lines + conversion.refused.line, latest)
    }
    await addBlocks(uid, staged.turns++, conversion.blocks, context)
    staged.lines += conversion.lines
    staged.findings += conversion.findings
  }
  return staged.findings
}

/** As `stageLines`, for a SARIF log. */
async function stageLog(
  uid: string,
  stream: AsyncIterable<Uint8Array | string>,
  context: ImportContext,
): Promise<number> {
  const staging = new Staging(context.vault.fingerprintKey())
  let staged = 0
  let turn = 0
  const flush = async () => {
    if (staging.size === 0) return
    staged += staging.size
    await addBlocks(uid, turn++, staging.take(), context)
    staging.divide({ groups: [turn] })
  }
  for await (const { line, value, undated } of readSarif(untilAborted(stream, context), context.now())) {
    requireNotAborted(context)
    staging.add(parseImportLine(value, line, context.now() + MAX_AHEAD_MS), undated)
    if (staging.isFull) await flush()
  }
  await flush()
  return staged
}

/** The stream, until the sender disconnects. @throws AppError `invalid_input`, reason `body_broken_off`. */
async function* untilAborted<Chunk>(stream: AsyncIterable<Chunk>, context: ImportContext): AsyncGenerator<Chunk> {
  try {
    for await (const chunk of stream) {
      requireNotAborted(context)
      yield chunk
    }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    const message = 'The findings ended prematurely and nothing was imported; send them again.'
    throw invalidInput(message, { reason: 'body_broken_off', cause })
  }
}

function requireNotAborted({ signal }: ImportContext): void {
  if (signal.aborted) throw new AppError('unavailable', 'The import was cancelled; nothing was imported.')
}

async function addBlocks(uid: string, turn: number, blocks: readonly PartBlock[], { store, signal }: ImportContext) {
  const add = (writer: Writer) => {
    for (const block of blocks) addImportBlock(writer, uid, turn, block)
  }
  store.write(add, { scope: 'imports' })
  await store.yieldBetweenBatches(signal)
}

/** Accepts a completely checked file; from here on it will be stored. */
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
    throw conflict(`An import into ${quote(source.name)} is already running; try again when it has finished.`, {
      reason: 'scan_running',
      facts: { id: active.uid },
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
