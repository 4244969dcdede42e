import type { Part } from '../../documents/document.ts'
import { isWordCode } from '../text.ts'
import { idRules } from './ids/all.ts'
import { hasVariety } from './ids/rule.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { topicOf } from './topics.ts'

/** Maximum distance between the branch code and the account number, in characters. */
const REACH = 200
const AFTER = 64

interface Branch {
  type: string
  topics: readonly number[]
  code: RegExp
  account: RegExp
}

const routing = idRules.findIndex(({ type }) => type === 'US_BANK_ROUTING')
const accounts = [topicOf('BANK')]
const branches: readonly Branch[] = [
  { type: 'UK_BANK_ACCOUNT', topics: [topicOf('SORT_CODE')], code: /\d\d([- ]?)\d\d\1\d\d/g, account: /\d{8}/g },
  { type: 'AU_BANK_ACCOUNT', topics: [topicOf('BSB')], code: /\d{3}[- ]?\d{3}/g, account: /\d{5,9}/g },
  { type: 'US_BANK_ACCOUNT', topics: [routing], code: /\d{9}/g, account: /\d{6,17}/g },
]

function* findNamed(
  { text }: Part,
  pattern: RegExp,
  topics: readonly number[],
  labels: PartLabels,
): Generator<{ start: number; end: number }> {
  let from = 0
  for (const place of labels.placesOf(topics)) {
    const begin = Math.max(from, place.start)
    const slice = text.slice(begin, place.isCell ? place.end : place.end + AFTER)
    for (const { 0: found, index } of slice.matchAll(pattern)) {
      const start = begin + index
      const end = start + found.length
      if (isWordCode(text.charCodeAt(start - 1)) || isWordCode(text.charCodeAt(end)) || !hasVariety(found, 2)) continue
      if (/[-.,]/.test(text.charAt(start - 1)) || /^[-.,]\d/.test(text.slice(end, end + 2))) continue
      const relation = labels.relate(topics, start, end, true)
      if (relation !== 'cell' && relation !== 'adjacent') continue
      from = end
      yield { start, end }
    }
  }
}

const toMatch = (type: string, text: string, start: number, end: number): PiiMatch => ({
  type,
  start,
  end,
  confidence: 0.85,
  severity: 'MEDIUM',
  identity: text.slice(start, end).replace(/\D/g, ''),
  shown: `••• ${text.slice(end - 2, end)}`,
})

/**
 * Labelled account numbers beside a labelled branch code: sort codes, BSB and ABA routing numbers. The modulus tables
 * of British banks are not public, so account numbers are not validated.
 */
export function* findBankAccounts(part: Part, labels: PartLabels): Generator<PiiMatch> {
  for (const { type, topics, code, account } of branches) {
    const codes = [...findNamed(part, code, topics, labels)]
    if (codes.length === 0) continue
    if (type !== 'US_BANK_ACCOUNT') for (const { start, end } of codes) yield toMatch(type, part.text, start, end)
    for (const { start, end } of findNamed(part, account, accounts, labels)) {
      const isBeside = codes.some((each) => start - each.end <= REACH && each.start - end <= REACH)
      if (isBeside && !codes.some((each) => each.start < end && start < each.end))
        yield toMatch(type, part.text, start, end)
    }
  }
}
