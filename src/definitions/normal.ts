import { listCustomDetectors } from '../custom-detectors/custom.store.ts'
import { CreateCustomDetector, toWhole } from '../custom-detectors/model.ts'
import { findDashboard, listDashboards, listPlacements } from '../dashboards/dashboards.store.ts'
import type { SlaDays } from '../findings/due-conditions.ts'
import { type FilterMapping, restrictsNothing } from '../findings/filter.ts'
import { listPolicies } from '../findings/sla.store.ts'
import { listTerms } from '../glossary/glossary.store.ts'
import { readDefinition } from '../metrics/definition.ts'
import { loadMetrics } from '../metrics/metrics.store.ts'
import type { MetricType } from '../metrics/model.ts'
import { toDays } from '../metrics/sla.ts'
import type { Reader } from '../store/store.ts'
import type { ReceiverInput, WatchCondition } from '../watches/model.ts'
import { toShownAddress } from '../watches/receivers.ts'
import { listWatches } from '../watches/watches.store.ts'
import { type Definition, type DefinitionSet, isSameValue, type Kind, kindFacts, type Members, toSet } from './model.ts'

/** Fills in the defaults of a file's members, which must match the schema of their kind. */
export function toDefinition(kind: Kind, given: Members): Definition {
  const { nameKey, unnamed, defaults } = kindFacts[kind]
  const members = { ...defaults, ...given }
  return { kind, name: String(given[nameKey] ?? unnamed), members: { ...members, ...complete[kind](members) } }
}

const complete: Record<Kind, (members: Members) => Members> = {
  custom_detector: (members) => {
    const { key, definition } = CreateCustomDetector.parse(members)
    return { definition: toWhole(key, definition) }
  },
  term: () => ({}),
  metric: ({ type, definition, allowedDimensions }) => ({
    // A definition that cannot be parsed is left unchanged, for the checks to report.
    definition: readDefinition(type as MetricType, definition).typed?.definition ?? definition,
    allowedDimensions: [...new Set(allowedDimensions as string[])],
  }),
  dashboard: ({ placements }) => ({
    placements: (placements as Members[])
      .map(({ metricSlug, pinnedFilters, size = 'md', position, chartType = 'number' }, index) => ({
        metricSlug: String(metricSlug),
        position: Number(position ?? index + 1),
        size,
        chartType,
        pinnedFilters: isOpen(pinnedFilters) ? null : pinnedFilters,
      }))
      .sort((a, b) => a.position - b.position || (a.metricSlug < b.metricSlug ? -1 : 1)),
  }),
  watch: ({ condition, deliver }) => ({
    condition: { for: 1, ...(condition as WatchCondition) },
    // The database shows no more of an address, either.
    deliver: (deliver as ReceiverInput[]).map(({ type, url, format }) => ({ type, url: toShownAddress(url), format })),
  }),
  sla: ({ days }) => ({ days: toDays(days as SlaDays) }),
}

const isOpen = (filters: unknown) =>
  filters === undefined || filters === null || restrictsNothing(filters as FilterMapping)

const EVERY = { limit: 1_000_000, offset: 0 }

/** Every definition in the database, in the form of files. */
export function loadDefinitions(reader: Reader): DefinitionSet {
  const { terms } = listTerms(reader, { includeInactive: true }, EVERY)
  return toSet([
    ...listCustomDetectors(reader).map(({ key, displayName, description, enabled, definition }) =>
      toDefinition('custom_detector', { key, displayName, description, enabled, definition }),
    ),
    ...terms.map(({ id, uid, createdAt, updatedAt, ...members }) => toDefinition('term', members)),
    ...[...loadMetrics(reader).values()].map((metric) => {
      const { slug, displayName, description, type, definition, allowedDimensions, format, unit } = metric
      const { owner, color, synonyms, emptyAs, better, tests, term } = metric
      const texts = { slug, displayName, description, owner, color, synonyms, better: better ?? undefined }
      const checked = tests.length === 0 ? {} : { tests }
      const meaning = { type, definition, allowedDimensions, format, unit, emptyAs }
      return toDefinition('metric', { ...texts, ...meaning, ...checked, glossaryTermSlug: term?.slug ?? null })
    }),
    ...listDashboards(reader).flatMap(({ name }) => {
      const row = findDashboard(reader, name)
      const placements = row === undefined ? [] : listPlacements(reader, row)
      return placements.length === 0 ? [] : [toDefinition('dashboard', { name, placements })]
    }),
    ...listWatches(reader).map((watch) => {
      const { slug, displayName, metricSlug, termSlug, filters, dimensions, last, cron, condition, receivers } = watch
      const deliver = receivers.map(({ address, format }) => ({ type: 'webhook', url: address, format }))
      const scope = { metricSlug, glossaryTermSlug: termSlug, filters, dimensions }
      return toDefinition('watch', { slug, displayName, ...scope, last, cron, condition, deliver })
    }),
    ...listPolicies(reader).map(({ termSlug, days }) => toDefinition('sla', { glossaryTermSlug: termSlug, days })),
  ])
}

/** The members to write to a file, in a stable order and without defaults. */
export function toFileMembers({ kind, members }: Definition): Members {
  const { order, defaults } = kindFacts[kind]
  const stated = order.filter((key) => !(key in defaults) || !isSameValue(members[key], defaults[key]))
  const file = Object.fromEntries(stated.map((key) => [key, members[key]]))
  if (kind !== 'dashboard') return file
  const placements = (members.placements as Members[]).map((placement, index) => toFilePlacement(placement, index))
  return { ...file, placements }
}

function toFilePlacement({ metricSlug, position, size, chartType, pinnedFilters }: Members, index: number): Members {
  return {
    metricSlug,
    ...(position === index + 1 ? {} : { position }),
    ...(size === 'md' ? {} : { size }),
    ...(chartType === 'number' ? {} : { chartType }),
    ...(pinnedFilters === null ? {} : { pinnedFilters }),
  }
}
