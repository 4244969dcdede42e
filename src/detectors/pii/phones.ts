import type { CountryCode } from 'libphonenumber-js/max'
import type { Part } from '../../documents/document.ts'
import { requirePackage } from '../../runtime/package-files.ts'
import { idRules } from './ids/all.ts'
import type { PartLabels } from './labels.ts'
import type { PiiMatch } from './match.ts'
import { isPartOfSomething, type NumberRun } from './numbers.ts'
import { topicOf } from './topics.ts'

const phones = [topicOf('PHONE')]
const verbs = [topicOf('PHONE_VERB')]
/** `TFN` is a phone number in Swedish and a tax file number in Australia. */
const taxFile = [idRules.findIndex(({ type }) => type === 'AU_TFN')]
const behind = /^\s?[-(,]?\s?(?:office|fax|mobile|mobil|cell|desk|home|work|phone|tel|direct|main)\b/i
/** A single-letter label as in signatures and letterheads: `T: +44 …`, `M 07700 …`. */
const oneLetter = /(?:^|[\n|•·,;]\s{0,4}|\d\s{1,3})[TMFPCH](?:[.:]\s{0,4}|\s{1,4})$/
/** Groups of two digits as in French numbers, or an area code before a slash as in German ones. */
const nationalForm = /^0[1-9](?:[ .]\d\d){4}$|^0\d{2,4}\/\d{5,8}$/
const trunkPrefix = /^[(+0]/
const verb =
  /\b(?:call|reach|ring|contact|answering|messages?|text|phone)(?:ing|ed)?(?: (?:me|us|him|her|them|you|back))?(?: (?:on|at|to|under))?:? $/i
const endsValue = /^\s*(?:$|[.,;!?)\n]|(?:or|and|x\d)\b)/
/** Number of characters examined on either side of a number. */
const SHORT = 48
const extension = /^ ?(?:x|ext\.? ?|extension |durchwahl |#)\d{1,6}(?![\w])/i
const notAPhone =
  /\b(?:invoice|order|ticket|case|issue|ref(?:erence)?|iban|ssn|isbn|issn|serial|account|konto|customer|article|sku|part|model|id|nr|no|version|build|pr|commit|port|zip|plz|page|year|line|epoch|timestamp|uid|gid|pid|vat|tax|card|cc|passport)\b\.?:?\s?#?\s?$/i
const dateLike =
  /^\(?(?:(?:19|20)\d\d[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:19|20)\d\d)(?!\d)/
const date = /(?:^|\D)(?:(?:19|20)\d\d-\d\d-\d\d|\d\d\.\d\d\.(?:19|20)\d\d)(?!\d)/
/** `1.000.000` is an amount; `2024-06` at the end is a month. */
const amount = /^\d{1,3}(?:\.\d{3}){2,}$|(?:^|\D)(?:19|20)\d\d-(?:0[1-9]|1[0-2])$/
/** `0069 0307 0301`: characters by their hexadecimal numbers. */
const codePoints = /^\d{4}(?: \d{4})+$/
/** `+35236450.6`: a decimal with its sign. */
const decimal = /^\+?\d{1,15}\.\d(?:$|\D)/
/** `M 0.707031 0.570312`: coordinates. */
const coordinates = /^\d{1,4}\.\d{3,9}[ ,]\d{1,4}\.\d{3,9}/
const years = /^(?:(?:19|20)\d\d[-–/ ]{0,3}){2,4}$/

/** The numbering plans take several megabytes, so they are loaded on first use. */
let read: typeof import('libphonenumber-js/max') | undefined
const plans = (): typeof import('libphonenumber-js/max') => {
  read ??= requirePackage('libphonenumber-js/max')
  return read as typeof import('libphonenumber-js/max')
}

/** Telephone numbers, with a country code that the numbering plans confirm or with a label. */
export function* findPhones(
  part: Part,
  found: NumberRun,
  labels: PartLabels,
  regions: readonly string[],
): Generator<PiiMatch> {
  const run = withoutOpenBracket(found)
  const digits = run.groups.map((group) => group.digits).join('')
  if (
    digits.length > 15 ||
    dateLike.test(run.text) ||
    date.test(run.text) ||
    years.test(run.text) ||
    amount.test(run.text) ||
    decimal.test(run.text) ||
    coordinates.test(run.text)
  )
    return
  if (run.text.includes('(') !== run.text.includes(')')) return
  if (digits.length < 10 && run.groups.length === 1 && part.text.charAt(run.start - 1) === '#') return
  if (
    run.separators.some(
      (separator) =>
        (separator.length > 2 && separator.trim() !== '/') ||
        separator.includes('/') !== separator.trim().startsWith('/'),
    )
  )
    return
  const tail = extension.exec(part.text.slice(run.end, run.end + 16))?.[0] ?? ''
  const end = run.end + tail.length
  if (isPartOfSomething(part.text, run.start, tail === '' ? run.end : end)) return
  const confidence = confidenceOf(part, { ...run, end }, labels, regions, tail !== '')
  if (confidence === 0) return
  yield {
    type: 'PHONE',
    start: run.start,
    end,
    confidence,
    severity: 'MEDIUM',
    identity: digits,
    value: toInternationalDigits(run.text) ?? digits,
    shown: `${run.text.startsWith('+') ? `+${digits.slice(0, 2)} ` : ''}••• ${digits.slice(-2)}`,
  }
}

const parseInternational = (text: string) =>
  plans().parsePhoneNumberFromString(text.replace(/^00/, '+').replace('(0)', ''))

/** The digits from the country code on; undefined if the number does not begin with a valid one. */
export function toInternationalDigits(text: string): string | undefined {
  const parsed = /^\+|^00/.test(text) ? parseInternational(text) : undefined
  return parsed?.isValid() === true ? parsed.number.slice(1) : undefined
}

/** The digits that a telephone number may be found with: as written, from the country code on, and national. */
export function listPhoneReadings(text: string, regions: readonly string[]): string[] {
  const digits = text.replace(/\D/g, '')
  const parsed = /^\+|^00/.test(text)
    ? [parseInternational(text)]
    : regions.map((region) => plans().parsePhoneNumberFromString(text, region as CountryCode))
  const numbers = parsed.filter((number) => number?.isValid() === true)
  const written = numbers.map((number) => (number?.formatNational() ?? '').replace(/\D/g, ''))
  return [...new Set([digits, ...numbers.map((number) => number?.number.slice(1) ?? ''), ...written])]
}

/** The run without an opening bracket that is closed after the number. */
function withoutOpenBracket(run: NumberRun): NumberRun {
  if (!run.text.startsWith('(') || run.text.includes(')')) return run
  return { ...run, start: run.start + 1, text: run.text.slice(1) }
}

function confidenceOf(
  part: Part,
  { text, start, end, groups }: NumberRun,
  labels: PartLabels,
  regions: readonly string[],
  extended: boolean,
): number {
  const before = part.text.slice(Math.max(0, start - SHORT), start)
  const relation = labels.relate(phones, start, end)
  const named =
    (relation !== undefined && relation !== 'other' && relation !== 'near') ||
    behind.test(part.text.slice(end, end + SHORT))
  if (text.startsWith('+') || (text.startsWith('00') && (named || !codePoints.test(text)))) {
    if (parseInternational(text)?.isValid() === true) return 0.9
    if (text.startsWith('+') && named) return 0.65
  }
  const northAmerican = isNorthAmerican(
    text,
    groups.map((group) => group.digits),
  )
  if (named && labels.names(taxFile, start, end) && !trunkPrefix.test(text)) return 0
  if (named) {
    if (/^\d{8,}$/.test(text) && notAPhone.test(before)) return 0.4
    return isValidIn(text, regions) ? 0.9 : 0.65
  }
  if (relation === 'other' || notAPhone.test(before)) return 0
  const isFormed = () => northAmerican || (trunkPrefix.test(text) && isValidIn(text, regions))
  if (relation === 'near' && isFormed()) return 0.8
  if ((labels.names(verbs, start, end) || oneLetter.test(before)) && isFormed()) return 0.75
  const isGrouped = groups.length > 1 && endsValue.test(part.text.slice(end, end + SHORT))
  if (isGrouped && verb.test(before)) return 0.65
  if (text.startsWith('+') && oneLetter.test(before)) return 0.65
  if (northAmerican) {
    if (labels.isInUnknownColumn(start)) return 0.4
    return extended || isValidIn(text, ['US']) ? 0.7 : 0.55
  }
  return nationalForm.test(text) && isFormed() ? 0.6 : 0
}

function isValidIn(text: string, regions: readonly string[]): boolean {
  return regions.some(
    (region) =>
      plans().isSupportedCountry(region) &&
      plans()
        .parsePhoneNumberFromString(text, region as CountryCode)
        ?.isValid() === true,
  )
}

/** `(415) 555-2671`, `415-555-2671`, `415.555.2671`, with or without a leading 1. */
function isNorthAmerican(text: string, groups: readonly string[]): boolean {
  const [area = '', exchange = '', line = ''] = groups.length === 4 && groups[0] === '1' ? groups.slice(1) : groups
  if (area.length !== 3 || exchange.length !== 3 || line.length !== 4 || groups.length > 4) return false
  return /^[2-9]\d\d$/.test(area) && /^(?:\+?1[ .-])?(?:\(\d{3}\) ?\d{3}[.-]|\d{3}([.-])\d{3}\1)\d{4}$/.test(text)
}
