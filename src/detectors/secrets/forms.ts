import { decode } from './addresses.ts'
import { toChosen } from './chosen.ts'
import type { Found } from './found.ts'
import { configuredConfidence, isPlaceholder, isTechnical, passwordConfidence, tokenConfidence } from './guards.ts'
import { isGivenPassword } from './pairs.ts'

const filled = (value: string) => (isPlaceholder(value) ? 0 : 0.91)

/** What a command, a call or a setting takes as a password is one, however weak. */
export const givenConfidence = (value: string): number =>
  /^\d{1,6}$|^[:@&]/.test(value)
    ? 0
    : passwordConfidence(value, true, false) || (isPlaceholder(value) ? 0 : configuredConfidence(value))

const sure = () => 0.91
const strong = (value: string) => (givenConfidence(value) > 0.55 ? givenConfidence(value) : 0)
const bare = (value: string) => (isTechnical(value) ? 0 : passwordConfidence(value, true, false))
const paired = (value: string) => (isGivenPassword(value) ? 0.8 : 0)
const opaque = (value: string) => (tokenConfidence(value, true) < 0.7 ? 0 : 0.91)

const anywhere = () => true
const behind = (reach: number, pattern: RegExp) => (text: string, at: number) =>
  pattern.test(text.slice(Math.max(0, at - reach), at))
