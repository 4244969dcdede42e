import { createNumberer } from '../../detectors/fingerprint.ts'
import { AppError, conflict, invalidInput } from '../../kernel/errors.ts'
import { writeAfterImports } from '../../store/import-lock.store.ts'
import { readCsv } from '../read/csv.ts'
import { MAX_AHEAD_MS, parseImportLine } from '../read/import-line.ts'
import { explainRefused, readPieces } from '../read/ndjson.ts'
import { recognizeFormat } from '../read/recognize.ts'
import type { ReadRun } from '../read/runs.ts'
import { readSarif } from '../read/sarif/sarif.ts'
import { readTool } from '../read/tools/tools.ts'
import type { CompleteFile, ImportContext, ImportFormat, ImportRequest } from '../request.ts'
import { type ConvertedLines, LineConverter } from './convert.ts'
import { convertPieces } from './import-threads.ts'
import { addRows, StagedFile } from './imports.store.ts'

/** Characters of runs that are staged together. */
const LENGTH_AT_ONCE = 2 * 1024 * 1024

type Chunks = AsyncIterable<Uint8Array | string>

/** What was read of a file. */
export interface ReadFile {
  /** Findings in it. */
  lines: number
  /** Of a complete file, what it covers. */
  complete: CompleteFile | undefined
}

/** Reads and checks a whole file, and stages it. @throws AppError for a file that is not imported */
export async function stageFile(
  uid: string,
  bytes: Chunks,
  request: ImportRequest,
  context: ImportContext,
): Promise<ReadFile> {
  const whole = untilAborted(bytes, context)
  const { format, stream } =
    request.format === undefined ? await recognizeFormat(whole) : { format: request.format, stream: whole }
  const { complete = false, scope: name, acceptVanishing = false } = request
  if (complete && (format === 'ndjson' || format === 'csv') && name === undefined) throw noScope()
  if (request.map !== undefined && format !== 'csv') throw noColumns()
  const staged = new StagedFile(uid)
  /** When the last run of each scope ended; an infinite time: the file does not say. */
  const ends = new Map<number, number>()
  const identify = createNumberer(context.vault.fingerprintKey())
  const toScope = ({ tool = '', id = '' }: Pick<ReadRun, 'tool' | 'id'> = {}) =>
    tool === '' && name === undefined ? null : identify(JSON.stringify(['import scope', tool, id, name ?? '']))
  staged.scope = toScope()
  if (staged.scope !== null) ends.set(staged.scope, Number.NEGATIVE_INFINITY)
  if (format === 'ndjson') await stageLines(staged, stream, context)
  else {
    await stageRuns(staged, readRuns(format, stream, request, context), context, (run) => {
      const scope = toScope(run)
      if (!complete || scope === null) return scope
      const { endedAt = Number.NEGATIVE_INFINITY, isIncomplete = false } = run.outcome?.() ?? {}
      if (isIncomplete) throw incompleteRun()
      if (endedAt > context.now() + MAX_AHEAD_MS) throw endsAhead()
      ends.set(scope, Math.max(ends.get(scope) ?? endedAt, endedAt))
      return scope
    })
  }
  const lines = staged.findings
  if (!complete) return { lines, complete: undefined }
  if (lines === 0 && !acceptVanishing) throw nothingLeft()
  const scopes = [...ends].map(([scope, at]) => ({ scope, endedAt: Number.isFinite(at) ? at : null }))
  return { lines, complete: { scopes, acceptVanishing } }
}

function readRuns(
  format: Exclude<ImportFormat, 'ndjson'>,
  stream: Chunks,
  { map }: ImportRequest,
  { now }: ImportContext,
): AsyncGenerator<ReadRun> {
  if (format === 'sarif') return readSarif(stream, now())
  return format === 'csv' ? readCsv(stream, map) : readTool(format, stream, now())
}

const noColumns = () =>
  invalidInput('Nothing was imported: only CSV has columns; leave --map (map=) out.', { reason: 'no_columns' })

const noScope = () =>
  invalidInput(
    'Nothing was imported: a complete file of this format needs the name of what it covers; give --scope (scope=).',
    { reason: 'scope_required' },
  )

const incompleteRun = () =>
  conflict(
    'Nothing was imported: a run in the file did not succeed, so it is not complete; repeat the scan, or import it without complete.',
    { reason: 'incomplete_run' },
  )

const endsAhead = () =>
  invalidInput(
    "Nothing was imported: a run in the file ended more than a day ahead of this machine's clock; correct the date, or the clock.",
    { reason: 'bad_file' },
  )

const nothingLeft = () =>
  conflict(
    'Nothing was imported: the complete file has no findings; check that the scan succeeded, then import it with --accept-vanishing (acceptVanishing=true).',
    { reason: 'mass_vanishing' },
  )

/** Stages an NDJSON file. */
async function stageLines(staged: StagedFile, stream: Chunks, context: ImportContext): Promise<void> {
  let lines = 0
  const latest = context.now() + MAX_AHEAD_MS
  for await (const conversion of convertPieces(readPieces(stream), context.vault.fingerprintKey(), { latest })) {
    requireNotAborted(context)
    if ('refused' in conversion) throw explainRefused(conversion.refused, lines + conversion.refused.line, latest)
    await stage(staged, conversion, context)
    lines += conversion.lines
  }
}

/** Stages the runs of a tool. */
async function stageRuns(
  staged: StagedFile,
  runs: AsyncIterable<ReadRun>,
  context: ImportContext,
  toScope: (run: ReadRun) => number | null,
): Promise<void> {
  const converter = new LineConverter(context.vault.fingerprintKey())
  const latest = context.now() + MAX_AHEAD_MS
  for await (const run of runs) {
    const scope = toScope(run)
    if (scope !== staged.scope) await stage(staged, converter.take(), context)
    staged.scope = scope
    for (const { line, value, status, ...more } of run.lines) {
      requireNotAborted(context)
      const given = status === undefined ? value : { ...value, status }
      converter.add(parseImportLine(given, line, latest), more)
      if (converter.size > LENGTH_AT_ONCE) await stage(staged, converter.take(), context)
    }
  }
  await stage(staged, converter.take(), context)
}

async function stage(staged: StagedFile, lines: ConvertedLines, context: ImportContext): Promise<void> {
  const { store, signal } = context
  const rows = staged.toRows(lines)
  if (rows.length === 0) return
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
