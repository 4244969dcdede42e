import { z } from 'zod'
import type { DetectorDescription } from '../detector.ts'
import { idRules } from './ids/all.ts'

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

export const piiDescription: DetectorDescription<PiiConfig> = {
  type: 'PII',
  title: 'Personal data',
  description:
    'Finds email addresses, phone numbers, payment cards, bank accounts, ids of some 60 countries, birth dates, passports, licences and IP addresses, by checksum, structure and labels. Names and postal addresses are found only where structure marks them, and only when enabled.',
  category: 'PRIVACY',
  version: 7,
  reads: 'documents',
  config: PiiConfig,
  findingTypes,
}
