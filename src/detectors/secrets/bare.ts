import { hasRun, toCodes } from '../text.ts'
import type { Found } from './found.ts'
import { isMonotonous } from './guards.ts'

/** Minimum number of consecutive letters, digits, dashes and underscores in every such credential. */
const MIN_RUN = 27
const SEED_LENGTH = 58

const wordCodes = toCodes(/[\w-]/)

/** Credentials without a prefix or a name beside them, recognized by a character and the text around it. */
export function* findBare(text: string): Generator<Found> {
  if (!hasRun(text, wordCodes, MIN_RUN)) return
  yield* findDiscordTokens(text)
  yield* findFacebookTokens(text)
  for (const { 0: value, index } of hasRun(text, wordCodes, SEED_LENGTH) ? text.matchAll(natsSeed) : []) {
    if (!/[A-Za-z0-9]/.test(text.charAt(index - 1))) yield toFound('NATS_SEED', index, value, 0.93)
  }
}

/** Whether a text contains such a credential. */
export const holdsBare = (text: string): boolean =>
  hasRun(text, wordCodes, MIN_RUN) && findBare(text).next().done !== true

const toFound = (type: string, start: number, value: string, confidence: number): Found => {
  return { type, start, end: start + value.length, severity: 'HIGH', confidence, value, shown: '•••' }
}

/** NATS nkeys: a seed with its type, in base32. */
const natsSeed = /S[ACNOUX][A-Z2-7]{56}(?![A-Za-z0-9])/g
const discordId = /(?<![\w.-])[MNO][\w-]{22,27}$/
const discordRest = /^\.[\w-]{6}\.([\w-]{27,40})(?![\w.-])/

/** The id of the bot in base64, a timestamp, a signature. */
function* findDiscordTokens(text: string): Generator<Found> {
  for (let dot = text.indexOf('.'); dot >= 0; dot = text.indexOf('.', dot + 1)) {
    if (text.charCodeAt(dot + 7) !== 46) continue
    const rest = discordRest.exec(text.slice(dot, dot + 60))
    const id = rest === null ? undefined : discordId.exec(text.slice(Math.max(0, dot - 30), dot))?.[0]
    if (rest === null || id === undefined || isMonotonous(rest[1] ?? '')) continue
    if (!/^\d{15,20}/.test(Buffer.from(id, 'base64').toString('latin1')) && !/\d/.test(rest[1] ?? '')) continue
    yield toFound('DISCORD_TOKEN', dot - id.length, `${id}${rest[0]}`, 0.93)
  }
}

const mailchimpTail = /^-us\d{1,2}(?![\w-])/
const mailchimpBody = /(?<![\w-])[0-9a-f]{32}$/

export function* findMailchimpKey(text: string, at: number): Generator<Found> {
  const tail = mailchimpTail.exec(text.slice(at, at + 7))?.[0]
  const body = tail === undefined ? undefined : mailchimpBody.exec(text.slice(Math.max(0, at - 33), at))?.[0]
  if (body !== undefined && !isMonotonous(body)) yield toFound('MAILCHIMP_KEY', at - 32, `${body}${tail}`, 0.93)
}

const appId = /(?<!\d)\d{15,16}$/
const appSecret = /^\|(?=[A-Za-z_-]{0,24}\d)[\w-]{27}(?![\w-])/

function* findFacebookTokens(text: string): Generator<Found> {
  for (let bar = text.indexOf('|'); bar >= 0; bar = text.indexOf('|', bar + 1)) {
    const before = text.charCodeAt(bar - 1)
    if (before < 48 || before > 57) continue
    const id = appId.exec(text.slice(Math.max(0, bar - 17), bar))?.[0]
    const secret = id === undefined ? undefined : appSecret.exec(text.slice(bar, bar + 30))?.[0]
    if (id !== undefined && secret !== undefined)
      yield toFound('FACEBOOK_APP_TOKEN', bar - id.length, `${id}${secret}`, 0.93)
  }
}

/** The LM hash of an empty password. */
const EMPTY_LM = 'aad3b435b51404eeaad3b435b51404ee'
const EMPTY_NT = '31d6cfe0d16ae931b73c59d7e0c089c0'
const dumped = /[^\s:]{1,64}:\d{1,10}:([0-9a-fA-F]{32}):([0-9a-fA-F]{32})$/
const challenged = /[^\s:]{1,64}::[^\s:]{0,64}:[0-9a-fA-F]{16}:([0-9a-fA-F]{32})$/
const response = /^:0101[0-9a-fA-F]{40,2000}/

/** Accounts as printed by dumping tools: `name:id:LM:NT:::`. */
export function* findDumpedHash(text: string, at: number): Generator<Found> {
  const [, lm = '', nt = ''] = dumped.exec(text.slice(Math.max(0, at - 160), at)) ?? []
  if (nt === '' || nt === EMPTY_NT || isMonotonous(nt)) return
  const value = lm === EMPTY_LM ? nt : `${lm}:${nt}`
  yield toFound('PASSWORD_HASH', at - value.length, value, 0.93)
}

export function* findChallengeResponse(text: string, at: number): Generator<Found> {
  const proof = challenged.exec(text.slice(Math.max(0, at - 190), at))?.[1]
  const blob = proof === undefined ? undefined : response.exec(text.slice(at, at + 2100))?.[0]
  if (proof !== undefined && blob !== undefined) yield toFound('PASSWORD_HASH', at - 32, `${proof}${blob}`, 0.93)
}
