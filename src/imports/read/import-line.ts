import { z } from 'zod'
import { severities } from '../../detectors/detector.ts'
import { DetectorTypeName } from '../../findings/facets.ts'
import { findingStatuses } from '../../findings/model.ts'
import { describeMoreProblems, type Issue, invalidInput } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-object.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import { cutText } from '../../kernel/well-formed.ts'
import { explainIssues } from '../../operation/input/repair.ts'
import { showKey } from '../../operation/shown-key.ts'
import { readInstant, toMs } from './instant.ts'

/** A member of a line: its schema, and a quick check that accepts only values that the schema leaves unchanged. */
interface Member<Schema extends z.ZodType = z.ZodType> {
  schema: Schema
  isPlain: (value: unknown) => boolean
}

const described = (schema: z.ZodString, description: string) =>
  description === '' ? schema : schema.describe(description)
const atLeast = (schema: z.ZodString, min: number) => (min === 0 ? schema : schema.min(min))
const text = (max: number, description: string, min = 0) => ({
  schema: atLeast(z.string(), min).max(max).describe(description),
  isPlain: (value: unknown) => typeof value === 'string' && value.length >= min && value.length <= max,
})
const trimmed = (max: number, description = '', min = 1) => ({
  schema: described(atLeast(z.string().trim(), min).max(max), description),
  isPlain: (value: unknown) => isTrimmed(value, max),
})
const matching = (schema: z.ZodString, pattern: RegExp, description: string) => ({
  schema: schema.describe(description),
  isPlain: (value: unknown) => typeof value === 'string' && pattern.test(value),
})
const oneOf = <const Names extends readonly [string, ...string[]]>(names: Names, description: string) => {
  const known = new Set<unknown>(names)
  return { schema: z.enum(names).describe(description), isPlain: (value: unknown) => known.has(value) }
}
const share = (description: string) => ({
  schema: z.number().min(0).max(1).describe(description),
  isPlain: (value: unknown) => typeof value === 'number' && value >= 0 && value <= 1,
})
const instant = (description = 'ISO 8601 timestamp with a zone.') => ({
  schema: z.iso
    .datetime({ offset: true, error: 'must be an ISO 8601 timestamp such as 2026-01-31T08:00:00Z.' })
    .describe(description),
  isPlain: (value: unknown) => typeof value === 'string' && readInstant(value) !== undefined,
})
const listOf = <Schema extends z.ZodType>({ schema, isPlain }: Member<Schema>, max: number, description: string) => ({
  schema: z.array(schema).max(max).describe(description),
  isPlain: (value: unknown) => Array.isArray(value) && value.length <= max && value.every(isPlain),
})
const optional = <Schema extends z.ZodType>({ schema, isPlain }: Member<Schema>) => ({
  schema: schema.optional(),
  isPlain,
})

/** Whether there is nothing to trim: the text begins and ends with a visible ASCII character. */
function isTrimmed(value: unknown, max: number): boolean {
  if (typeof value !== 'string' || value.length === 0 || value.length > max) return false
  const [first, last] = [value.charCodeAt(0), value.charCodeAt(value.length - 1)]
  return first > 32 && first < 127 && last > 32 && last < 127
}

function objectOf<Members extends Record<string, Member>>(members: Members, description: string) {
  const shape = Object.fromEntries(Object.entries(members).map(([name, { schema }]) => [name, schema]))
  const known = new Map(Object.entries(members))
  const required = Object.keys(members).filter((name) => !known.get(name)?.schema.safeParse(undefined).success)
  return {
    schema: z.strictObject(shape as { [Name in keyof Members]: Members[Name]['schema'] }).describe(description),
    isPlain: (value: unknown): boolean => {
      if (!isObject(value)) return false
      for (const name in value) {
        const member = known.get(name)
        if (member === undefined || !member.isPlain(value[name])) return false
      }
      for (const name of required) if (value[name] === undefined) return false
      return true
    },
  }
}

const asset = objectOf(
  {
    key: trimmed(1000, 'Stable key of the asset, unique in its source.'),
    kind: optional(trimmed(200, 'Kind of asset, such as repository.file.')),
    name: optional(text(1000, 'Title; default: the key.')),
    url: optional(text(4096, 'Where to open it.')),
    container: optional(text(1000, 'What it is part of: a space, a repository.')),
    owner: optional(text(200, 'Who owns it.')),
    labels: optional(listOf(trimmed(100), 50, 'Its labels; they replace those of earlier lines.')),
    contentUpdatedAt: optional(instant()),
  },
  'The thing that the finding is in.',
)

const members = {
  asset,
  detectorType: matching(DetectorTypeName, /^[A-Z][A-Z0-9_]{0,63}$/, 'Type of the detector.'),
  findingType: trimmed(200, 'Type of the finding, such as EMAIL.'),
  severity: oneOf(severities, 'Severity of the finding.'),
  firstDetectedAt: instant(),
  category: optional(trimmed(200, 'Category of findings.', 0)),
  confidence: optional(share('Confidence of the detector, 0 to 1; default 1.')),
  status: optional(oneOf(findingStatuses, 'Status; default OPEN.')),
  lastDetectedAt: optional(instant()),
  resolvedAt: optional(instant('When it was resolved; needed with RESOLVED, and only there.')),
  customDetectorKey: optional(trimmed(200, 'Key of a custom detector.', 0)),
  excerpt: optional(text(100_000, 'Text around the match; masked when it is stored.')),
  fingerprint: optional(text(4000, 'Identifies the finding in later imports.', 1)),
}

/** The NDJSON format: every member that a line may have. */
const line = objectOf(members, 'One finding of another scanner.')

/** One finding of another scanner: one line of the NDJSON format. */
export const ImportLine = line.schema
export type ImportLine = z.infer<typeof ImportLine>

/**
 * Returns a line unchanged if it is certainly valid; undefined if only the schema can decide, trim or explain. Most
 * lines of a large file are plain, and this check costs a tenth of the schema's.
 */
export function findPlainLine(value: unknown): ImportLine | undefined {
  if (!line.isPlain(value)) return undefined
  const { status, firstDetectedAt, lastDetectedAt, resolvedAt } = value as ImportLine
  const first = toMs(firstDetectedAt)
  if (lastDetectedAt !== undefined && toMs(lastDetectedAt) < first) return undefined
  if ((status === 'RESOLVED') !== (resolvedAt !== undefined)) return undefined
  if (resolvedAt !== undefined && toMs(resolvedAt) < first) return undefined
  return value as ImportLine
}

/** Whether the value of a member is certainly valid, see `findPlainLine`. */
export const isPlainMember = (name: keyof ImportLine, value: unknown): boolean => members[name].isPlain(value)

/** How far ahead a finding may be dated: clocks differ, and days begin earlier in other time zones. */
export const MAX_AHEAD_MS = 86_400_000

/** As `parseImportLine`, but undefined instead of an error. */
export function findImportLine(value: unknown, latest = Number.POSITIVE_INFINITY): ImportLine | undefined {
  const plain = findPlainLine(value)
  if (plain !== undefined && isDatedBy(plain, latest)) return plain
  const { data } = ImportLine.safeParse(withoutNulls(value))
  return data === undefined || listTimeIssues(data, latest).length > 0 ? undefined : data
}

/**
 * `latest` is the latest allowed time of detection or resolution.
 * @throws AppError `invalid_input` that names the line and all its errors.
 */
export function parseImportLine(value: unknown, line: number, latest = Number.POSITIVE_INFINITY): ImportLine {
  const plain = findPlainLine(value)
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
