import { hash } from 'node:crypto'
import { dependsOnDueDates, type FilterMapping } from '../findings/filter.ts'
import { listPolicies } from '../findings/sla.store.ts'
import { findTermBySlug } from '../glossary/glossary.store.ts'
import { showName } from '../kernel/shown.ts'
import { isUnreviewed } from '../store/review.store.ts'
import type { Reader } from '../store/store.ts'
import { listFilterTerms, listInline } from './definition.ts'
import { loadInputs } from './dependencies.ts'
import type { MetricRecord, TrustTier } from './model.ts'

/** How far a number can be trusted; `label` is a sentence to quote. */
export interface Trust {
  tier: TrustTier
  label: string
  /** An assistant wrote its texts, and no person has edited or certified it since. */
  unreviewed?: true
}

/**
 * A hash of each part that a metric's number depends on: its definition, its term's mapping, and the same for every
 * input. Stored at certification; a later difference is drift.
 */
export function toDigest(reader: Reader, metric: MetricRecord, inputs: ReadonlyMap<string, MetricRecord>): string {
  return JSON.stringify(Object.fromEntries(listParts(reader, metric, inputs)))
}

/** The parts that changed since certification; empty when none did or the metric is not certified. */
export function findDrift(reader: Reader, metric: MetricRecord, inputs: ReadonlyMap<string, MetricRecord>): string[] {
  if (metric.status !== 'ACTIVE' || metric.certifiedDigest === null) return []
  const certified = JSON.parse(metric.certifiedDigest) as Record<string, string>
  const present = Object.fromEntries(listParts(reader, metric, inputs))
  return [...new Set([...Object.keys(certified), ...Object.keys(present)])]
    .filter((part) => certified[part] !== present[part])
    .sort()
}

export function getTrust(reader: Reader, metric: MetricRecord): Trust {
  const trust = toTrust(metric, metric.status === 'ACTIVE' ? findDrift(reader, metric, loadInputs(reader, metric)) : [])
  if (!isUnreviewed(reader, 'metric', metric.slug)) return trust
  return { ...trust, label: `${trust.label} Unreviewed: an assistant wrote its texts.`, unreviewed: true }
}

function toTrust(metric: MetricRecord, drift: readonly string[]): Trust {
  if (metric.status === 'DRAFT') return { tier: 'draft', label: 'Draft: this metric is not certified.' }
  if (metric.status === 'DEPRECATED') {
    const successor = metric.replacedBy === null ? '' : `; use ${metric.replacedBy} instead`
    return {
      tier: 'deprecated',
      label: `Deprecated by ${metric.deprecatedBy === null ? 'its owner' : showName(metric.deprecatedBy)}${successor}.`,
    }
  }
  const day = new Date(metric.certifiedAt ?? 0).toISOString().slice(0, 10)
  const certified = `ertified by ${metric.certifiedBy === null ? 'no one' : showName(metric.certifiedBy)} on ${day} (version ${metric.certifiedVersion ?? metric.version})`
  if (drift.length === 0) return { tier: 'certified', label: `C${certified}.` }
  const changed = drift.slice(0, 3).join(', ')
  return {
    tier: 'drifted',
    label: `Drifted: c${certified}, but changed since: ${changed}${drift.length > 3 ? ', …' : ''}.`,
  }
}

const describePolicies = (reader: Reader) => listPolicies(reader).map(({ mapping, days }) => ({ mapping, days }))

/** The filters of a metric, of its own term and of the terms that its filters name. */
const listMappings = (reader: Reader, metric: MetricRecord): FilterMapping[] => [
  ...(metric.term === null ? [] : [metric.term.filterMapping]),
  ...listInline(metric).flatMap(({ filters }) => filters ?? []),
  ...listFilterTerms(metric).flatMap((slug) => findTermBySlug(reader, slug)?.filterMapping ?? []),
]

/** Whether a metric's number depends on the policies of due dates. */
export const isByDueDates = (reader: Reader, metric: MetricRecord): boolean =>
  listMappings(reader, metric).some(dependsOnDueDates)

function listParts(
  reader: Reader,
  metric: MetricRecord,
  inputs: ReadonlyMap<string, MetricRecord>,
): Map<string, string> {
  const parts = new Map([['definition', digestOf(toMeaning(metric))]])
  for (const part of [metric, ...inputs.values()]) {
    if (part !== metric) parts.set(`metric ${part.slug}`, digestOf(toMeaning(part)))
    if (part.term !== null) parts.set(`term ${part.term.slug}`, digestOf(part.term.filterMapping))
    if (isByDueDates(reader, part)) parts.set('due dates', digestOf(describePolicies(reader)))
    for (const slug of listFilterTerms(part)) {
      parts.set(`term ${slug}`, digestOf(findTermBySlug(reader, slug)?.filterMapping ?? {}))
    }
  }
  return new Map([...parts].sort(([a], [b]) => (a < b ? -1 : 1)))
}

function toMeaning({ type, definition, term, emptyAs }: MetricRecord): object {
  return { type, definition, term: term?.slug ?? null, emptyAs: emptyAs ?? 'zero' }
}

function digestOf(content: object): string {
  return hash('sha256', canonical(content)).slice(0, 16)
}

/** JSON with sorted keys and sorted arrays: the arrays of a definition are sets, so their order has no meaning. */
export function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).sort().join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${canonical(member)}`)
  return `{${members.sort().join(',')}}`
}
