import { z } from 'zod'
import type { ToolFormat } from '../../request.ts'
import { textOf } from '../sarif/check.ts'
import type { MoreOfResult } from '../sarif/held.ts'
import type { SarifLevel } from '../sarif/model.ts'

/** A result as SARIF has it, so that a tool has the same findings in both formats. */
export interface ScannerResult extends MoreOfResult {
  ruleId: string
  level: SarifLevel
  message: string
  /** The file that it is in. */
  uri: string
  line?: number | undefined
  column?: number | undefined
  /** What is compared: the secret, its hash, or the code. */
  snippet: string
  fingerprints?: Record<string, unknown> | undefined
  partialFingerprints?: Record<string, unknown> | undefined
  score?: unknown
  isSuppressed?: boolean | undefined
}

/** How a file of a tool is read. */
export interface ToolReader {
  title: string
  /** Members by which its files are recognized. */
  marks: readonly string[]
  /** Where its items are in JSON (see `splitJson`); absent: each line is an item. */
  path?: readonly string[]
  /** Check an item and make its results: the first for items that have its member, or else the first of all. */
  schemas: readonly (readonly [member: string, schema: z.ZodType<readonly ScannerResult[]>])[]
  /** From what surrounds the items: what the tool calls itself in SARIF, and when its run ended. */
  toRun: (whole: unknown) => { name: string; endedAt?: string | undefined }
}

const text = z.string()
const some = text.nullish().transform((value) => value ?? '')
const position = z.int().nonnegative().nullish()

/** Gitleaks 8: https://github.com/gitleaks/gitleaks/blob/master/report/finding.go */
const gitleaks8 = z
  .object({
    ...{ RuleID: text, File: text, Secret: text, SymlinkFile: some },
    ...{ StartLine: position, StartColumn: position },
    ...{ Commit: some, Author: some, Email: some, Date: some, Message: some },
  })
  .transform((leak): ScannerResult[] => [
    {
      ruleId: leak.RuleID,
      level: 'warning',
      message: `${leak.RuleID} has detected secret for file ${leak.File}${leak.Commit && ` at commit ${leak.Commit}`}.`,
      uri: leak.SymlinkFile || leak.File,
      line: leak.StartLine ?? undefined,
      column: leak.StartColumn ?? undefined,
      snippet: leak.Secret,
      partialFingerprints: {
        commitSha: leak.Commit,
        email: leak.Email,
        commitMessage: leak.Message,
        date: leak.Date,
        author: leak.Author,
      },
      secrets: [leak.Secret],
    },
  ])

/** Gitleaks 7: https://github.com/gitleaks/gitleaks/blob/v7.6.1/scan/leak.go */
const gitleaks7 = z
  .object({ rule: text, file: text, line: text, offender: text, lineNumber: position })
  .transform(({ rule, file, line, offender, lineNumber }): ScannerResult[] => [
    {
      ...{ ruleId: rule, level: 'warning', message: `${rule} secret detected`, uri: file, snippet: line },
      line: lineNumber ?? undefined,
      secrets: [offender],
    },
  ])

/** TruffleHog 3: https://github.com/trufflesecurity/trufflehog/blob/main/pkg/output/json.go */
const Place = z.object({ file: some, path: some, link: some, repository: some, line: position })
const trufflehog3 = z
  .object({
    ...{ DetectorName: text, Raw: text, RawV2: some, Verified: z.boolean() },
    SourceMetadata: z.object({ Data: z.record(text, z.unknown()) }),
  })
  .transform(({ DetectorName, Raw, RawV2, Verified, SourceMetadata }): ScannerResult[] => {
    const place = Place.safeParse(Object.values(SourceMetadata.Data)[0]).data
    const file = place === undefined ? '' : place.file || place.path || place.link
    const repository = place?.repository.replace(/\.git$/, '').replace(/(?<=\/\/)[^/@]*@/, '') ?? ''
    return [
      {
        ruleId: DetectorName,
        level: Verified ? 'error' : 'warning',
        message: `${DetectorName} secret${Verified ? ', verified' : ''}`,
        uri: [repository, file].filter((part) => part !== '').join('/') || 'trufflehog',
        line: place?.line ?? undefined,
        snippet: RawV2 || Raw,
        secrets: [Raw, RawV2],
      },
    ]
  })

/** TruffleHog 2: https://github.com/trufflesecurity/trufflehog/tree/v2 */
const trufflehog2 = z
  .object({ reason: text, path: text, stringsFound: z.array(text) })
  .transform(({ reason, path, stringsFound }): ScannerResult[] =>
    stringsFound.map((snippet) => ({
      ...{ ruleId: reason, level: 'warning', message: `${reason} found`, uri: path, snippet },
      secrets: [snippet],
    })),
  )

