import { z } from 'zod'
import type { Part } from '../../documents/document.ts'
import type { Detector, Match } from '../detector.ts'
import { findIpAddresses } from './addresses.ts'
import { findBirthDates } from './birth-dates.ts'
import { findCards } from './cards.ts'
import { findSensitiveColumns } from './columns.ts'
import type { PiiMatch } from './context.ts'
import { findEmails } from './emails.ts'
import { findIbans } from './ibans.ts'
import { findNationalIds, nationalIds } from './national-ids.ts'
import { numberRuns } from './numbers.ts'
import { findPhones } from './phones.ts'
import { findSocialSecurityNumbers } from './ssn.ts'

const countries = [...new Set(nationalIds.map(({ country }) => country))].sort()
const findingTypes = [
  'EMAIL',
  'PHONE',
  'CREDIT_CARD',
  'IBAN',
  'US_SSN',
  'IP_ADDRESS',
  ...nationalIds.map(({ type }) => type),
  'SENSITIVE_COLUMN',
  'DATE_OF_BIRTH',
]

export const PiiConfig = z.strictObject({
  types: z
    .array(z.enum(findingTypes))
    .default(findingTypes.filter((type) => type !== 'DATE_OF_BIRTH'))
    .describe('Finding types to report; DATE_OF_BIRTH only when named here.'),
  countries: z.array(z.enum(countries)).default(countries).describe('Countries whose national ids are looked for.'),
  phoneRegions: z
    .array(z.string().regex(/^[A-Z]{2}$/))
    .max(20)
    .default(['US', 'GB', 'DE', 'FR', 'AU', 'IN'])
    .describe('Countries whose national phone formats are known; numbers with a country code need none.'),
  ownDomains: z
    .array(z.string().min(1).max(253))
    .max(100)
    .default([])
    .describe('Mail domains of the company: their addresses weigh INFO.'),
})
export type PiiConfig = z.infer<typeof PiiConfig>

export const piiDetector: Detector<PiiConfig> = {
  type: 'PII',
  title: 'Personal data',
  description:
    'Finds mail addresses, phone numbers, payment cards, bank accounts, national ids and IP addresses, by checksum, structure and the words around them. Names and postal addresses of people are not found.',
  category: 'PRIVACY',
  version: 2,
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

/** No number that could be someone's has fewer digits so close together, but for addresses of version 6. */
const digits = /(?:\d\D{0,3}){4}/

function* findIn(part: Part, config: PiiConfig, types: ReadonlySet<string>, now: number): Generator<PiiMatch> {
  yield* findEmails(part)
  yield* findIpAddresses(part)
  yield* findSensitiveColumns(part)
  if (!digits.test(part.text)) return
  yield* findIbans(part)
  yield* findNationalIds(part, config.countries)
  if (types.has('DATE_OF_BIRTH')) yield* findBirthDates(part, now)
  for (const run of numberRuns(part.text)) {
    yield* findCards(part, run)
    yield* findSocialSecurityNumbers(part, run)
    yield* findPhones(part, run, config.phoneRegions)
  }
}

function toMatch({ type, identity, ...found }: PiiMatch, part: number, own: ReadonlySet<string>): Match {
  const isOwn = type === 'EMAIL' && own.has(identity.slice(identity.indexOf('@') + 1))
  return { ...found, findingType: type, identity, part, ...(isOwn ? { severity: 'INFO' } : {}) }
}