export const isCommandStart = behind(1, /^(?:$|[\s"'`$(;|&/\\>])/)
const isLineStart = behind(60, /(?:^|\n)[ \t]{0,8}(?:[\w()-]{1,40}[#>][ \t]?)?(?:set )?$/)
const isHost = behind(
  220,
  /(?:^|[\s|,;(])(?:https?:\/\/[^\s|,;]{4,200}|(?:\d{1,3}\.){3}\d{1,3}(?::\d{1,5})?|[a-z][\w-]{0,60}(?:\.[a-z][\w-]{0,60}){1,6})[ \t|,;:/-]{1,6}$/i,
)

/** `IDENTIFIED BY` belongs to one of these; in a sentence, people identify problems. */
const statement = /\b(?:user|grant|alter|create|role|database|link|connect)\b|\bto\s{1,4}[^\s,;]{1,80}\s{1,4}$/i
/** The end of a statement, a sentence, a paragraph or an item. */
const statementEnd = /;|\.\s|\n[ \t]{0,12}(?:\n|[*-] )/
const isInStatement = (text: string, at: number) =>
  statement.test(
    text
      .slice(Math.max(0, at - 200), at)
      .split(statementEnd)
      .at(-1) ?? '',
  )

type Judge = (value: string) => number
type Place = (text: string, at: number) => boolean
/**
 * What a secret follows: literals in lower case, and a pattern behind them whose last group is the secret. The functions
 * say whether the text before the literal allows it, and give the confidence of a value in its place.
 */
type Form = readonly [literals: string, pattern: RegExp, place?: Place, judge?: Judge, type?: string]

/** The sources are the manuals of the tools. */
const rows: readonly Form[] = [
  // SQL and program code.
  [
    'identified',
    /\s{1,4}(?:with\s{1,4}[\w"'`]{2,60}\s{1,4})?(?:by|as)\s{1,4}(?:(?:password|values)\s{1,4})?(["'])([^"'\n]{4,128})\1/iy,
    isInStatement,
  ],
  ['identified', /\s{1,4}by\s{1,4}([A-Za-z][\w$#]{4,40})(?=[\s;]|$)/iy, isInStatement, bare],
  ['password', /(?:\s{0,4}=\s{0,4}(?=N)|\s{0,3}\(\s{0,2}|\s{1,4})N?(['"])([^'"\n]{4,128})\1/y],
  ['convertto-securestring', /\s{1,4}(?:-(?:string|asplaintext|force)\s{1,4}){0,3}(["'])([^"'\n$]{4,128})\1/iy],
  [
    'sp_addlogin ;networkcredential(;pscredential(;usernamepasswordcredentials(;httpbasicauth(;.auth(;.login(',
    /\s{0,4}[@N]?["'][^"'\n]{1,80}["']\s{0,4},\s{0,4}[@N]?(["'])([^"'\n]{4,128})\1/y,
  ],
  ['getconnection(', /(?:\s{0,4}["'][^"'\n]{1,300}["']\s{0,4},){2}\s{0,4}(["'])([^"'\n]{4,128})\1/y],
  ['setx ', /\w{0,40}(?:password|passwd|pwd|_pass)\s{1,4}(["']?)([^\s"'%]{5,128})\1/iy],
  // Commands.
  ['http -a;http --auth', /[ =]["']?[^\s:"']{1,64}:([^\s"']{5,128})/y, isCommandStart],
  [
    'htpasswd',
    /(?:[ \t]-[a-z]{1,6}){1,3}[ \t][^\s|]{1,100}[ \t][^\s|]{1,64}[ \t]["']?([^\s"'|]{5,64})/iy,
    isCommandStart,
  ],
  ['smbclient;rpcclient', /\b[^\n]{0,160}?[ \t]-U[ \t]?["']?[^\s"'%]{1,64}%([^\s"']{5,64})/iy, isCommandStart],
  ['lftp', /\b[^\n]{0,100}?[ \t]-u[ \t]?["']?[^\s"',]{1,64},([^\s"']{5,64})/iy, isCommandStart],
  [
    'rabbitmqctl add_user;rabbitmqctl change_password;rabbitmqctl authenticate_user',
    /[ \t]{1,4}["']?[^\s"']{1,64}["']?[ \t]{1,4}["']?([^\s"']{5,64})/y,
    isCommandStart,
  ],
  ['wpa_passphrase', /[ \t]{1,4}["']?[^\s"']{1,40}["']?[ \t]{1,4}["']?([^\s"']{8,63})/y, isCommandStart],
  ['openssl', /\b[^\n]{0,200}?[ \t]-pass(?:in|out)?[ \t]{1,4}["']?pass:([^\s"']{4,64})/iy, isCommandStart],
  ['sqlplus', /[ \t](?:-\w{1,3}[ \t]){0,2}["']?[A-Za-z][\w$#]{0,30}\/["']?([^\s"'@/]{5,64})["']?@/y, isCommandStart],
  ['net use', /\b[^\n]{0,160}?\/user:\S{1,80}[ \t]{1,4}["']?([^\s/"'*][^\s"']{4,64})/iy, isCommandStart],
  [
    'net use',
    /[ \t](?:[a-z*]:?[ \t])?\\\\[^\s]{3,100}[ \t]{1,4}["']?([^\s/"'*][^\s"']{4,64})["']?[ \t][^\n]{0,60}\/user:/iy,
    isCommandStart,
  ],
  [
    'net user',
    /[ \t]{1,4}["']?[^\s"'/]{1,40}["']?[ \t]{1,4}["']?([^\s/"'*][^\s"']{4,64})["']?[ \t]{1,4}\/add/iy,
    isCommandStart,
  ],
  ['mysqladmin', /\b[^\n]{0,100}?[ \t]password[ \t]{1,4}["']?([^\s"']{5,64})/iy, isCommandStart],
  [
    'ssh ',
    /(?:-[A-Za-z][ \t]?\S{0,40}[ \t]){0,3}[\w.-]{1,40}@[\w.-]{3,100}[ \t]{1,4}([^\s"'`|;]{6,64})[ \t]{0,4}(?:\r?\n|$)/y,
    anywhere,
    paired,
  ],
  [
    'admin;root;administrator;sysadmin;superuser;deploy;postgres',
    /[ \t|,;:/]{1,6}([^\s|,;"'`]{6,64}?)[.:!?)\]}。，、]{0,3}(?=[\s|,;]|$)/y,
    isHost,
    paired,
  ],
  // Configurations of routers and switches; the digits after 7 are a reversible encoding.
  [
    'enable secret;enable password',
    /(?: level \d{1,2})?(?: [05])? ([^\s$]\S{4,64})[ \t]{0,4}(?:\r?\n|$)/y,
    isLineStart,
    strong,
  ],
  [
    'username ',
    /\S{1,64}(?: privilege \d{1,2})? (?:secret|password)(?: [05])? ([^\s$]\S{4,64})/iy,
    isLineStart,
    strong,
  ],
  ['tacacs-server;radius-server', / (?:host \S{1,80} )?key(?: 0)? (\S{5,64})/iy, isLineStart, strong],
  ['snmp-server community', / (\S{5,64})/y, isLineStart, strong],
  ['wpa-psk', / (?:ascii|hex)(?: 0)? (\S{8,64})/iy, isLineStart, strong],
  ['crypto isakmp key', /(?: 0)? (\S{5,64}) (?:address|hostname)/iy, isLineStart, strong],
  ['neighbor ', /\S{1,64} password(?: 0)? (\S{5,64})/iy, isLineStart, strong],
  ['password 7 ;key 7 ;secret 7 ', /((?:0\d|1[0-5])(?:[0-9A-F]{2}){4,60})(?![0-9A-Za-z])/iy, anywhere, sure],
  // Other types.
  [
    'otpauth://hotp/;otpauth://totp/',
    /[^\s"'<>?]{0,200}\?(?:[\w.%=+-]{1,100}&){0,6}secret=([A-Za-z2-7]{16,128})(?![A-Za-z0-9])/iy,
    anywhere,
    filled,
    'KEYED_SECRET',
  ],
  [
    ':5432:;:5433:;:*:*:',
    /(?:(?<=\*:)|[\w*-]{1,63}:)[\w.*-]{1,63}:([^\s:]{4,128})[ \t]{0,4}(?:\r?\n|$)/y,
    behind(101, /(?:^|\n)[\w.*-]{1,100}$/),
    filled,
    'KEYED_SECRET',
  ],
  [
    'private-lines: ',
    /\d{1,3}\r?\n((?:[A-Za-z0-9+/=]{1,70}\r?\n){0,200}[A-Za-z0-9+/=]{1,70})/y,
    anywhere,
    sure,
    'PRIVATE_KEY',
  ],
  ['jdbc:oracle:', /\w{3,6}:[\w$#.-]{1,64}\/([^\s"'@/]{4,128})@/y, anywhere, strong, 'CONNECTION_STRING'],
  ['bearer ', /\s{0,2}([\w.~+/=-]{20,2000})/y, anywhere, opaque, 'BEARER_TOKEN'],
  [
    '?sig=;&sig=;&signature=;&x-amz-signature=;&x-goog-signature=',
    /([\w%+/=-]{30,400})/y,
    anywhere,
    (value) => filled(decode(value)),
    'SIGNED_URL',
  ],
  [
    'encryptedusername";encryptedpassword"',
    /\s{0,4}:\s{0,4}"(M[A-Za-z0-9+/]{40,400}={0,2})"/y,
    anywhere,
    sure,
    'STORED_LOGIN',
  ],
]

export const forms = rows.map(([literals, pattern, place = anywhere, judge = givenConfidence, type = 'PASSWORD']) => ({
  literals: literals.split(';'),
  *find(text: string, at: number, end: number): Generator<Found> {
    if (!place(text, at)) return
    pattern.lastIndex = end
    const found = pattern.exec(text)
    const value = found?.at(-1) ?? ''
    const confidence = found === null ? 0 : judge(value)
    if (found === null || confidence === 0) return
    const start = end + found[0].lastIndexOf(value)
    yield toChosen(type, start, value, type === 'PASSWORD' ? 'command' : 'form', confidence)
  },
}))
