import { hash } from 'node:crypto'
import { findActor, showActor } from '../audit/actors.store.ts'
import { dependsOnDueDates, type FilterMapping } from '../findings/filter.ts'
import { listPolicies } from '../findings/sla.store.ts'
import { findTermBySlug } from '../glossary/glossary.store.ts'
import { showName } from '../kernel/shown.ts'
import { isUnreviewed } from '../store/review.store.ts'
import type { Reader } from '../store/store.ts'
import { listFilterTerms, listInline } from './definition.ts'
import { loadInputs } from './dependencies.ts'
import type { MetricRecord, TrustTier } from './model.ts'

/** Who certified the default metrics, according to the schema. */
const BUILT_IN = 'assay'

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
  return JSON.stringify(toDigests(reader, metric, inputs))
}

/** The parts that changed since certification; empty when none did or the metric is not certified. */
export function findDrift(reader: Reader, metric: MetricRecord, inputs: ReadonlyMap<string, MetricRecord>): string[] {
  if (metric.status !== 'ACTIVE' || metric.certifiedDigest === null) return []
  const certified = JSON.parse(metric.certifiedDigest) as Record<string, string>
  const present = toDigests(reader, metric, inputs)
  return [...new Set([...Object.keys(certified), ...Object.keys(present)])]
    .filter((part) => certified[part] !== present[part])
    .sort()
}

export function getTrust(reader: Reader, metric: MetricRecord): Trust {
  const trust = toTrust(
    reader,
    metric,
    metric.status === 'ACTIVE' ? findDrift(reader, metric, loadInputs(reader, metric)) : [],
  )
  if (!isUnreviewed(reader, 'metric', metric.slug)) return trust
  return { ...trust, label: `${trust.label} Unreviewed: an assistant wrote its texts.`, unreviewed: true }
}

function toTrust(reader: Reader, metric: MetricRecord, drift: readonly string[]): Trust {
  const trust = toGovernance(reader, metric, drift)
  if (metric.failing === null || trust.tier === 'deprecated') return trust
  const { length } = metric.failing
  const first = `${length === 1 ? 'a test fails' : `${length} tests fail`}: ${metric.failing[0] ?? ''}`
  return { tier: 'failing', label: `Failing: ${first} ${trust.label}` }
}

function toGovernance(reader: Reader, metric: MetricRecord, drift: readonly string[]): Trust {
  if (metric.status === 'DRAFT') return { tier: 'draft', label: 'Draft: this metric is not certified.' }
  if (metric.status === 'DEPRECATED') {
    const successor = metric.replacedBy === null ? '' : `; use ${metric.replacedBy} instead`
    return {
      tier: 'deprecated',
      label: `Deprecated by ${describeAuthority(reader, metric, 'deprecate')}${successor}.`,
    }
  }
  const certified = `${describeCertification(reader, metric)} (version ${metric.certifiedVersion ?? metric.version})`
  if (drift.length === 0) return { tier: 'certified', label: `${certified}.` }
  const changed = drift.slice(0, 3).join(', ')
  return {
    tier: 'drifted',
    label: `Drifted: ${certified.charAt(0).toLowerCase()}${certified.slice(1)}, but changed since: ${changed}${drift.length > 3 ? ', …' : ''}.`,
  }
}

/** Whether the certification is the one that came with the schema. */
function isBuiltIn(reader: Reader, metric: MetricRecord): boolean {
  if (metric.certifiedBy !== BUILT_IN || metric.certifiedAt !== metric.createdAt) return false
  const actor = findAuthority(reader, metric, 'certify')
  return actor?.name === BUILT_IN && actor.id === null
}

function describeCertification(reader: Reader, metric: MetricRecord): string {
  if (isBuiltIn(reader, metric)) return 'Built in'
  const day = new Date(metric.certifiedAt ?? 0).toISOString().slice(0, 10)
  return `Certified by ${describeAuthority(reader, metric, 'certify')} on ${day}`
}

/** Who certified or deprecated a metric, as the audit trail has it. */
function findAuthority(reader: Reader, metric: MetricRecord, action: 'certify' | 'deprecate') {
  const at = action === 'certify' ? metric.certifiedAt : metric.deprecatedAt
  return at === null ? undefined : findActor(reader, { kind: 'metric', name: metric.slug, action, at })
}

/** Who certified or deprecated a metric: the principal, then the name that it gave where that is another one. */
function describeAuthority(reader: Reader, metric: MetricRecord, action: 'certify' | 'deprecate'): string {
  const given = action === 'certify' ? metric.certifiedBy : metric.deprecatedBy
  const actor = findAuthority(reader, metric, action)
  if (actor === undefined) return given === null ? 'no one' : showName(given)
  return given === null || given === actor.name ? showActor(actor) : `${showActor(actor)} for ${showName(given)}`
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

/** A definition, or all of a kind, on which a metric's number depends. */
export interface MetricPart {
  kind: 'metric' | 'term' | 'sla'
  name?: string
  content: object
}

/** What a metric's number depends on; the metric itself comes first. */
export function listParts(
  reader: Reader,
  metric: MetricRecord,
  inputs: ReadonlyMap<string, MetricRecord>,
): MetricPart[] {
  return [metric, ...inputs.values()].flatMap((part): MetricPart[] => [
    { kind: 'metric', name: part.slug, content: toMeaning(part) },
    ...(part.term === null ? [] : [toTermPart(part.term.slug, part.term.filterMapping)]),
    ...(isByDueDates(reader, part) ? [{ kind: 'sla' as const, content: describePolicies(reader) }] : []),
    ...listFilterTerms(part).map((slug) => toTermPart(slug, findTermBySlug(reader, slug)?.filterMapping ?? {})),
  ])
}

const toTermPart = (name: string, content: object): MetricPart => ({ kind: 'term', name, content })

function toDigests(
  reader: Reader,
  metric: MetricRecord,
  inputs: ReadonlyMap<string, MetricRecord>,
): Record<string, string> {
  const parts = listParts(reader, metric, inputs).map(({ kind, name, content }, index): [string, string] => [
    index === 0 ? 'definition' : kind === 'sla' ? 'due dates' : `${kind} ${name}`,
    digestOf(content),
  ])
  return Object.fromEntries(parts.sort(([a], [b]) => (a < b ? -1 : 1)))
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
