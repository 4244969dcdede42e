import { given } from '../../kernel/json-object.ts'
import { type ExportedFinding, FINGERPRINT_NAME } from './model.ts'

/** Control, format and other characters that a reader does not see. */
const invisible = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** A value as JSON in which invisible characters are escaped: nothing is hidden, and nothing lost. */
export const toVisibleJson = (value: unknown): string =>
  JSON.stringify(value).replace(invisible, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )

const notEmpty = (text: string) => (text === '' ? undefined : text)

/** The members of a line of an import, but for the text and the fingerprint. */
export const toImportMembers = (finding: ExportedFinding) => {
  const { asset, audience, audienceSize, status, resolvedAt } = finding
  const { key, kind, name, url, container, owner, labels, contentUpdatedAt } = asset
  return given({
    asset: given({
      key,
      kind,
      name,
      url: notEmpty(url),
      container: notEmpty(container),
      owner: notEmpty(owner),
      labels: labels.length === 0 ? undefined : labels,
      contentUpdatedAt,
      audience: audience === 'unknown' ? undefined : audience,
      audienceSize,
    }),
    detectorType: finding.detectorType,
    findingType: finding.findingType,
    severity: finding.severity,
    firstDetectedAt: finding.firstDetectedAt,
    category: notEmpty(finding.category),
    confidence: finding.confidence,
    status,
    presence: finding.presence === 'current' ? undefined : finding.presence,
    lastDetectedAt: finding.lastDetectedAt,
    resolvedAt: status === 'RESOLVED' ? (resolvedAt ?? finding.lastDetectedAt) : undefined,
    customDetectorKey: finding.customDetectorKey,
    valueKey: finding.value,
  })
}

/** A finding as a line that an import reads. */
export function toNdjson(finding: ExportedFinding): string {
  const { excerpt, fingerprint } = finding
  const line = { ...toImportMembers(finding), ...given({ excerpt }), fingerprint: `${FINGERPRINT_NAME}:${fingerprint}` }
  return `${toVisibleJson(line)}\n`
}
