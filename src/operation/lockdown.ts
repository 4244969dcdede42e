import { AppError } from '../kernel/errors.ts'
import type { Caller } from './context.ts'

/** Stands where text of a tenant would. */
export const WITHHELD = '(withheld)'

/**
 * Members whose text is ours or an operator's, wherever they stand: ids, codes, times, names of what was defined here.
 */
const ownMembers = new Set([
  ...[
    'id',
    'uid',
    'assetId',
    'sourceId',
    'slug',
    'metricSlug',
    'displayName',
    'description',
    'fingerprint',
    'checksum',
  ],
  ...['detectorType', 'findingType', 'category', 'severity', 'status', 'customDetectorKey', 'kind', 'type', 'state'],
  ...[
    'trigger',
    'requestedBy',
    'code',
    'format',
    'formatted',
    'unit',
    'certifiedBy',
    'tier',
    'trust',
    'origin',
    'term',
  ],
  ...['part', 'dimension', 'granularity', 'timestamp', 'from', 'to', 'timeField', 'timeZone', 'asOf', 'nextCursor'],
  ...['dashboard', 'chartType', 'size', 'by', 'detectorTypes', 'severities', 'statuses', 'findingTypes', 'categories'],
  ...['customDetectorKeys', 'sources', 'sourceTypes', 'assetKinds'],
])
/** Names that an operator gave, by what they are the names of. */
const ownNames = new Set(['source', 'sources', 'steps'])
/** Sentences that quote nobody. */
const plainWarnings = new Set(['draft', 'deprecated', 'drifted', 'not_scanned', 'truncated', 'clock_moved'])
const tenantDimensions = new Set(['container'])
const keyMembers = new Set(['key', 'assetKey', 'targetKey', 'scope'])
const tenantSuggestions = new Set(['container', 'asset', 'page', 'value'])

export const isLockedDown = (context: { lockdown?: boolean; caller: Caller }): boolean =>
  context.lockdown === true || context.caller.lockdown === true

/** The same answer with counts, ids and codes, and without any text that is not known to be our own. */
export function withhold(answer: unknown): unknown {
  return visit(answer, { member: '', parent: '', dimension: undefined })
}

interface Place {
  /** The member that holds it, and the one that holds the object or list around it. */
  member: string
  parent: string
  /** The dimension whose values stand here. */
  dimension: string | undefined
}

function visit(value: unknown, place: Place): unknown {
  if (typeof value === 'string') return isOwn(value, place) ? value : WITHHELD
  if (Array.isArray(value)) return value.map((item) => visit(item, place))
  if (typeof value !== 'object' || value === null) return value
  const node = value as Record<string, unknown>
  const dimension = typeof node.dimension === 'string' ? node.dimension : place.dimension
  const shown = Object.fromEntries(
    Object.entries(node).map(([member, inner]) => [
      member,
      isPlainWarning(node, member) ? inner : visit(inner, { member, parent: place.member, dimension }),
    ]),
  )
  return typeof node.dimensionValue === 'string' ? { ...shown, ...nameGroup(node, dimension) } : shown
}

const isPlainWarning = ({ code }: Record<string, unknown>, member: string) =>
  member === 'message' && typeof code === 'string' && plainWarnings.has(code)

function isOwn(text: string, { member, parent }: Place): boolean {
  if (ownMembers.has(member) || member.endsWith('At')) return true
  if (member === 'name') return ownNames.has(parent)
  if (member === 'label') return parent === 'trust'
  if (member === 'reason') return /^[a-z_]{1,60}$/.test(text)
  if (member === 'key' && parent === 'filters') return true
  return keyMembers.has(member) && /^(?:wiki|bi)[\w.:-]{0,200}$/.test(text)
}

/** A group by its dimensions, where these are ours. */
function nameGroup(node: Record<string, unknown>, dimension: string | undefined): Record<string, unknown> {
  const { dimensions, dimensionValue } = node
  if (typeof dimensions !== 'object' || dimensions === null) {
    return { dimensionValue: dimension === undefined || tenantDimensions.has(dimension) ? WITHHELD : dimensionValue }
  }
  const named = Object.entries(dimensions).map(([name, value]) => [name, tenantDimensions.has(name) ? WITHHELD : value])
  return {
    dimensions: Object.fromEntries(named),
    dimensionValue: named.map(([, value]) => value).join(' / '),
  }
}

/** The same error without suggestions that a tenant has named. */
export function withholdSuggestions(error: AppError): AppError {
  const { suggestions = [] } = error.facts
  const kept = suggestions.filter(({ kind }) => !tenantSuggestions.has(kind))
  if (kept.length === suggestions.length) return error
  const { suggestions: _, ...facts } = error.facts
  return new AppError(error.code, 'A name is not known; names of the tenants are withheld here.', {
    ...facts,
    ...(kept.length === 0 ? {} : { suggestions: kept }),
  })
}
