import { line, showName } from '../kernel/shown.ts'
import { type Block, cell, table } from './output/blocks.ts'

export interface DashboardView {
  dashboard: string
  metrics: {
    displayName: string
    formatted?: string
    value: number | null
    unit: string
    error?: { message: string }
  }[]
}

/** A dashboard as a table of its metrics. */
export function toDashboardText({ dashboard, metrics }: DashboardView): Block[] {
  const rows = metrics.map(({ displayName, formatted, value, error }) => [
    cell.name(displayName),
    error === undefined ? cell.number(value, formatted) : cell.sentence(error.message),
  ])
  const columns = [
    { title: line`metric`, shrink: 1 },
    { title: line`value`, align: 'right' as const, shrink: 2 },
  ]
  return [line`Dashboard ${showName(dashboard)}`, table(columns, rows)]
}
