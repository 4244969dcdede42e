import { isLuhn, toDigits } from '../../checksums.ts'
import { hasVariety, type IdRule, isMonthDay, numberAt, sumOf } from './rule.ts'

function isCpf(value: string): boolean {
  const check = (count: number) => {
    const weights = Array.from({ length: count }, (_, at) => count + 1 - at)
    const rest = sumOf(value, weights) % 11
    return rest < 2 ? 0 : 11 - rest
  }
  return hasVariety(value, 2) && check(9) === numberAt(value, 9, 1) && check(10) === numberAt(value, 10, 1)
}

const curpSigns = '0123456789ABCDEFGHIJKLMNÑOPQRSTUVWXYZ'

function isCurp(value: string): boolean {
  let sum = 0
  for (let at = 0; at < 17; at++) sum += curpSigns.indexOf(value.charAt(at)) * (18 - at)
  return isMonthDay(value, 6, 8) && (10 - (sum % 10)) % 10 === numberAt(value, 17, 1)
}

function isCuit(value: string): boolean {
  const check = 11 - (sumOf(value, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)
  return (check === 11 ? 0 : check === 10 ? 9 : check) === numberAt(value, 10, 1)
}

function isRut(value: string): boolean {
  let sum = 0
  const body = value.slice(0, -1)
  for (let at = 0; at < body.length; at++) sum += numberAt(body, body.length - 1 - at, 1) * (2 + (at % 6))
  return '0K987654321'.charAt(sum % 11) === value.slice(-1) && hasVariety(body)
}

const isProvince = (value: string) => {
  const province = numberAt(value, 0)
  return (province >= 1 && province <= 24) || province === 30 || province === 50
}

const cedula =
  'cédula|cédula de identidad|cédula de ciudadanía|cédula de identidad y electoral|n de cédula|número de cédula|c i|ci|cedula identidad'

export const americanIds: readonly IdRule[] = [
  {
    type: 'US_ITIN',
    country: 'US',
    pattern: /9\d\d[ -]?(?:5\d|6[0-5]|7\d|8[0-8]|9[0-24-9])[ -]?\d{4}/g,
    isValid: (value) => hasVariety(value),
    check: 'form',
    words: 'itin|individual taxpayer identification number|individual taxpayer id',
  },
  {
    type: 'US_MBI',
    country: 'US',
    pattern:
      /[1-9][AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d-?[AC-HJKMNP-RT-Y][AC-HJKMNP-RT-Y\d]\d-?[AC-HJKMNP-RT-Y]{2}\d\d/gi,
    isValid: (value) => value !== '1EG4TE5MK73' && value !== '1EG4TE5MK72',
    check: 'strong',
    words:
      'mbi|medicare beneficiary|medicare beneficiary identifier|medicare beneficiary id|medicare number|medicare no|medicare id|medicare|hicn',
  },
  {
    type: 'US_NPI',
    country: 'US',
    pattern: /[12]\d{9}/g,
    isValid: (value) => isLuhn(toDigits(`80840${value}`)) && hasVariety(value),
    check: 'weak',
    words: 'npi|national provider identifier|provider identifier|provider npi',
  },
  {
    type: 'CA_SIN',
    country: 'CA',
    pattern: /[1-79]\d\d[ -]?\d{3}[ -]?\d{3}/g,
    isValid: (value) => isLuhn(toDigits(value)) && hasVariety(value),
    check: 'weak',
    words:
      'sin|social insurance|social insurance number|nas|assurance sociale|numéro d assurance sociale|sin number|sin no',
  },
  {
    type: 'MX_CURP',
    country: 'MX',
    pattern: /[A-ZÑ]{4}\d{6}[HMX][A-Z]{5}[0-9A-Z]\d/gi,
    isValid: isCurp,
    check: 'strong',
    words: 'curp|clave única de registro de población|clave curp',
    alone: { pattern: /\d{6}(?<=[A-Z]{4}\d{6})[HMX][A-Z]{5}[0-9A-Z]\d/g, lead: 4 },
  },
  {
    type: 'MX_RFC',
    country: 'MX',
    pattern: /[A-ZÑ&]{4}[ -]?\d{6}[ -]?[A-Z0-9]{2}[0-9A]/gi,
    // The last character is a check that older numbers do not satisfy.
    isValid: (value) => isMonthDay(value, 6, 8),
    check: 'weak',
    words: 'rfc|registro federal de contribuyentes|clave rfc|homoclave',
  },
  {
    type: 'BR_CPF',
    country: 'BR',
    pattern: /\d{3}\.?\d{3}\.?\d{3}-?\d\d/g,
    isValid: isCpf,
    check: 'strong',
    words: 'cpf|cpf mf|cadastro de pessoas|cadastro de pessoas físicas',
    alone: { pattern: /\d{3}\.\d{3}\.\d{3}-\d\d/g },
  },
  {
    type: 'AR_CUIT',
    country: 'AR',
    pattern: /(?:2[03457]|3[034])[- ]?\d{8}[- ]?\d/g,
    isValid: isCuit,
    check: 'strong',
    words:
      'cuit|cuil|cuil cuit|cuit cuil|clave única de identificación tributaria|código único de identificación laboral',
  },
  {
    type: 'CL_RUT',
    country: 'CL',
    pattern: /\d{1,2}\.?\d{3}\.?\d{3}-?[\dK]/gi,
    isValid: isRut,
    check: 'weak',
    words: 'rut|run|rol único tributario|rol único nacional|rut del cliente',
  },
  {
    type: 'CO_NIT',
    country: 'CO',
    pattern: /\d{3}\.?\d{3}\.?\d{3}-?\d/g,
    isValid: (value) =>
      '01987654321'.charAt(sumOf(value, [41, 37, 29, 23, 19, 17, 13, 7, 3]) % 11) === value.charAt(9) &&
      hasVariety(value),
    check: 'weak',
    words: 'nit|número de identificación tributaria|nit n|no nit',
  },
  {
    type: 'PE_RUC',
    country: 'PE',
    pattern: /(?:10|15|17|20)\d{9}/g,
    isValid: (value) =>
      (11 - (sumOf(value, [5, 4, 3, 2, 7, 6, 5, 4, 3, 2]) % 11)) % 10 === numberAt(value, 10, 1) && hasVariety(value),
    check: 'strong',
    words: 'ruc|registro único de contribuyentes|número de ruc|n ruc',
  },
  {
    type: 'EC_CEDULA',
    country: 'EC',
    pattern: /\d{9}-?\d/g,
    isValid: (value) => isProvince(value) && numberAt(value, 2, 1) < 6 && isLuhn(toDigits(value)),
    check: 'strong',
    words: cedula,
  },
  {
    type: 'UY_CEDULA',
    country: 'UY',
    pattern: /[1-9]\.?\d{3}\.?\d{3}-?\d/g,
    isValid: (value) =>
      (10 - (sumOf(value, [2, 9, 8, 7, 6, 3, 4]) % 10)) % 10 === numberAt(value, 7, 1) && hasVariety(value),
    check: 'weak',
    words: `${cedula}|ci uruguaya|documento de identidad`,
  },
  {
    type: 'DO_CEDULA',
    country: 'DO',
    pattern: /\d{3}-?\d{7}-?\d/g,
    isValid: (value) => isLuhn(toDigits(value)) && hasVariety(value, 4),
    check: 'weak',
    words: cedula,
  },
]
