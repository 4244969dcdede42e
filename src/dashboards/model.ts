import { z } from 'zod'
import { FilterMapping } from '../findings/filter.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'

const Word = ownText()
  .trim()
  .min(1, 'must not be empty.')
  .max(40)
  .regex(/^\P{Cc}*$/u, 'must not contain control characters.')
/** How a placement is to be drawn, in words of those who place it. */
export const PlacementSize = Word.describe('Tile size: sm, md (default), lg, xl, another word.')
export const ChartType = Word.describe('Number (default), line, bar, table, another word.')

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
  size: ownText().describe('Size of the tile.'),
  position: z.number().describe('Order on the dashboard, lowest first.'),
  chartType: ownText().describe('Chart type.'),
})
export type Placement = z.infer<typeof Placement>
