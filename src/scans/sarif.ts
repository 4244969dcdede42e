import { z } from 'zod'
import type { Severity } from '../detectors/detector.ts'
import type { FindingStatus } from '../findings/model.ts'
import { AppError, invalidInput } from '../kernel/errors.ts'
import type { NumberedValue } from './ndjson.ts'

/** A SARIF log is one JSON value, so it is held as a whole. */
const LARGEST = 128 * 1024 * 1024

const Text = z.object({ text: z.string().optional() })
const Rule = z.object({
  id: z.string(),
  properties: z
    .object({ 'security-severity': z.union([z.string(), z.number()]).optional(), tags: z.array(z.string()).optional() })
    .optional(),
  defaultConfiguration: z.object({ level: z.string().optional() }).optional(),
})
const Artifact = z.object({ uri: z.string().optional(), uriBaseId: z.string().optional() })
const Result = z.object({
  ruleId: z.string().optional(),
  ruleIndex: z.int().optional(),
  rule: z.object({ id: z.string().optional(), index: z.int().optional() }).optional(),
  kind: z.string().optional(),
  level: z.string().optional(),
  message: Text.optional(),
  baselineState: z.string().optional(),
  locations: z
    .array(
      z.object({
        physicalLocation: z
          .object({
            artifactLocation: Artifact.optional(),
            region: z.object({ startLine: z.number().optional(), startColumn: z.number().optional() }).optional(),
          })
          .optional(),
        logicalLocations: z.array(z.object({ fullyQualifiedName: z.string().optional() })).optional(),
      }),
    )
    .optional(),
  fingerprints: z.record(z.string(), z.string()).optional(),
  partialFingerprints: z.record(z.string(), z.string()).optional(),
  suppressions: z.array(z.object({ status: z.string().optional() })).nullish(),
  provenance: z
    .object({ firstDetectionTimeUtc: z.string().optional(), lastDetectionTimeUtc: z.string().optional() })
    .optional(),
  properties: z.object({ 'security-severity': z.union([z.string(), z.number()]).optional() }).optional(),
})
const Log = z.object({
  version: z.literal('2.1.0', 'must be 2.1.0.'),
  runs: z.array(
    z.object({
      tool: z.object({ driver: z.object({ name: z.string(), rules: z.array(Rule).optional() }) }),
      results: z.array(Result).nullish(),
      invocations: z
        .array(z.object({ startTimeUtc: z.string().optional(), endTimeUtc: z.string().optional() }))
        .optional(),
      versionControlProvenance: z.array(z.object({ repositoryUri: z.string().optional() })).optional(),
    }),
  ),
})
type Run = z.infer<typeof Log>['runs'][number]
type Result = z.infer<typeof Result>

const levels: Record<string, Severity> = { error: 'HIGH', warning: 'MEDIUM', note: 'LOW', none: 'INFO' }
/** Results that say that a rule was looked at and found nothing. */
const noFinding = new Set(['pass', 'notApplicable', 'informational'])

/**
 * The results of a SARIF 2.1.0 log as lines of an import; `line` counts results. The tool is the detector, the rule the
 * finding type, the file the asset. What the log does not date is as of `now`, and keeps that date the next time.
 */
export async function* readSarif(
  stream: AsyncIterable<Uint8Array | string>,
  now: number,
): AsyncGenerator<NumberedValue> {
  const log = Log.safeParse(await readJson(stream))
  if (!log.success) {
    const issues = log.error.issues.slice(0, 20).map(({ path, message }) => ({ path: path.join('.'), message }))
    throw invalidInput('Nothing was imported: the file is not a SARIF 2.1.0 log.', { issues, reason: 'bad_file' })
  }
  let line = 0
  for (const run of log.data.runs) {
    for (const result of run.results ?? []) {
      line++
      if (noFinding.has(result.kind ?? 'fail')) continue
      yield { line, value: toLine(run, result, new Date(now).toISOString()), undated: findEnd(run) === undefined }
    }
  }
}

