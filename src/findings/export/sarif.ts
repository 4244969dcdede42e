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

function toResult(finding: ExportedFinding): object {
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
    level: levels[severity],
    message: { text: excerpt ?? finding.findingType },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: toUri(asset) }, ...region },
        logicalLocations: [
          {
            name: asset.name,
            fullyQualifiedName: location === undefined ? asset.key : `${asset.key}#${location.path}`,
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

/** Writes findings as a SARIF 2.1.0 log, in runs of bounded length. */
export class SarifWriter {
  readonly #driver: string
  #results = 0
  #length = 0

  constructor(version: string) {
    this.#driver = JSON.stringify({ driver: { name: 'Assay', version } })
  }

  readonly head = '{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":['

  write(finding: ExportedFinding): string {
    const isFull = this.#results >= MAX_RESULTS || this.#length >= MAX_RUN_LENGTH
    const before = this.#results === 0 ? this.#begin() : isFull ? `]},\n${this.#begin()}` : ',\n'
    const result = toVisibleJson(toResult(finding))
    this.#results++
    this.#length += result.length
    return before + result
  }

  /** The end of the log; one without results has an empty run. */
  end(): string {
    return `${this.#results === 0 ? this.#begin() : ''}]}]}\n`
  }

  #begin(): string {
    this.#results = 0
    this.#length = 0
    return `{"tool":${this.#driver},"columnKind":"utf16CodeUnits","results":[\n`
  }
}
