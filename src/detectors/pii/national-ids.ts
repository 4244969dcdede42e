import type { Part } from '../../documents/document.ts'
import { isLuhn, isMod11And10, isVerhoeff, toDigits, weigh } from '../checksums.ts'
import { type PiiMatch, says, surroundingsOf } from './context.ts'

interface NationalId {
  type: string
  country: string
  pattern: RegExp
  /** The published checksum or structure. */
  isValid: (value: string) => boolean
  /** Words of the country that name the number. */
  words: RegExp
  /** Whether the shape and the checksum are telling enough without such words. */
  telling?: boolean
}

const at = (digits: readonly number[], index: number) => digits[index] ?? 0
const luhn = (value: string) => isLuhn(toDigits(value)) && new Set(value).size > 3

export const nationalIds: readonly NationalId[] = [
  {
    type: 'DE_TAX_ID',
    country: 'DE',
    pattern: /(?<![\w.-])[1-9]\d[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}(?![\w-]|\.\d)/g,
    isValid: (value) => isMod11And10(toDigits(value)) && new Set(toDigits(value).slice(0, 10)).size < 10,
    words: /steuer|\bidnr\b|tax ?id|\btin\b/i,
  },
  {
    type: 'AT_SOCIAL_SECURITY',
    country: 'AT',
    pattern: /(?<![\w.-])[1-9]\d{3}[ -]?(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-5])\d\d(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === at(toDigits(value), 3),
    words: /\bsv-?nr|svnr|sozialversicherung|versicherungsnummer/i,
  },
  {
    type: 'CH_AHV',
    country: 'CH',
    pattern: /(?<![\w.-])756[. ]?\d{4}[. ]?\d{4}[. ]?\d\d(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    words: /\bahv|\bavs\b|sozialversicherung/i,
    telling: true,
  },
  {
    type: 'FR_NIR',
    country: 'FR',
    pattern: /(?<![\w.-])[12] ?\d\d ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d\d|2[AB]) ?\d{3} ?\d{3} ?\d\d(?![\w-]|\.\d)/gi,
    isValid: (value) => {
      const compact = value.replaceAll(' ', '').toUpperCase().replace('2A', '19').replace('2B', '18')
      return 97 - Number(BigInt(compact.slice(0, 13)) % 97n) === Number(compact.slice(13))
    },
    words: /s[ée]curit[ée] sociale|\bnir\b|\binsee\b|num[ée]ro de s[ée]cu/i,
  },
  {
    type: 'ES_NIF',
    country: 'ES',
    pattern: /(?<![\w.-])(?:\d{8}|[XYZ]\d{7})-?[A-HJ-NP-TV-Z](?![\w-])/gi,
    isValid: (value) => {
      const compact = value.replace('-', '').toUpperCase()
      const number = Number(compact.slice(0, -1).replace('X', '0').replace('Y', '1').replace('Z', '2'))
      return 'TRWAGMYFPDXBNJZSQVHLCKE'.charAt(number % 23) === compact.slice(-1)
    },
    words: /\b(?:nif|nie|dni|documento|identidad)\b/i,
  },
  {
    type: 'IT_FISCAL_CODE',
    country: 'IT',
    pattern: /(?<![\w.-])[A-Z]{6}\d\d[A-EHLMPRST]\d\d[A-Z]\d{3}[A-Z](?![\w-])/gi,
    isValid: isFiscalCode,
    words: /codice fiscale|\bcf\b|c\.f\./i,
    telling: true,
  },
  {
    type: 'NL_BSN',
    country: 'NL',
    pattern: /(?<![\w.-])\d{4}[. ]?\d\d[. ]?\d{3}(?![\w-]|\.\d)/g,
    isValid: (value) =>
      weigh(toDigits(value), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && Number(toDigits(value).join('')) > 0,
    words: /\bbsn\b|burgerservicenummer|sofinummer/i,
  },
  {
    type: 'PL_PESEL',
    country: 'PL',
    pattern: /(?<![\w.-])\d{11}(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
    words: /\bpesel\b/i,
  },
  {
    type: 'SE_PERSONAL_NUMBER',
    country: 'SE',
    pattern: /(?<![\w.-])(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[1-8]\d|9[01])[-+]?\d{4}(?![\w-]|\.\d)/g,
    isValid: (value) => luhn(toDigits(value).slice(-10).join('')),
    words: /personnummer|samordningsnummer|person ?nr|personal identity number/i,
  },
  {
    type: 'UK_NINO',
    country: 'GB',
    pattern:
      /(?<![\w.-])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?![\w-])/gi,
    isValid: (value) => !/^QQ/i.test(value),
    words: /national insurance|\bnino?\b|\bni (?:no|number)/i,
  },
  {
    type: 'UK_NHS',
    country: 'GB',
    pattern: /(?<![\w.-])\d{3}[ -]?\d{3}[ -]?\d{4}(?![\w-]|\.\d)/g,
    isValid: (value) =>
      (11 - (weigh(toDigits(value), [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === at(toDigits(value), 9),
    words: /\bnhs\b/i,
  },
  {
    type: 'IN_AADHAAR',
    country: 'IN',
    pattern: /(?<![\w.-])[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}(?![\w-]|\.\d| ?\d)/g,
    isValid: (value) => isVerhoeff(toDigits(value)) && new Set(toDigits(value)).size > 2,
    words: /aadhaa?r|\buidai\b|\buid\b|आधार/i,
  },
  {
    type: 'IN_PAN',
    country: 'IN',
    pattern: /(?<![\w.-])[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z](?![\w-])/g,
    isValid: (value) => !/^(?:ABCDE|AAAAA)/.test(value),
    words: /\bpan\b|permanent account/i,
  },
  {
    type: 'CA_SIN',
    country: 'CA',
    pattern: /(?<![\w.-])[1-79]\d\d[ -]?\d{3}[ -]?\d{3}(?![\w-]|\.\d)/g,
    isValid: luhn,
    words: /\bsin\b|social insurance|\bnas\b|assurance sociale/i,
  },
  {
    type: 'AU_TFN',
    country: 'AU',
    pattern: /(?<![\w.-])\d{3} ?\d{3} ?\d{3}(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    words: /\btfn\b|tax file/i,
  },
  {
    type: 'AU_MEDICARE',
    country: 'AU',
    pattern: /(?<![\w.-])[2-6]\d{3} ?\d{5} ?\d{1,2}(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === at(toDigits(value), 8),
    words: /medicare/i,
  },
  {
    type: 'BE_NATIONAL_NUMBER',
    country: 'BE',
    pattern: /(?<![\w.-])\d\d[. ]?(?:0\d|1[0-2])[. ]?[0-3]\d[- ]?\d{3}[. ]?\d\d(?![\w-]|\.\d)/g,
    isValid: (value) => {
      const digits = toDigits(value).join('')
      const check = Number(digits.slice(9))
      return [digits.slice(0, 9), `2${digits.slice(0, 9)}`].some((body) => 97 - (Number(body) % 97) === check)
    },
    words: /rijksregister|registre national|num[ée]ro national|\bnrn\b|\bniss\b|\binsz\b/i,
  },
  {
    type: 'PT_NIF',
    country: 'PT',
    pattern: /(?<![\w.-])[1-35689]\d{2} ?\d{3} ?\d{3}(?![\w-]|\.\d)/g,
    isValid: (value) => {
      const rest = weigh(toDigits(value), [9, 8, 7, 6, 5, 4, 3, 2]) % 11
      return (rest < 2 ? 0 : 11 - rest) === at(toDigits(value), 8)
    },
    words: /\bnif\b|contribuinte/i,
  },
  {
    type: 'FI_PERSONAL_CODE',
    country: 'FI',
    pattern: /(?<![\w.-])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d[-+A]\d{3}[0-9A-FHJ-NPR-Y](?![\w-])/g,
    isValid: (value) => {
      const digits = toDigits(value.slice(0, 10)).join('')
      return '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(Number(digits) % 31) === value.slice(-1)
    },
    words: /henkil[öo]tunnus|\bhetu\b|personbeteckning/i,
    telling: true,
  },
  {
    type: 'NO_BIRTH_NUMBER',
    country: 'NO',
    pattern: /(?<![\w.-])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d ?\d{5}(?![\w-]|\.\d)/g,
    isValid: (value) =>
      weigh(toDigits(value), [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
      weigh(toDigits(value), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    words: /f[øo]dselsnummer|personnummer|\bfnr\b/i,
  },
  {
    type: 'DK_CPR',
    country: 'DK',
    pattern: /(?<![\w.-])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d-?\d{4}(?![\w-]|\.\d)/g,
    isValid: (value) => new Set(toDigits(value)).size > 2,
    words: /\bcpr\b|personnummer/i,
  },
  {
    type: 'IE_PPS',
    country: 'IE',
    pattern: /(?<![\w.-])\d{7}[A-W][A-IW]?(?![\w-])/g,
    isValid: (value) => {
      const second = 'WABCDEFGHI'.indexOf(value.charAt(8) || 'W')
      const sum = weigh(toDigits(value), [8, 7, 6, 5, 4, 3, 2]) + 9 * second
      return 'WABCDEFGHIJKLMNOPQRSTUV'.charAt(sum % 23) === value.charAt(7)
    },
    words: /\bppsn?\b|personal public service/i,
  },
  {
    type: 'BR_CPF',
    country: 'BR',
    pattern: /(?<![\w.-])\d{3}\.?\d{3}\.?\d{3}-?\d\d(?![\w-]|\.\d)/g,
    isValid: (value) => {
      const digits = toDigits(value)
      const check = (count: number) => {
        const rest =
          weigh(
            digits,
            Array.from({ length: count }, (_, index) => count + 1 - index),
          ) % 11
        return rest < 2 ? 0 : 11 - rest
      }
      return new Set(digits).size > 1 && check(9) === at(digits, 9) && check(10) === at(digits, 10)
    },
    words: /\bcpf\b|cadastro de pessoas/i,
  },
]

/** Numbers of the given countries; where the checksum alone tells too little, a word that names the number is needed. */
export function* findNationalIds(part: Part, countries: readonly string[]): Generator<PiiMatch> {
  const { text } = part
  for (const { type, country, pattern, isValid, words, telling } of nationalIds) {
    if (!countries.includes(country)) continue
    if (telling !== true && !words.test(text) && !words.test(part.label ?? '')) continue
    for (const { 0: found, index } of text.matchAll(pattern)) {
      if (!isValid(found)) continue
      const named = says(surroundingsOf(part, index, index + found.length), words)
      if (!named && telling !== true) continue
      yield {
        type,
        start: index,
        end: index + found.length,
        confidence: named ? 0.96 : 0.7,
        severity: 'HIGH',
        identity: found.replace(/[\s.-]/g, '').toUpperCase(),
        shown: `••• ${found.slice(-2)}`,
      }
    }
  }
}

const oddValues = [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23]

/** The check letter of the Italian code (decree of 23 December 1976). */
function isFiscalCode(value: string): boolean {
  const code = value.toUpperCase()
  let sum = 0
  for (let index = 0; index < 15; index++) {
    const character = code.charCodeAt(index)
    const rank = character >= 65 ? character - 65 : character - 48
    sum += index % 2 === 0 ? (oddValues[rank] ?? 0) : rank
  }
  return String.fromCharCode(65 + (sum % 26)) === code.charAt(15)
}