/** TruffleHog writes its log beside its findings where both go to one file. */
const trufflehogLog = z.object({ logger: text, msg: text }).transform((): ScannerResult[] => [])

const semgrepLevels: Record<string, SarifLevel> = {
  ...{ CRITICAL: 'error', HIGH: 'error', ERROR: 'error' },
  ...{ MEDIUM: 'warning', WARNING: 'warning', LOW: 'note', INFO: 'note' },
}

/** Semgrep: https://semgrep.dev/docs/cli-reference */
const Place2 = z.object({ line: position, col: position })
const semgrep = z
  .object({
    ...{ check_id: text, path: text, start: Place2 },
    extra: z.object({
      ...{ message: text, severity: text, lines: some },
      fingerprint: z.unknown().optional(),
      is_ignored: z.boolean().nullish(),
      metadata: z.object({ 'security-severity': z.union([text, z.number()]).optional().catch(undefined) }).nullish(),
    }),
  })
  .transform(({ check_id, path, start, extra }): ScannerResult[] => [
    {
      ...{ ruleId: check_id, uri: path, line: start.line ?? undefined, column: start.col ?? undefined },
      level: semgrepLevels[extra.severity.toUpperCase()] ?? 'note',
      message: extra.message,
      snippet: extra.lines,
      fingerprints: { 'matchBasedId/v1': extra.fingerprint ?? '' },
      score: extra.metadata?.['security-severity'],
      isSuppressed: extra.is_ignored === true,
    },
  ])

/** detect-secrets: https://github.com/Yelp/detect-secrets/blob/master/docs/design.md */
const Secret = z.object({
  ...{ type: text, hashed_secret: text, line_number: position },
  ...{ is_verified: z.boolean().nullish(), is_secret: z.boolean().nullish() },
})
const baseline = z.object({ results: z.record(text, z.array(Secret)) }).transform(({ results }): ScannerResult[] =>
  Object.entries(results).flatMap(([uri, secrets]) =>
    secrets.map(({ type, hashed_secret: snippet, line_number, is_verified, is_secret }) => ({
      ...{ ruleId: type, level: is_verified === true ? 'error' : 'warning', message: type, uri, snippet },
      line: line_number ?? undefined,
      ...(is_secret === false ? { status: 'FALSE_POSITIVE' } : {}),
    })),
  ),
)

const Whole = z.object({
  engine_requested: text.optional().catch(undefined),
  generated_at: z.iso.datetime({ offset: true }).optional().catch(undefined),
})
const readWhole = (whole: unknown) => Whole.safeParse(whole).data ?? {}
const semgrepNames: Record<string, string> = { OSS: 'Semgrep OSS', PRO: 'Semgrep PRO' }

export const toolReaders: Record<ToolFormat, ToolReader> = {
  gitleaks: {
    ...{ title: 'gitleaks JSON', path: [''], toRun: () => ({ name: 'gitleaks' }) },
    marks: ['RuleID', 'Secret', 'Match', 'StartLine', 'rule', 'offender', 'lineNumber', 'leakURL'],
    schemas: [
      ['RuleID', gitleaks8],
      ['offender', gitleaks7],
    ],
  },
  trufflehog: {
    ...{ title: 'TruffleHog JSON lines', toRun: () => ({ name: 'TruffleHog' }) },
    marks: ['SourceMetadata', 'DetectorName', 'DetectorType', 'Raw', 'stringsFound', 'printDiff', 'reason', 'logger'],
    schemas: [
      ['DetectorName', trufflehog3],
      ['stringsFound', trufflehog2],
      ['logger', trufflehogLog],
    ],
  },
  semgrep: {
    ...{ title: 'Semgrep JSON', path: ['results'] },
    marks: ['results', 'errors', 'paths', 'skipped_rules', 'interfile_languages_used', 'engine_requested'],
    schemas: [['check_id', semgrep]],
    toRun: (whole) => ({ name: semgrepNames[readWhole(whole).engine_requested ?? ''] ?? 'semgrep' }),
  },
  'detect-secrets': {
    ...{ title: 'detect-secrets baseline', path: [] },
    marks: ['results', 'plugins_used', 'filters_used', 'generated_at', 'word_list', 'custom_plugin_paths'],
    schemas: [['results', baseline]],
    toRun: (whole) => ({ name: 'detect-secrets', endedAt: textOf(readWhole(whole).generated_at) }),
  },
}
