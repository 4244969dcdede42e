import type { ExportedFinding } from './model.ts'
import { FINGERPRINT_NAME } from './model.ts'
import { toImportMembers, toVisibleJson } from './ndjson.ts'

/** Results of one run: readers hold a run in memory, and some refuse longer ones. */
const MAX_RESULTS = 25_000
const MAX_RUN_LENGTH = 16 * 1024 * 1024

const levels = { CRITICAL: 'error', HIGH: 'error', MEDIUM: 'warning', LOW: 'note', INFO: 'note' } as const
/** Scores in the bands of CVSS, by which other programs sort results. */
const scores = { CRITICAL: '9.5', HIGH: '8.0', MEDIUM: '5.5', LOW: '2.0', INFO: '0.0' } as const

/** A reference that URI parsers accept. */
const toUri = ({ url, key }: ExportedFinding['asset']): string =>
  url === '' ? encodeURI(key.replace(/\p{Surrogate}/gu, '\ufffd')) : url

function toResult(finding: ExportedFinding, ruleIndex: number): object {
  const { asset, location, status, severity, excerpt, firstDetectedAt, lastDetectedAt } = finding
  const region =
    location?.line === undefined
      ? {}
      : {
          region: {
            startLine: location.line,
            ...(location.column === undefined ? {} : { startColumn: location.column }),
          },
        }
  const isDecided = status === 'FALSE_POSITIVE' || status === 'IGNORED'
  return {
    ruleId: finding.findingType,
    ruleIndex,
    level: levels[severity],
    message: { text: excerpt ?? finding.findingType },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: toUri(asset) }, ...region },
        logicalLocations: [
          {
            name: asset.name,
            fullyQualifiedName:
              location === undefined || location.path === '' ? asset.key : `${asset.key}#${location.path}`,
          },
        ],
      },
    ],
    partialFingerprints: { [FINGERPRINT_NAME]: finding.fingerprint },
    baselineState: status === 'RESOLVED' ? 'absent' : 'unchanged',
    ...(isDecided ? { suppressions: [{ kind: 'external', status: 'accepted' }] } : {}),
    provenance: { firstDetectionTimeUtc: firstDetectedAt, lastDetectionTimeUtc: lastDetectedAt },
    properties: {
      ...toImportMembers(finding),
      hasExcerpt: excerpt !== undefined,
      'security-severity': scores[severity],
      source: finding.source,
    },
  }
}

/** From the least to the most severe, as which a rule counts by default. */
const ranks = ['note', 'warning', 'error'] as const

/** Writes findings as a SARIF 2.1.0 log, in runs of bounded length; the rules of a run come after its results. */
export class SarifWriter {
  readonly #version: string
  /** The rules of the run, with the rank of their most severe result. */
  readonly #rules = new Map<string, { index: number; rank: number }>()
  #results = 0
  #length = 0

  constructor(version: string) {
    this.#version = version
  }

  readonly head = '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":['

  write(finding: ExportedFinding): string {
    const isFull = this.#results >= MAX_RESULTS || this.#length >= MAX_RUN_LENGTH
    const before = this.#results === 0 ? this.#begin() : isFull ? `${this.#endRun()},\n${this.#begin()}` : ',\n'
    const result = toVisibleJson(toResult(finding, this.#indexRule(finding)))
    this.#results++
    this.#length += result.length
    return before + result
  }

  /** The end of the log; one without results has an empty run. */
  end(): string {
    return `${this.#results === 0 ? this.#begin() : ''}${this.#endRun()}]}\n`
  }

  #begin(): string {
    this.#results = 0
    this.#length = 0
    this.#rules.clear()
    return '{"columnKind":"utf16CodeUnits","results":[\n'
  }

  #indexRule({ findingType, severity }: ExportedFinding): number {
    const rank = ranks.indexOf(levels[severity])
    const rule = this.#rules.get(findingType) ?? { index: this.#rules.size, rank }
    rule.rank = Math.max(rule.rank, rank)
    this.#rules.set(findingType, rule)
    return rule.index
  }

  #endRun(): string {
    const rules = [...this.#rules].map(([id, { rank }]) => ({
      id,
      name: id,
      defaultConfiguration: { level: ranks[rank] },
    }))
    return `],"tool":${toVisibleJson({ driver: { name: 'Assay', version: this.#version, rules } })}}`
  }
}
