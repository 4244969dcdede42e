import type { z } from 'zod'
import type { FilterMapping } from '../findings/filter.ts'
import type { Finding, FindingStatus } from '../findings/model.ts'
import type { GlossaryTerm } from '../glossary/model.ts'
import type { Metric } from '../metrics/view.ts'
import type { ViewQuestion } from '../query/view-model.ts'
import type { TestStep } from '../sources/model.ts'
import type { WatchDetail } from '../watches/view.ts'

/** What an address of the console says: each key has its values in their order. */
export type State = Readonly<Record<string, readonly string[]>>

// Types of the answers that the console reads; those without an exported schema are stated here.

export interface ConsoleSession {
  name: string
  scopes: readonly string[]
  token: boolean
  lockdown: boolean
  readOnly: boolean
}

export interface Page<Item> {
  items: readonly Item[]
  total: number
}

export type Filters = z.input<typeof FilterMapping>
export type PageQuestion = Omit<ViewQuestion, 'filters'> & { filters?: Filters }
export type SourceTestStep = z.infer<typeof TestStep>
export type WatchPage = z.infer<typeof WatchDetail>

/** When findings of a term, or all findings, are due: days after the first detection, by severity. */
export interface DuePolicy {
  glossaryTermSlug: string | null
  days: Readonly<Record<string, number | null | undefined>>
}

export interface ShownToken {
  id: string
  name: string
  scopes: readonly string[]
  lockdown: boolean
  status: 'active' | 'expired' | 'revoked'
  expiresAt: string
  lastUsedAt: string | null
}

/** A decision that applies to present and future findings. */
export interface Suppression {
  id: string
  filters: object
  valueFingerprint?: string
  patterns: readonly { field: string; pattern: string }[]
  status: string
  reason: string
  createdBy: string
  createdAt: string
  until?: string
}

export interface TermPage extends GlossaryTerm {
  metrics: readonly Pick<Metric, 'slug' | 'displayName' | 'type' | 'status'>[]
}

export type MetricVersionItem = Pick<
  Metric,
  | 'version'
  | 'displayName'
  | 'description'
  | 'type'
  | 'definition'
  | 'allowedDimensions'
  | 'format'
  | 'unit'
  | 'emptyAs'
  | 'glossaryTermSlug'
  | 'createdAt'
> & { createdBy: string; createdVia: string }

export interface FindingList {
  items: readonly (Finding & { source?: string })[]
  nextCursor?: string
  total?: number
}

export interface FoundPlaces {
  identifiers: readonly { position: number; readAs: string; findings: number; note?: string }[]
  findings: number
  items: number
  truncated: boolean
  places: readonly { asset: Finding['asset']; findings: readonly Omit<Finding, 'asset'>[] }[]
}

export interface Imported {
  source: { name: string }
  lines: number
  findings: { new: number; again: number; resolved: number }
  preview?: readonly { asset: string; findingType: string; severity: string }[]
}

export interface Triaged {
  matched: number
  changed: number
  items: readonly { id: string; from: FindingStatus; until?: string }[]
}
