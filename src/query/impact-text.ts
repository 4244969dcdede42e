import { count } from '../kernel/count.ts'
import { joinShown, line, type PrintableText, showAmount, showCode, showName } from '../kernel/shown.ts'
import type { Impact } from './impact-model.ts'

/** What a change does, in three lines: the value, what is gained and lost, and what depends on it. */
export function toImpactLines({ to, value, gained, lost, usedBy }: Impact): PrintableText[] {
  const users = [
    ...usedBy.metrics.map(showCode),
    ...usedBy.dashboards.map((name) => showName(name)),
    ...usedBy.watches.map(showCode),
    ...usedBy.proposals.map((id) => line`proposal ${showCode(id)}`),
  ]
  return [
    line`12 months up to ${showName(to.slice(0, 10))}, or the state then: ${showChange(value.formattedBefore, value.formattedAfter)}`,
    line`${count(gained.count, gained.entity)} gained, ${lost.count} lost${showExamples(gained, lost)}`,
    users.length === 0 ? line`Nothing uses it.` : line`Used by ${joinShown(users)}.`,
  ]
}

function showExamples(gained: Impact['gained'], lost: Impact['lost']): PrintableText {
  const examples = [...gained.findings, ...lost.findings].map(({ id }) => showCode(id))
  return examples.length === 0 ? line`` : line`, such as ${joinShown(examples)}`
}

export function showChange(before: string, after: string): PrintableText {
  if (before === after) return line`${showAmount(after)}, unchanged`
  return before === '' ? showAmount(after) : line`${showAmount(before)} → ${showAmount(after)}`
}
