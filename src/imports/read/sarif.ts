import { z } from 'zod'
import type { Severity } from '../../detectors/detector.ts'
import { toSafeText } from '../../detectors/safe-text.ts'
import { FINGERPRINT_NAME } from '../../findings/export/model.ts'
import type { FindingStatus } from '../../findings/model.ts'
import { AppError, invalidInput } from '../../kernel/errors.ts'
import { isObject } from '../../kernel/json-object.ts'
import { parseOutsideJson } from '../../kernel/well-formed.ts'
import { ImportLine } from './import-line.ts'
import { type JsonPart, JsonPartsError, splitJson } from './json-parts.ts'

/** A line of an import, with the number of its result from 1. */
interface NumberedValue {
  line: number
  value: unknown
  /** The log gave no `resolvedAt`: it is the time of reading and does not correct a stored one. */
  undated: boolean
}

/** Maximum characters of the results of one run: they are held until the run, with its tool and time, has been read. */
const MAX_HELD = 64 * 1024 * 1024

const Text = z.object({ text: z.string().optional() })
const Rule = z.object({
  id: z.string(),
  properties: z
    .object({ 'security-severity': z.union([z.string(), z.number()]).optional(), tags: z.array(z.string()).optional() })
    .optional(),
  defaultConfiguration: z.object({ level: z.string().optional() }).optional(),
})
const Artifact = z.object({ uri: z.string().optional(), uriBaseId: z.string().optional() })
export const SarifResult = z.object({
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
  properties: z
    .object({
      'security-severity': z.union([z.string(), z.number()]).optional(),
      hasExcerpt: z.unknown().optional(),
      ...Object.fromEntries(Object.keys(ImportLine.shape).map((name) => [name, z.unknown().optional()])),
    })
    .optional(),
})
export const SarifRun = z.object({
  tool: z.object({ driver: z.object({ name: z.string(), rules: z.array(Rule).optional() }) }),
  results: z.array(z.unknown()).nullish(),
  invocations: z.array(z.object({ startTimeUtc: z.string().optional(), endTimeUtc: z.string().optional() })).optional(),
  versionControlProvenance: z.array(z.object({ repositoryUri: z.string().optional() })).optional(),
})
const Log = z.object({ version: z.literal('2.1.0', 'must be 2.1.0.'), runs: z.array(z.unknown()) })
type Run = z.infer<typeof SarifRun>
type Result = z.infer<typeof SarifResult>

const levels: Record<string, Severity> = { error: 'HIGH', warning: 'MEDIUM', note: 'LOW', none: 'INFO' }
/** Kinds of results that mean that a rule was checked and found nothing. */
const noFinding = new Set(['pass', 'notApplicable', 'informational'])

/**
 * Reads the results of a SARIF 2.1.0 log as lines of an import; `line` counts results. The tool is the detector, the
 * rule the finding type, the file the asset. Results without a date get `now`, and keep that date in later imports. The
 * log is read in parts: only the results of one run, reduced to the members that are used, are in memory.
 */
export async function* readSarif(
  stream: AsyncIterable<Uint8Array | string>,
  now: number,
): AsyncGenerator<NumberedValue> {
  let results: string[] = []
  let heldBytes = 0
  let [line, runs] = [0, 0]
  for await (const { level, text } of readParts(stream)) {
    if (level === 0) parse(Log, text, '')
    else if (level === 2) {
      const result = JSON.stringify(parse(SarifResult, text, `runs.${runs}.results.${results.length}.`))
      heldBytes += result.length
      if (heldBytes > MAX_HELD)
        throw tooLarge('A run of the SARIF log has too many results; split it into several runs.')
      results.push(result)
    } else {
      const run = parse(SarifRun, text, `runs.${runs}.`)
      for (const kept of results) {
        line++
        const result = JSON.parse(kept) as Result
        if (noFinding.has(result.kind ?? 'fail')) continue
        yield {
          line,
          value: toLine(run, result, new Date(now).toISOString()),
          undated: findEnd(run) === undefined && findExported(result) === undefined,
        }
      }
      results = []
      heldBytes = 0
      runs++
    }
  }
}

const tooLarge = (message: string) => new AppError('too_large', message)
const bad = (what: string, facts: object = {}) =>
  invalidInput(`Nothing was imported: ${what}`, { ...facts, reason: 'bad_file' })
const noJson = 'the file is not JSON; give a SARIF 2.1.0 log.'

async function* readParts(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<JsonPart> {
  try {
    yield* splitJson(toTexts(stream), ['runs', 'results'])
  } catch (error) {
    if (!(error instanceof JsonPartsError)) throw error
    if (error.reason === 'malformed') throw bad(noJson)
    throw tooLarge('A value in the SARIF log is too long; remove embedded content.')
  }
}

async function* toTexts(stream: AsyncIterable<Uint8Array | string>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  const decode = (bytes?: Uint8Array) => {
    try {
      return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true })
    } catch {
      throw bad('the file is not UTF-8 text; convert it first.')
    }
  }
  // A decoder drops the byte order mark of a file; text may still have it.
  for await (const chunk of stream) yield typeof chunk === 'string' ? chunk.replace(/^\ufeff/, '') : decode(chunk)
  yield decode()
}

function parse<T>(schema: z.ZodType<T>, text: string, place: string): T {
  let value: unknown
  try {
    value = parseOutsideJson(text)
  } catch {
    throw bad(noJson)
  }
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues
    .slice(0, 20)
    .map(({ path, message }) => ({ path: `${place}${path.join('.')}`, message }))
  throw bad('the file is not a SARIF 2.1.0 log.', { issues })
}

/** The line that a result of an export was made of; undefined for a result of another program. */
function findExported({ partialFingerprints, properties, message }: Result): Record<string, unknown> | undefined {
  const fingerprint = partialFingerprints?.[FINGERPRINT_NAME]
  if (fingerprint === undefined || properties === undefined) return undefined
  const { 'security-severity': _, hasExcerpt, ...line }: Record<string, unknown> = properties
  if (!isObject(line.asset)) return undefined
  return {
    ...line,
    ...(hasExcerpt === true && message?.text !== undefined ? { excerpt: message.text } : {}),
    fingerprint: `${FINGERPRINT_NAME}:${fingerprint}`,
  }
}

function toLine(run: Run, result: Result, now: string): Record<string, unknown> {
  const exported = findExported(result)
  if (exported !== undefined) return exported
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
  // Masked first, because a credential is not recognized in upper case.
  const name = toSafeText(tool, 'prose')
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
  return (/^[A-Z]/.test(name) ? name : `TOOL_${name}`).slice(0, 64)
}

/** Scores are mapped by the CVSS bands. */
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
