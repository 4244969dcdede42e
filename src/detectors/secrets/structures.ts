import { isWordCode } from '../text.ts'
import { findCommandPassword, findCurlUser } from './commands.ts'
import type { Found, Progress } from './found.ts'
import { isMonotonous, isPlaceholder, passwordConfidence, tokenConfidence } from './guards.ts'
import { findColumn, findPair } from './tables.ts'

interface Structure {
  literals: readonly string[]
  find(text: string, at: number, progress: Progress): Iterable<Found>
}

const PEM_LONGEST = 16_000

function* findPrivateKey(text: string, at: number): Generator<Found> {
  const window = text.slice(at, at + PEM_LONGEST)
  const head = /^-----BEGIN ((?:[A-Z0-9]{2,10} ){0,3})PRIVATE KEY(?: BLOCK)?-----/.exec(window)
  if (head === null) return
  const dashes = text.indexOf('-----', at + head[0].length)
  if (text.startsWith('-----BEGIN', dashes)) return
  const tail = window.indexOf('-----END', head[0].length)
  const body = window.slice(head[0].length, tail < 0 ? Math.min(window.length, 4_000) : tail)
  const encrypted = /ENCRYPTED|Proc-Type: 4/.test(head[0] + body.slice(0, 120))
  const signs = body
    .replace(/\\[nr]/g, '\n')
    .split('\n')
    .filter((line) => !line.includes(': '))
    .join('')
    .replace(/[\s"'`,+>#|*\\]/g, '')
  const isBase64 = /^[A-Za-z0-9+/=-]{56,}$/.test(signs)
  if (tail < 0 ? !/^[A-Za-z0-9+/=]{200,}/.test(signs) : !isBase64) return
  if (new Set(signs).size < 12 || /(.)\1{19,}/.test(signs.replace(/A{20,}/g, ''))) return
  const footer = tail < 0 ? null : /^-----END [A-Z0-9 ]{3,50}-----/.exec(window.slice(tail))
  const end = at + (tail < 0 ? head[0].length + body.trimEnd().length : tail + (footer?.[0].length ?? 8))
  yield {
    type: 'PRIVATE_KEY',
    start: at,
    end,
    severity: encrypted ? 'HIGH' : 'CRITICAL',
    confidence: 0.98,
    value: signs,
    shown: `${head[0]} •••`,
  }
}

function* findPuttyKey(text: string, at: number): Generator<Found> {
  const window = text.slice(at, at + PEM_LONGEST)
  const lines = /Private-Lines: \d{1,3}\r?\n((?:[A-Za-z0-9+/=]{1,70}\r?\n){1,200})/.exec(window)
  if (lines === null) return
  const end = at + lines.index + lines[0].trimEnd().length
  yield {
    type: 'PRIVATE_KEY',
    start: at,
    end,
    severity: 'CRITICAL',
    confidence: 0.98,
    shown: 'PuTTY-User-Key-File •••',
  }
}

const jwt = /eyJ[\w-]{10,2000}\.eyJ[\w-]{10,8000}\.[\w-]{16,1500}/y

function* findJwt(text: string, at: number): Generator<Found> {
  if (isWordCode(text.charCodeAt(at - 1))) return
  jwt.lastIndex = at
  const token = jwt.exec(text)?.[0]
  if (token === undefined) return
  const [head = '', body = ''] = token.split('.')
  const header = toJson(head)
  if (header === undefined || !('alg' in header)) return
  const expires = toJson(body)?.exp
  const expired = typeof expires === 'number' && expires < 1_600_000_000
  yield {
    type: 'JWT',
    start: at,
    end: at + token.length,
    severity: expired ? 'LOW' : 'HIGH',
    confidence: 0.85,
    shown: 'eyJ•••',
  }
}

function toJson(base64: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(base64, 'base64url').toString('utf8'))
    return typeof parsed === 'object' && parsed !== null ? (parsed as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const encodedJwt = /ZXlK[A-Za-z0-9+/]{60,8000}={0,2}/y

/** A JWT inside base64, as configuration files of clusters hold it. */
function* findEncodedJwt(text: string, at: number): Generator<Found> {
  if (isWordCode(text.charCodeAt(at - 1))) return
  encodedJwt.lastIndex = at
  const encoded = encodedJwt.exec(text)?.[0]
  if (encoded === undefined) return
  const decoded = Buffer.from(encoded, 'base64').toString('latin1')
  if (!/^eyJ[\w-]{8,}\.eyJ[\w-]{4,}/.test(decoded)) return
  yield { type: 'JWT', start: at, end: at + encoded.length, severity: 'HIGH', confidence: 0.85, shown: 'ZXlK•••' }
}

const LONGEST_SCHEME = 32
const userinfo = /^([^\s:/?#@"'<>`]{0,100}):([^\s/"'<>`]{1,200})@([A-Za-z0-9[][\w.:[\]-]{0,200})/
const databases =
  /^(?:jdbc:)?(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|redis|rediss|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchdb|neo4j|bolt|ldaps?|smtps?|imaps?|kafka|nats|cassandra|db2|snowflake|elasticsearch|opensearch|influxdb)/i

/** `scheme://user:password@host`; the span ends behind the host. */
function* findUrlCredential(text: string, at: number): Generator<Found> {
  const name = schemeBefore(text, at)
  if (name.length < 2) return
  const parts = userinfo.exec(text.slice(at + 3, at + 520))
  if (parts === null) return
  const [, user = '', rest = '', host = ''] = parts
  const password = decode(rest)
  const isToken = /^(?:x-oauth-basic|x-access-token|oauth2|git|token)$/i
  const secret = isToken.test(password) ? user : password
  if (
    secret.length < 5 ||
    isPlaceholder(secret) ||
    password.toLowerCase() === user.toLowerCase() ||
    /^[\d.]+$/.test(secret)
  )
    return
  if (/^(?:user|username|dbuser|login|usr)$/i.test(user) && passwordConfidence(secret, true, false) === 0) return
  const database = databases.test(name)
  const own =
    /^(?:localhost|127\.|0\.0\.0\.0|\[::1\]|host\.docker\.internal|postgres|mysql|redis|db|mongo)(?:[:.]|$)/i.test(host)
  const documentation = /(?:^|\.)example\.(?:com|org|net)/i.test(host)
  const strong = passwordConfidence(secret, true, false) > 0 || tokenConfidence(secret, true) > 0
  if ((own || documentation) && !strong) return
  yield {
    type: database ? 'CONNECTION_STRING' : 'URL_CREDENTIAL',
    start: at - name.length,
    end: at + 3 + parts[0].length,
    severity: own ? 'LOW' : database ? 'CRITICAL' : 'HIGH',
    confidence: strong ? 0.9 : 0.65,
    value: secret,
    shown: `${name}://•••:•••@${host}`,
  }
}

function schemeBefore(text: string, at: number): string {
  let start = at
  while (start > 0 && at - start < LONGEST_SCHEME && /[a-z0-9+.-]/i.test(text.charAt(start - 1))) start--
  return text.slice(start, at).replace(/^[^a-z]+/i, '')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

const authorization =
  /^["']?\s{0,3}[:=]\s{0,3}["'`]{0,1}(Basic|Bearer|Token|ApiKey|SSWS|Digest|GenieKey|OAuth)\s{1,3}([^\s"'`\\<>,;]{8,2000})/i

function* findAuthorization(text: string, at: number): Generator<Found> {
  const found = authorization.exec(text.slice(at + 'authorization'.length, at + 2100))
  if (found === null) return
  const [whole, kind = '', value = ''] = found
  const basic = kind.toLowerCase() === 'basic'
  if (isPlaceholder(value) && !basic) return
  const confidence = basic ? basicConfidence(value) : tokenConfidence(value, true)
  if (confidence === 0) return
  const end = at + 'authorization'.length + whole.length
  yield {
    type: basic ? 'BASIC_AUTH' : 'BEARER_TOKEN',
    start: end - value.length,
    end,
    severity: 'HIGH',
    confidence: Math.max(confidence, 0.8),
    value,
  }
}

/** Base64 of `user:password`, where the password is not one of the documentation's. */
export function basicConfidence(value: string): number {
  if (!/^[A-Za-z0-9+/_-]{12,1000}={0,2}$/.test(value)) return 0
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const split = pair.indexOf(':')
  if (split < 1 || /[^\x20-\x7e]/.test(pair)) return 0
  const password = pair.slice(split + 1)
  return password.length >= 5 && !isPlaceholder(password) && password !== pair.slice(0, split) ? 0.85 : 0
}

const identified = /^identified\s{1,4}by\s{1,4}(?:password\s{1,4})?["']([^"'\n]{4,128})["']/i

/** `CREATE USER … IDENTIFIED BY '…'`. */
function* findIdentifiedBy(text: string, at: number): Generator<Found> {
  const found = identified.exec(text.slice(at, at + 200))
  const value = found?.[1] ?? ''
  if (found === null || passwordConfidence(value, true, false) === 0) return
  const end = at + found[0].length - 1
  yield { type: 'PASSWORD', start: end - value.length, end, severity: 'HIGH', confidence: 0.8, value }
}

const oracle = /^jdbc:oracle:\w{3,6}:([\w$#.-]{1,64})\/([^\s"'@/]{4,128})@/i

function* findOracleLogin(text: string, at: number): Generator<Found> {
  const found = oracle.exec(text.slice(at, at + 260))
  const value = found?.[2] ?? ''
  if (found === null || passwordConfidence(value, true, false) === 0) return
  const end = at + found[0].length - 1
  yield { type: 'CONNECTION_STRING', start: end - value.length, end, severity: 'CRITICAL', confidence: 0.85, value }
}

const bearer = /^bearer\s{1,3}([\w.~+/=-]{20,2000})/i

function* findBearer(text: string, at: number): Generator<Found> {
  const value = bearer.exec(text.slice(at, at + 2_020))?.[1] ?? ''
  if (tokenConfidence(value, true) < 0.7) return
  const start = text.indexOf(value, at)
  yield { type: 'BEARER_TOKEN', start, end: start + value.length, severity: 'HIGH', confidence: 0.75, value }
}

const hashShapes = [
  /\$2[abxy]\$\d\d\$[./A-Za-z0-9]{53}/y,
  /\$[156]\$(?:rounds=\d{1,9}\$)?[^$\s"':]{1,32}\$[./A-Za-z0-9]{22,86}/y,
  /\$apr1\$[./A-Za-z0-9]{1,8}\$[./A-Za-z0-9]{22}/y,
  /\$argon2(?:id|i|d)\$v=\d{1,3}\$m=\d{1,9},t=\d{1,5},p=\d{1,3}\$[A-Za-z0-9+/]{8,90}\$[A-Za-z0-9+/]{16,90}/y,
  /\$[PH]\$[./A-Za-z0-9]{31}/y,
  /\$y\$[./A-Za-z0-9]{2,8}\$[./A-Za-z0-9]{8,90}\$[./A-Za-z0-9]{43}/y,
  /pbkdf2_sha(?:1|256)\$\d{3,8}\$[A-Za-z0-9]{8,40}\$[A-Za-z0-9+/]{24,90}={0,2}/y,
  /\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{24,120}={0,2}/y,
]

function* findHash(text: string, at: number): Generator<Found> {
  for (const shape of hashShapes) {
    shape.lastIndex = at
    const hash = shape.exec(text)?.[0]
    if (hash === undefined) continue
    if (isMonotonous(hash.split(/[$}]/).at(-1) ?? '')) return
    const end = at + hash.length
    yield {
      type: 'PASSWORD_HASH',
      start: at,
      end,
      severity: 'MEDIUM',
      confidence: 0.85,
      shown: `${hash.slice(0, 4)}•••`,
    }
    return
  }
}

const signature = /[?&](sig|signature|x-amz-signature|x-goog-signature)=([\w%+/=-]{30,400})/iy

function* findSignature(text: string, at: number): Generator<Found> {
  signature.lastIndex = at
  const found = signature.exec(text)
  if (found === null || isPlaceholder(found[2] ?? '')) return
  const value = found[2] ?? ''
  const end = at + found[0].length
  yield { type: 'SIGNED_URL', start: end - value.length, end, severity: 'HIGH', confidence: 0.75, value }
}

/** Values of a Kubernetes Secret: base64 under `data`, plain under `stringData`. */
function* findKubernetesSecret(text: string, at: number, progress: Progress): Generator<Found> {
  if (!/^kind["']?:[ \t]{0,4}["']?secret["']?[ \t]{0,20}(?:\r?\n|$|,)/i.test(text.slice(at, at + 60))) return
  const before = text.lastIndexOf('\n---', at)
  const after = text.indexOf('\n---', at)
  const from = Math.max(before, at - 4_000, 0)
  const manifest = text.slice(from, Math.min(after < 0 ? text.length : after, at + 4_000))
  progress.readFrom = at + 1_000
  const block = /^([ \t]{0,8})data:[ \t]{0,20}\r?\n((?:\1[ \t]+[^\n]{1,4000}\r?\n?){1,60})/m.exec(manifest)
  if (block === null) return
  const lines = block[2] ?? ''
  const offset = from + block.index + block[0].length - lines.length
  for (const value of lines.matchAll(
    /(?:^|:[ \t]{1,8}|^[ \t]+)["']?([A-Za-z0-9+/]{12,4000}={0,2})["']?[ \t]{0,8}$/gm,
  )) {
    const encoded = value[1] ?? ''
    if (encoded.length % 4 !== 0) continue
    const start = offset + value.index + value[0].indexOf(encoded)
    yield {
      type: 'KUBERNETES_SECRET',
      start,
      end: start + encoded.length,
      severity: 'HIGH',
      confidence: 0.8,
      value: encoded,
    }
  }
}

const LONGEST_HOST = 120

function* findPgPass(text: string, at: number): Generator<Found> {
  const reach = Math.max(0, at - LONGEST_HOST)
  const lineStart = reach + text.slice(reach, at).lastIndexOf('\n') + 1
  const line = /^[\w.*-]{1,100}:(?:\d{2,5}|\*):[\w*-]{1,63}:[\w.*-]{1,63}:([^\s:]{4,128})[ \t]{0,4}(?:\r?\n|$)/.exec(
    text.slice(lineStart, lineStart + 400),
  )
  const value = line?.[1]
  if (line === null || value === undefined || isPlaceholder(value)) return
  const start = lineStart + line[0].indexOf(value, line[0].lastIndexOf(':'))
  yield { type: 'KEYED_SECRET', start, end: start + value.length, severity: 'HIGH', confidence: 0.75, value }
}

function* findFirefoxLogin(text: string, at: number): Generator<Found> {
  const found = /^encrypted(?:Username|Password)"\s{0,4}:\s{0,4}"(M[A-Za-z0-9+/]{40,400}={0,2})"/.exec(
    text.slice(at, at + 500),
  )
  const value = found?.[1]
  if (found === null || value === undefined) return
  const start = at + found[0].indexOf(value)
  yield { type: 'STORED_LOGIN', start, end: start + value.length, severity: 'HIGH', confidence: 0.75, value }
}

export const structures: readonly Structure[] = [
  { literals: ['-----begin '], find: findPrivateKey },
  { literals: ['putty-user-key-file-'], find: findPuttyKey },
  { literals: ['eyj'], find: findJwt },
  { literals: ['zxlk'], find: findEncodedJwt },
  { literals: ['://'], find: findUrlCredential },
  { literals: ['curl '], find: findCurlUser },
  {
    literals: ['mysql', 'sshpass', 'docker login', 'podman login', 'redis-cli', 'http -a', 'net use', 'psql'],
    find: findCommandPassword,
  },
  { literals: ['identified by'], find: findIdentifiedBy },
  { literals: ['jdbc:oracle:'], find: findOracleLogin },
  { literals: ['bearer '], find: findBearer },
  { literals: ['login', 'user', 'zugang', 'benutzer', 'credentials', 'account'], find: findPair },
  {
    literals: [
      'password',
      'passwort',
      'kennwort',
      'secret',
      'token',
      'api key',
      'mot de passe',
      'contraseña',
      'senha',
      'hasło',
    ],
    find: findColumn,
  },
  { literals: ['authorization'], find: findAuthorization },
  {
    literals: [
      '$2a$',
      '$2b$',
      '$2x$',
      '$2y$',
      '$1$',
      '$5$',
      '$6$',
      '$apr1$',
      '$argon2',
      '$p$',
      '$h$',
      '$y$',
      'pbkdf2_sha',
      '{ssha',
      '{sha',
    ],
    find: findHash,
  },
  { literals: ['?sig=', '&sig=', '&signature=', 'x-amz-signature=', 'x-goog-signature='], find: findSignature },
  { literals: ['kind:', 'kind":'], find: findKubernetesSecret },
  { literals: [':5432:', ':5433:', ':*:*:'], find: findPgPass },
  { literals: ['encryptedusername"', 'encryptedpassword"'], find: findFirefoxLogin },
]
