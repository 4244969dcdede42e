import { isLuhn, toDigits } from '../../checksums.ts'
import { hasVariety, type IdRule, isDay, numberAt, sumOf } from './rule.ts'

const vinValues: Readonly<Record<string, number>> = Object.fromEntries(
  ['0', '1AJ', '2BKS', '3CLT', '4DMU', '5ENV', '6FW', '7GPX', '8HY', '9RZ'].flatMap((signs, value) =>
    [...signs].map((sign) => [sign, value]),
  ),
)
const vinWeights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2] as const

/** ISO 3779; the check digit is mandatory in North America, whose manufacturer codes start with 1 to 5. */
function isVin(value: string): boolean {
  if (!/[A-Z].*[A-Z]/.test(value) || !/\d{3}$/.test(value)) return false
  if (!/^[1-5]/.test(value)) return /\d.*\d.*\d.*\d.*\d/.test(value)
  const rest = [...value].reduce((sum, sign, at) => sum + (vinValues[sign] ?? 0) * (vinWeights[at] ?? 0), 0) % 11
  return (rest === 10 ? 'X' : String(rest)) === value.charAt(8)
}

const countDigits = (value: string) => value.replace(/\D/g, '').length

/** Whether the value is not a word, a year or a date. */
const isSerial = (value: string, least = 5) =>
  countDigits(value) >= least &&
  hasVariety(value) &&
  !/^(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])$/.test(value)

/** DVLA: surname, decade, month (plus 50 for women), day, year, initials, then characters of the agency. */
const isBritishLicence = (value: string) => isDay(numberAt(value, 6) % 50, numberAt(value, 8))

/** The first digits identify a Federal Reserve district, including thrifts and electronic transactions. */
const isRoutingNumber = (value: string) =>
  /^(?:0\d|1[0-2]|2[1-9]|3[0-2]|6[1-9]|7[0-2]|80)/.test(value) &&
  hasVariety(value) &&
  sumOf(value, [3, 7, 1, 3, 7, 1, 3, 7, 1]) % 10 === 0

const licenceWords =
  'driving licence|driving license|driver licence|driver license|drivers license|drivers licence|driver s license|driver s licence|licence number driving|dl number|dl no|dvla|dvla licence|driver license number'

