import { isLuhn, isVerhoeff, toDigits } from '../../checksums.ts'
import { hasVariety, type IdRule, isDay, isMonthDay, numberAt, sumOf } from './rule.ts'

/** GB 11643: region, birth date, serial and an ISO 7064 mod 11-2 check. */
const isChinese = (value: string) =>
  isMonthDay(value, 10, 12) &&
  '10X98765432'.charAt(sumOf(value, [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]) % 11) === value.charAt(17)

function isMyNumber(value: string): boolean {
  const rest = sumOf(value, [6, 5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11
  return (rest <= 1 ? 0 : 11 - rest) === numberAt(value, 11, 1) && hasVariety(value)
}

const taiwanLetters = 'ABCDEFGHJKLMNPQRSTUVXYWZIO'

function isTaiwanese(value: string): boolean {
  const letter = taiwanLetters.indexOf(value.charAt(0)) + 10
  return (Math.floor(letter / 10) + (letter % 10) * 9 + sumOf(value, [8, 7, 6, 5, 4, 3, 2, 1, 1])) % 10 === 0
}

function isSingaporean(value: string): boolean {
  const first = value.charAt(0)
  const sum = sumOf(value, [2, 7, 6, 5, 4, 3, 2]) + (first === 'T' || first === 'G' ? 4 : first === 'M' ? 3 : 0)
  const letters = first === 'S' || first === 'T' ? 'JZIHGFEDCBA' : first === 'M' ? 'KLJNPQRTUWX' : 'XWUTRQPNMLK'
  return letters.charAt(first === 'M' ? 10 - (sum % 11) : sum % 11) === value.charAt(8)
}

/** A missing first letter counts as a space, with the value 36. */
function isHongKong(value: string): boolean {
  const padded = value.length === 8 ? ` ${value}` : value
  const rank = (sign: string) => (sign === ' ' ? 36 : /\d/.test(sign) ? Number(sign) : sign.charCodeAt(0) - 55)
  let sum = 0
  for (let at = 0; at < 8; at++) sum += rank(padded.charAt(at)) * (9 - at)
  return (sum + (padded.charAt(8) === 'A' ? 10 : numberAt(padded, 8, 1))) % 11 === 0
}

function isTurkish(value: string): boolean {
  const digits = toDigits(value)
  const sum = (places: readonly number[]) => places.reduce((total, place) => total + (digits[place] ?? 0), 0)
  const tenth = (((sum([0, 2, 4, 6, 8]) * 7 - sum([1, 3, 5, 7])) % 10) + 10) % 10
  return tenth === digits[9] && sum([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) % 10 === digits[10]
}

function isNewZealand(value: string): boolean {
  const padded = value.padStart(9, '0')
  if (Number(value) < 10_000_000 || Number(value) > 150_000_000) return false
  const check = (weights: readonly number[]) => (11 - (sumOf(padded, weights) % 11)) % 11
  const first = check([3, 2, 7, 6, 5, 4, 3, 2])
  return (first === 10 ? check([7, 4, 3, 2, 5, 2, 7, 6]) : first) === numberAt(padded, 8, 1)
}

export const asianPacificIds: readonly IdRule[] = [
  {
    type: 'IN_AADHAAR',
    country: 'IN',
    pattern: /[2-9]\d{3}[ -]?\d{4}[ -]?\d{4}(?! ?\d)/g,
    isValid: (value) => isVerhoeff(toDigits(value)) && hasVariety(value),
    check: 'weak',
    words: 'aadhaar|aadhar|uidai|aadhaar card|uid number|आधार|aadhaar no',
  },
  {
    type: 'IN_PAN',
    country: 'IN',
    pattern: /[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]/gi,
    isValid: (value) => !/^(?:ABCDE|AAAAA)/.test(value),
    check: 'form',
    words: 'pan|permanent account|permanent account number|pan card|pan no|pan number',
  },
  {
    type: 'CN_RESIDENT_ID',
    country: 'CN',
    pattern: /[1-8]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d{4}[\dX]/gi,
    isValid: isChinese,
    check: 'strong',
    words:
      '身份证|身份证号|身份证号码|居民身份证|公民身份号码|公民身份证号码|身份證號|resident id|resident identity card|resident identity card number|id card',
    alone: { pattern: /(?:18|19|20)\d\d(?:0[1-9]|1[0-2])[0-3]\d(?<=[1-8]\d{13})\d{3}[\dX]/g, lead: 6 },
  },
  {
    type: 'KR_RRN',
    country: 'KR',
    pattern: /\d\d(?:0[1-9]|1[0-2])[0-3]\d[- ]?[1-8]\d{6}/g,
    isValid: (value) =>
      isMonthDay(value, 2, 4) &&
      (11 - (sumOf(value, [2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11)) % 10 === numberAt(value, 12, 1),
    check: 'strong',
    words:
      '주민등록번호|주민번호|주민등록 번호|rrn|resident registration|resident registration number|resident registration no',
  },
  {
    type: 'JP_MY_NUMBER',
    country: 'JP',
    pattern: /\d{4}[ -]?\d{4}[ -]?\d{4}/g,
    isValid: isMyNumber,
    check: 'weak',
    words: 'マイナンバー|個人番号|my number|individual number',
  },
  {
    type: 'TW_NATIONAL_ID',
    country: 'TW',
    pattern: /[A-Z][1289]\d{8}/gi,
    isValid: isTaiwanese,
    check: 'weak',
    words: '身分證|身分證字號|國民身分證|身分證號碼|身分證統一編號|national identification card|taiwan id|taiwanese id',
  },
  {
    type: 'SG_NRIC',
    country: 'SG',
    pattern: /[STFGM]\d{7}[A-Z]/gi,
    isValid: isSingaporean,
    check: 'weak',
    words: 'nric|nric no|nric fin|nric number|fin|foreign identification number',
  },
  {
    type: 'HK_ID',
    country: 'HK',
    pattern: /[A-Z]{1,2}\d{6} ?\(?[\dA]\)?/gi,
    isValid: isHongKong,
    check: 'weak',
    words: 'hkid|hkid no|hkid number|香港身份證|身份證號碼|身份證|hong kong identity card|hong kong id',
  },
  {
    type: 'TH_NATIONAL_ID',
    country: 'TH',
    pattern: /[1-8][ -]?\d{4}[ -]?\d{5}[ -]?\d\d[ -]?\d/g,
    isValid: (value) =>
      (11 - (sumOf(value, [13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === numberAt(value, 12, 1),
    check: 'weak',
    words: 'เลขประจำตัวประชาชน|เลขบัตรประชาชน|บัตรประชาชน|หมายเลขบัตรประชาชน|thai id|citizen id',
  },
  {
    type: 'MY_NRIC',
    country: 'MY',
    pattern: /\d\d(?:0[1-9]|1[0-2])[0-3]\d-?\d\d-?\d{4}/g,
    isValid: (value) => isMonthDay(value, 2, 4) && numberAt(value, 6) >= 1,
    check: 'form',
    words: 'mykad|mykad no|my kad|my kad no|no kad pengenalan|kad pengenalan|no kp|malaysian ic|nric malaysia',
  },
  {
    type: 'ID_NIK',
    country: 'ID',
    pattern: /[1-9]\d{5}[0-7]\d(?:0[1-9]|1[0-2])\d{6}/g,
    // The day of birth is 40 higher for women.
    isValid: (value) =>
      numberAt(value, 0) >= 11 && numberAt(value, 0) <= 94 && isDay(numberAt(value, 8), numberAt(value, 6) % 40),
    check: 'form',
    words: 'nik|nomor induk kependudukan|nomor ktp|no ktp|ktp',
  },
  {
    type: 'IL_ID',
    country: 'IL',
    pattern: /\d{8}-?\d/g,
    isValid: (value) => isLuhn(toDigits(value)) && hasVariety(value, 4),
    check: 'weak',
    words: 'תעודת זהות|מספר זהות|מספר תעודת זהות|ת ז|מס תעודת זהות|teudat zehut|identity number|id number',
  },
  {
    type: 'TR_KIMLIK',
    country: 'TR',
    pattern: /[1-9]\d\d ?\d{3} ?\d{3} ?\d\d/g,
    isValid: isTurkish,
    check: 'strong',
    words:
      'kimlik no|kimlik numarası|tc kimlik|tc kimlik no|t c kimlik no|t c kimlik numarası|tckn|tc kimlik numaranız|kimlik',
  },
  {
    type: 'SA_NATIONAL_ID',
    country: 'SA',
    pattern: /[12]\d{9}/g,
    isValid: (value) => isLuhn(toDigits(value)) && hasVariety(value),
    check: 'weak',
    words: 'رقم الهوية|الهوية الوطنية|رقم الإقامة|رقم الهوية الوطنية|iqama|iqama no|iqama number|saudi id',
  },
  {
    type: 'AE_EMIRATES_ID',
    country: 'AE',
    pattern: /784[- ]?(?:19|20)\d\d[- ]?\d{7}[- ]?\d/g,
    isValid: (value) => isLuhn(toDigits(value)),
    check: 'strong',
    words: 'emirates id|الهوية الإماراتية|رقم الهوية|eid|uae id|emirates id no',
  },
  {
    type: 'AU_TFN',
    country: 'AU',
    pattern: /\d{3}[ -]?\d{3}[ -]?\d{3}/g,
    isValid: (value) => sumOf(value, [1, 4, 3, 7, 5, 8, 6, 9, 10]) % 11 === 0 && hasVariety(value),
    check: 'weak',
    words: 'tfn|tax file|tax file number|tax file no',
  },
  {
    type: 'AU_MEDICARE',
    country: 'AU',
    pattern: /[2-6]\d{3}[ -]?\d{5}[ -]?\d{1,2}/g,
    isValid: (value) => sumOf(value, [1, 3, 7, 9, 1, 3, 7, 9]) % 10 === numberAt(value, 8, 1) && hasVariety(value),
    check: 'weak',
    words: 'medicare|medicare number|medicare card|medicare no|medicare card number',
  },
  {
    type: 'NZ_IRD',
    country: 'NZ',
    pattern: /\d{2,3}[- ]?\d{3}[- ]?\d{3}/g,
    isValid: isNewZealand,
    check: 'weak',
    words: 'ird|ird number|ird no|inland revenue|inland revenue number|nz ird',
  },
  {
    type: 'ZA_ID',
    country: 'ZA',
    pattern: /\d\d(?:0[1-9]|1[0-2])[0-3]\d ?\d{4} ?[012][89] ?\d/g,
    isValid: (value) => isMonthDay(value, 2, 4) && isLuhn(toDigits(value)),
    check: 'strong',
    words: 'rsa id|sa id|rsa id number|sa id number|south african id|id number|identity number|id no',
  },
]
