import type { CountryCode } from 'libphonenumber-js/max'
import type { Part } from '../../documents/document.ts'
import { requirePackage } from '../../runtime/package-files.ts'
import { type PiiMatch, surroundingsOf, type TextContext } from './context.ts'
import { isPartOfSomething, type NumberRun } from './numbers.ts'

const before =
  /\b(?:ph|phones?|telefon(?:[eo]|nummer|nr|sz[áa]m)?|telephone|t[ée]l[ée]phone|tel[ée]fono|t[ée]l|mob(?:ile|il|iel)?(?:nummer|nr|telefon)?|cell(?:ular|phone)?|handy(?:nummer|nr)?|telepon|puh|fax|telefax|whats ?app|signal|sms|hotline|ring|durchwahl|rufnummer|landline|pager|contact (?:no|number)|desk|office|direct|celular|m[óo]vil|cellulare|puhelin|telefoon|tlf|tf|kontakt|call|text|messages?|reach|answer(?:ing)?|dial|registered)\b|電話|电话|手机|手機|전화|тел|τηλ|טלפון|נייד|هاتف|جوال|โทร|điện thoại/giu
/** What may stand between the word and the number. */
const MAX_GAP_LENGTH = 30
const behind = /^\s?[-(,]?\s?(?:office|fax|mobile|mobil|cell|desk|home|work|phone|tel|direct|main)\b/i
const header =
  /phone|mobile|mobil|handy|fax|telefon|t[ée]l(?:$|[^\p{L}])|teléfono|cell|contact no|電話|电话|手机|전화|телефон/iu
const extension = /^ ?(?:x|ext\.? ?|extension |durchwahl |#)\d{1,6}(?![\w])/i
const notAPhone =
  /\b(?:invoice|order|ticket|case|issue|ref(?:erence)?|iban|ssn|isbn|issn|serial|account|konto|customer|article|sku|part|model|id|nr|no|version|build|pr|commit|port|zip|plz|page|year|line|epoch|timestamp|uid|gid|pid|vat|tax|card|cc|passport)\b\.?:?\s?#?\s?$/i
const dateLike =
  /^\(?(?:(?:19|20)\d\d[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:0?[1-9]|[12]\d|3[01])|(?:0?[1-9]|[12]\d|3[01])[-./ ](?:0?[1-9]|1[0-2])[-./ ](?:19|20)\d\d)(?!\d)/
/** `1.000.000` is an amount; `2024-06` at the end is a month. */
const amount = /^\d{1,3}(?:\.\d{3}){2,}$|(?:^|\D)(?:19|20)\d\d-(?:0[1-9]|1[0-2])$/
const years = /^(?:(?:19|20)\d\d[-–/ ]{0,3}){2,4}$/

/** The numbering plans of the world take some megabytes, so only a thread that looks at text reads them. */
let read: typeof import('libphonenumber-js/max') | undefined
const plans = (): typeof import('libphonenumber-js/max') => {
  read ??= requirePackage('libphonenumber-js/max')
  return read as typeof import('libphonenumber-js/max')
}

/** Telephone numbers: sure with a country code that numbering plans confirm, else by the words around them. */
export function* findPhones(part: Part, run: NumberRun, regions: readonly string[]): Generator<PiiMatch> {
  const digits = run.groups.map((group) => group.digits).join('')
  if (digits.length > 15 || dateLike.test(run.text) || years.test(run.text) || amount.test(run.text)) return
  if (run.text.includes('(') !== run.text.includes(')')) return
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
  const around = surroundingsOf(part, run.start, end)
  const confidence = confidenceOf(run, around, regions, tail !== '')
  if (confidence === 0) return
  yield {
    type: 'PHONE',
    start: run.start,
    end,
    confidence,
    severity: 'MEDIUM',
    identity: digits,
    shown: `${run.text.startsWith('+') ? `+${digits.slice(0, 2)} ` : ''}••• ${digits.slice(-2)}`,
  }
}

function confidenceOf(
  { text, groups }: NumberRun,
  around: TextContext,
  regions: readonly string[],
  extended: boolean,
): number {
  const named = isNamed(around.before) || behind.test(around.after) || header.test(around.label)
  if (text.startsWith('+') || text.startsWith('00')) {
    const parsed = plans().parsePhoneNumberFromString(text.replace(/^00/, '+').replace('(0)', ''))
    if (parsed?.isValid() === true) return 0.9
    if (text.startsWith('+') && named) return 0.65
  }
  if (named) {
    if (/^\d{8,}$/.test(text) && notAPhone.test(around.before)) return 0.4
    return isValidIn(text, regions) ? 0.85 : 0.65
  }
  if (notAPhone.test(around.before)) return 0
  if (
    isNorthAmerican(
      text,
      groups.map((group) => group.digits),
    )
  )
    return extended || isValidIn(text, ['US']) ? 0.7 : 0.55
  return 0
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
  return /^[2-9]\d\d$/.test(area) && /^(?:\+?1[ .-])?(?:\(\d{3}\) ?|\d{3}[.-])\d{3}[.-]\d{4}$/.test(text)
}

/** Whether the last telling word stands right before the number, with no other number between. */
function isNamed(text: string): boolean {
  const last = [...text.matchAll(before)].at(-1)
  if (last === undefined) return false
  const gap = text.slice(last.index + last[0].length)
  return gap.length <= MAX_GAP_LENGTH && !/\d/.test(gap)
}
