import { z } from 'zod'
import type { Part } from '../../documents/document.ts'
import { hasCrcTail } from '../checksums.ts'
import type { Detector, Match, Severity } from '../detector.ts'
import { createKeywordIndex } from '../keyword-index.ts'
import { entropy } from '../text.ts'
import { type Assignment, identifierAround, readAssignment } from './assignments.ts'
import type { Found, Progress } from './found.ts'
import { configuredConfidence, isMixed, isMonotonous, isUuid, passwordConfidence, tokenConfidence } from './guards.ts'
import { kindOfKey, passwordWords, tokenWords } from './keys.ts'
import { structures } from './structures.ts'
import { keyedShapes } from './vendor-keys.ts'
import { type TokenShape, tokenShapes } from './vendor-tokens.ts'

type Reader = (text: string, start: number, end: number, state: State) => Iterable<Found>

/** What was read already of one part: names up to an offset, and what each structure says of itself. */
interface State {
  keysRead: number
  progress: Progress[]
  /** The text is a configuration file: what stands there is meant, however weak. */
  configured: boolean
}

const vendors = [...new Set(keyedShapes.map(({ vendor }) => vendor))]
const anyVendor = new RegExp(vendors.join('|'), 'i')
const plans: (readonly [string, Reader])[] = [
  ...tokenShapes.map((shape): [string, Reader] => [shape.literal, (text, start) => readToken(text, start, shape)]),
  ...structures.flatMap(({ literals, find }, number) =>
    literals.map((literal): [string, Reader] => [
      literal,
      (text, start, _end, { progress }) => {
        const own = progress[number] ?? { readFrom: 0 }
        progress[number] = own
        return start < own.readFrom ? [] : find(text, start, own)
      },
    ]),
  ),
  ...[...passwordWords, ...tokenWords, ...vendors].map((word): [string, Reader] => [word, readKeyed]),
]
const keywords = [...new Set(plans.map(([literal]) => literal))]
const readers = keywords.map((keyword) => plans.filter(([literal]) => literal === keyword).map(([, reader]) => reader))
const index = createKeywordIndex(keywords)

export const SecretsConfig = z.strictObject({
  minConfidence: z.number().min(0.5).max(1).default(0.5).describe('Matches below it are left out.'),
  ignoreTypes: z.array(z.string()).max(200).default([]).describe('Finding types that are left out.'),
})
export type SecretsConfig = z.infer<typeof SecretsConfig>

export const secretsDetector: Detector<SecretsConfig> = {
  type: 'SECRETS',
  title: 'Secrets',
  description:
    'Finds credentials: tokens of some 130 vendors, private keys, JWTs, connection strings, passwords and keys beside a name that says so, hashes and encoded credentials. Placeholders, references and public keys are left.',
  category: 'SECURITY',
  version: 1,
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
      'SIGNED_URL',
      'KUBERNETES_SECRET',
      'STORED_LOGIN',
      'KEYED_SECRET',
      'PASSWORD',
    ]),
  ],
  *detect({ parts }, { config, asset }) {
    const configured = configurationFile.test(asset.name)
    for (const [part, { text }] of parts.entries()) {
      for (const found of findSecrets(parts, part, configured)) {
        if (found.confidence < Math.min(config.minConfidence, 0.5) || config.ignoreTypes.includes(found.type)) continue
        yield toMatch(found, part, text)
      }
    }
  },
}

function* findSecrets(parts: readonly Part[], at: number, configured: boolean): Generator<Found> {
  const part = parts[at]
  if (part === undefined || part.text.length < 5) return
  const found: Found[] = []
  const state: State = { keysRead: 0, progress: [], configured }
  index.scan(part.text, (keyword, start, end) => {
    for (const reader of readers[keyword] ?? []) found.push(...reader(part.text, start, end, state))
  })
  yield* found
  const own = readOwnLabel(parts, at, configured)
  if (own !== undefined) yield own
}

function* readToken(text: string, start: number, shape: TokenShape): Generator<Found> {
  const { pattern, lead, type } = shape
  for (let from = start; from >= Math.max(0, start - lead); from--) {
    const before = text.charCodeAt(from - 1)
    if (from > 0 && (isAlphanumeric(before) || before === 43) && !(type === 'TAILSCALE_KEY' && before < 65)) continue
    pattern.lastIndex = from
    const token = pattern.exec(text)?.[0]
    if (token === undefined || from + token.length <= start) continue
    const body = token.slice(Math.min(shape.literal.length, 12))
    if (shape.trusted !== true && (isFiller(token) || entropy(body) < 2.7)) return
    const sample = shape.trusted !== true && isMonotonous(body)
    const wrong = shape.crcAfter !== undefined && token.length === 40 && !hasCrcTail(token.slice(4))
    const prefix = /^[A-Za-z]{2,10}[-_.]/.exec(token)?.[0].slice(0, 8) ?? token.slice(0, 4)
    const shown = lead > 0 ? '•••' : `${prefix}•••`
    yield {
      type,
      start: from,
      end: from + token.length,
      severity: sample ? 'LOW' : shape.severity,
      confidence: sample ? 0.55 : wrong ? shape.confidence - 0.15 : shape.confidence,
      value: token,
      shown,
    }
    return
  }
}

const isAlphanumeric = (code: number) =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

/** `ghp_xxxxxxxx`, `AKIAIOSFODNN7EXAMPLE`, `sk_live_your_key_here`. */
function isFiller(token: string): boolean {
  return /x{5,}|\*{3,}|\.{3}|example|your|here$|dummy|redacted|placeholder|(.)\1{6,}/i.test(token)
}

