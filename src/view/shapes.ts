import type { DashboardAnswer } from '../dashboards/evaluation.ts'
import type { ExploreAnswer } from '../query/explore-model.ts'
import type { MetricAnswer, SeriesAnswer } from '../query/model.ts'
import type { ToolResult } from './bridge.ts'

/** An answer by its shape, which decides how it is drawn. */
export type Shown =
  | { kind: 'value'; answer: MetricAnswer }
  | { kind: 'series'; answer: SeriesAnswer }
  | { kind: 'dashboard'; answer: DashboardAnswer }
  | { kind: 'term'; answer: ExploreAnswer }
  | { kind: 'text'; text: string; isError: boolean }

const toText = ({ content = [] }: ToolResult) =>
  content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : [])).join('\n')

/** What to draw for a result; errors and shapes that are not known are text. */
export function toShown(result: ToolResult): Shown {
  const { structuredContent: answer, isError = false } = result
  const has = (...members: string[]) => answer !== undefined && members.every((member) => member in answer)
  if (!isError) {
    if (has('term', 'breakdowns', 'trend')) return { kind: 'term', answer: answer as ExploreAnswer }
    if (has('timeSeries', 'metric')) return { kind: 'series', answer: answer as SeriesAnswer }
    if (has('dashboard', 'metrics')) return { kind: 'dashboard', answer: answer as DashboardAnswer }
    if (has('value', 'metric', 'breakdown')) return { kind: 'value', answer: answer as MetricAnswer }
  }
  return { kind: 'text', text: toText(result), isError }
}
