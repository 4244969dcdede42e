import { type AssayDocument, type Part, toSourceOffset } from '../documents/document.ts'
import { joinRanges } from '../kernel/ranges.ts'
import { type TextChunk, toPieces } from './chunks.ts'
import {
  type AssetFacts,
  type Detector,
  type Digest,
  type RedactedFinding,
  type Severity,
  severities,
} from './detector.ts'
import { toFindings } from './report.ts'
import { cap, distinct, type Located, MIN_CONFIDENCE, type Reported, resolveOverlaps } from './resolution.ts'
import { isSuppressed } from './suppression.ts'
import { limitTime, OutOfTime } from './time-limit.ts'

const MAX_MATCHES = 5_000
/**
 * Characters around a finding that the veiling detectors inspect; wider than an excerpt, so that values cut by its edge
 * are recognized.
 */
const WINDOW = 300

export interface DetectorRun {
  detector: Detector
  config: unknown
}

export interface RunOptions {
  asset: AssetFacts
  detectors: readonly DetectorRun[]
  /** Detectors run around findings even if not among `detectors`, so that excerpts mask what they find. */
  veiling?: readonly DetectorRun[]
  /** Values of other texts of the item, which excerpts must not show either. */
  values?: readonly string[]
  now: number
  /** A keyed hash of the canonical string `detector|type|asset|value`. */
  fingerprint: (canonical: string) => string
  /** Whether `assay:ignore` on a line suppresses its findings; default true. */
  inlineSuppression?: boolean
  /** `first` gives one finding per value and asset, `all` one per location; default `first`. */
  occurrences?: 'first' | 'all'
  /** Processor time that each detector may use, in milliseconds; absent: any. */
  limitMs?: number
}

export interface RunWarning {
  code: 'truncated' | 'capped' | 'detector_failed' | 'budget_exceeded'
  message: string
}

export interface RunResult {
  findings: RedactedFinding[]
  /** What the veiling detectors found, unmasked: see `ReportedValues`. */
  values: string[]
  warnings: RunWarning[]
  /** Data that source detectors store for the document. */
  digests?: Digest[]
}

/** Runs detectors over a document and returns redacted findings, and apart from them the values to be masked. */
export function runDetectors(document: AssayDocument, options: RunOptions): RunResult {
  const { found, reported, warnings } = findMatches(document, options)
  const veiled = [...found, ...findMore(document, reported, options)]
  const values = new Set([...(options.values ?? []), ...listValues(document, veiled, options)])
  return { findings: toFindings(document, reported, veiled, values), values: [...values], warnings }
}

/** What detectors find in a document, unmasked: all matches, and those that are reported. */
export function findMatches(document: AssayDocument, options: RunOptions) {
  const warnings: RunWarning[] = []
  const { pieces, truncated } = toPieces(document)
  if (truncated || document.truncated === true) {
    warnings.push({ code: 'truncated', message: 'The document is too large: only its beginning was examined.' })
  }
  const found = options.detectors.flatMap((run) => locate(pieces, run, options, warnings))
  const yields = new Map(options.detectors.map(({ detector }) => [detector.type, detector.yieldsTo ?? []]))
  const kept = resolveOverlaps(found, yields).filter(
    (match) => match.confidence >= MIN_CONFIDENCE && !isSilenced(match, document, options),
  )
  const { reported, dropped } = cap(distinct(kept, options))
  for (const [type, count] of dropped) {
    warnings.push({
      code: 'capped',
      message: `${type} found too much here: ${count} less severe findings are omitted.`,
    })
  }
  return { found, reported, warnings }
}

/** The values of matches of the veiling detectors. */
function listValues(document: AssayDocument, found: readonly Located[], { veiling = [] }: RunOptions): string[] {
  const types = new Set(veiling.map(({ detector }) => detector.type))
  return found.flatMap(({ detectorType, confidence, isName, part, start, end, identity }) => {
    if (!types.has(detectorType) || confidence < MIN_CONFIDENCE || isName === true) return []
    return [document.parts[part]?.text.slice(start, end) ?? '', identity]
  })
}