async function readJson(stream: AsyncIterable<Uint8Array | string>): Promise<unknown> {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array)
    length += bytes.length
    if (length > LARGEST) throw new AppError('too_large', `The SARIF log is larger than ${LARGEST} bytes; split it.`)
    chunks.push(bytes)
  }
  try {
    return JSON.parse(
      Buffer.concat(chunks)
        .toString('utf8')
        .replace(/^\uFEFF/, ''),
    )
  } catch {
    throw invalidInput('Nothing was imported: the file is not JSON; give a SARIF 2.1.0 log.', { reason: 'bad_file' })
  }
}

function toLine(run: Run, result: Result, now: string): Record<string, unknown> {
  const rule = findRule(run, result)
  const ruleId = result.ruleId ?? result.rule?.id ?? rule?.id ?? 'unknown'
  const [location] = result.locations ?? []
  const uri = location?.physicalLocation?.artifactLocation?.uri
  const region = location?.physicalLocation?.region
  const key = uri ?? location?.logicalLocations?.[0]?.fullyQualifiedName ?? run.tool.driver.name
  const [repository] = run.versionControlProvenance ?? []
  const endedAt = findEnd(run)
  const firstDetectedAt = result.provenance?.firstDetectionTimeUtc ?? endedAt ?? now
  const status = toStatus(result)
  const text = result.message?.text
  return {
    asset: {
      key,
      kind: uri === undefined ? 'import.asset' : 'import.file',
      name: key,
      ...(repository?.repositoryUri === undefined ? {} : { container: repository.repositoryUri }),
    },
    detectorType: toDetectorType(run.tool.driver.name),
    findingType: ruleId,
    severity: toSeverity(result, rule),
    status,
    firstDetectedAt,
    lastDetectedAt: result.provenance?.lastDetectionTimeUtc ?? (status === 'RESOLVED' ? undefined : endedAt),
    ...(status === 'RESOLVED' ? { resolvedAt: endedAt ?? now } : {}),
    ...(text === undefined ? {} : { excerpt: text }),
    fingerprint: toFingerprint(result, [ruleId, uri, region?.startLine, region?.startColumn, text]),
  }
}

function findEnd({ invocations: [first] = [] }: Run): string | undefined {
  return first?.endTimeUtc ?? first?.startTimeUtc
}

function findRule(run: Run, result: Result) {
  const { rules = [] } = run.tool.driver
  const id = result.ruleId ?? result.rule?.id
  const index = result.ruleIndex ?? result.rule?.index
  return (index === undefined ? undefined : rules[index]) ?? rules.find((rule) => rule.id === id)
}

const toDetectorType = (tool: string) => {
  const name = tool
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return (/^[A-Z]/.test(name) ? name : `TOOL_${name}`).slice(0, 64)
}

/** Scores are read by the bands of CVSS. */
function toSeverity(result: Result, rule: z.infer<typeof Rule> | undefined): Severity {
  const score = Number(result.properties?.['security-severity'] ?? rule?.properties?.['security-severity'])
  if (score > 0) return score >= 9 ? 'CRITICAL' : score >= 7 ? 'HIGH' : score >= 4 ? 'MEDIUM' : 'LOW'
  return levels[result.level ?? rule?.defaultConfiguration?.level ?? 'warning'] ?? 'MEDIUM'
}

function toStatus({ suppressions, baselineState }: Result): FindingStatus {
  const accepted = (suppressions ?? []).some(({ status = 'accepted' }) => status === 'accepted')
  if (accepted) return 'IGNORED'
  return baselineState === 'absent' ? 'RESOLVED' : 'OPEN'
}

function toFingerprint({ fingerprints, partialFingerprints }: Result, otherwise: readonly unknown[]): string {
  const given = { ...partialFingerprints, ...fingerprints }
  const names = Object.keys(given).sort()
  const parts = names.length === 0 ? otherwise : names.map((name) => [name, given[name]])
  return JSON.stringify(parts)
}
