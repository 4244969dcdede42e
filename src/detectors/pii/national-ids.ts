import type { Part } from '../../documents/document.ts'
import { isLuhn, isMod11And10, isVerhoeff, toDigits, weigh } from '../checksums.ts'
import { createKeywordIndex } from '../keyword-index.ts'
import { isWordCode } from '../text.ts'
import type { PiiMatch } from './context.ts'

interface NationalId {
  type: string
  country: string
  pattern: RegExp
  /** The published checksum or structure. */
  isValid: (value: string) => boolean
  /** Words of the country that name the number. */
  words: readonly string[]
  /** Whether the shape and the checksum are telling enough without such words. */
  telling?: boolean
  /** False where a structure is published, and no check digit. */
  checked?: false
  /** How many characters before the match belong to it; the pattern begins where few texts do. */
  lead?: number
}

const at = (digits: readonly number[], index: number) => digits[index] ?? 0
const luhn = (value: string) => isLuhn(toDigits(value)) && new Set(value).size > 3

export const nationalIds: readonly NationalId[] = [
  {
    type: 'DE_TAX_ID',
    country: 'DE',
    pattern: /(?<![\w.-])[1-9]\d[ ]?\d{3}[ ]?\d{3}[ ]?\d{3}(?![\w-]|\.\d)/g,
    isValid: (value) => isMod11And10(toDigits(value)) && new Set(toDigits(value).slice(0, 10)).size < 10,
    words: ['steuer', 'idnr', 'tax id', 'taxid', 'tin'],
  },
  {
    type: 'AT_SOCIAL_SECURITY',
    country: 'AT',
    pattern: /(?<![\w.-])[1-9]\d{3}[ -]?(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-5])\d\d(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [3, 7, 9, 0, 5, 8, 4, 2, 1, 6]) % 11 === at(toDigits(value), 3),
    words: ['svnr', 'sv-nr', 'sozialversicherung', 'versicherungsnummer'],
  },
  {
    type: 'CH_AHV',
    country: 'CH',
    pattern: /756(?<![\w.-]756)[. ]?\d{4}[. ]?\d{4}[. ]?\d\d(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1, 3, 1]) % 10 === 0,
    words: ['ahv', 'avs', 'sozialversicherung'],
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
    words: ['sécurité sociale', 'securite sociale', 'nir', 'insee', 'numéro de sécu', 'numero de secu'],
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
    words: ['nif', 'nie', 'dni', 'documento', 'identidad'],
  },
  {
    type: 'IT_FISCAL_CODE',
    country: 'IT',
    pattern: /\d\d(?<=(?<![\w.-])[A-Za-z]{6}\d\d)[A-EHLMPRSTa-ehlmprst]\d\d[A-Za-z]\d{3}[A-Za-z](?![\w-])/g,
    lead: 6,
    isValid: isFiscalCode,
    words: ['codice fiscale', 'c.f.'],
    telling: true,
  },
  {
    type: 'NL_BSN',
    country: 'NL',
    pattern: /(?<![\w.-])\d{4}[. ]?\d\d[. ]?\d{3}(?![\w-]|\.\d)/g,
    isValid: (value) =>
      weigh(toDigits(value), [9, 8, 7, 6, 5, 4, 3, 2, -1]) % 11 === 0 && Number(toDigits(value).join('')) > 0,
    words: ['bsn', 'burgerservicenummer', 'sofinummer'],
  },
  {
    type: 'PL_PESEL',
    country: 'PL',
    pattern: /(?<![\w.-])\d{11}(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [1, 3, 7, 9, 1, 3, 7, 9, 1, 3, 1]) % 10 === 0,
    words: ['pesel'],
  },
  {
    type: 'SE_PERSONAL_NUMBER',
    country: 'SE',
    pattern: /(?<![\w.-])(?:19|20)?\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[1-8]\d|9[01])[-+]?\d{4}(?![\w-]|\.\d)/g,
    isValid: (value) => luhn(toDigits(value).slice(-10).join('')),
    words: ['personnummer', 'samordningsnummer', 'personnr', 'personal identity number'],
  },
  {
    type: 'UK_NINO',
    country: 'GB',
    pattern:
      /(?<![\w.-])(?!BG|GB|NK|KN|TN|NT|ZZ)[A-CEGHJ-PR-TW-Z][A-CEGHJ-NPR-TW-Z] ?\d\d ?\d\d ?\d\d ?[A-D](?![\w-])/gi,
    isValid: (value) => !/^QQ/i.test(value),
    checked: false,
    words: ['national insurance', 'nino', 'ni no', 'ni number'],
  },
  {
    type: 'UK_NHS',
    country: 'GB',
    pattern: /(?<![\w.-])\d{3}[ -]?\d{3}[ -]?\d{4}(?![\w-]|\.\d)/g,
    isValid: (value) =>
      (11 - (weigh(toDigits(value), [10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 11 === at(toDigits(value), 9),
    words: ['nhs'],
  },
  {
    type: 'IN_AADHAAR',
    country: 'IN',
    pattern: /(?<![\w.-])[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}(?![\w-]|\.\d| ?\d)/g,
    isValid: (value) => isVerhoeff(toDigits(value)) && new Set(toDigits(value)).size > 2,
    words: ['aadhaar', 'aadhar', 'uidai', 'आधार'],
  },
  {
    type: 'IN_PAN',
    country: 'IN',
    pattern: /(?<![\w.-])[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z](?![\w-])/g,
    isValid: (value) => !/^(?:ABCDE|AAAAA)/.test(value),
    checked: false,
    words: ['pan', 'permanent account'],
  },
  {
    type: 'CA_SIN',
    country: 'CA',
    pattern: /(?<![\w.-])[1-79]\d\d[ -]?\d{3}[ -]?\d{3}(?![\w-]|\.\d)/g,
    isValid: luhn,
    words: ['sin', 'social insurance', 'nas', 'assurance sociale'],
  },
  {
    type: 'AU_TFN',
    country: 'AU',
    pattern: /(?<![\w.-])\d{3} ?\d{3} ?\d{3}(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0,
    words: ['tfn', 'tax file'],
  },
  {
    type: 'AU_MEDICARE',
    country: 'AU',
    pattern: /(?<![\w.-])[2-6]\d{3} ?\d{5} ?\d{1,2}(?![\w-]|\.\d)/g,
    isValid: (value) => weigh(toDigits(value), [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === at(toDigits(value), 8),
    words: ['medicare'],
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
    words: ['rijksregister', 'registre national', 'numéro national', 'numero national', 'nrn', 'niss', 'insz'],
  },
  {
    type: 'PT_NIF',
    country: 'PT',
    pattern: /(?<![\w.-])[1-35689]\d{2} ?\d{3} ?\d{3}(?![\w-]|\.\d)/g,
    isValid: (value) => {
      const rest = weigh(toDigits(value), [9, 8, 7, 6, 5, 4, 3, 2]) % 11
      return (rest < 2 ? 0 : 11 - rest) === at(toDigits(value), 8)
    },
    words: ['nif', 'contribuinte'],
  },
  {
    type: 'FI_PERSONAL_CODE',
    country: 'FI',
    pattern: /\d{6}(?<![\w.-]\d{6})[-+A]\d{3}[0-9A-FHJ-NPR-Y](?![\w-])/g,
    isValid: (value) => {
      const digits = toDigits(value.slice(0, 10)).join('')
      if (!/^(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])/.test(value)) return false
      return '0123456789ABCDEFHJKLMNPRSTUVWXY'.charAt(Number(digits) % 31) === value.slice(-1)
    },
    words: ['henkilötunnus', 'henkilotunnus', 'hetu', 'personbeteckning'],
    telling: true,
  },
  {
    type: 'NO_BIRTH_NUMBER',
    country: 'NO',
    pattern: /(?<![\w.-])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d ?\d{5}(?![\w-]|\.\d)/g,
    isValid: (value) =>
      weigh(toDigits(value), [3, 7, 6, 1, 8, 9, 4, 5, 2, 1]) % 11 === 0 &&
      weigh(toDigits(value), [5, 4, 3, 2, 7, 6, 5, 4, 3, 2, 1]) % 11 === 0,
    words: ['fødselsnummer', 'fodselsnummer', 'personnummer', 'fnr'],
  },
  {
    type: 'DK_CPR',
    country: 'DK',
    pattern: /(?<![\w.-])(?:0[1-9]|[12]\d|3[01])(?:0[1-9]|1[0-2])\d\d-?\d{4}(?![\w-]|\.\d)/g,
    isValid: (value) => new Set(toDigits(value)).size > 2,
    checked: false,
    words: ['cpr', 'personnummer'],
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
    words: ['pps', 'ppsn', 'personal public service'],
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
    words: ['cpf', 'cadastro de pessoas'],
  },
]

const withChecksum = nationalIds.filter(({ checked }) => checked !== false)
const typesWithChecksum = new Set(withChecksum.map(({ type }) => type))
export const countriesWithChecksum = [...new Set(withChecksum.map(({ country }) => country))]
export const hasChecksum = (type: string): boolean => typesWithChecksum.has(type)

const words = [...new Set(nationalIds.flatMap((id) => id.words))]
const index = createKeywordIndex(words)
/** Ids that each word names. */
const named = words.map((word) => nationalIds.flatMap((id, at) => (id.words.includes(word) ? [at] : [])))
const NEAR = 60

/**
 * Numbers of the given countries; where the checksum alone tells too little, a word that names the number is needed.
 */
export function* findNationalIds(part: Part, countries: readonly string[]): Generator<PiiMatch> {
  const { text, label = '' } = part
  const places = new Map<number, number[]>()
  const labelled = new Set<number>()
  index.scan(text, (keyword, start, end) => {
    if (!isWholeWord(text, start, end)) return
    for (const id of named[keyword] ?? []) {
      const list = places.get(id) ?? []
      places.set(id, list)
      list.push(start)
    }
  })
  index.scan(label, (keyword, start, end) => {
    if (isWholeWord(label, start, end)) for (const id of named[keyword] ?? []) labelled.add(id)
  })
  for (const [at, { type, country, pattern, isValid, telling, lead = 0 }] of nationalIds.entries()) {
    const near = places.get(at)
    if (!countries.includes(country) || (near === undefined && telling !== true && !labelled.has(at))) continue
    for (const { 0: matched, index: from } of text.matchAll(pattern)) {
      const start = from - lead
      const found = text.slice(start, from + matched.length)
      if (!isValid(found)) continue
      const spoken = labelled.has(at) || (near !== undefined && isNear(near, start))
      if (!spoken && telling !== true) continue
      yield {
        type,
        start,
        end: start + found.length,
        confidence: spoken ? 0.96 : 0.7,
        severity: 'HIGH',
        identity: found.replace(/[\s.-]/g, '').toUpperCase(),
        shown: `••• ${found.slice(-2)}`,
      }
    }
  }
}

/** Whether one of the ascending places is within reach. */
function isNear(places: readonly number[], start: number): boolean {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((places[middle] ?? 0) < start - NEAR) low = middle + 1
    else high = middle
  }
  return (places[low] ?? Number.POSITIVE_INFINITY) <= start + NEAR
}

/** Short words are names only where they stand alone; long ones also inside compounds. */
function isWholeWord(text: string, start: number, end: number): boolean {
  if (end - start > 5) return true
  return !isWordCode(text.charCodeAt(start - 1)) && !isWordCode(text.charCodeAt(end))
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
