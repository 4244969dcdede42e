import { setTimeout as sleep } from 'node:timers/promises'
import { appendAudit } from '../audit/audit.store.ts'
import { AppError, conflict } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { authorOf } from '../operation/author.ts'
import { ScanLease } from '../scans/lease.ts'
import { type ScanProgress, toScanItem } from '../scans/model.ts'
import { createOwner } from '../scans/owner.ts'
import { findActiveScan, findScan, getScan, insertScan, isOpenScan } from '../scans/scans.store.ts'
import { IMPORT_TYPE, SourceName } from '../sources/model.ts'
import { findSource, getSource, insertSource } from '../sources/sources.store.ts'
import { writeAfterImports } from '../store/import-lock.store.ts'
import type { Store, Writer } from '../store/store.ts'
import { applyFile, applyStagedImport, discardImport, sweepImports } from './apply/apply-import.ts'
import { type CompleteFile, type ImportContext, type ImportRequest, ScopeName } from './request.ts'
import { acceptImportFile, analyzeStaged, listFirst, openImportFile, type PreviewLine } from './stage/imports.store.ts'
import { stageFile } from './stage/stage-file.ts'

const HEARTBEAT_MS = 2_000
/** How long an accepted file is tried to be stored where the database does not take it, and how often. */
const MAX_RETRY_MS = 30_000
const RETRY_MS = 500

export interface ImportResult {
  /** A dry run has no id of a source that does not exist. */
  source: { id?: string; name: string }
  /** Absent after a dry run. */
  scanId?: string
  /** Findings in the file. */
  lines: number
  /** Assets with these findings. */
  assets: number
  findings: ScanProgress['findings']
  /** Of a dry run, the first findings of the file as they were understood. */
  preview?: readonly PreviewLine[]
}

/**
 * Imports findings of another scanner into a source of type IMPORT, which is created if it does not exist. The whole
 * file is read and checked first, so a bad line leaves nothing behind; then one transaction applies it, in another
 * process if this one dies.
 * @throws AppError `invalid_input`, reason `bad_line`, naming the line; `conflict`, reasons `incomplete_run` and
 *   `mass_vanishing`, for a file that is not complete as it claims.
 */
export async function importFindings(
  stream: AsyncIterable<Uint8Array | string>,
  request: ImportRequest,
  context: ImportContext,
): Promise<ImportResult> {
  const { store, now } = context
  const name = SourceName.parse(request.source)
  requireImportable(store, name)
  const uid = crypto.randomUUID()
  await writeAfterImports(() => {
    sweepImports(context)
    store.write((writer) => openImportFile(writer, uid, now()), { scope: 'imports' })
  }, context)
  let lines: number
  try {
    const read = await stageFile(uid, stream, { ...request, scope: ScopeName.optional().parse(request.scope) }, context)
    lines = read.lines
    if (request.dryRun) return await rehearse(uid, { name, ...read }, context)
    await writeAfterImports(
      () => store.write((writer) => accept(writer, uid, { name, complete: read.complete }, context), { durable: true }),
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

/** Applies a staged file in a transaction that is rolled back, and discards it. */
async function rehearse(
  uid: string,
  file: { name: string; complete: CompleteFile | undefined; lines: number },
  context: ImportContext,
): Promise<ImportResult> {
  const { store, now } = context
  const work = (writer: Writer) => {
    const known = findSource(writer, file.name)
    accept(writer, uid, file, context)
    const preview = listFirst(writer, uid)
    const accepted = getScan(writer, uid)
    applyFile(writer, accepted, now)
    const { source, progress } = toScanItem(getScan(writer, uid))
    return {
      source: known === undefined ? { name: source.name } : source,
      ...{ lines: file.lines, assets: progress.scanned, findings: progress.findings, preview },
    }
  }
  try {
    return await writeAfterImports(() => store.dryRun(work), context)
  } finally {
    await writeAfterImports(() => discardImport(uid, store), context)
  }
}

/** Accepts a completely checked file; from here on it will be stored. */
function accept(
  writer: Writer,
  uid: string,
  { name, complete }: { name: string; complete: CompleteFile | undefined },
  context: ImportContext,
): void {
  const { now, caller } = context
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
  analyzeStaged(writer)
  acceptImportFile(writer, uid, complete)
  const after = { scan: uid, complete: complete !== undefined }
  appendAudit(writer, authorOf(context), { action: 'import', kind: 'source', name: source.name, after })
}
