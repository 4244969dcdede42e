import { hasAnchor } from '../../documents/markup/anchors.ts'
import type { Severity } from '../detector.ts'

/** A link from a scanned asset to a target on the same platform. */
export interface InternalLink {
  type: string
  targetKey?: string
  reference?: { space?: string; title?: string; id?: string; filename?: string; anchor?: string }
}

/** Data of an asset that may be the target of a link. */
export interface LinkTarget {
  key: string
  kind: string
  name: string
  /** True where complete scans have shown that it no longer exists. */
  deleted: boolean
  /** Status of a page on the platform: `current`, `archived`, `trashed`. */
  status?: string
  anchors?: readonly string[]
}

/**
 * Finds assets of the same source. The result is `unknown` where the absence of an asset proves nothing: its space or
 * workspace is out of scope, was not listed completely, or is not scanned.
 */
export interface LinkLookup {
  byKey(key: string): LinkTarget | 'missing' | 'unknown'
  /** `space` absent: the space of the page that holds the link. */
  byTitle(title: string, space: string | undefined): LinkTarget | 'missing' | 'unknown'
  /** An attachment of the page that holds the link, or of the page named in `reference`. */
  byFilename(filename: string, reference: NonNullable<InternalLink['reference']>): LinkTarget | 'missing' | 'unknown'
  /** The page that holds the link, for anchors on the same page. */
  self(): LinkTarget | 'unknown'
}

export interface InternalVerdict {
  findingType:
    | 'PAGE_MISSING'
    | 'ATTACHMENT_MISSING'
    | 'ANCHOR_MISSING'
    | 'STALE_TARGET'
    | 'REPORT_MISSING'
    | 'DATASET_MISSING'
  severity: Severity
  confidence: number
}

const missingTypes: Record<string, InternalVerdict['findingType']> = {
  uses_dataset: 'DATASET_MISSING',
  tile_from_dataset: 'DATASET_MISSING',
  upstream_dataset: 'DATASET_MISSING',
  tile_from_report: 'REPORT_MISSING',
  references: 'PAGE_MISSING',
}

function find({ targetKey, reference = {} }: InternalLink, lookup: LinkLookup): LinkTarget | 'missing' | 'unknown' {
  if (reference.filename !== undefined) return lookup.byFilename(reference.filename, reference)
  if (targetKey !== undefined) return lookup.byKey(targetKey)
  if (reference.title !== undefined) return lookup.byTitle(reference.title, reference.space)
  return reference.anchor !== undefined && reference.id === undefined ? lookup.self() : 'unknown'
}

/**
 * The verdict on a link inside the platform; undefined where it is fine or cannot be judged. Pure: all data comes from
 * `lookup`.
 */
export function evaluateInternalLink(
  link: InternalLink,
  lookup: LinkLookup,
  options: { checkAnchors: boolean } = { checkAnchors: true },
): InternalVerdict | undefined {
  const missingType = link.reference?.filename === undefined ? missingTypes[link.type] : 'ATTACHMENT_MISSING'
  if (missingType === undefined) return undefined
  const target = find(link, lookup)
  if (target === 'unknown') return undefined
  if (target === 'missing' || target.deleted) return { findingType: missingType, severity: 'MEDIUM', confidence: 0.98 }
  if (target.status === 'archived' || target.status === 'trashed') {
    return { findingType: 'STALE_TARGET', severity: 'LOW', confidence: 0.9 }
  }
  const anchor = link.reference?.anchor
  if (!options.checkAnchors || anchor === undefined || target.anchors === undefined) return undefined
  if (hasAnchor({ title: target.name, anchors: target.anchors }, anchor)) return undefined
  return { findingType: 'ANCHOR_MISSING', severity: 'LOW', confidence: 0.8 }
}
