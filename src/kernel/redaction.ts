import { joinRanges, type Range } from './ranges.ts'

const memberStart = /"([^"\\]{1,160})"\s{0,8}:\s{0,8}"/g
const secretKey = /password|passwd|secret|token|authorization|api[-_]?key|cookie|credential/i
const authorization = /\b(?:Basic|Bearer)\s+([\w.~+/=-]{8,})/gi
// A path that is normalized keeps one slash of an address.
const userinfo = /([a-z][a-z0-9+.-]{0,30}:\/(?:\/|(?=[^\s/@:"'\\]{1,200}:)))[^\s/@"'\\]+@/gi
const parameter = /([?&;#]([\w.-]{1,120})=)[^&#\s"'\\]+/g
const tokenLike = /token|secret|password|passwd|pwd|signature|sig|api[-_]?key|access[-_]?key|code|auth|session|jwt/i
// Complete token forms need no word boundary: a token may directly follow a word.
export const vendorToken = new RegExp(
  [
    /(?<![A-Z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Z0-9])/,
    /\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|sk_live_|rk_live_|sk-ant-|npm_|hf_|ATATT|assay_)[\w-]{12,}/,
    /gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{60}|glpat-[\w-]{20}|xox[abprs]-\d{6}[\w-]{12,}|[rs]k_live_[A-Za-z0-9]{20,}/,
    /npm_[A-Za-z0-9]{36}/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)
const run = /[\w.-]{24,}/g
/** Up to its end line or, when it is cut off, as far as it continues. */
const privateKey = /-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----[A-Za-z0-9+/=:,.\s\\-]*/g

export const MASK = '********'

const known = new Set<string>()
const MIN_SECRET_LENGTH = 6
const MAX_SECRETS = 2000

/** Masks this text from now on in every line that leaves this thread, as it is and in its usual encodings. */
export function rememberSecret(secret: string): void {
  if (secret.length < MIN_SECRET_LENGTH || known.size >= MAX_SECRETS) return
  for (const form of [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
    Buffer.from(secret)
      .toString('base64')
      .replace(/={1,2}$/, ''),
    Buffer.from(secret).toString('base64url'),
  ]) {
    known.add(form)
  }
}

export function holdsRememberedSecret(text: string): boolean {
  for (const form of known) if (text.includes(form)) return true
  return false
}

/** All masked forms of this thread, to be passed to another one. */
export const exportMaskedForms = (): string[] => [...known]

export function importMaskedForms(forms: readonly string[]): void {
  for (const form of forms) known.add(form)
}

// Characters that act on a terminal, that line readers take for a line break, or that are invisible; JSON escapes all
// others itself.
const acting = /[\u007f-\u009f\u2028\u2029\p{Cf}\p{Default_Ignorable_Code_Point}]/gu

/** A character in the escapes of JSON: two of them beyond the Basic Multilingual Plane. */
export const toEscapes = (character: string): string =>
  Array.from(
    { length: character.length },
    (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** Escapes characters in JSON text that act on a terminal or are invisible. */
export function escapeTerminalCharacters(json: string): string {
  return json.replace(acting, toEscapes)
}

/** Finds the string values of JSON members whose names suggest a secret, up to the closing quote. */
function findMembers(line: string, found: Range[]): void {
  let from = 0
  for (const { 0: head, 1: name = '', index } of line.matchAll(memberStart)) {
    const start = index + head.length
    if (index < from || !secretKey.test(name)) continue
    let end = start
    while (end < line.length && line[end] !== '"') end += line[end] === '\\' ? 2 : 1
    from = Math.min(end, line.length)
    found.push({ start, end: from })
  }
}

/** The offset of a JSON Web Token: its header and payload both begin with `eyJ`, the encoding of `{"`. */
function findJwt(text: string): number | undefined {
  const pieces = text.split('.')
  const head = pieces.findIndex((piece, at) => /eyJ[\w-]{4}/.test(piece) && pieces[at + 1]?.startsWith('eyJ') === true)
  if (head < 0) return undefined
  return pieces.slice(0, head).join('.').length + (head > 0 ? 1 : 0) + (pieces[head]?.indexOf('eyJ') ?? 0)
}

/**
 * Finds credentials in a line: authorization headers, addresses, JSON members by name, known token formats, and texts
 * passed to `rememberSecret`. The ranges are unordered and may overlap.
 */
export function findCredentials(line: string): Range[] {
  const found: Range[] = []
  for (const secret of known) {
    for (let at = line.indexOf(secret); at >= 0; at = line.indexOf(secret, at + secret.length)) {
      found.push({ start: at, end: at + secret.length })
    }
  }
  // Each pattern runs only if a character that it needs is present: the check costs a tenth of the pattern.
  if (line.includes('"')) findMembers(line, found)
  for (const { 0: whole, 1: value = '', index } of line.matchAll(authorization)) {
    found.push({ start: index + whole.length - value.length, end: index + whole.length })
  }
  if (line.includes('@') && line.includes(':/')) {
    for (const { 0: whole, 1: scheme = '', index } of line.matchAll(userinfo)) {
      found.push({ start: index + scheme.length, end: index + whole.length - 1 })
    }
  }
  if (line.includes('=')) {
    for (const { 0: whole, 1: head = '', 2: name = '', index } of line.matchAll(parameter)) {
      if (tokenLike.test(name)) found.push({ start: index + head.length, end: index + whole.length })
    }
  }
  if (line.includes('eyJ')) {
    for (const { 0: text, index } of line.matchAll(run)) {
      const start = findJwt(text)
      if (start !== undefined) found.push({ start: index + start, end: index + text.length })
    }
  }
  if (line.includes('PRIVATE KEY')) {
    for (const { 0: key, index } of line.matchAll(privateKey)) found.push({ start: index, end: index + key.length })
  }
  for (const { 0: token, index } of line.matchAll(vendorToken)) {
    found.push({ start: index, end: index + token.length })
  }
  return found
}

/** Replaces each range in the line by a mask. */
export function maskRanges(line: string, ranges: readonly Range[]): string {
  if (ranges.length === 0) return line
  let masked = ''
  let at = 0
  for (const { start, end } of joinRanges(ranges)) {
    masked += line.slice(at, start) + MASK
    at = end
  }
  return masked + line.slice(at)
}

/** Whether a text is another one in which parts may be masked. */
export function isMaskOf(masked: string, text: string): boolean {
  const [first = '', ...pieces] = masked.split(MASK)
  const last = pieces.pop()
  if (last === undefined) return masked === text
  let at = first.length
  for (const piece of pieces) {
    const found = text.indexOf(piece, at)
    if (found < 0) return false
    at = found + piece.length
  }
  return text.startsWith(first) && text.endsWith(last) && at + last.length <= text.length
}

/** Masks credentials in a line before it leaves the process. */
export const maskCredentials = (line: string): string => maskRanges(line, findCredentials(line))

/** The scheme and host of an address whose path is a credential; the rest is masked. */
export function maskPath(address: string): string {
  const { protocol, host } = URL.canParse(address) ? new URL(address) : { protocol: 'https:', host: '' }
  return `${protocol}//${host}/${MASK}`
}
