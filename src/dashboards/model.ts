import { z } from 'zod'
import { FilterMapping } from '../findings/filter.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'

export const placementSizes = ['sm', 'md', 'lg', 'xl'] as const
export const chartTypes = ['number', 'line', 'bar', 'table'] as const

export const DashboardName = z
  .string()
  .trim()
  .min(1, 'must not be empty.')
  .max(100)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters.')

export const Placement = z.object({
  dashboard: ownText().describe('Name of the dashboard.'),
  metricSlug: ownText().describe('The metric.'),
  displayName: ownText().describe('Its display name.'),
  pinnedFilters: FilterMapping.nullable().describe('Filters always added on this dashboard.'),
  size: z.enum(placementSizes).describe('Size of the tile.'),
  position: z.number().describe('Order on the dashboard, lowest first.'),
  chartType: z.enum(chartTypes).describe('Chart type.'),
})
export type Placement = z.infer<typeof Placement>
