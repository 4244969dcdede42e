import type { DashboardAnswer } from '../dashboards/evaluation.ts'
import { joinShown, line, type PrintableText, showName, showSentence } from '../kernel/shown.ts'
import { misleading, saysNothing } from '../query/answer/doubts.ts'
import { showSources, toRange, toWarnings } from './answer-context.ts'
import { listLeaves } from './facts.ts'
import { type Block, cell, table, warning } from './output/blocks.ts'
import { readersZone } from './output/times.ts'

/** A dashboard as a table of its metrics, with what was counted. */
export function toDashboardText({ dashboard, metrics, freshness, warnings }: DashboardAnswer): Block[] {
  const isUnknown = saysNothing({ warnings, freshness })
  const rows = metrics.map(({ displayName, formatted, value, error, trust, pinnedFilters }) => [
    cell.name(displayName),
    error !== undefined
      ? cell.sentence(error.message)
      : isUnknown && value === 0
        ? cell.shown(line`unknown`)
        : cell.number(value, formatted),
    trust === undefined || isUnknown
      ? cell.none
      : { ...cell.status(trust.tier), text: showSentence(trust.label.replace(/\.$/, '')) },
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
    ...toRanges(metrics),
    line`Data: ${showSources(freshness)}`,
    ...toWarnings({ metric: {}, warnings }),
    ...metrics.flatMap(toOwnDoubts),
  ]
}

/** What a number may be taken for by mistake, where that is not said of all metrics. */
const toOwnDoubts = ({ displayName, warnings }: DashboardAnswer['metrics'][number]): Block[] =>
  warnings.filter(({ code }) => misleading.has(code)).map(({ message }) => warning(`${displayName}: ${message}`))

/** The range that all metrics have in common, or those of each. */
function toRanges(metrics: DashboardAnswer['metrics']): Block[] {
  const namesOf = new Map<PrintableText, PrintableText[]>()
  for (const { displayName, applied } of metrics) {
    if (applied === undefined) continue
    const [name, { text }] = toRange(applied)
    const range = name === line`as of` ? line`as of ${text} (${showName(readersZone())})` : text
    namesOf.set(range, [...(namesOf.get(range) ?? []), showName(displayName)])
  }
  const [[only] = []] = namesOf
  if (only === undefined) return []
  if (namesOf.size === 1) return [line``, line`Range: ${only}`]
  return [line``, ...[...namesOf].map(([range, names]) => line`Range of ${joinShown(names)}: ${range}`)]
}
