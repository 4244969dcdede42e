import { z } from 'zod'
import { severities } from '../../detectors/detector.ts'
import { toSafeAddress, toSafeKey, toSafeText, toSafeTextOnce } from '../../detectors/safe-text.ts'
import { DetectorTypeName } from '../../findings/facets.ts'
import { findingStatuses } from '../../findings/model.ts'
import { describeMoreProblems, type Issue, invalidInput } from '../../kernel/errors.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import { explainIssues } from '../../operation/input/repair.ts'
import { showKey } from '../../operation/shown-key.ts'
import { readInstant } from './instant.ts'
import { findPlainLine } from './plain-line.ts'

const instant = z.iso
  .datetime({ offset: true, error: 'must be an ISO 8601 timestamp such as 2026-01-31T08:00:00Z.' })
  .describe('ISO 8601 timestamp with a zone.')
const word = (description: string) => z.string().trim().min(1).max(200).describe(description)

/** One finding of another scanner: one line of the NDJSON format. */
export const ImportLine = z
  .strictObject({
    asset: z
      .strictObject({
        key: z.string().trim().min(1).max(1000).describe('Stable key of the asset, unique in its source.'),
        kind: word('Kind of asset, such as repository.file.').optional(),
        name: z.string().max(1000).describe('Title; default: the key.').optional(),
        url: z.string().max(4096).describe('Where to open it.').optional(),
        container: z.string().max(1000).describe('What it is part of: a space, a repository.').optional(),
        owner: z.string().max(200).describe('Who owns it.').optional(),
        labels: z
          .array(z.string().trim().min(1).max(100))
          .max(50)
          .describe('Its labels; they replace those of earlier lines.')
          .optional(),
        contentUpdatedAt: instant.optional(),
      })
      .describe('The thing that the finding is in.'),
    detectorType: DetectorTypeName.describe('Which detector found it.'),
    findingType: word('What it is, such as EMAIL.'),
    severity: z.enum(severities).describe('How bad it is.'),
    firstDetectedAt: instant,
    category: z.string().trim().max(200).describe('Category of findings.').optional(),
    confidence: z.number().min(0).max(1).describe('How sure the detector is, 0 to 1; default 1.').optional(),
    status: z.enum(findingStatuses).describe('Status; default OPEN.').optional(),
    lastDetectedAt: instant.optional(),
    resolvedAt: instant.describe('When it was resolved; needed with RESOLVED, and only there.').optional(),
    customDetectorKey: z.string().trim().max(200).describe('Key of a custom detector.').optional(),
    excerpt: z.string().max(100_000).describe('Surroundings of the match; masked when it is stored.').optional(),
    fingerprint: z.string().min(1).max(4000).describe('What makes it the same finding the next time.').optional(),
  })
  .describe('One finding of another scanner.')
export type ImportLine = z.infer<typeof ImportLine>

/** The facets of an imported finding, except its source. */
export interface ImportFacets {
  detectorType: SafeText
  findingType: SafeText
  category: SafeText
  customDetectorKey: SafeText
  severity: (typeof severities)[number]
  status: (typeof findingStatuses)[number]
}

/** A validated line as it is staged; times in milliseconds, the excerpt masked. */
export interface ImportRow {
  asset: {
    key: SafeText
    kind?: SafeText | undefined
    name?: SafeText | undefined
    url?: SafeText | undefined
    container?: SafeText | undefined
    owner?: SafeText | undefined
    labels?: readonly SafeText[] | undefined
    contentUpdatedAt?: number | undefined
  }
  facets: ImportFacets
  fp: number
  /** In ten-thousandths. */
  confidence: number
  firstDetectedAt: number
  /** Null: not given; a known finding keeps its value. */
  lastDetectedAt: number | null
  resolvedAt: number | null
  /** `resolvedAt` is only the time of reading, so it does not correct a stored one. */
  undated?: boolean
  excerpt: SafeText | null
}

/** How far ahead a finding may be dated: clocks differ, and days begin earlier in other time zones. */
export const MAX_AHEAD_MS = 86_400_000

/** As `parseImportLine`, but undefined instead of an error. */
export function findImportLine(value: unknown, latest = Number.POSITIVE_INFINITY): ImportLine | undefined {
  const plain = findPlainLine(value) as ImportLine | undefined
  if (plain !== undefined && isDatedBy(plain, latest)) return plain
  const { data } = ImportLine.safeParse(withoutNulls(value))
  return data === undefined || listTimeIssues(data, latest).length > 0 ? undefined : data
}

/**
 * `latest` is the latest allowed time of detection or resolution.
 * @throws AppError `invalid_input` that names the line and all its errors.
 */
export function parseImportLine(value: unknown, line: number, latest = Number.POSITIVE_INFINITY): ImportLine {
  const plain = findPlainLine(value) as ImportLine | undefined
  if (plain !== undefined && isDatedBy(plain, latest)) return plain
  const given = withoutNulls(value)
  const parsed = ImportLine.safeParse(given, { reportInput: true })
  if (!parsed.success) throw badLine(line, explainIssues(ImportLine, given, parsed.error.issues, showKey).issues)
  const issues = listTimeIssues(parsed.data, latest)
  if (issues.length > 0) throw badLine(line, issues)
  return parsed.data
}

