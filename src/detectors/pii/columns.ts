import type { Part } from '../../documents/document.ts'
import type { PiiMatch } from './context.ts'

const columns: readonly (readonly [RegExp, string])[] = [
  [
    /(?:^|_)(?:ssn|social_?security(?:_?(?:no|nr|number))?|sin|nino|national_?insurance|bsn|pesel|aadhaar|cpf|svnr|ahv|personnummer)(?:_|$)/,
    'national id',
  ],
  [/(?:^|_)(?:iban|bank_?account(?:_?(?:no|nr|number))?|konto_?(?:nr|nummer)|account_?holder)(?:_|$)/, 'bank account'],
  [/(?:^|_)(?:credit_?card|card_?(?:no|nr|number)|kreditkarte\w*|pan|cvv|cvc)(?:_|$)/, 'payment card'],
  [/(?:^|_)(?:date_?of_?birth|birth_?(?:date|day)|dob|geburtsdatum|geb_?datum)(?:_|$)/, 'date of birth'],
  [
    /(?:^|_)(?:passport|passport_?(?:no|number)|reisepass\w*|driv(?:er|ing)_?licen[cs]e\w*)(?:_|$)/,
    'identity document',
  ],
  [/(?:^|_)(?:salary|gehalt|wage|base_?pay|compensation)(?:_|$)/, 'pay'],
  [/(?:^|_)(?:diagnosis|diagnose|patient_?(?:name|id)|medical_?record\w*|blood_?type|disability)(?:_|$)/, 'health'],
  [/(?:^|_)(?:religion|konfession|ethnicity|race|sexual_?orientation)(?:_|$)/, 'special category'],
]

/** A table column whose name says that it holds personal data. The name is evidence of its own: no value is looked at. */
export function* findSensitiveColumns(part: Part): Generator<PiiMatch> {
  if (part.kind !== 'name' || part.text.length > 80) return
  const name = part.text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[\s.-]+/g, '_')
  for (const [pattern, kind] of columns) {
    if (!pattern.test(name)) continue
    yield {
      type: 'SENSITIVE_COLUMN',
      start: 0,
      end: part.text.length,
      confidence: 0.6,
      severity: 'MEDIUM',
      identity: `${part.path}:${name}`,
      shown: `column that holds a ${kind}`,
    }
    return
  }
}
