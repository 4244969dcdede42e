import { severities } from '../../detectors/detector.ts'
import { findingStatuses } from '../../findings/model.ts'
import { isObject } from '../../kernel/json-object.ts'
import { readInstant } from './instant.ts'

const severityNames = new Set<unknown>(severities)
const statusNames = new Set<unknown>(findingStatuses)
const detectorType = /^[A-Z][A-Z0-9_]{0,63}$/

/** Whether there is nothing to trim: the text begins and ends with a visible ASCII character. */
function isTrimmed(value: unknown, longest: number): boolean {
  if (typeof value !== 'string' || value.length === 0 || value.length > longest) return false
  const [first, last] = [value.charCodeAt(0), value.charCodeAt(value.length - 1)]
  return first > 32 && first < 127 && last > 32 && last < 127
}

const isText = (value: unknown, longest: number): boolean => typeof value === 'string' && value.length <= longest
const isInstant = (value: unknown): boolean => typeof value === 'string' && readInstant(value) !== undefined

function isPlainAsset(asset: unknown): boolean {
  if (!isObject(asset)) return false
  for (const key in asset) if (!isPlainAssetMember(key, asset[key])) return false
  return asset.key !== undefined
}

function isPlainAssetMember(key: string, member: unknown): boolean {
  switch (key) {
    case 'key':
      return isTrimmed(member, 1000)
    case 'kind':
      return isTrimmed(member, 200)
    case 'name':
    case 'container':
      return isText(member, 1000)
    case 'url':
      return isText(member, 4096)
    case 'owner':
      return isText(member, 200)
    case 'labels':
      return Array.isArray(member) && member.length <= 50 && member.every((label) => isTrimmed(label, 100))
    case 'contentUpdatedAt':
      return isInstant(member)
    default:
      return false
  }
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
 * Returns a line unchanged if it is certainly valid; undefined if only the schema can decide, trim or explain. Most
 * lines of a large file are plain, and this check costs a tenth of the schema's.
 */
export function findPlainLine(line: unknown): object | undefined {
  if (!isObject(line)) return undefined
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
  return line
}
