const FARTHEST = 1_000
const marker = /\bassay:ignore\b(?:\s*\[([A-Z_, ]{1,200})\])?/

/**
 * Whether the line that contains `offset` has `assay:ignore`, or `assay:ignore[SECRETS, PII]` with this detector's
 * type.
 */
export function isSuppressed(text: string, offset: number, detectorType: string): boolean {
  const reach = Math.max(0, offset - FARTHEST)
  const from = reach + text.slice(reach, offset).lastIndexOf('\n') + 1
  const [line = ''] = text.slice(offset, offset + FARTHEST).split('\n', 1)
  const found = marker.exec(text.slice(from, offset) + line)
  if (found === null) return false
  const [, types] = found
  return types === undefined || types.split(/[\s,]+/).includes(detectorType)
}
