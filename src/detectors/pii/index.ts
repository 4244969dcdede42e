import type { Part } from '../../documents/document.ts'
import type { Detector, Match } from '../detector.ts'
import { findIpAddresses } from './addresses.ts'
import { findBankAccounts } from './bank-accounts.ts'
import { findBirthDates } from './birth-dates.ts'
import { findCards } from './cards.ts'
import { findSensitiveColumns } from './columns.ts'
import { type PiiConfig, piiDescription } from './description.ts'
import { findEmails } from './emails.ts'
import { findIbans } from './ibans.ts'
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

export const piiDetector: Detector<PiiConfig> = {
  ...piiDescription,
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
