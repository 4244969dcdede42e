import { severities } from '../detectors/detector.ts'
import { findingStatuses } from '../findings/model.ts'
import { readInstant } from './instant.ts'

const severityNames = new Set<unknown>(severities)
const statusNames = new Set<unknown>(findingStatuses)
const detectorType = /^[A-Z][A-Z0-9_]{0,63}$/

/** Text without anything to trim: it begins and ends with a visible ASCII character. */
function isTrimmed(value: unknown, longest: number): boolean {
  if (typeof value !== 'string' || value.length === 0 || value.length > longest) return false
  const [first, last] = [value.charCodeAt(0), value.charCodeAt(value.length - 1)]
  return first > 32 && first < 127 && last > 32 && last < 127
}

const isText = (value: unknown, longest: number): boolean => typeof value === 'string' && value.length <= longest
const isInstant = (value: unknown): boolean => typeof value === 'string' && readInstant(value) !== undefined

function isPlainAsset(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const asset = value as Record<string, unknown>
  for (const key in asset) {
    const member = asset[key]
    let good: boolean
    switch (key) {
      case 'key':
        good = isTrimmed(member, 1000)
        break
      case 'kind':
        good = isTrimmed(member, 200)
        break
      case 'name':
      case 'container':
        good = isText(member, 1000)
        break
      case 'url':
        good = isText(member, 4096)
        break
      case 'contentUpdatedAt':
        good = isInstant(member)
        break
      default:
        good = false
    }
    if (!good) return false
  }
  return asset.key !== undefined
}

function isPlainMember(key: string, member: unknown): boolean {
  switch (key) {
    case 'asset':
      return isPlainAsset(member)
    case 'detectorType':
      return typeof member === 'string' && detectorType.test(member)
    case 'findingType':
    case 'category':
    case 'customDetectorKey':
      return isTrimmed(member, 200)
    case 'severity':
      return severityNames.has(member)
    case 'status':
      return statusNames.has(member)
    case 'confidence':
      return typeof member === 'number' && member >= 0 && member <= 1
    case 'firstDetectedAt':
    case 'lastDetectedAt':
    case 'resolvedAt':
      return isInstant(member)
    case 'excerpt':
      return isText(member, 100_000)
    case 'fingerprint':
      return isText(member, 4000) && member !== ''
    default:
      return false
  }
}

/**
 * A line that is good beyond doubt, as it is; undefined where only the schema can tell, or has to trim or to explain.
 * Most lines of a large file are plain, and this look costs a tenth of the schema's.
 */
export function findPlainLine(value: unknown): object | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const line = value as Record<string, unknown>
  for (const key in line) if (!isPlainMember(key, line[key])) return undefined
  const { asset, detectorType, findingType, severity, firstDetectedAt, lastDetectedAt, resolvedAt } = line
  if (asset === undefined || detectorType === undefined || findingType === undefined || severity === undefined) {
    return undefined
  }
  if (typeof firstDetectedAt !== 'string') return undefined
  const first = readInstant(firstDetectedAt) ?? Number.POSITIVE_INFINITY
  if (typeof lastDetectedAt === 'string' && (readInstant(lastDetectedAt) ?? 0) < first) return undefined
  if ((line.status === 'RESOLVED') !== (resolvedAt !== undefined)) return undefined
  if (typeof resolvedAt === 'string' && (readInstant(resolvedAt) ?? 0) < first) return undefined
  return value
}
