import { line, plainDigits, showCode, showSentence } from '../kernel/shown.ts'
import type { TestResult } from '../metrics/tests.ts'
import type { Impact } from '../query/impact-model.ts'
import { showChange, toImpactLines } from '../query/impact-text.ts'
import { type Block, cell, table } from './output/blocks.ts'

/** What a change of a definition does, for a person who decides about it. */
export function toImpactBlocks(impact: Impact): Block[] {
  const { dimension, groups, totalGroups, metrics, tests } = impact
  const changed = metrics.filter(({ before, after }) => before !== after)
  const moved = groups.filter(({ before, after }) => before !== after)
  return [
    ...toImpactLines(impact),
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

const showNumber = (value: number | null) => (value === null ? line`no value` : showSentence(plainDigits(value)))

/** One line for each test of a metric. */
export const toTestLines = (tests: readonly TestResult[]): Block[] =>
  tests.map(({ kind, passed, message }): Block => {
    const said = line`${showCode(kind)}: ${showSentence(message)}`
    return passed ? line`  passes ${said}` : { text: line`  fails ${said}`, tone: 'bad' }
  })