export const belongings: readonly IdRule[] = [
  {
    type: 'PASSPORT',
    country: '-',
    pattern: /\d\d ?\d\d ?\d{6}|[A-Z]{1,3}[ ]?\d{5,9}[A-Z]?|\d{6,9}|[A-Z0-9]{8,9}/gi,
    isValid: (value) => isSerial(value),
    check: 'form',
    words:
      'passport|passport number|passport no|passport id|passport nr|reisepass|reisepass nr|reisepassnummer|reisepassnr|reisepaß|passnummer|pass nr|passnr|pass nummer|passeport|passeport n|numéro de passeport|pasaporte|número de pasaporte|passaporto|n passaporto|passaporte|número do passaporte|paspoort|paspoortnummer|paspoort nr|paszport|paszportu|nr paszportu|numer paszportu|seria i numer paszportu|passets nummer|pasnummer|pas nr|pasnr|pas nummer|passin numero|passinumero|passi numero|passi nro|passin nro|passinro|паспорт|паспорта|номер паспорта|загранпаспорт|загранпаспорта|заграничный паспорт|паспорт громадянина|διαβατήριο|αριθμός διαβατηρίου|pasaport|pasaport no|útlevél|útlevélszám|pașaport|cestovní pas|číslo pasu|护照|护照号|護照|パスポート|旅券番号|여권|여권번호|جواز السفر|דרכון|पासपोर्ट|hộ chiếu|หนังสือเดินทาง',
  },
  {
    type: 'DRIVING_LICENCE',
    country: 'GB',
    pattern: /[A-Z9]{5}[ ]?\d[0156]\d[0-3]\d{2}[ ]?[A-Z9]{2}\d[A-Z]{2}/gi,
    isValid: isBritishLicence,
    check: 'strong',
    words: licenceWords,
    alone: { pattern: /\d[0156]\d[0-3]\d\d(?<=[A-Z][A-Z9]{4}\d{6})[A-Z9]{2}\d[A-Z]{2}/g, lead: 5 },
  },
  {
    type: 'DRIVING_LICENCE',
    country: 'US',
    pattern: /[A-Z]{1,2}[- ]?\d{3}[- ]\d{3,4}[- ]\d{2,4}(?:[- ]\d{1,3})?|[A-Z]{0,2}\d{5,14}[A-Z]?/gi,
    isValid: (value) => isSerial(value, 6),
    check: 'form',
    words: licenceWords,
  },
  {
    type: 'DRIVING_LICENCE',
    country: 'DE',
    pattern: /[A-Z0-9]\d\d[A-Z0-9]{6}\d[A-Z0-9]/gi,
    isValid: (value) => isSerial(value),
    check: 'form',
    words:
      'führerschein|führerschein nr|führerscheinnummer|führerscheinnr|fuehrerschein|fuehrerschein nr|fuehrerscheinnummer|fahrerlaubnis|fahrerlaubnisnummer|führerscheins',
  },
  {
    type: 'DRIVING_LICENCE',
    country: 'FR',
    pattern: /\d{12}/g,
    isValid: (value) => isSerial(value),
    check: 'form',
    words:
      'permis de conduire|numéro de permis|n de permis|n permis|permis n|numéro du permis|num permis conduire|permis conduire',
  },
  {
    type: 'DRIVING_LICENCE',
    country: 'IT',
    pattern: /[A-Z]{2}\d{7}[A-Z]|U1[A-Z0-9]{7}[A-Z]/gi,
    isValid: (value) => isSerial(value),
    check: 'form',
    words: 'patente|patente di guida|numero patente|n patente|num patente',
  },
  {
    type: 'DRIVING_LICENCE',
    country: '-',
    pattern: /[A-Z]{0,3}[ -]?\d{6,12}[A-Z]?/gi,
    isValid: (value) => isSerial(value),
    check: 'form',
    words:
      'permiso de conducir|carnet de conducir|licencia de conducir|carta de condução|rijbewijs|rijbewijsnummer|prawo jazdy|nr prawa jazdy|körkort|körkortsnummer|kørekort|kørekortnummer|førerkort|ajokortti|ajokortin numero|водительское удостоверение|номер водительского удостоверения',
  },
  {
    type: 'MEDICAL_RECORD',
    country: '-',
    pattern: /(?:MRN)?[A-Z]{0,3}-?\d{5,10}/gi,
    isValid: (value) => isSerial(value),
    check: 'form',
    words:
      'medical record number|medical record no|medical record id|mrn|patient id|patient number|patient no|hospital number|hospital no|patientennummer|patienten nr|fallnummer patient|numéro de patient|ipp patient|número de historia clínica|historia clínica|numero paziente|patiëntnummer|numer pacjenta|potilasnumero|patientnummer',
  },
  {
    type: 'VEHICLE_ID',
    country: '-',
    pattern: /[A-HJ-NPR-Z0-9]{17}/gi,
    isValid: isVin,
    check: 'weak',
    words:
      'vin|vin number|vin no|vehicle vin|vehicle identification|vehicle identification number|fahrgestellnummer|fahrzeug identifizierungsnummer|fin|chassis number|chassis no|numéro de châssis|numero di telaio|número de bastidor|numer vin|chassisnummer',
  },
  {
    type: 'IMEI',
    country: '-',
    pattern: /\d\d[ -]?\d{6}[ -]?\d{6}[ -]?\d/g,
    isValid: (value) => isLuhn(toDigits(value)) && hasVariety(value, 4),
    check: 'weak',
    words: 'imei|imei no|imei number|imei nummer|device imei',
  },
  {
    type: 'US_BANK_ROUTING',
    country: 'US',
    pattern: /\d{9}|\d{4}-\d{4}-\d/g,
    isValid: isRoutingNumber,
    check: 'weak',
    words: 'routing|routing number|routing no|aba|aba routing|aba routing number|aba number|rtn|routing transit number',
  },
]
