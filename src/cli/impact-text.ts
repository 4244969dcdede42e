import { count } from '../kernel/count.ts'
import {
  joinShown,
  line,
  type PrintableText,
  plainDigits,
  showAmount,
  showCode,
  showName,
  showSentence,
} from '../kernel/shown.ts'
import type { TestResult } from '../metrics/tests.ts'
import type { Impact } from '../query/impact-model.ts'
import { type Block, cell, table } from './output/blocks.ts'
import { toReadersTime } from './output/times.ts'

/** What a change of a definition does, for a person who decides about it. */
export function toImpactBlocks(impact: Impact): Block[] {
  const { to, value, dimension, groups, totalGroups, gained, lost, usedBy, metrics, tests } = impact
  const changed = metrics.filter(({ before, after }) => before !== after)
  const users = [
    ...usedBy.metrics.map(showCode),
    ...usedBy.dashboards.map((name) => showName(name)),
    ...usedBy.watches.map(showCode),
  ]
  const moved = groups.filter(({ before, after }) => before !== after)
  return [
    line`12 months up to ${toReadersTime(to)}, or the state then: ${showChange(value.formattedBefore, value.formattedAfter)}`,
    line`${count(gained.count, gained.entity)} gained, ${lost.count} lost${showExamples(gained, lost)}`,
    users.length === 0 ? line`Nothing uses it.` : line`Used by ${joinShown(users)}.`,
    ...changed.map(
      ({ slug, formattedBefore, formattedAfter }): Block =>
        line`  ${showCode(slug)}: ${showChange(formattedBefore, formattedAfter)}`,
    ),
    ...(moved.length === 0 || dimension === null
      ? []
      : [
          table(
            [
              { title: showCode(dimension), shrink: 1 },
              { title: line`now`, align: 'right' },
              { title: line`with the change`, align: 'right' },
            ],
            moved.map(({ dimensionValue, before, after }) => [
              cell.name(dimensionValue),
              cell.shown(showNumber(before), before),
              cell.shown(showNumber(after), after),
            ]),
          ),
        ]),
    ...(totalGroups > groups.length ? [line`${groups.length} of ${totalGroups} groups are compared.`] : []),
    ...toTestLines(tests),
  ]
}

function showExamples(gained: Impact['gained'], lost: Impact['lost']): PrintableText {
  const examples = [...gained.findings, ...lost.findings].map(({ id }) => showCode(id))
  return examples.length === 0 ? line`` : line`, such as ${joinShown(examples)}`
}

const showNumber = (value: number | null) => (value === null ? line`no value` : showSentence(plainDigits(value)))

function showChange(before: string, after: string): PrintableText {
  if (before === after) return line`${showAmount(after)}, unchanged`
  return before === '' ? showAmount(after) : line`${showAmount(before)} → ${showAmount(after)}`
}

/** One line for each test of a metric. */
export const toTestLines = (tests: readonly TestResult[]): Block[] =>
  tests.map(({ kind, passed, message }): Block => {
    const said = line`${showCode(kind)}: ${showSentence(message)}`
    return passed ? line`  passes ${said}` : { text: line`  fails ${said}`, tone: 'bad' }
  })
