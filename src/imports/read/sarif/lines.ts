import type { Severity } from '../../../detectors/detector.ts'
import { toSafeText } from '../../../detectors/safe-text.ts'
import { FINGERPRINT_NAME } from '../../../findings/export/model.ts'
import type { FindingStatus } from '../../../findings/model.ts'
import { isObject } from '../../../kernel/json-object.ts'
import { cutText } from '../../../kernel/well-formed.ts'
import type { TextPosition } from '../import-row.ts'
import type { ReadLine, ReadRun } from '../runs.ts'
import { itemAt, memberOf, textOf } from './check.ts'
import { type ResultNumbers, type RunFingerprints, toKey } from './identity.ts'
import { toMessageText } from './messages.ts'
import type { SarifLevel, SarifResult, SarifRun } from './model.ts'
import { toLogicalName, toPlace } from './places.ts'
import { type FoundRule, RunRules } from './rules.ts'

interface RunContext {
  fingerprints: RunFingerprints
  numbers: ResultNumbers
  now: string
}

const levels: Record<SarifLevel, Severity> = { error: 'HIGH', warning: 'MEDIUM', note: 'LOW', none: 'INFO' }
/** Only the beginning of an excerpt is stored. */
const MAX_TEXT = 50_000

/** Makes lines of an import of the results of a run. */
export class RunLines {
  readonly #run: SarifRun
  readonly #context: RunContext
  readonly #rules: RunRules
  readonly #detectorType: string
  readonly #container: string | undefined

  constructor(run: SarifRun, place: string, context: RunContext) {
    this.#run = run
    this.#context = context
    this.#rules = new RunRules(run, place)
    this.#detectorType = toDetectorType(run.tool.driver.name)
    this.#container = textOf(memberOf(itemAt(run.versionControlProvenance, 0), 'repositoryUri'))
  }

  /** What the run says of itself. */
  toRun(): Omit<ReadRun, 'lines'> {
    const id = textOf(memberOf(this.#run.automationDetails, 'id'))
    return { tool: this.#detectorType, id, outcome: () => this.#rules.outcome() }
  }

  toLine(result: SarifResult, fingerprints: readonly string[]): Omit<ReadLine, 'line'> {
    const exported = findExported(result)
    const endedAt = this.#rules.endOf(result)
    return {
      value: exported ?? this.#read(result, fingerprints, endedAt),
      undated: exported === undefined && endedAt === undefined,
      position: toPosition(result),
    }
  }

  #read(result: SarifResult, given: readonly string[], endedAt: string | undefined): Record<string, unknown> {
    const { fingerprints, now } = this.#context
    const found = this.#rules.find(result)
    const place = toPlace(this.#run, result)
    const status = toStatus(result)
    const text = toMessageText(result, found)
    const identity = toKey(found.id, ...fingerprints.identify(result, given, text))
    const isUnique = given.length > 0 && !fingerprints.isShared(given)
    return {
      asset: { ...place, container: this.#container },
      detectorType: this.#detectorType,
      findingType: found.id,
      severity: toSeverity(this.#rules.level(result, found), result, found),
      status,
      firstDetectedAt: result.provenance?.firstDetectionTimeUtc ?? endedAt ?? now,
      lastDetectedAt: result.provenance?.lastDetectionTimeUtc ?? (status === 'RESOLVED' ? undefined : endedAt),
      resolvedAt: status === 'RESOLVED' ? (endedAt ?? now) : undefined,
      excerpt: text === undefined ? undefined : cutText(text, MAX_TEXT),
      fingerprint: isUnique ? identity : this.#number(identity, result, { key: place.key, text }),
    }
  }

  /** An identity with its number, if it is not the first with it that differs in place or message. */
  #number(identity: string, result: SarifResult, { key, text }: { key: string; text: string | undefined }): string {
    const [location] = result.locations ?? []
    const { snippet: _, ...region } = location?.physicalLocation?.region ?? {}
    const form = toKey(region, toLogicalName(this.#run, location?.logicalLocations?.[0]), text)
    const number = this.#context.numbers.take(`${this.#detectorType} ${identity}${key}`, form)
    return number === 1 ? identity : `${identity}:${number}`
  }
}

/** The line that a result of an export was made of; undefined for a result of another program. */
function findExported({ partialFingerprints, properties, message }: SarifResult): Record<string, unknown> | undefined {
  const fingerprint = textOf(partialFingerprints?.[FINGERPRINT_NAME])
  if (fingerprint === undefined || properties === undefined) return undefined
  const { 'security-severity': _, hasExcerpt, ...line }: Record<string, unknown> = properties
  if (!isObject(line.asset)) return undefined
  return {
    ...line,
    ...(hasExcerpt === true && message?.text !== undefined ? { excerpt: message.text } : {}),
    fingerprint: `${FINGERPRINT_NAME}:${fingerprint}`,
  }
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
function toSeverity(level: SarifLevel, result: SarifResult, { rule }: FoundRule): Severity {
  const score = Number(result.properties?.['security-severity'] ?? rule?.properties?.['security-severity'])
  if (score > 0) return score >= 9 ? 'CRITICAL' : score >= 7 ? 'HIGH' : score >= 4 ? 'MEDIUM' : 'LOW'
  return levels[level]
}

function toStatus({ suppressions, baselineState }: SarifResult): FindingStatus {
  const accepted = (suppressions ?? []).some(({ status = 'accepted' }) => status === 'accepted')
  if (accepted) return 'IGNORED'
  return baselineState === 'absent' ? 'RESOLVED' : 'OPEN'
}

const isFromOne = (value: number | undefined) => Number.isInteger(value) && (value ?? 0) > 0

function toPosition({ locations }: SarifResult): TextPosition | undefined {
  const { startLine: line, startColumn: column } = locations?.[0]?.physicalLocation?.region ?? {}
  if (line === undefined || !isFromOne(line)) return undefined
  return { line, ...(column !== undefined && isFromOne(column) ? { column } : {}) }
}