function* readKeyed(text: string, start: number, end: number, state: State): Generator<Found> {
  if (start < state.keysRead) return
  const key = identifierAround(text, start, end)
  state.keysRead = key.end
  const assignment = readAssignment(text, key)
  if (assignment === undefined) return
  const found = judge(assignment, text, state.configured)
  if (found !== undefined) yield found
}

/** What the value is, by the vendor that the key names, else by the kind of secret that it names. */
function judge(assignment: Assignment, text: string, configured: boolean): Found | undefined {
  const { key, value, start, end, quoted, spoken, keyStart } = assignment
  const shapes = anyVendor.test(key) ? keyedShapes.filter(({ vendor }) => namesVendor(key, vendor)) : []
  const shape = shapes.find(({ pattern }) => pattern.test(value))
  if (shape !== undefined && !spoken && isVendorValue(value)) {
    return { type: shape.type, start, end, severity: 'HIGH', confidence: 0.8, value }
  }
  if (shapes.some(({ strict }) => strict)) return undefined
  const kind = kindOfKey(phraseAround(text, keyStart, key))
  if (kind === undefined || inResourceName(text.slice(Math.max(0, keyStart - 80), keyStart))) return undefined
  if (kind === 'password') {
    if (/^pass$/i.test(key) && !quoted && !isMixed(value)) return undefined
    const plain = configured && !spoken
    const confidence = plain ? configuredConfidence(value) : passwordConfidence(value, quoted, spoken)
    return confidence === 0
      ? undefined
      : { type: 'PASSWORD', start, end, severity: gradeOf(confidence), confidence, value }
  }
  if (isUuid(value) && !/secret|api[-_ ]?key|pass/i.test(key)) return undefined
  const confidence = tokenConfidence(value, quoted)
  if (confidence === 0 || (spoken && (confidence < 0.7 || value.length < 16))) return undefined
  return { type: 'KEYED_SECRET', start, end, severity: gradeOf(confidence), confidence, value }
}

const gradeOf = (confidence: number): Severity => (confidence >= 0.7 ? 'HIGH' : 'MEDIUM')

/** `arn:aws:secretsmanager:…:secret:name` names a secret, it does not hold one. */
function inResourceName(before: string): boolean {
  const at = before.lastIndexOf('arn:')
  return at >= 0 && /^[\w:/-]+$/.test(before.slice(at))
}

/** Configuration files, run-control files and stored logins. */
const configurationFile =
  /(?:\.(?:tf|tfvars|hcl|ini|cfg|conf|config|env|properties|ya?ml|json|toml|xml|rc|netrc|pgpass|ppk)|(?:^|[/.])\w{2,20}rc|(?:^|\/)(?:\.env[\w.-]*|\.?netrc|\.pgpass|config|credentials|hub|\.htpasswd))$/i

/** The name holds the vendor as a word of its own: `etsyToken`, `MY_ETSY_KEY`, not `SetSysctl`. */
function namesVendor(key: string, vendor: string): boolean {
  const at = key.toLowerCase().indexOf(vendor)
  if (at < 0) return false
  const before = key.charAt(at - 1)
  if (/[a-z]/i.test(before) && !(/[a-z]/.test(before) && /[A-Z]/.test(key.charAt(at)))) return false
  return !/^.+[a-z][A-Z]{1,2}$/.test(key.slice(at, at + vendor.length))
}

function isVendorValue(value: string): boolean {
  if (!/\d/.test(value) && !/^[a-f:]+$/i.test(value)) return false
  return !/^(.)\1+$/.test(value) && !/x{5,}|\*{3,}/i.test(value) && new Set(value).size >= 5
}

/** The word before a bare key belongs to its name: `access key`, `Client secret`, `public token`. */
function phraseAround(text: string, start: number, key: string): string {
  const before = /([\p{L}]{2,14})[ \t]$/u.exec(text.slice(Math.max(0, start - 16), start))?.[1]
  return before === undefined ? key : `${before} ${key}`
}

/** A cell or a macro parameter whose label, or the cell before it, names a secret. */
function readOwnLabel(parts: readonly Part[], at: number, configured: boolean): Found | undefined {
  const part = parts[at]
  const before = parts[at - 1]
  if (part === undefined || (part.kind !== 'cell' && part.kind !== 'attribute')) return undefined
  const beside = part.kind === 'cell' && before?.kind === 'cell' && before.text.length <= 40 ? before.text : ''
  const value = part.text.trim()
  if (value.length > 200) return undefined
  for (const label of [part.label ?? '', beside]) {
    const kind = label === '' ? undefined : kindOfKey(label)
    if (kind === undefined) continue
    const confidence = labelledConfidence(value, kind, configured)
    if (confidence === 0) continue
    const start = part.text.indexOf(value)
    const type = kind === 'password' ? 'PASSWORD' : 'KEYED_SECRET'
    return { type, start, end: start + value.length, severity: gradeOf(confidence), confidence, value }
  }
  return undefined
}

function labelledConfidence(value: string, kind: 'password' | 'token', configured: boolean): number {
  if (kind === 'token') return tokenConfidence(value, false)
  return configured ? configuredConfidence(value) : passwordConfidence(value, false, false)
}

function toMatch(found: Found, part: number, text: string): Match {
  const { type, start, end, severity, confidence, value, shown } = found
  return {
    findingType: type,
    part,
    start,
    end,
    severity,
    confidence,
    identity: value ?? text.slice(start, end),
    ...(shown === undefined ? {} : { shown }),
  }
}
