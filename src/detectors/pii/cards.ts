import type { Part } from '../../documents/document.ts'
import { isLuhn, toDigits } from '../checksums.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { isPartOfSomething, type NumberRun } from './numbers.ts'
import { topicOf } from './topics.ts'

const topics = [topicOf('CARD')]

interface Brand {
  name: string
  lengths: readonly number[]
  /** Inclusive ranges of the leading digits; both ends have the same number of digits. */
  prefixes: readonly (readonly [number, number])[]
}

/** Issuer identification ranges as published by the networks, as `first` or `first-last` digits. */
const brands: readonly Brand[] = (
  [
    ['Visa', '13 16 19', '4'],
    ['Mastercard', '16', '51-55 2221-2720'],
    ['American Express', '15', '34 37'],
    ['Discover', '16 19', '6011 644-649 65'],
    ['Diners Club', '14', '300-305 3095 36 38-39'],
    ['JCB', '15', '1800 2131'],
    ['JCB', '16 17 18 19', '3528-3589'],
    ['UnionPay', '16 17 18 19', '62 81'],
    ['Maestro', '12 13 14 15 16 17 18 19', '5018 5020 5038 5893 6304 6759 6761-6763'],
    ['Mir', '16 17 18 19', '2200-2204'],
    ['RuPay', '16', '60 508'],
    ['Elo', '16', '4011 5066-5067 509 6362-6363'],
    ['UATP', '15', '1'],
  ] as const
).map(([name, lengths, prefixes]) => ({
  name,
  lengths: lengths.split(' ').map(Number),
  prefixes: prefixes.split(' ').map((range) => {
    const [low = 0, high = low] = range.split('-').map(Number)
    return [low, high] as const
  }),
}))

/** Every layout starts with at least this many digits. */
const MIN_GROUP_LENGTH = 4
const layouts = new Set(['4-4-4-4', '4-4-4-4-3', '4-6-5', '4-6-4', '4-4-4-2', '4-4-4-1', '4-4-4-3', '6-13', '8-8'])

/** Test numbers published by payment providers; reported with low confidence. */
const published = new Set(
  [
    '4111111111111111 4012888888881881 4222222222222 4242424242424242 4000056655665556 5555555555554444',
    '5105105105105100 5200828282828210 2223003122003222 2223000048400011 378282246310005 371449635398431',
    '378734493671000 6011111111111117 6011000990139424 6011981111111113 30569309025904 38520000023237',
    '36227206271667 3056930009020004 3566002020360505 3530111333300000 6200000000000005 4000000000000002',
    '4000000000009995 4000000000003220 5431111111111111 4917610000000000 5019717010103742',
    '6331101999990016',
  ].flatMap((numbers) => numbers.split(' ')),
)

/** Two letters and two digits before the groups: the start of an IBAN that failed its check. */
const accountStart = /(?:^|[^A-Za-z])[A-Za-z]{2}$/

export function* findCards(part: Part, run: NumberRun, labels: PartLabels): Generator<PiiMatch> {
  const { groups } = run
  if (groups[0]?.digits.length === 2 && accountStart.test(part.text.slice(Math.max(0, run.start - 3), run.start)))
    return
  for (let first = 0; first < groups.length; first++) {
    if ((groups[first]?.digits.length ?? 0) < MIN_GROUP_LENGTH) continue
    let digits = ''
    for (let last = first; last < groups.length && digits.length < 19; last++) {
      digits += groups[last]?.digits ?? ''
      if (digits.length < 12 || digits.length > 19 || !isLaidOut(run, first, last)) continue
      const match = toCard(part, labels, digits, groups[first]?.start ?? 0, groups[last]?.end ?? 0)
      if (match === undefined) continue
      yield match
      first = last
      break
    }
  }
}

function isLaidOut({ groups, separators }: NumberRun, first: number, last: number): boolean {
  if (first === last) return true
  const between = separators.slice(first, last)
  if (between.some((separator) => separator !== between[0] || !/^[ \u00a0\u202f–-]$/.test(separator))) return false
  return layouts.has(
    groups
      .slice(first, last + 1)
      .map((group) => group.digits.length)
      .join('-'),
  )
}

function toCard(part: Part, labels: PartLabels, digits: string, start: number, end: number): PiiMatch | undefined {
  if (!isLuhn(toDigits(digits)) || isPartOfSomething(part.text, start, end)) return undefined
  if (/^-\w/.test(part.text.slice(end, end + 2))) return undefined
  if ((new Set(digits).size < 3 || zeros.test(digits)) && !published.has(digits)) return undefined
  if (end - start > digits.length && isInCodeTable(part.text, start, end)) return undefined
  const brand = brandOf(digits)
  const relation = labels.relate(topics, start, end)
  if (relation === 'other') return undefined
  const named = relation !== undefined
  if (!named && part.text.charAt(start - 1) === '#') return undefined
  const confidence =
    brand === undefined ? (named && /^[3-6]/.test(digits) ? 0.6 : 0) : named ? 0.98 : aloneOf(brand, digits)
  if (confidence === 0) return undefined
  return {
    type: 'CREDIT_CARD',
    start,
    end,
    confidence,
    severity: published.has(digits) ? 'LOW' : 'HIGH',
    identity: digits,
    shown: `•••• ${digits.slice(-4)}`,
  }
}

/** No card is issued with such a number; it is a bit pattern or a round amount. */
const zeros = /0{9}$/
/** `5427 5446 5443 5433 5448 5442 541B`: groups of a longer list of hexadecimal numbers. */
const groupBefore = /(?:^|[\s,])[\dA-F]{4}[ ]$/i
const groupAfter = /^[ ][\dA-F]{4}(?![\w-])/i
const groupsAfter = /^(?:[ ][\dA-F]{4}){2}(?![\w-])/i

function isInCodeTable(text: string, start: number, end: number): boolean {
  const after = text.slice(end, end + 11)
  return (
    groupsAfter.test(after) || (groupAfter.test(after) && groupBefore.test(text.slice(Math.max(0, start - 6), start)))
  )
}

/** Networks whose ranges contain too many other numbers. */
const rare = new Set(['Maestro', 'RuPay', 'UATP'])

/** Confidence without a label: only the common lengths of the large networks are distinguishable from other numbers. */
function aloneOf(brand: string, digits: string): number {
  const common = digits.length === 16 || digits.length === 15
  return common && !rare.has(brand) ? 0.9 : 0.45
}

function brandOf(digits: string): string | undefined {
  return brands.find(
    ({ lengths, prefixes }) =>
      lengths.includes(digits.length) &&
      prefixes.some(([low, high]) => {
        const leading = Number(digits.slice(0, String(low).length))
        return leading >= low && leading <= high
      }),
  )?.name
}
