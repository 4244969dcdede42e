import { z } from 'zod'
import { audiences } from '../../connectors/audience.ts'
import { severities } from '../../detectors/detector.ts'
import { DetectorTypeName } from '../../findings/facets.ts'
import { findingStatuses, presences } from '../../findings/model.ts'
import { describeMoreProblems, type Issue, invalidInput } from '../../kernel/errors.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import { cutText } from '../../kernel/well-formed.ts'
import { explainIssues } from '../../operation/input/repair.ts'
import { showKey } from '../../operation/shown-key.ts'

const trimmed = (max: number) => z.string().trim().min(1).max(max)
const instant = (description = 'ISO 8601 timestamp with a zone.') =>
  z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 timestamp such as 2026-01-31T08:00:00Z.' })
    .describe(description)

const asset = z
  .strictObject({
    key: trimmed(1000).describe('Stable key of the asset, unique in its source.'),
    kind: trimmed(200).describe('Kind of asset, such as repository.file.').optional(),
    name: z.string().max(1000).describe('Title; default: the key.').optional(),
    url: z.string().max(4096).describe('Where to open it.').optional(),
    container: z.string().max(1000).describe('What it is part of: a space, a repository.').optional(),
    owner: z.string().max(200).describe('Who owns it.').optional(),
    labels: z.array(trimmed(100)).max(50).describe('Its labels; they replace those of earlier lines.').optional(),
    contentUpdatedAt: instant().optional(),
    audience: z.enum(audiences).describe('Who can read it; default unknown.').optional(),
    audienceSize: z.int().min(0).describe('Number of people who can.').optional(),
  })
  .describe('The thing that the finding is in.')

/** One finding of another scanner: one line of the NDJSON format. */
export const ImportLine = z
  .strictObject({
    asset,
    detectorType: DetectorTypeName.describe('Type of the detector.'),
    findingType: trimmed(200).describe('Type of the finding, such as EMAIL.'),
    severity: z.enum(severities).describe('Severity of the finding.'),
    firstDetectedAt: instant(),
    category: z
      .string()
      .trim()
      .max(200)
      .describe('Category of findings; default: that of the detector type.')
      .optional(),
    confidence: z.number().min(0).max(1).describe('Confidence of the detector, 0 to 1; default 1.').optional(),
    status: z.enum(findingStatuses).describe('Status; default OPEN.').optional(),
    presence: z.enum(presences).describe('Where it can be read; default current.').optional(),
    lastDetectedAt: instant().optional(),
    resolvedAt: instant('When it was resolved; needed with RESOLVED, and only there.').optional(),
    customDetectorKey: z.string().trim().max(200).describe('Key of a custom detector.').optional(),
    excerpt: z.string().max(100_000).describe('Text around the match; masked when it is stored.').optional(),
    fingerprint: z.string().min(1).max(4000).describe('Identifies the finding in later imports.').optional(),
    valueKey: z
      .string()
      .min(1)
      .max(4000)
      .describe('Identifies the secret or datum in all imports, such as a hash of it; only its keyed hash is stored.')
      .optional(),
  })
  .describe('One finding of another scanner.')
export type ImportLine = z.infer<typeof ImportLine>

/** The members of a line, those of its asset with `asset.` before them. */
export const importMembers = [
  ...Object.keys(asset.shape).map((name) => `asset.${name}`),
  ...Object.keys(ImportLine.shape).filter((name) => name !== 'asset'),
]

/** How far ahead a finding may be dated: clocks differ, and days begin earlier in other time zones. */
export const MAX_AHEAD_MS = 86_400_000

/** As `parseImportLine`, but undefined instead of an error. */
export function findImportLine(value: unknown, latest = Number.POSITIVE_INFINITY): ImportLine | undefined {
  const { data } = ImportLine.safeParse(withoutNulls(value))
  return data === undefined || listTimeIssues(data, latest).length > 0 ? undefined : data
}

/**
 * `latest` is the latest allowed time of detection or resolution.
 * @throws AppError `invalid_input` that names the line and all its errors.
 */
export function parseImportLine(value: unknown, line: number, latest = Number.POSITIVE_INFINITY): ImportLine {
  const given = withoutNulls(value)
  const parsed = ImportLine.safeParse(given, { reportInput: true })
  if (!parsed.success) throw badLine(line, explainIssues(ImportLine, given, parsed.error.issues, showKey).issues)
  const issues = listTimeIssues(parsed.data, latest)
  if (issues.length > 0) throw badLine(line, issues)
  return parsed.data
}

function listTimeIssues(line: ImportLine, latest: number): Issue[] {
  const { status = 'OPEN', firstDetectedAt, lastDetectedAt, resolvedAt } = line
  const issues: Issue[] = []
  for (const path of ['firstDetectedAt', 'resolvedAt'] as const) {
    if (line[path] === undefined || Date.parse(line[path]) <= latest) continue
    issues.push({ path, message: "is more than a day ahead of this machine's clock; correct the date, or the clock." })
  }
  const first = Date.parse(firstDetectedAt)
  if (status === 'RESOLVED' && resolvedAt === undefined) {
    issues.push({ path: 'resolvedAt', message: 'is required with status RESOLVED.' })
  }
  if (status !== 'RESOLVED' && resolvedAt !== undefined) {
    issues.push({ path: 'resolvedAt', message: `is not allowed with status ${status}.` })
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
  return invalidInput(`Nothing was imported: line ${line} is not valid: ${where} ${first?.message ?? ''}${more}`, {
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

/** Characters of an excerpt that are searched, so that a value across its end is recognized as a whole. */
const MAX_SEARCHED = 5 * MAX_EXCERPT_LENGTH

export const toSearched = (excerpt: string): string => cutText(excerpt, MAX_SEARCHED)

/** The masked excerpt as it is stored. */
export const cutExcerpt = (excerpt: SafeText): SafeText =>
  excerpt.length <= MAX_EXCERPT_LENGTH ? excerpt : (`${cutText(excerpt, MAX_EXCERPT_LENGTH - 1)}…` as SafeText)
