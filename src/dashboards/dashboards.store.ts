import { toSafeJson, toSafeText } from '../detectors/safe-text.ts'
import type { FilterMapping } from '../findings/filter.ts'
import { db } from '../store/builder.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { Placement } from './model.ts'

export interface DashboardRow {
  id: number
  name: string
}

/** Finds a dashboard by name, ignoring case unless several names differ only in case. */
export function findDashboard(reader: Reader, name: string): DashboardRow | undefined {
  const rows = reader.all(db.selectFrom('dashboard').select(['id', 'name']))
  const exact = rows.find((row) => row.name === name)
  if (exact !== undefined) return exact
  const alike = rows.filter((row) => row.name.toLowerCase() === name.trim().toLowerCase())
  return alike.length === 1 ? alike[0] : undefined
}

export function listDashboards(reader: Reader): Array<{ name: string; placements: number }> {
  return reader.all(
    db
      .selectFrom('dashboard')
      .leftJoin('placement', 'placement.dashboard_id', 'dashboard.id')
      .select(({ fn }) => ['dashboard.name', fn.count<number>('placement.metric_id').as('placements')])
      .groupBy('dashboard.id')
      .orderBy('dashboard.name'),
  )
}

/** Ordered by position, then by slug. */
export function listPlacements(reader: Reader, dashboard: DashboardRow): Placement[] {
  return reader
    .all(
      db
        .selectFrom('placement')
        .innerJoin('metric', 'metric.id', 'placement.metric_id')
        .select(['slug', 'display_name', 'pinned_filters', 'size', 'position', 'chart_type'])
        .where('dashboard_id', '=', dashboard.id)
        .orderBy('position')
        .orderBy('slug'),
    )
    .map((row) => ({
      dashboard: dashboard.name,
      metricSlug: row.slug,
      displayName: row.display_name,
      pinnedFilters: row.pinned_filters === null ? null : (JSON.parse(row.pinned_filters) as FilterMapping),
      size: row.size,
      position: row.position,
      chartType: row.chart_type,
    }))
}

export function insertDashboard(writer: Writer, name: string, createdAt: number): DashboardRow {
  const row = { name: toSafeText(name, 'definition'), created_at: createdAt }
  return { id: writer.insert(db.insertInto('dashboard').values(row).returning('id')), name }
}

export function removeDashboard(writer: Writer, id: number): void {
  writer.run(db.deleteFrom('dashboard').where('id', '=', id))
}

export function writePlacement(writer: Writer, dashboardId: number, metricId: number, placement: Placement): void {
  const row = {
    pinned_filters: placement.pinnedFilters === null ? null : toSafeJson(placement.pinnedFilters, 'definition'),
    size: toSafeText(placement.size, 'definition'),
    position: placement.position,
    chart_type: toSafeText(placement.chartType, 'definition'),
  }
  writer.run(
    db
      .insertInto('placement')
      .values({ ...row, dashboard_id: dashboardId, metric_id: metricId })
      .onConflict((conflict) => conflict.columns(['dashboard_id', 'metric_id']).doUpdateSet(row)),
  )
}

export function erasePlacement(writer: Writer, dashboardId: number, metricId: number): void {
  writer.run(db.deleteFrom('placement').where('dashboard_id', '=', dashboardId).where('metric_id', '=', metricId))
}
