import type { Part } from '../../documents/document.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { isPartOfSomething, type NumberRun } from './numbers.ts'
import { topicOf } from './topics.ts'

const topics = [topicOf('SSN')]

/** Numbers withdrawn by the administration because they were printed on samples. */
const withdrawn = new Set(['078051120', '219099999', '457555462', '123456789', '111111111', '123121234'])

export function* findSocialSecurityNumbers(part: Part, run: NumberRun, labels: PartLabels): Generator<PiiMatch> {
  const { groups, separators } = run
  for (let first = 0; first < groups.length; first++) {
    const length = (offset: number) => groups[first + offset]?.digits.length
    const single = length(0) === 9
    if (!single && (length(0) !== 3 || length(1) !== 2 || length(2) !== 4)) continue
    const separator = separators[first] ?? ''
    if (!single && (separator !== separators[first + 1] || !/^[ .–-]$/.test(separator))) continue
    const last = single ? first : first + 2
    const attached = [separators[first - 1], separators[last]].some((next) => next !== undefined && next !== ' ')
    const start = groups[first]?.start ?? 0
    const end = groups[last]?.end ?? 0
    const digits = groups
      .slice(first, last + 1)
      .map((group) => group.digits)
      .join('')
    if (attached || !isIssued(digits) || isPartOfSomething(part.text, start, end)) continue
    const relation = labels.relate(topics, start, end)
    const named = relation !== undefined && relation !== 'other'
    const dashed = !single && /[–-]/.test(separator)
    if (!named && (!dashed || relation === 'other')) continue
    yield {
      type: 'US_SSN',
      start,
      end,
      confidence: named ? 0.95 : 0.75,
      severity: 'HIGH',
      identity: digits,
      shown: '•••-••-••••',
    }
    first = last
  }
}

/** Areas 000, 666 and 900 to 999, group 00 and serial 0000 were never issued. */
function isIssued(digits: string): boolean {
  const area = Number(digits.slice(0, 3))
  if (area === 0 || area === 666 || area >= 900) return false
  return digits.slice(3, 5) !== '00' && digits.slice(5) !== '0000' && !withdrawn.has(digits)
}
