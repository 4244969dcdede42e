const FARTHEST = 1_000
const marker = /\bassay:ignore\b(?:\s*\[([A-Z_, ]{1,200})\])?/

/**
 * True where the line that holds `offset` says `assay:ignore`, or `assay:ignore[SECRETS, PII]` with the detector named.
 */
export function isSuppressed(text: string, offset: number, detectorType: string): boolean {
  const from = Math.max(text.lastIndexOf('\n', offset - 1) + 1, offset - FARTHEST)
  const lineEnd = text.indexOf('\n', offset)
  const to = Math.min(lineEnd < 0 ? text.length : lineEnd, offset + FARTHEST)
  const found = marker.exec(text.slice(from, to))
  if (found === null) return false
  const [, types] = found
  return types === undefined || types.split(/[\s,]+/).includes(detectorType)
}
