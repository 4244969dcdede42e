import { isLuhn, isMod11And10, isVerhoeff, toDigits } from '../../checksums.ts'
import { hasVariety, type IdRule, isMonthDay, machineReadableCheck, numberAt, remainder, sumOf } from './rule.ts'

const dutchEleven = [9, 8, 7, 6, 5, 4, 3, 2, -1] as const
const niLetters = /^(?!BG|GB|NK|KN|TN|NT|ZZ|QQ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z]/

/** Of the ten digits before the check, one occurs twice, or since 2016 three times, but not three in a row. */
function hasTaxIdRepetition(digits: string): boolean {
  const counts = [...new Set(digits)].map((digit) => digits.split(digit).length - 1).filter((count) => count > 1)
  return counts.length === 1 && (counts[0] ?? 0) <= 3 && !/(\d)\1\1/.test(digits)
}

/** German pension number (VKVV § 4): the letter counts as two digits, products by their digit sum. */
function isPensionNumber(compact: string): boolean {
  const letter = String(compact.charCodeAt(8) - 64).padStart(2, '0')
  const digits = toDigits(compact.slice(0, 8) + letter + compact.slice(9, 11))
  const weights = [2, 1, 2, 5, 7, 1, 2, 1, 2, 1, 2, 1]
  const sum = digits.reduce((total, digit, at) => {
    const product = digit * (weights[at] ?? 0)
    return total + Math.floor(product / 10) + (product % 10)
  }, 0)
  const day = numberAt(compact, 2)
  return day > 0 && day < 82 && numberAt(compact, 4) <= 12 && sum % 10 === Number(compact.slice(11))
}

/** German health insurance number (SGB V § 290): Luhn with the letter as two digits, from the left. */
function isHealthInsuranceNumber(compact: string): boolean {
  const digits = toDigits(String(compact.charCodeAt(0) - 64).padStart(2, '0') + compact.slice(1, 9))
  const sum = digits.reduce((total, digit, at) => {
    const product = digit * (1 + (at % 2))
    return total + (product > 9 ? product - 9 : product)
  }, 0)
  return sum % 10 === Number(compact.slice(9))
}

const nifLetters = 'TRWAGMYFPDXBNJZSQVHLCKE'
const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]
const omocodia = 'LMNPQRSTUV'

/** Check letter of the Italian code (decree of 23 December 1976); letters for digits distinguish namesakes. */
function isFiscalCode(code: string): boolean {
  let sum = 0
  for (let at = 0; at < 15; at++) {
    const character = code.charCodeAt(at)
    const rank = character >= 65 ? character - 65 : character - 48
    sum += at % 2 === 0 ? (oddValues[rank] ?? 0) : rank
  }
  const day = Number([...code.slice(9, 11)].map((sign) => (/\d/.test(sign) ? sign : omocodia.indexOf(sign))).join(''))
  return (
    ((day >= 1 && day <= 31) || (day >= 41 && day <= 71)) && String.fromCharCode(65 + (sum % 26)) === code.charAt(15)
  )
}

function isBelgian(digits: string): boolean {
  const month = numberAt(digits, 2) % 20
  const day = numberAt(digits, 4)
  if (month > 12 || day > 31 || numberAt(digits, 2) > 52) return false
  const check = Number(digits.slice(9))
  return [digits.slice(0, 9), `2${digits.slice(0, 9)}`].some((body) => 97 - (Number(body) % 97) === check)
}

function isPps(value: string): boolean {
  const second = 'WABCDEFGHI'.indexOf(value.charAt(8) || 'W')
  const sum = sumOf(value, [8, 7, 6, 5, 4, 3, 2]) + 9 * Math.max(0, second)
  return 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(sum % 23) === value.charAt(7)
}

