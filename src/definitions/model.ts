import { hash } from 'node:crypto'
import { z } from 'zod'
import { CreateCustomDetector } from '../custom-detectors/model.ts'
import { ChartType, DashboardName, PlacementSize } from '../dashboards/model.ts'
import { FilterMapping } from '../findings/filter.ts'
import { ALL_FINDINGS } from '../findings/sla.store.ts'
import { CreateGlossaryTerm, Slug } from '../glossary/model.ts'
import { CreateMetric } from '../metrics/model.ts'
import { SlaFile } from '../metrics/sla.ts'
import { WatchFile } from '../watches/model.ts'

/** The kinds of definitions that have files, in order of creation. */
export const kinds = ['custom_detector', 'term', 'metric', 'dashboard', 'watch', 'sla'] as const
export type Kind = (typeof kinds)[number]

export const DashboardFile = z
  .strictObject({
    name: DashboardName.describe('Name of the dashboard, such as discovery.'),
    placements: z
      .array(
        z.strictObject({
          metricSlug: Slug.describe('The metric.'),
          pinnedFilters: FilterMapping.optional().describe('Filters always added on this dashboard.'),
          size: PlacementSize.optional(),
          position: z.int().min(0).max(10_000).optional().describe('Order, lowest first (its place in this list).'),
          chartType: ChartType.optional(),
        }),
      )
      .min(1, 'must place at least one metric; a dashboard without metrics does not exist.')
      .max(500)
      .describe('The metrics on it.'),
  })
  .describe('A dashboard and the metrics placed on it.')

export type Members = Record<string, unknown>

/** A definition with all defaults filled in, so that two can be compared. */
export interface Definition {
  kind: Kind
  /** The slug of a term, metric or watch, key of a detector, name of a dashboard, or slug of the term of a policy. */
  name: string
  members: Members
}

interface KindFacts {
  /** The subfolder of its files. */
  folder: string
  /** The member that contains its name. */
  nameKey: string
  /** The name of a definition without that member. */
  unnamed?: string
  schema: z.ZodType
  schemaFile: string
  /** The values of members absent from a file. */
  defaults: Members
  /** The order in which members are written. */
  order: readonly string[]
}

const termDefaults = { description: '', category: '', synonyms: [], color: null, icon: null, isActive: true }
const metricDefaults = {
  description: '',
  owner: null,
  synonyms: [],
  color: null,
  glossaryTermSlug: null,
  allowedDimensions: [],
  format: 'number',
  unit: '',
  emptyAs: null,
  // Not null, so that digests stored before they existed stay valid.
  better: undefined,
  tests: undefined,
}

const watchDefaults = { glossaryTermSlug: null, filters: null, dimensions: [], last: null, cron: null, deliver: [] }

export const kindFacts: Record<Kind, KindFacts> = {
  custom_detector: {
    folder: 'detectors',
    nameKey: 'key',
    schema: CreateCustomDetector,
    schemaFile: 'custom-detector.schema.json',
    defaults: { description: '', enabled: true },
    order: ['key', 'displayName', 'description', 'enabled', 'definition'],
  },
  term: {
    folder: 'glossary',
    nameKey: 'slug',
    schema: CreateGlossaryTerm,
    schemaFile: 'glossary-term.schema.json',
    defaults: termDefaults,
    order: ['slug', 'displayName', ...Object.keys(termDefaults), 'filterMapping'],
  },
  metric: {
    folder: 'metrics',
    nameKey: 'slug',
    schema: CreateMetric,
    schemaFile: 'metric.schema.json',
    defaults: metricDefaults,
    order: ['slug', 'displayName', ...Object.keys(metricDefaults), 'type', 'definition'],
  },
  dashboard: {
    folder: 'dashboards',
    nameKey: 'name',
    schema: DashboardFile,
    schemaFile: 'dashboard.schema.json',
    defaults: {},
    order: ['name', 'placements'],
  },
  watch: {
    folder: 'watches',
    nameKey: 'slug',
    schema: WatchFile,
    schemaFile: 'watch.schema.json',
    defaults: watchDefaults,
    order: ['slug', 'displayName', 'metricSlug', 'condition', ...Object.keys(watchDefaults)],
  },
  sla: {
    folder: 'sla',
    nameKey: 'glossaryTermSlug',
    unnamed: ALL_FINDINGS,
    schema: SlaFile,
    schemaFile: 'sla-policy.schema.json',
    defaults: { glossaryTermSlug: null },
    order: ['glossaryTermSlug', 'days'],
  },
}

export const kindWords: Record<Kind, string> = {
  custom_detector: 'custom detector',
  term: 'term',
  metric: 'metric',
  dashboard: 'dashboard',
  watch: 'watch',
  sla: 'policy of due dates',
}

/** Definitions by `kind/name`. */
export type DefinitionSet = ReadonlyMap<string, Definition>

export const keyOf = ({ kind, name }: Pick<Definition, 'kind' | 'name'>): string => `${kind}/${name}`

export function toSet(definitions: readonly Definition[]): Map<string, Definition> {
  return new Map(definitions.map((definition) => [keyOf(definition), definition]))
}

/** A digest of a definition's content, independent of key order. */
export function toDigest({ members }: Definition): string {
  return hash('sha256', toText(members)).slice(0, 32)
}

function toText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toText).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const entries = Object.entries(value).filter(([, member]) => member !== undefined)
  return `{${entries
    .map(([key, member]) => `${JSON.stringify(key)}:${toText(member)}`)
    .sort()
    .join(',')}}`
}

export const isSame = (a: Definition, b: Definition): boolean => toText(a.members) === toText(b.members)

export const isSameValue = (a: unknown, b: unknown): boolean => toText(a) === toText(b)
