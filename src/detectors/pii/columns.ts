import type { Part } from '../../documents/document.ts'
import type { PiiMatch } from './context.ts'

const MAX_NAME_LENGTH = 80

/** Names, as words joined by `_`, of columns that hold personal data. */
const columns: readonly (readonly [kind: string, names: string])[] = [
  [
    'national id',
    'ssn social_security socialsecurity social_security_number sin nino national_insurance bsn pesel aadhaar cpf svnr ahv personnummer tax_id steuer_id',
  ],
  ['bank account', 'iban bank_account bankaccount bank_account_number account_holder konto_nr kontonummer'],
  ['payment card', 'credit_card creditcard card_number cardnumber card_no kreditkarte kreditkartennummer pan cvv cvc'],
  ['date of birth', 'date_of_birth dateofbirth birth_date birthdate birthday dob geburtsdatum geb_datum'],
  [
    'identity document',
    'passport passport_number passportnumber passport_no reisepass reisepassnummer drivers_license driver_license driving_licence driver_licence',
  ],
  ['pay', 'salary gehalt wage base_pay compensation lohn'],
  ['health', 'diagnosis diagnose patient_name patient_id medical_record blood_type disability'],
  ['special category', 'religion konfession ethnicity race sexual_orientation'],
]

/**
 * A table column whose name says that it holds personal data. The name is evidence of its own: no value is looked at.
 */
export function* findSensitiveColumns(part: Part): Generator<PiiMatch> {
  if (part.kind !== 'name' || part.text.length > MAX_NAME_LENGTH) return
  const name = part.text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
  const found = columns.find(([, names]) => names.split(' ').some((known) => `_${name}_`.includes(`_${known}_`)))
  if (found === undefined) return
  yield {
    type: 'SENSITIVE_COLUMN',
    start: 0,
    end: part.text.length,
    confidence: 0.6,
    severity: 'MEDIUM',
    identity: `${part.path}:${name}`,
    shown: `column that holds a ${found[0]}`,
  }
}