export const westernEuropeanIds: readonly IdRule[] = [
  {
    type: 'DE_TAX_ID',
    country: 'DE',
    pattern: /[1-9]\d[ /]?\d{3}[ /]?\d{3}[ /]?\d{3}/g,
    isValid: (value) => isMod11And10(toDigits(value)) && hasTaxIdRepetition(value.slice(0, 10)),
    check: 'strong',
    words:
      'steuer id|steuer ids|steueridentifikationsnummer|steuer identifikationsnummer|steuer ident nummer|steuer ident number|steuerident|steuerid nr|steuer idnr|idnr|id nr|st idnr|identifikationsnummer|persönliche identifikationsnummer|steuer|tax id|tin|tax identification number',
  },
  {
    type: 'DE_PENSION_NUMBER',
    country: 'DE',
    pattern: /\d\d ?\d{6} ?[A-Z] ?\d{3}/g,
    isValid: isPensionNumber,
    check: 'strong',
    words:
      'rentenversicherungsnummer|rentenversicherungs nr|sozialversicherungsnummer|sozialversicherungs nr|sozialversicherung|versicherungsnummer|rvnr|rv nummer|rv nr|sv nummer|sv nr|svnr|vsnr',
  },
  {
    type: 'DE_ID_CARD',
    country: 'DE',
    pattern: /[LMNPRTVWXY][0-9CFGHJKLMNPRTVWXYZ]{8}\d(?:D)?/g,
    isValid: (value) => machineReadableCheck(value.slice(0, 9)) === Number(value.charAt(9)) && /\d.*\d/.test(value),
    check: 'weak',
    words:
      'personalausweis|personalausweisnummer|personalausweisnr|ausweisnummer|ausweis nummer|ausweis nr|ausweisnr|perso nr',
  },
  {
    type: 'DE_HEALTH_INSURANCE',
    country: 'DE',
    pattern: /[A-Z]\d{9}/g,
    isValid: isHealthInsuranceNumber,
    check: 'weak',
    words:
      'krankenversichertennummer|versichertennummer|versicherten nr|versicherten nummer|kvnr|kv nummer|kv nr|krankenversicherungsnummer|krankenversicherung|krankenkasse|egk nummer|egk|e gk nummer|health insurance number',
  },
  {
    type: 'AT_SOCIAL_SECURITY',
    country: 'AT',
    pattern: /[1-9]\d{3}[ -]?(?:0[1-9]|[12]\d|3[01])[ .]?(?:0[1-9]|1[0-5])[ .]?\d\d/g,
    isValid: (value) => sumOf(value, [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === Number(value.charAt(3)),
    check: 'strong',
    words:
      'svnr|sv nr|sv nummer|sozialversicherungsnummer|sozialversicherung|sozialvers nr|versicherungsnummer|vsnr|e card nummer',
  },
  {
    type: 'CH_AHV',
    country: 'CH',
    pattern: /756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d/g,
    isValid: (value) => sumOf(value, [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    check: 'strong',
    words: 'ahv|ahvn|ahv nr|avs|navs|numero avs|sozialversicherung|oasi|ahv nummer|social security number',
    alone: { pattern: /756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d/g },
  },
  {
    type: 'FR_NIR',
    country: 'FR',
    pattern: /[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d/gi,
    isValid: (value) => {
      const digits = value.replace('2A', '19').replace('2B', '18')
      return 97 - remainder(digits.slice(0, 13), 97) === Number(digits.slice(13))
    },
    check: 'strong',
    alone: { pattern: /[12] \d\d (?:0[1-9]|1[0-2]) (?:\d\d|2[AB]) \d{3} \d{3} \d\d/g },
    words:
      'sécurité sociale|numéro de sécurité sociale|numeros de sécurité sociale|nir|insee|numéro insee|numéro de sécu|n sécu|num secu|sécu|matricule sécurité sociale|carte vitale|no ss',
  },
  {
    type: 'FR_TAX_NUMBER',
    country: 'FR',
    pattern: /[0-3]\d ?\d\d ?\d{3} ?\d{3} ?\d{3}/g,
    isValid: (value) => remainder(value.slice(0, 10), 511) === Number(value.slice(10)),
    check: 'strong',
    words: 'numéro fiscal|numéro fiscal de référence|spi|numéro spi|n fiscal|référence fiscale|identifiant fiscal',
  },
  {
    type: 'ES_NIF',
    country: 'ES',
    pattern: /(?:\d{2}\.\d{3}\.\d{3}|\d{8}|[XYZ][- ]?\d{7})[- ]?[A-HJ-NP-TV-Z]/gi,
    isValid: (value) => {
      const number = Number(value.slice(0, -1).replace('X', '0').replace('Y', '1').replace('Z', '2'))
      return nifLetters.charAt(number % 23) === value.slice(-1)
    },
    check: 'strong',
    words:
      'nif|nie|dni|documento nacional de identidad|documento de identidad|número de identificación fiscal|número de identidad de extranjero|número de identificación|documento|identidad|cif',
  },
  {
    type: 'ES_SOCIAL_SECURITY',
    country: 'ES',
    pattern: /(?:0[1-9]|[1-4]\d|5[0-3]|66)[ /-]?\d{7,8}[ /-]?\d\d/g,
    isValid: (value) => {
      const [province, serial, check] = [value.slice(0, 2), value.slice(2, -2), Number(value.slice(-2))]
      const body = Number(serial) < 10_000_000 ? province + String(Number(serial)).padStart(7, '0') : province + serial
      return remainder(body, 97) === check || remainder(province + serial, 97) === check
    },
    check: 'strong',
    words:
      'seguridad social|número de la seguridad social|n seguridad social|número de seguridad social|nuss|nss|naf|número de afiliación|n ss|num ss',
  },
  {
    type: 'IT_FISCAL_CODE',
    country: 'IT',
    pattern:
      /[A-Z]{3} ?[A-Z]{3} ?[0-9LMNPQRSTUV]{2} ?[A-EHLMPRST] ?[0-9LMNPQRSTUV]{2} ?[A-Z] ?[0-9LMNPQRSTUV]{3} ?[A-Z]/gi,
    isValid: isFiscalCode,
    check: 'strong',
    alone: {
      pattern: /\d\d(?<=[A-Za-z]{6}\d\d)[A-EHLMPRSTa-ehlmprst]\d\d[A-Za-z]\d{3}[A-Za-z]/g,
      lead: 6,
    },
    words: 'codice fiscale|codici fiscali|cf|cod fiscale|cod fisc|fiscal code|tax code',
  },
  {
    type: 'NL_BSN',
    country: 'NL',
    pattern: /\d{4}[. ]\d\d[. ]\d{3}|\d{3}[. -]?\d{3}[. -]?\d{3}/g,
    isValid: (value) => sumOf(value, dutchEleven) % 11 === 0 && hasVariety(value),
    check: 'weak',
    words:
      'bsn|bsn nummer|burgerservicenummer|burger service nummer|sofinummer|sofi nummer|citizen service number|onderwijsnummer',
  },
  {
    type: 'BE_NATIONAL_NUMBER',
    country: 'BE',
    pattern: /\d\d[. ]?[0-5]\d[. ]?[0-3]\d[- ]?\d{3}[. ]?\d\d/g,
    isValid: isBelgian,
    check: 'strong',
    alone: { pattern: /\d\d\.[0-5]\d\.[0-3]\d-\d{3}\.\d\d/g },
    words:
      'rijksregister|rijksregisternummer|registre national|numéro de registre national|n registre national|numéro national|nrn|niss|insz|rrn|bis nummer|numéro bis|national register number|national number',
  },
  {
    type: 'LU_NATIONAL_NUMBER',
    country: 'LU',
    pattern: /(?:18|19|20)\d\d[ ]?\d{4}[ ]?\d{3}[ ]?\d\d/g,
    isValid: (value) =>
      isMonthDay(value, 4, 6) &&
      isLuhn(toDigits(value.slice(0, 12))) &&
      isVerhoeff(toDigits(value.slice(0, 11) + value.slice(12))),
    check: 'strong',
    words:
      'numéro d identification national|matricule|matricule nationale|matricule national|nationale identifikationsnummer|cns matricule|identifikationsnummer',
  },
  {
    type: 'PT_NIF',
    country: 'PT',
    pattern: /[1-35689]\d{2}[ .]?\d{3}[ .]?\d{3}/g,
    isValid: (value) => {
      const rest = sumOf(value, [9, 8, 7, 6, 5, 4, 3, 2]) % 11
      return (rest < 2 ? 0 : 11 - rest) === Number(value.charAt(8)) && hasVariety(value)
    },
    check: 'weak',
    words: 'nif|contribuinte|número de contribuinte|número de identificação fiscal|número fiscal|n contribuinte',
  },
  {
    type: 'UK_NINO',
    country: 'GB',
    pattern: /[A-Z]{2} ?(?:\d\d ?\d\d ?\d\d|\d{3} ?\d{3}) ?[A-D]/gi,
    isValid: (value) => niLetters.test(value),
    check: 'form',
    words: 'national insurance|national insurance number|nat ins|nino|nin o|ni no|ni number|ni nr|n i number',
  },
  {
    type: 'UK_NHS',
    country: 'GB',
    pattern: /\d{3}[ -]?\d{3}[ -]?\d{4}/g,
    isValid: (value) =>
      (11 - (sumOf(value, [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === Number(value.charAt(9)) && hasVariety(value),
    check: 'weak',
    words: 'nhs|nhs number|nhs no|national health service number|national health service',
  },
  {
    type: 'UK_UTR',
    country: 'GB',
    pattern: /\d{5} ?\d{5}/g,
    isValid: (value) =>
      '21987654321'.charAt(sumOf(value.slice(1), [6, 7, 8, 9, 10, 5, 4, 3, 2]) % 11) === value.charAt(0),
    check: 'weak',
    words: 'utr|unique taxpayer reference|taxpayer reference|self assessment|hmrc utr',
  },
  {
    type: 'IE_PPS',
    country: 'IE',
    pattern: /\d{7} ?[A-W](?:[A-IWT](?![A-Za-z]))?/gi,
    isValid: isPps,
    check: 'strong',
    words: 'pps|ppsn|pps no|pps number|personal public service|personal public service number',
  },
  {
    type: 'MT_ID',
    country: 'MT',
    pattern: /\d{3,7}[MGAPLHBZ]/g,
    isValid: (value) => !/^0+\D/.test(value),
    check: 'form',
    words: 'karta ta l identità|maltese id|malta id card|karta tal identita',
  },
]
