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
import type { IdRule } from './ids/rule.ts'
import { findIds } from './labelled-ids.ts'
import { PartLabels } from './labels.ts'
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
  *detect({ parts }, { config, now, checkTime }) {
    const types = typesOf(config)
    const own = new Set(config.ownDomains.map((domain) => domain.toLowerCase()))
    let index = 0
    for (const part of parts) {
      checkTime?.()
      for (const found of findIn(part, config, types, now)) {
        if (types.has(found.type)) yield toMatch(found, index, own)
      }
      index++
    }
  },
}

const knownTypes = new WeakMap<PiiConfig, ReadonlySet<string>>()

function typesOf(config: PiiConfig): ReadonlySet<string> {
  const types = knownTypes.get(config) ?? new Set<string>(config.types)
  knownTypes.set(config, types)
  return types
}

/**
 * Without one of these there is no number that is searched for: five digits close together, a digit in a longer word,
 * the end of a short Maltese id, a date, an address.
 */
const numberLike =
  /\d(?:(?:\D{0,3}\d){4}|\w{4}|(?<=\w{5})|(?<=\d{3})[MGAPLHBZ]|[./-] ?\d{1,2}[./-] ?\d\d|\D{4,30}\d{4}|\d{3}\D{4,30}\d|\.\d{1,3}\.\d{1,3}\.\d)|:[\da-f]{0,4}:/i

/** Without as many digits there is no telephone number or card, nor an id that needs no label. */
const longNumber = /(?:\d\D{0,3}){6}/

function* findIn(part: Part, config: PiiConfig, types: ReadonlySet<string>, now: number): Generator<PiiMatch> {
  const { text } = part
  if (text.includes('@')) yield* findEmails(part)
  if (part.kind === 'name') yield* findSensitiveColumns(part)
  const beyondNumbers = types.has('PERSON_NAME') || types.has('POSTAL_ADDRESS')
  const hasNumber = numberLike.test(text)
  if (!hasNumber && !beyondNumbers && !types.has('MAC_ADDRESS')) return
  const labels = new PartLabels(part, beyondNumbers)
  if (types.has('PERSON_NAME')) yield* findNames(part, labels)
  if (types.has('POSTAL_ADDRESS')) yield* findPostalAddresses(part, labels)
  if (types.has('MAC_ADDRESS')) yield* findMacAddresses(part, labels)
  if (!hasNumber) return
  yield* findTravelDocuments(part)
  yield* findBankAccounts(part, labels)
  if (types.has('CRYPTO_WALLET')) yield* findWallets(part)
  yield* findIpAddresses(part, labels)
  yield* findIbans(part)
  const isLong = longNumber.test(text)
  const wants = ({ country }: IdRule) => country === '-' || config.countries.includes(country)
  yield* findIds(part, labels, wants, isLong)
  if (types.has('DATE_OF_BIRTH')) yield* findBirthDates(part, labels, now)
  if (!isLong) return
  for (const run of numberRuns(text)) {
    yield* findCards(part, run, labels)
    yield* findSocialSecurityNumbers(part, run, labels)
    yield* findPhones(part, run, labels, config.phoneRegions)
  }
}

function toMatch(found: PiiMatch, part: number, own: ReadonlySet<string>): Match {
  const { type, start, end, confidence, identity, shown, isName = false, value = identity } = found
  const isOwn = type === 'EMAIL' && own.has(identity.slice(identity.indexOf('@') + 1))
  const severity = isOwn ? 'INFO' : found.severity
  return { findingType: type, part, start, end, confidence, severity, identity, value, shown, isName }
}
