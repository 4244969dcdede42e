import { z } from 'zod'
import type { Part } from '../../documents/document.ts'
import type { Detector, Match } from '../detector.ts'
import { createKeywordIndex, type KeywordIndex } from '../keyword-index.ts'
import { findBare, holdsBare } from './bare.ts'
import { lengthClass } from './chosen.ts'
import { forms } from './forms.ts'
import type { Found, SearchProgress } from './found.ts'
import { beginsVendor, type KeyState, readKeyed, readVendorKeyed, vendors } from './keyed.ts'
import { readOwnLabel } from './labels.ts'
import { SearchLimit } from './search-limit.ts'
import { structures } from './structures.ts'
import { mayBeginToken, readToken } from './tokens.ts'
import { keyedShapes } from './vendor-keys.ts'
import { tokenShapes } from './vendor-tokens.ts'
import { labelStems } from './words.ts'

type Reader = (text: string, start: number, end: number, state: State) => Iterable<Found>

/** How far one part has been searched, by names and by each structure. */
interface State extends KeyState {
  progress: SearchProgress[]
  now: number
}

const nothing: readonly Found[] = []
/** Limits on searches in 1,024 characters that find nothing: all, and those for a value in a sentence. */
const MAX_VAIN = 96
const MAX_SPOKEN = 12

const plans: (readonly [string, Reader])[] = [
  ...tokenShapes.map((shape): [string, Reader] => [
    shape.literal,
    (text, start) => (mayBeginToken(text, start, shape) ? readToken(text, start, shape) : nothing),
  ]),
  ...forms.flatMap(({ literals, find }) => literals.map((literal): [string, Reader] => [literal, find])),
  ...structures.flatMap(({ literals, find }, number) =>
    literals.map((literal): [string, Reader] => [
      literal,
      (text, start, _end, { progress, now }) => {
        const own = progress[number] ?? { readFrom: 0, now }
        progress[number] = own
        return start < own.readFrom ? nothing : find(text, start, own)
      },
    ]),
  ),
  ...labelStems.map((word): [string, Reader] => [
    word,
    (text, start, end, state) => (start < state.keysRead ? nothing : readKeyed(text, start, end, state)),
  ]),
  ...vendors.map((word): [string, Reader] => [
    word,
    (text, start, end, state) =>
      start < state.keysRead || !beginsVendor(text, start) ? nothing : readVendorKeyed(text, start, end, state),
  ]),
]

interface Plan {
  index: KeywordIndex
  keywords: readonly string[]
  readers: readonly (readonly Reader[])[]
}

/** Built on first use. */
let plan: Plan | undefined

function readPlan(): Plan {
  if (plan !== undefined) return plan
  const byKeyword = Map.groupBy(plans, ([keyword]) => keyword)
  const keywords = [...byKeyword.keys()]
  const readers = [...byKeyword.values()].map((entries) => entries.map(([, reader]) => reader))
  plan = { index: createKeywordIndex(keywords), keywords, readers }
  return plan
}

/**
 * Whether the detector may find something in a text on its own: without a keyword there is no secret. The start of an
 * address, which most texts contain, counts only where a login may follow.
 */
export function mayHoldSecret(text: string): boolean {
  if (holdsBare(text)) return true
  const hasLogin = text.includes('@')
  const { index, keywords } = readPlan()
  let may = false
  index.scan(text, (keyword) => {
    may = hasLogin || keywords[keyword] !== '://'
    return !may
  })
  return may
}

export const SecretsConfig = z.strictObject({
  minConfidence: z.number().min(0.5).max(1).default(0.5).describe('Minimum confidence of reported matches.'),
  ignoreTypes: z.array(z.string()).max(200).default([]).describe('Finding types that are not reported.'),
})
export type SecretsConfig = z.infer<typeof SecretsConfig>

