import { isLuhn, toDigits } from '../../checksums.ts'
import { hasVariety, type IdRule, isDay, isMonthDay, numberAt, sumOf } from './rule.ts'

function isSwedish(value: string): boolean {
  const digits = value.replace('+', '')
  const short = digits.slice(-10)
  const day = numberAt(short, 4)
  return isDay(numberAt(short, 2), day > 60 ? day - 60 : day) && isLuhn(toDigits(short)) && hasVariety(short)
}

function isFinnish(value: string): boolean {
  const digits = value.slice(0, 6) + value.slice(-4, -1)
  return (
    isMonthDay(value, 2, 0) &&
    Number(value.slice(-4, -1)) >= 2 &&
    '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(Number(digits) % 31) === value.slice(-1)
  )
}

/** D-numbers have the day plus 40; test numbers and H-numbers the month plus 40 or 80. */
function isNorwegian(value: string): boolean {
  return (
    isDay(numberAt(value, 2) % 40, numberAt(value, 0) % 40) &&
    sumOf(value, [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
    sumOf(value, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0
  )
}

/** One algorithm for Estonia (EVS 585) and Lithuania. */
function isBaltic(value: string): boolean {
  if (!isMonthDay(value, 3, 5)) return false
  let rest = sumOf(value, [1, 2, 3, 4, 5, 6, 7, 8, 9, 1]) % 11
  if (rest === 10) rest = sumOf(value, [3, 4, 5, 6, 7, 8, 9, 1, 2, 3]) % 11
  return rest % 10 === Number(value.charAt(10))
}

function isLatvian(value: string): boolean {
  if (value.startsWith('32')) return true
  const check = (1101 - sumOf(value, [1, 6, 3, 7, 9, 10, 5, 8, 4, 2])) % 11
  return isMonthDay(value, 2, 0) && check === Number(value.charAt(10))
}

export const northernEuropeanIds: readonly IdRule[] = [
  {
    type: 'SE_PERSONAL_NUMBER',
    country: 'SE',
    pattern: /(?:18|19|20)?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[1-8]\d|9[01])[-+ ]?\d{4}/g,
    isValid: isSwedish,
    check: 'strong',
    words:
      'personnummer|samordningsnummer|personnr|pers nr|person nr|person nummer|pnr|personal identity number|coordination number',
  },
  {
    type: 'FI_PERSONAL_CODE',
    country: 'FI',
    pattern: /\d{6}[-+ABCDEFYXWVU]\d{3}[0-9A-FHJ-NPR-Y]/g,
    isValid: (value) => isFinnish(value),
    check: 'strong',
    words:
      'henkilötunnus|henkilötunnukset|henkilo tunnus|hetu|hetu tunnus|personbeteckning|sosiaaliturvatunnus|sotu|personal identity code',
    alone: { pattern: /\d{6}[-+A]\d{3}[0-9A-FHJ-NPR-Y]/g },
  },
  {
    type: 'NO_BIRTH_NUMBER',
    country: 'NO',
    pattern: /(?:[0-7]\d)(?:[0-5]\d|[89]\d)\d\d[ -]?\d{5}/g,
    isValid: isNorwegian,
    check: 'strong',
    words:
      'fødselsnummer|foedselsnummer|fodselsnummer|fødselsnr|fodsels nummer|fodsels nr|fødselsnummeret|personnummer|personnr|fnr|f nr|d nummer',
  },
  {
    type: 'DK_CPR',
    country: 'DK',
    pattern: /(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d[- ]?\d{4}/g,
    isValid: (value) => isMonthDay(value, 2, 0) && hasVariety(value),
    check: 'form',
    words: 'cpr|cpr nr|cpr nummer|cpr numre|personnummer|civil registration number|personnr',
  },
  {
    type: 'IS_KENNITALA',
    country: 'IS',
    pattern: /(?:0[1-9]|[1-7]\d)(?:0[1-9]|1[0-2])\d\d[- ]?\d{3}[089]/g,
    isValid: (value) =>
      isDay(numberAt(value, 2), numberAt(value, 0) % 40) &&
      (11 - (sumOf(value, [3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(value.charAt(8)),
    check: 'strong',
    words: 'kennitala|kennitölu|kennitalan|kennitala nr|kt',
  },
  {
    type: 'EE_LT_PERSONAL_CODE',
    country: 'EE',
    pattern: /[1-8]\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{4}/g,
    isValid: isBaltic,
    check: 'strong',
    words: 'isikukood|isikukoodi|isiku kood|asmens kodas|asmens kodo|a k|id code|personal code',
  },
  {
    type: 'LV_PERSONAL_CODE',
    country: 'LV',
    pattern: /(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d-?[0-2]\d{4}|32\d{4}-\d{5}/g,
    isValid: isLatvian,
    check: 'strong',
    words: 'personas kods|personas koda|personas kodu|pers kods|p k|personal code|personal identity code',
  },
]
