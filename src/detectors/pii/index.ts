import { z } from 'zod'
import type { Part } from '../../documents/document.ts'
import type { Detector, Match } from '../detector.ts'
import { findIpAddresses } from './addresses.ts'
import { findBankAccounts } from './bank-accounts.ts'
import { findBirthDates } from './birth-dates.ts'
import { findCards } from './cards.ts'
import { findSensitiveColumns } from './columns.ts'
import { findEmails } from './emails.ts'
import { findIbans } from './ibans.ts'
import { idRules } from './ids/all.ts'
import { findIds } from './labelled-ids.ts'
import { readLabels } from './labels.ts'
import { findMacAddresses } from './mac-addresses.ts'
import type { PiiMatch } from './match.ts'
import { findNames } from './names.ts'
import { numberRuns } from './numbers.ts'
import { findPhones } from './phones.ts'
import { findPostalAddresses } from './postal-addresses.ts'
import { findSocialSecurityNumbers } from './ssn.ts'
import { findTravelDocuments } from './travel-documents.ts'
import { findWallets } from './wallets.ts'

const countries = [...new Set(idRules.map(({ country }) => country))].filter((country) => country !== '-').sort()
const findingTypes = [
  'EMAIL',
  'PHONE',
  'CREDIT_CARD',
  'IBAN',
  'US_SSN',
  'IP_ADDRESS',
  ...new Set(idRules.map(({ type }) => type)),
  'UK_BANK_ACCOUNT',
  'AU_BANK_ACCOUNT',
  'US_BANK_ACCOUNT',
  'CRYPTO_WALLET',
  'SENSITIVE_COLUMN',
  'DATE_OF_BIRTH',
  'PERSON_NAME',
  'POSTAL_ADDRESS',
  'MAC_ADDRESS',
]
/** Off by default, because too many matches in ordinary texts do not belong to a person. */
const offByDefault = new Set(['PERSON_NAME', 'POSTAL_ADDRESS', 'MAC_ADDRESS'])

export const PiiConfig = z.strictObject({
  types: z
    .array(z.enum(findingTypes))
    .default(findingTypes.filter((type) => !offByDefault.has(type)))
    .describe('Finding types to report; PERSON_NAME, POSTAL_ADDRESS and MAC_ADDRESS only when named here.'),
  countries: z.array(z.enum(countries)).default(countries).describe('Countries whose national ids are searched.'),
  phoneRegions: z
    .array(z.string().regex(/^[A-Z]{2}$/))
    .max(20)
    .default(['US', 'GB', 'DE', 'FR', 'AU', 'IN'])
    .describe('Countries whose national phone formats are known; numbers with a country code need none.'),
  ownDomains: z
    .array(z.string().min(1).max(253))
    .max(100)
    .default([])
    .describe('Mail domains of the company; their addresses are reported as INFO.'),
})
export type PiiConfig = z.infer<typeof PiiConfig>

export const piiDetector: Detector<PiiConfig> = {
  type: 'PII',
  title: 'Personal data',
  description:
    'Finds email addresses, phone numbers, payment cards, bank accounts, ids of some 60 countries, birth dates, passports, licences and IP addresses, by checksum, structure and labels. Names and postal addresses are found only where structure marks them, and only when enabled.',
  category: 'PRIVACY',
  version: 4,
  config: PiiConfig,
  findingTypes,
  yieldsTo: ['SECRETS'],
  *detect({ parts }, { config, now }) {
    const types = new Set<string>(config.types)
    const own = new Set(config.ownDomains.map((domain) => domain.toLowerCase()))
    for (const [index, part] of parts.entries()) {
      for (const found of findIn(part, config, types, now)) {
        if (types.has(found.type)) yield toMatch(found, index, own)
      }
    }
  },
}

const digit = /\d/
/** Every number that is searched for has at least four digits close together, */
const digits = /(?:\d\D{0,3}){4}/
/** except IPv6 addresses, wallets and codes of mixed letters and digits. */
const signs = /::|[A-Z]\d[A-Z0-9]{5}|[A-Z]{6}\d|(?:bc|tb|ltc)1|0x|(?<![A-Za-z0-9])[13LMD][1-9A-HJ-NP-Za-km-z]{25}/

function* findIn(part: Part, config: PiiConfig, types: ReadonlySet<string>, now: number): Generator<PiiMatch> {
  yield* findEmails(part)
  yield* findSensitiveColumns(part)
  const hasNumbers = digit.test(part.text) && (digits.test(part.text) || signs.test(part.text))
  if (!hasNumbers && !types.has('PERSON_NAME') && !types.has('POSTAL_ADDRESS')) return
  const labels = readLabels(part, types.has('PERSON_NAME') || types.has('POSTAL_ADDRESS'))
  if (types.has('PERSON_NAME')) yield* findNames(part, labels)
  if (types.has('POSTAL_ADDRESS')) yield* findPostalAddresses(part, labels)
  if (!hasNumbers) return
  if (types.has('MAC_ADDRESS')) yield* findMacAddresses(part, labels)
  yield* findTravelDocuments(part)
  yield* findBankAccounts(part, labels)
  if (types.has('CRYPTO_WALLET')) yield* findWallets(part)
  yield* findIpAddresses(part, labels)
  yield* findIbans(part)
  yield* findIds(part, labels, ({ country }) => country === '-' || config.countries.includes(country))
  if (types.has('DATE_OF_BIRTH')) yield* findBirthDates(part, labels, now)
  for (const run of numberRuns(part.text)) {
    yield* findCards(part, run, labels)
    yield* findSocialSecurityNumbers(part, run, labels)
    yield* findPhones(part, run, labels, config.phoneRegions)
  }
}

function toMatch({ type, identity, ...found }: PiiMatch, part: number, own: ReadonlySet<string>): Match {
  const isOwn = type === 'EMAIL' && own.has(identity.slice(identity.indexOf('@') + 1))
  return { ...found, findingType: type, identity, part, ...(isOwn ? { severity: 'INFO' } : {}) }
}