function locate(
  pieces: readonly TextChunk[],
  run: DetectorRun,
  options: RunOptions,
  warnings: RunWarning[],
): Located[] {
  const { detector, config } = run
  const { asset, now, limitMs } = options
  const checkTime = limitMs === undefined ? undefined : limitTime(limitMs)
  const located: Located[] = []
  /** Paths of parts that are mapped to a source; another part with the same path is that source itself. */
  let mapped: Set<string> | undefined
  const document: AssayDocument = { mime: '', parts: pieces.map(({ part }) => part), links: [] }
  try {
    for (const match of detector.detect(document, { asset, config, now, ...(checkTime && { checkTime }) })) {
      const piece = pieces[match.part]
      if (piece === undefined || match.end <= match.start) continue
      mapped ??= new Set(pieces.flatMap(({ whole }) => (whole.map === undefined ? [] : [whole.path])))
      const start = match.start + piece.offset
      const end = match.end + piece.offset
      located.push({
        ...match,
        part: piece.index,
        start,
        end,
        severity: weigh(match.severity, piece.whole, asset),
        detectorType: detector.type,
        category: match.category ?? detector.category,
        path: piece.whole.path,
        source: mapped.has(piece.whole.path) ? piece.whole.path : `part ${piece.index}`,
        section: piece.whole.section ?? '',
        from: toSourceOffset(piece.whole, start),
        to: toSourceOffset(piece.whole, end - 1) + 1,
        identity: match.identity ?? piece.part.text.slice(match.start, match.end),
      })
      if (located.length >= MAX_MATCHES) {
        warnings.push({ code: 'capped', message: `${detector.type} stopped after ${MAX_MATCHES} matches.` })
        break
      }
    }
  } catch (error) {
    const [code, message] =
      error instanceof OutOfTime
        ? (['budget_exceeded', `took longer than ${limitMs} ms of processor time here: findings are missing.`] as const)
        : (['detector_failed', 'failed here: its findings are missing.'] as const)
    warnings.push({ code, message: `${detector.type} ${message}` })
  }
  return located
}

/** Raises the severity in hidden text by one level, and lowers it on templates. */
function weigh(severity: Severity, part: Part, asset: AssetFacts): Severity {
  const step = (part.kind === 'hidden' ? -1 : 0) + (asset.labels?.includes('template') === true ? 1 : 0)
  const index = Math.max(0, Math.min(severities.length - 1, severities.indexOf(severity) + step))
  return severities[index] ?? severity
}

function isSilenced(match: Located, document: AssayDocument, { inlineSuppression = true }: RunOptions): boolean {
  const part = document.parts[match.part]
  return inlineSuppression && part !== undefined && isSuppressed(part.text, match.start, match.detectorType)
}

/** Matches around the findings of veiling detectors that were not requested. */
function findMore(document: AssayDocument, reported: readonly Reported[], options: RunOptions): Located[] {
  const asked = new Set(options.detectors.map(({ detector }) => detector.type))
  const veiling = (options.veiling ?? []).filter(({ detector }) => !asked.has(detector.type))
  if (veiling.length === 0) return []
  const byPart = Map.groupBy(reported, ({ match }) => match.part)
  const pieces = [...byPart].flatMap(([index, list]) => {
    const whole = document.parts[index]
    if (whole === undefined) return []
    const windows = list.map(({ match: { start, end } }) => ({ start: Math.max(0, start - WINDOW), end: end + WINDOW }))
    return joinRanges(windows).map(({ start, end }) => {
      return { part: { ...whole, text: whole.text.slice(start, end) }, whole, index, offset: start }
    })
  })
  return veiling.flatMap((run) => locate(pieces, run, options, []))
}