export const secretsDetector: Detector<SecretsConfig> = {
  type: 'SECRETS',
  title: 'Secrets',
  description:
    'Finds credentials: tokens of some 150 vendors, private keys, JWTs, connection strings, stated passwords, door codes and factory logins, labelled keys, hashes and encoded credentials. Placeholders, references and public keys are not reported.',
  category: 'SECURITY',
  version: 8,
  reads: 'documents',
  config: SecretsConfig,
  findingTypes: [
    ...new Set([
      ...tokenShapes.map(({ type }) => type),
      ...keyedShapes.map(({ type }) => type),
      'PRIVATE_KEY',
      'JWT',
      'CONNECTION_STRING',
      'URL_CREDENTIAL',
      'BASIC_AUTH',
      'BEARER_TOKEN',
      'PASSWORD_HASH',
      'NATS_SEED',
      'DISCORD_TOKEN',
      'MAILCHIMP_KEY',
      'FACEBOOK_APP_TOKEN',
      'SIGNED_URL',
      'KUBERNETES_SECRET',
      'STORED_LOGIN',
      'KEYED_SECRET',
      'PASSWORD',
      'DEFAULT_CREDENTIAL',
      'ACCESS_CODE',
    ]),
  ],
  *detect({ parts }, { config, asset, now, checkTime }) {
    const file = { configured: isConfiguration(asset.name), blankParts: runControlFile.test(asset.name), now }
    for (const [part, { text }] of parts.entries()) {
      checkTime?.()
      for (const found of findSecrets(parts, part, file)) {
        if (found.confidence < Math.min(config.minConfidence, 0.5) || config.ignoreTypes.includes(found.type)) continue
        yield toMatch(found, part, text)
      }
    }
  },
}

function* findSecrets(
  parts: readonly Part[],
  at: number,
  file: Pick<State, 'configured' | 'blankParts' | 'now'>,
): Generator<Found> {
  const part = parts[at]
  if (part === undefined || part.text.length < 5) return
  const found: Found[] = []
  const { index, readers } = readPlan()
  const state: State = {
    keysRead: 0,
    spoken: new SearchLimit(MAX_SPOKEN),
    inCode: part.kind === 'code' || part.kind === 'expression',
    progress: [],
    ...file,
  }
  const limit = new SearchLimit(MAX_VAIN)
  index.scan(part.text, (keyword, start, end) => {
    if (!limit.allows(start)) return
    for (const reader of readers[keyword] ?? []) {
      const candidates = reader(part.text, start, end, state)
      if (candidates === nothing) continue
      const before = found.length
      for (const each of candidates) found.push(each)
      if (found.length === before) limit.countVain()
    }
  })
  yield* found
  yield* findBare(part.text)
  const own = readOwnLabel(parts, at, file.configured)
  if (own !== undefined) yield own
}

const runControlFile = /(?:^|[/.])\w{2,20}rc$|\.conf$/i

/** Configuration files, rc files and files with stored logins. */
const configurationFiles = [
  /\.(?:tf|tfvars|hcl|ini|cfg|cnf|conf|env|properties|ya?ml|json|toml|xml|rc|netrc|pgpass|ppk|config|ftpconfig)$/i,
  /(?:^|[/.-])(?:config|settings|secrets?|credentials?)[\w-]{0,20}\.(?:php|py|rb|js|ts)$/i,
  /(?:^|[/.])\w{2,20}rc$/i,
  /(?:^|\/)(?:\.env[\w.-]*|\.?netrc|\.pgpass|config|credentials|hub|\.htpasswd)$/i,
]
const isConfiguration = (name: string) => configurationFiles.some((pattern) => pattern.test(name))

/** Types of values that people choose, of which nothing is shown. */
const chosenTypes = new Set(['PASSWORD', 'DEFAULT_CREDENTIAL', 'ACCESS_CODE'])

/** Types of documented formats, which are recognized without anything beside them. */
const tokenTypes = new Set([...tokenShapes, ...keyedShapes].map(({ type }) => type))

function toMatch(found: Found, part: number, text: string): Match {
  const { type, start, end, severity, confidence, value, shown, rule } = found
  return {
    findingType: type,
    part,
    start,
    end,
    severity,
    confidence,
    identity: value ?? text.slice(start, end),
    rule: rule ?? (type === 'PASSWORD' || type === 'KEYED_SECRET' ? 'label' : tokenTypes.has(type) ? 'format' : 'form'),
    ...(chosenTypes.has(type)
      ? { shown: lengthClass(value ?? text.slice(start, end)) }
      : shown !== undefined && { shown }),
  }
}
