import type { Found, SearchProgress } from './found.ts'
import { isPlaceholder, isUnfilled, passwordConfidence, tokenConfidence } from './guards.ts'

const MAX_SCHEME_LENGTH = 32
/** Maximum number of characters of a login before its `@`. */
const MAX_LOGIN = 320
const userinfo = /^([^\s:/?#@"'<>`]{0,100}):([^\s/"'<>`]{1,200})@([A-Za-z0-9[][\w.:[\]-]{0,200})/
const databases =
  /^(?:jdbc:)?(?:postgres(?:ql)?|mysql|mariadb|mongodb(?:\+srv)?|redis|rediss|amqps?|mssql|sqlserver|oracle|clickhouse|cockroachdb|couchdb|neo4j|bolt|ldaps?|smtps?|imaps?|kafka|nats|cassandra|db2|snowflake|elasticsearch|opensearch|influxdb)/i

/** Accounts that devices and servers are delivered with, the password being the same word. */
const factoryAccount =
  /^(?:admin|administrator|root|tomcat|postgres|oracle|cisco|ubnt|manager|support|sysadmin|elastic)$/i

/** `scheme://user:password@host`; the reported range ends after the host. */
export function* findUrlCredential(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const sign = text.indexOf('@', at)
  progress.readFrom = sign < 0 ? text.length : sign - MAX_LOGIN
  // A login contains no slash, so that most addresses end here.
  const slash = text.indexOf('/', at + 3)
  if (at < progress.readFrom || (slash >= 0 && slash < sign)) return
  const name = schemeBefore(text, at)
  if (name.length < 2) return
  const parts = userinfo.exec(text.slice(at + 3, at + 520))
  if (parts === null) return
  const [, user = '', rest = '', host = ''] = parts
  const password = decode(rest)
  const isToken = /^(?:x-oauth-basic|x-access-token|oauth2|git|token)$/i
  const secret = isToken.test(password) ? user : password
  const isLogin = password.toLowerCase() === user.toLowerCase()
  const isFactory = isLogin && factoryAccount.test(password)
  if (!isFactory && (secret.length < 5 || isLogin || isPlaceholder(secret))) return
  if (/^[\d.]+$|(?:^|:)anon/i.test(secret) || isUnfilled(decode(user))) return
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
    confidence: strong ? 0.92 : isFactory ? 0.7 : 0.8,
    value: secret,
    shown: `${name}://•••:•••@${host}`,
  }
}

function schemeBefore(text: string, at: number): string {
  let start = at
  while (start > 0 && at - start < MAX_SCHEME_LENGTH && /[a-z0-9+.-]/i.test(text.charAt(start - 1))) start--
  return text.slice(start, at).replace(/^[^a-z]+/i, '')
}

export function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