const isDatedBy = ({ firstDetectedAt, resolvedAt }: ImportLine, latest: number): boolean =>
  toMs(firstDetectedAt) <= latest && (resolvedAt === undefined || toMs(resolvedAt) <= latest)

function listTimeIssues(line: ImportLine, latest: number): Issue[] {
  const { status = 'OPEN', firstDetectedAt, lastDetectedAt, resolvedAt } = line
  const issues: Issue[] = []
  for (const path of ['firstDetectedAt', 'resolvedAt'] as const) {
    if (line[path] === undefined || toMs(line[path]) <= latest) continue
    issues.push({ path, message: "is more than a day ahead of this machine's clock; correct the date, or the clock." })
  }
  const first = Date.parse(firstDetectedAt)
  if (status === 'RESOLVED' && resolvedAt === undefined) {
    issues.push({ path: 'resolvedAt', message: 'is needed with status RESOLVED.' })
  }
  if (status !== 'RESOLVED' && resolvedAt !== undefined) {
    issues.push({ path: 'resolvedAt', message: `does not go with status ${status}.` })
  }
  if (resolvedAt !== undefined && Date.parse(resolvedAt) < first) {
    issues.push({ path: 'resolvedAt', message: 'is before firstDetectedAt.' })
  }
  if (lastDetectedAt !== undefined && Date.parse(lastDetectedAt) < first) {
    issues.push({ path: 'lastDetectedAt', message: 'is before firstDetectedAt.' })
  }
  return issues
}

export function badLine(line: number, issues: readonly Issue[]) {
  const [first] = issues
  const more = describeMoreProblems(issues, ' in it, see issues')
  const where = first === undefined || first.path === '' ? 'it' : first.path
  return invalidInput(`Nothing was imported: line ${line} is wrong: ${where} ${first?.message ?? ''}${more}`, {
    reason: 'bad_line',
    issues: issues.map(({ path, message }) => ({
      path: path === '' ? `line ${line}` : `line ${line}.${path}`,
      message,
    })),
    facts: { line },
  })
}

/** Many exporters write null for missing values. */
function withoutNulls(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const { asset } = value as { asset?: unknown }
  if (!hasNull(value) && !(typeof asset === 'object' && asset !== null && hasNull(asset))) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== null)
      .map(([key, member]) => [key, key === 'asset' ? withoutNulls(member) : member]),
  )
}

const hasNull = (value: object): boolean => Object.values(value).includes(null)

const MAX_EXCERPT_LENGTH = 1000

export const cutExcerpt = (excerpt: string) =>
  excerpt.length <= MAX_EXCERPT_LENGTH ? excerpt : `${excerpt.slice(0, MAX_EXCERPT_LENGTH - 1)}…`

/** `identify` hashes a canonical string with the key of the data folder. */
export function toImportRow(
  line: ImportLine & { undated?: boolean },
  excerpt: SafeText | undefined,
  identify: (canonical: string) => number,
  { told, facets }: { told: ImportRow['asset']; facets: ImportFacets },
): ImportRow {
  const { asset, confidence = 1 } = line
  const firstDetectedAt = toMs(line.firstDetectedAt)
  const identity =
    line.fingerprint === undefined
      ? [line.findingType, line.customDetectorKey ?? '', line.excerpt ?? null, firstDetectedAt]
      : [line.fingerprint]
  const row: ImportRow = {
    asset: told,
    facets,
    fp: identify(JSON.stringify(['import', asset.key, line.detectorType, ...identity])),
    confidence: Math.round(confidence * 10_000),
    firstDetectedAt,
    lastDetectedAt: line.lastDetectedAt === undefined ? null : toMs(line.lastDetectedAt),
    resolvedAt: line.resolvedAt === undefined ? null : toMs(line.resolvedAt),
    excerpt: excerpt ?? null,
  }
  if (line.undated === true) row.undated = true
  return row
}

/** An asset as it may be stored, without credentials in its texts. */
export function sanitizeAsset(
  { key, kind, name, url, container, owner, labels, contentUpdatedAt }: ImportLine['asset'],
  identify: (canonical: string) => number,
) {
  const told: ImportRow['asset'] = { key: toSafeKey(key, identify) }
  if (kind !== undefined) told.kind = toSafeText(kind, 'prose')
  if (name !== undefined) told.name = toSafeTextOnce(name, 'prose')
  if (url !== undefined) told.url = toSafeAddress(url)
  if (container !== undefined) told.container = toSafeText(container, 'prose')
  if (owner !== undefined) told.owner = toSafeText(owner, 'prose')
  if (labels !== undefined) told.labels = labels.map((label) => toSafeText(label, 'prose'))
  if (contentUpdatedAt !== undefined) told.contentUpdatedAt = toMs(contentUpdatedAt)
  return told
}

const toMs = (text: string): number => readInstant(text) ?? Date.parse(text)
