import { readYaml } from './read.ts'

/** `name: type`, prefixed with `!` if hidden, with an optional description after `|`. */
export type ColumnSpec = string
type MeasureSpec = readonly [name: string, dax: string, description?: string]

interface TableSpec {
  name: string
  description?: string
  columns: readonly ColumnSpec[]
  measures?: readonly MeasureSpec[]
  /** Power Query; absent: the table is loaded from the warehouse by name. */
  source?: string
}

export interface DatasetSpec {
  workspace: string
  name: string
  description?: string
  owner: string
  push?: true
  secured?: true
  retrievalError?: string
  tables: readonly TableSpec[]
  sources: readonly { type: string; details: Record<string, string>; connectionString?: string }[]
  parameters?: readonly (readonly [name: string, value: string])[]
  upstream?: readonly string[]
  dataflows?: readonly string[]
}

export interface ReportSpec {
  workspace: string
  name: string
  /** Name of the dataset, in any workspace; absent for a paginated report; `gone` for a deleted dataset. */
  dataset?: string
  description?: string
  pages: readonly string[]
  owner?: string
  /** Days before the tenant's `today`. */
  edited: number
}

/** A tile shows a report, a dataset, or neither; `gone` is a tile whose source was deleted. */
type TileSpec = readonly [title: string, report?: string | null, dataset?: string]

interface DashboardSpec {
  workspace: string
  name: string
  owner: string
  tiles: readonly TileSpec[]
}

export const GONE_DATASET = 'gone'
export const GONE_REPORT = 'gone'

export const datasets = readYaml('datasets') as readonly DatasetSpec[]
export const reports = readYaml('reports') as readonly ReportSpec[]
export const dashboards = readYaml('dashboards') as readonly DashboardSpec[]
