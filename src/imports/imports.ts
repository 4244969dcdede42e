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
import { writeAfterImports } from '../store/import-lock.store.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Store, Writer } from '../store/store.ts'
import { applyStagedImport, discardImport, sweepImports } from './apply/apply-import.ts'
import { MAX_AHEAD_MS, parseImportLine } from './read/import-line.ts'
import { explainRefused, readPieces } from './read/ndjson.ts'
import { readSarif } from './read/sarif/sarif.ts'
import { type ConvertedLines, LineConverter } from './stage/convert.ts'
import { convertPieces } from './stage/import-threads.ts'
import { acceptImportFile, addRows, openImportFile, StagedFile } from './stage/imports.store.ts'

export const importFormats = ['ndjson', 'sarif'] as const
export type ImportFormat = (typeof importFormats)[number]

const HEARTBEAT_MS = 2_000
/** How long an accepted file is tried to be stored where the database does not take it, and how often. */
const MAX_RETRY_MS = 30_000
const RETRY_MS = 500
/** Characters of a SARIF log that are staged together. */
const LENGTH_AT_ONCE = 2 * 1024 * 1024

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
 * file is read and checked first, so a bad line leaves nothing behind; then one transaction applies it, in another
 * process if this one dies.
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
  const uid = crypto.randomUUID()
  await writeAfterImports(() => {
    sweepImports(context)
    store.write((writer) => openImportFile(writer, uid, now()), { scope: 'imports' })
  }, context)
  let lines: number
  try {
    lines = await (format === 'sarif' ? stageLog : stageLines)(uid, stream, context)
    await writeAfterImports(
      () => store.write((writer) => accept(writer, uid, name, context), { durable: true }),
      context,
    )
  } catch (error) {
    // An accepted file will be stored, even if an error occurred after the acceptance was committed.
    if (store.read((reader) => findScan(reader, uid)) === undefined) {
      // What cannot be deleted now is swept later.
      await writeAfterImports(() => discardImport(uid, store), context).catch(() => {})
    }
    throw error
  }
  await applyAccepted(uid, context)
  if (store.read((reader) => findScan(reader, uid))?.status !== 'COMPLETED') discardImport(uid, store)
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
  error instanceof AppError &&
  ['busy', 'import_in_progress', 'database_unreachable'].includes(String(error.facts.reason))

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

/** Reads an NDJSON file completely and stages it; returns the number of findings. */
async function stageLines(
  uid: string,
  stream: AsyncIterable<Uint8Array | string>,
  context: ImportContext,
): Promise<number> {
  const staged = new StagedFile(uid)
  let lines = 0
  const latest = context.now() + MAX_AHEAD_MS
  for await (const conversion of convertPieces(
    readPieces(untilAborted(stream, context)),
    context.vault.fingerprintKey(),
    { latest },
  )) {
    requireNotAborted(context)
    if ('refused' in conversion) throw explainRefused(conversion.refused, lines + conversion.refused.line, latest)
    await stage(staged, conversion, context)
    lines += conversion.lines
  }
  return staged.findings
}

/** As `stageLines`, for a SARIF log. */
async function stageLog(
  uid: string,
  stream: AsyncIterable<Uint8Array | string>,
  context: ImportContext,
): Promise<number> {
  const staged = new StagedFile(uid)
  const converter = new LineConverter(context.vault.fingerprintKey())
  for await (const { line, value, ...more } of readSarif(untilAborted(stream, context), context.now())) {
    requireNotAborted(context)
    converter.add(parseImportLine(value, line, context.now() + MAX_AHEAD_MS), more)
    if (converter.size > LENGTH_AT_ONCE) await stage(staged, converter.take(), context)
  }
  await stage(staged, converter.take(), context)
  return staged.findings
}

async function stage(staged: StagedFile, lines: ConvertedLines, context: ImportContext): Promise<void> {
  const { store, signal } = context
  const rows = staged.toRows(lines)
  await writeAfterImports(() => store.write((writer) => addRows(writer, rows), { scope: 'imports' }), context)
  await store.yieldBetweenBatches(signal)
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
