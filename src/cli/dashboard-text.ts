import { joinShown, line, showName } from '../kernel/shown.ts'
import { type ContextView, showSources, toWarnings } from './answer-context.ts'
import { listLeaves } from './facts.ts'
import { type Block, cell, table } from './output/blocks.ts'

export interface DashboardView extends Pick<ContextView, 'applied' | 'freshness' | 'warnings'> {
  dashboard: string
  metrics: {
    displayName: string
    formatted?: string
    value: number | null
    unit: string
    error?: { message: string }
    trust?: { tier: string }
    pinnedFilters?: Record<string, unknown> | null
  }[]
}

/** A dashboard as a table of its metrics, with what was counted. */
export function toDashboardText({ dashboard, metrics, freshness, warnings = [] }: DashboardView): Block[] {
  const rows = metrics.map(({ displayName, formatted, value, error, trust, pinnedFilters }) => [
    cell.name(displayName),
    error === undefined ? cell.number(value, formatted) : cell.sentence(error.message),
    cell.status(trust?.tier ?? '-'),
    cell.shown(
      joinShown(
        listLeaves(pinnedFilters ?? {}).map(([key, { text }]) => line`${key} ${text}`),
        '; ',
      ),
    ),
  ])
  const columns = [
    { title: line`metric`, shrink: 1 },
    { title: line`value`, align: 'right' as const, shrink: 2 },
    { title: line`trust`, shrink: 3, isOptional: true as const },
    { title: line`only`, shrink: 4, isOptional: true as const },
  ]
  return [
    line`Dashboard ${showName(dashboard)}`,
    table(columns, rows),
    ...(freshness === undefined ? [] : [line``, line`Data: ${showSources(freshness)}`]),
    ...toWarnings({ metric: {}, warnings }),
  ]
}
