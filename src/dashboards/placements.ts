import { isDeepStrictEqual } from 'node:util'
import { type Author, appendAudit } from '../audit/audit.store.ts'
import { type FilterMapping, restrictsNothing } from '../findings/filter.ts'
import { requireTerms } from '../findings/term-filters.store.ts'
import { type AppError, notFound } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import { resolveMetric } from '../metrics/names.ts'
import type { Reader, Writer } from '../store/store.ts'
import {
  type DashboardRow,
  erasePlacement,
  findDashboard,
  insertDashboard,
  listDashboards,
  listPlacements,
  removeDashboard,
  writePlacement,
} from './dashboards.store.ts'
import type { Placement } from './model.ts'

export interface PlacementChange {
  dashboard: string
  /** Slug, id, display name or synonym. */
  metric: string
  /** null removes the pinned filters. */
  pinnedFilters?: FilterMapping | null | undefined
  size?: Placement['size'] | undefined
  position?: number | undefined
  chartType?: Placement['chartType'] | undefined
}

/** @throws AppError `not_found` with the closest names */
export function getDashboard(reader: Reader, name: string): DashboardRow {
  const dashboard = findDashboard(reader, name)
  if (dashboard === undefined) throw unknownDashboard(reader, name)
  return dashboard
}

/** Places a metric, or changes the given members of its placement. The first placement creates the dashboard. */
export function setPlacement(writer: Writer, change: PlacementChange, author: Author): Placement {
  const metric = resolveMetric(writer, change.metric)
  const dashboard = findDashboard(writer, change.dashboard) ?? insertDashboard(writer, change.dashboard, author.at)
  const placed = listPlacements(writer, dashboard)
  const before = placed.find((placement) => placement.metricSlug === metric.slug)
  const { pinnedFilters, size, position, chartType } = change
  if (pinnedFilters != null) requireTerms(writer, pinnedFilters)
  const after: Placement = {
    dashboard: dashboard.name,
    metricSlug: metric.slug,
    displayName: metric.displayName,
    pinnedFilters: pinnedFilters === undefined ? (before?.pinnedFilters ?? null) : toPinned(pinnedFilters),
    size: size ?? before?.size ?? 'md',
    position: position ?? before?.position ?? Math.max(0, ...placed.map((placement) => placement.position)) + 1,
    chartType: chartType ?? before?.chartType ?? 'number',
  }
  if (isDeepStrictEqual(before, after)) return after
  writePlacement(writer, dashboard.id, metric.id, after)
  const name = `${dashboard.name}/${metric.slug}`
  const action = before === undefined ? 'create' : 'update'
  appendAudit(writer, author, { action, kind: 'placement', name, ...(before === undefined ? {} : { before }), after })
  return after
}

/** Removes a metric from a dashboard; removing the last one deletes the dashboard. */
export function removePlacement(
  writer: Writer,
  names: { dashboard: string; metric: string },
  author: Author,
): Placement {
  const dashboard = getDashboard(writer, names.dashboard)
  const metric = resolveMetric(writer, names.metric)
  const placed = listPlacements(writer, dashboard)
  const before = placed.find((placement) => placement.metricSlug === metric.slug)
  if (before === undefined) {
    throw notFound(`${metric.slug} is not on the dashboard ${dashboard.name}; nothing was removed.`, {
      reason: 'not_placed',
      suggestions: placed.map(({ metricSlug, displayName }) => ({
        value: metricSlug,
        kind: 'metric',
        label: displayName,
      })),
    })
  }
  erasePlacement(writer, dashboard.id, metric.id)
  if (placed.length === 1) removeDashboard(writer, dashboard.id)
  const name = `${dashboard.name}/${metric.slug}`
  appendAudit(writer, author, { action: 'delete', kind: 'placement', name, before })
  return before
}

function toPinned(filters: FilterMapping | null): FilterMapping | null {
  return filters === null || restrictsNothing(filters) ? null : filters
}

function unknownDashboard(reader: Reader, name: string): AppError {
  const known = listDashboards(reader).map((dashboard) => dashboard.name)
  const near = closest(name, known, (candidate) => candidate)
  const shown = near.length > 0 ? near : known.slice(0, 10)
  const hint = shown.length > 0 ? `the dashboards are ${shown.join(', ')}` : 'there are no dashboards yet'
  return notFound(`No dashboard is called ${quote(name)}; ${hint}. Placing a metric on a new name creates it.`, {
    reason: 'unknown_dashboard',
    suggestions: shown.map((value) => ({ value, kind: 'dashboard' })),
  })
}
