import { hasVariety, type IdRule, isDay, isMonthDay, numberAt, remainder, sumOf } from './rule.ts'

/** PESEL: the century is added to the month in steps of 20. */
const isPesel = (value: string) =>
  isDay(numberAt(value, 2) % 20, numberAt(value, 4)) && sumOf(value, [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0

/** Month plus 50 for women, plus 20 when a day ran out of numbers. Since 1954 the number is divisible by 11. */
function isCzechOrSlovak(value: string): boolean {
  if (!isDay((numberAt(value, 2) % 50) % 20, numberAt(value, 4))) return false
  return remainder(value, 11) === 0 || (remainder(value.slice(0, 9), 11) === 10 && value.endsWith('0'))
}

/** Unique master citizen number of the former Yugoslavia. */
function isMasterCitizenNumber(value: string): boolean {
  if (!isMonthDay(value, 2, 0)) return false
  const rest = sumOf(value, [7, 6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return (rest < 2 ? 0 : 11 - rest) === Number(value.charAt(12))
}

function isRussianTaxNumber(value: string): boolean {
  const first = (sumOf(value, [7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10
  const second = (sumOf(value, [3, 7, 2, 4, 10, 3, 5, 9, 4, 6, 8]) % 11) % 10
  return first === Number(value.charAt(10)) && second === Number(value.charAt(11)) && hasVariety(value)
}

function isOib(value: string): boolean {
  let product = 10
  for (let at = 0; at < 10; at++) product = (((numberAt(value, at, 1) + product) % 10 || 10) * 2) % 11
  return (11 - product) % 10 === numberAt(value, 10, 1)
}

/** Greek tax number of nine digits, weighted by powers of two. */
const isGreekTaxNumber = (value: string) =>
  (sumOf(value, [256, 128, 64, 32, 16, 8, 4, 2]) % 11) % 10 === Number(value.charAt(8)) && hasVariety(value)

function isGreekSocialSecurity(value: string): boolean {
  let sum = 0
  for (let at = 0; at < 11; at++) {
    const digit = numberAt(value, at, 1) * (at % 2 === 1 ? 2 : 1)
    sum += digit > 9 ? digit - 9 : digit
  }
  return isMonthDay(value, 2, 0) && sum % 10 === 0
}

function isKazakh(value: string): boolean {
  if (!isMonthDay(value, 2, 4)) return false
  let rest = sumOf(value, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]) % 11
  if (rest === 10) rest = sumOf(value, [3, 4, 5, 6, 7, 8, 9, 10, 11, 1, 2]) % 11
  return rest === Number(value.charAt(11))
}

const polishCardWeights = [7, 3, 1, 9, 7, 3, 1, 7, 3] as const
const polishCardValue = (sign: string) => (/\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 55)

export const easternEuropeanIds: readonly IdRule[] = [
  {
    type: 'PL_PESEL',
    country: 'PL',
    pattern: /\d{11}/g,
    isValid: isPesel,
    check: 'strong',
    words: 'pesel|nr pesel|numer pesel|numer ewidencyjny|identification number',
  },
  {
    type: 'PL_NIP',
    country: 'PL',
    pattern: /[1-9]\d\d-?\d{3}-?\d\d-?\d\d|[1-9]\d\d-\d\d-\d\d-\d{3}/g,
    isValid: (value) => sumOf(value, [6, 5, 7, 2, 3, 4, 5, 6, 7]) % 11 === Number(value.charAt(9)) && hasVariety(value),
    check: 'weak',
    words: 'nip|nr nip|numer nip|numer identyfikacji podatkowej|tax number',
  },
  {
    type: 'PL_ID_CARD',
    country: 'PL',
    pattern: /[A-Z]{3} ?\d{6}/gi,
    isValid: (value) =>
      [...value].reduce((sum, sign, at) => sum + polishCardValue(sign) * (polishCardWeights[at] ?? 0), 0) % 10 === 0,
    check: 'weak',
    words:
      'dowód osobisty|dowodu osobistego|nr dowodu|numer dowodu|seria i numer dowodu|nr dowodu osobistego|dowód osobisty nr|identity card|id card',
  },
  {
    type: 'CZ_SK_BIRTH_NUMBER',
    country: 'CZ',
    pattern: /\d\d[0-8]\d[0-3]\d ?\/? ?\d{4}/g,
    isValid: isCzechOrSlovak,
    check: 'strong',
    words: 'rodné číslo|rodne cislo|rodného čísla|rodné č|rč|r č|birth number|personal number',
  },
  {
    type: 'HU_TAX_ID',
    country: 'HU',
    pattern: /8\d{9}/g,
    isValid: (value) => sumOf(value, [1, 2, 3, 4, 5, 6, 7, 8, 9]) % 11 === Number(value.charAt(9)),
    check: 'strong',
    words: 'adóazonosító|adóazonosító jel|adóazonosító jele|ado azonosito|adóazonosító szám|adójel',
  },
  {
    type: 'HU_TAJ',
    country: 'HU',
    pattern: /\d{3}[ -]?\d{3}[ -]?\d{3}/g,
    isValid: (value) => sumOf(value, [3, 7, 3, 7, 3, 7, 3, 7]) % 10 === Number(value.charAt(8)) && hasVariety(value),
    check: 'weak',
    words: 'taj|taj szám|taj száma|tajszám|társadalombiztosítási azonosító jel|taj kártya|social security number',
  },
  {
    type: 'RO_CNP',
    country: 'RO',
    pattern: /[1-9]\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{6}/g,
    isValid: (value) =>
      ((sumOf(value, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11) % 10 === Number(value.charAt(12)) &&
        sumOf(value, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11 !== 10) ||
      (sumOf(value, [2, 7, 9, 1, 4, 6, 3, 5, 8, 2, 7, 9]) % 11 === 10 && value.endsWith('1')),
    check: 'strong',
    words: 'cnp|cnp ul|cod numeric personal|codul numeric personal|personal code',
  },
  {
    type: 'BG_EGN',
    country: 'BG',
    pattern: /\d\d[0-5]\d[0-3]\d{5}/g,
    isValid: (value) =>
      isDay(numberAt(value, 2) % 20, numberAt(value, 4)) &&
      (sumOf(value, [2, 4, 8, 5, 10, 9, 7, 3, 6]) % 11) % 10 === Number(value.charAt(9)),
    check: 'strong',
    words: 'егн|егн номер|единен граждански номер|egn|personal number',
  },
  {
    type: 'HR_OIB',
    country: 'HR',
    pattern: /\d{11}/g,
    isValid: isOib,
    check: 'weak',
    words: 'oib|osobni identifikacijski broj|oib broj|personal identification number',
  },
  {
    type: 'YU_JMBG',
    country: 'SI',
    pattern: /(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])[90]\d{8}/g,
    isValid: isMasterCitizenNumber,
    check: 'strong',
    words:
      'emšo|emso|jmbg|ембг|јмбг|matični broj|matični broj građana|јединствени матични број|jedinstveni matični broj',
  },
  {
    type: 'GR_AMKA',
    country: 'GR',
    pattern: /(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d{7}/g,
    isValid: isGreekSocialSecurity,
    check: 'strong',
    words: 'αμκα|αριθμός αμκα|amka|social security number',
  },
  {
    type: 'GR_AFM',
    country: 'GR',
    pattern: /\d{9}/g,
    isValid: isGreekTaxNumber,
    check: 'weak',
    words: 'αφμ|αριθμός φορολογικού μητρώου|afm|tax number',
  },
  {
    type: 'UA_TAX_NUMBER',
    country: 'UA',
    pattern: /[1-4]\d{9}/g,
    isValid: (value) =>
      (((sumOf(value, [-1, 5, 7, 9, 4, 6, 10, 5, 7]) % 11) + 11) % 11) % 10 === Number(value.charAt(9)) &&
      hasVariety(value),
    check: 'weak',
    words:
      'рнокпп|іпн|ідентифікаційний номер|ідентифікаційний код|індивідуальний податковий номер|rnokpp|ipn|taxpayer number',
  },
  {
    type: 'RU_INN',
    country: 'RU',
    pattern: /\d{12}/g,
    isValid: isRussianTaxNumber,
    check: 'strong',
    words: 'инн|inn|идентификационный номер налогоплательщика|tax number',
  },
  {
    type: 'RU_SNILS',
    country: 'RU',
    pattern: /\d{3}-?\d{3}-?\d{3}[ -]?\d\d/g,
    isValid: (value) => {
      const rest = sumOf(value, [9, 8, 7, 6, 5, 4, 3, 2, 1]) % 101
      return Number(value.slice(0, 9)) > 1_001_998 && rest % 100 === Number(value.slice(9))
    },
    check: 'strong',
    words: 'снилс|snils|страховой номер|страховой номер индивидуального лицевого счёта',
    alone: { pattern: /\d{3}-\d{3}-\d{3} \d\d/g },
  },
  {
    type: 'KZ_IIN',
    country: 'KZ',
    pattern: /\d{12}/g,
    isValid: isKazakh,
    check: 'strong',
    words: 'иин|жсн|iin|индивидуальный идентификационный номер',
  },
]
