import { readYaml } from './read.ts'

/** `name: type`, with `!` in front where it is hidden, and words after `|` for a description. */
export type ColumnSpec = string
type MeasureSpec = readonly [name: string, dax: string, description?: string]

interface TableSpec {
  name: string
  description?: string
  columns: readonly ColumnSpec[]
  measures?: readonly MeasureSpec[]
  /** Power Query; absent: read from the warehouse by name. */
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
  /** Name of the dataset, in any workspace; absent: a paginated report. `gone`: one that was deleted. */
  dataset?: string
  description?: string
  pages: readonly string[]
  owner?: string
  /** Days before the tenant is built. */
  edited: number
}

/** A tile shows a report, a dataset, or neither; `gone` is one whose source was deleted. */
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
