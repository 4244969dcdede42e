import type { Found, SearchProgress } from './found.ts'
import { configuredConfidence, isPlaceholder, passwordConfidence, tokenConfidence } from './guards.ts'

const curlUser = /(?:^|\s)(?:-u|--user|-U|--proxy-user)[ =]?(["']?)([^\s"':]{1,80}:[^\s"']{0,128})\1(?=[\s"']|$)/g
const curlLine = /^(?:[^\n]|\\\r?\n){0,1000}/

export function* findCurlUser(text: string, at: number, progress: SearchProgress): Generator<Found> {
  const line = curlLine.exec(text.slice(at, at + 1200))?.[0] ?? ''
  progress.readFrom = at + line.length
  for (const found of line.matchAll(curlUser)) {
    const [whole, quote = '', pair = ''] = found
    const split = pair.indexOf(':')
    const [user, password] = [pair.slice(0, split), pair.slice(split + 1)]
    const secret = password === '' ? user : password
    const sure =
      password === ''
        ? tokenConfidence(secret, true) || passwordConfidence(secret, true, false)
        : passwordConfidence(secret, true, false)
    if (sure === 0) continue
    const start = at + found.index + whole.indexOf(pair)
    const lead = quote === '' ? 0 : 1
    yield {
      type: 'BASIC_AUTH',
      start: start - lead,
      end: start + pair.length + lead,
      severity: 'HIGH',
      confidence: 0.8,
      value: secret,
    }
  }
}

/** Options of commands that take a password as their value. */
const options: readonly RegExp[] = [
  /^mysql(?:dump|admin|import)?\b[^\n]{0,200}?\s-p["']?([^\s"'-][^\s"']{4,64})/i,
  /^sshpass\s{1,3}-p\s?["']?([^\s"']{5,64})/i,
  /^(?:docker|podman) login\b[^\n]{0,160}?\s(?:-p|--password)[ =]["']?([^\s"']{5,200})/i,
  /^redis-cli\b[^\n]{0,160}?\s-a\s["']?([^\s"']{5,200})/i,
  /^http -a\s["']?[^\s:"']{1,64}:([^\s"']{5,128})/i,
  /^htpasswd(?:[ \t]-[a-z]{1,6}){1,3}[ \t][^\s|]{1,100}[ \t][^\s|]{1,64}[ \t]["']?([^\s"'|]{5,64})/i,
  /^snmp-server community\s{1,3}([^\s"']{5,64})/i,
  /^net use\b[^\n]{0,160}?\/user:\S{1,80}\s([^\s/"'][^\s"']{4,64})/i,
]
const MAX_COMMAND_LENGTH = 400

/** What stands where a command takes a password is one, weak as it may be. */
const givenConfidence = (value: string) =>
  passwordConfidence(value, true, false) || (isPlaceholder(value) ? 0 : configuredConfidence(value))

/** `mysql -psecret`, `sshpass -p secret`, `docker login -p secret` and their like. */
export function* findCommandPassword(text: string, at: number): Generator<Found> {
  const command = text.slice(at, at + MAX_COMMAND_LENGTH)
  for (const option of options) {
    const found = option.exec(command)
    const value = found?.[1] ?? ''
    const confidence = givenConfidence(value)
    if (found === null || confidence === 0) continue
    const start = at + found[0].lastIndexOf(value)
    yield { type: 'PASSWORD', start, end: start + value.length, severity: 'HIGH', confidence, value }
    return
  }
}

const piped = /(?:^|\s)(?:echo|printf)\s(?:-\w{1,3}\s)?["']?([^\s"'|]{5,64})["']?\s{0,3}$/

/** `echo secret | sudo -S …`. */
export function* findPipedPassword(text: string, at: number): Generator<Found> {
  const from = Math.max(0, at - 100)
  const found = piped.exec(text.slice(from, at))
  const value = found?.[1] ?? ''
  const confidence = givenConfidence(value)
  if (found === null || confidence === 0) return
  const start = from + found.index + found[0].lastIndexOf(value)
  yield { type: 'PASSWORD', start, end: start + value.length, severity: 'HIGH', confidence, value }
}

const scrambled = /^(?:password|key|secret) 7 ((?:0\d|1[0-5])(?:[0-9A-F]{2}){4,60})(?![0-9A-Za-z])/i

/** A password of a router's configuration, scrambled in the vendor's reversible way: two digits and pairs of hex. */
export function* findRouterPassword(text: string, at: number): Generator<Found> {
  const value = scrambled.exec(text.slice(at, at + 160))?.[1]
  if (value === undefined) return
  const start = at + text.slice(at, at + 40).indexOf(value)
  yield { type: 'PASSWORD', start, end: start + value.length, severity: 'HIGH', confidence: 0.8, value }
}
