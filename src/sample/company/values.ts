import { createHmac } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { toRandomText } from '../ids.ts'

/**
 * All planted values, generated from seeds: none is real, and none appears in the repository in the form that is
 * scanned. Formats and checksums are valid, so that detectors recognize them.
 */

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const ALNUM = UPPER + LOWER + DIGITS

/** The CRC-32 of the body in base 62, as appended to the tokens of some vendors. */
function toChecksumTail(body: string): string {
  let rest = crc32(body)
  let tail = ''
  const base62 = DIGITS + UPPER + LOWER
  while (rest > 0) {
    tail = base62.charAt(rest % 62) + tail
    rest = Math.floor(rest / 62)
  }
  return tail.padStart(6, '0')
}

function checkedToken(prefix: string, seed: string): string {
  const body = toRandomText(seed, ALNUM, 30)
  return `${prefix}${body}${toChecksumTail(body)}`
}

function luhnDigit(digits: string): number {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 0 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return (10 - (sum % 10)) % 10
}

/** A card number of a network, given by its leading digits; in groups of four. */
function card(prefix: string, seed: string): string {
  const body = prefix + toRandomText(seed, DIGITS, 15 - prefix.length)
  return `${body}${luhnDigit(body)}`.replace(/(\d{4})(?=\d)/g, '$1 ')
}

function iban(country: string, account: string): string {
  const digits = `${account}${country}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  const check = String(98n - (BigInt(digits) % 97n)).padStart(2, '0')
  return `${country}${check}${account}`.replace(/(.{4})(?=.)/g, '$1 ')
}

function jwt(seed: string, claims: object): string {
  const segment = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${segment({ alg: 'HS256', typ: 'JWT' })}.${segment(claims)}`
  return `${signed}.${createHmac('sha256', seed).update(signed).digest('base64url')}`
}

/** A private key as PEM: the structure of an RSA key around bytes that are not a valid key. */
function pem(seed: string): string {
  const header = Buffer.from('308204a30201000282010100', 'hex')
  const bytes = Buffer.from(toRandomText(seed, ALNUM, 1180), 'latin1').map(
    (byte, index) => (byte * 7 + index * 31) % 256,
  )
  const body = Buffer.concat([header, bytes]).toString('base64')
  const lines = body.match(/.{1,64}/g) ?? []
  const kind = 'RSA PRIVATE KEY'
  return [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].join('\n')
}

const password = (seed: string, word: string) =>
  `${word}${toRandomText(seed, '#!%+', 1)}${toRandomText(`${seed} tail`, ALNUM, 6)}4`
const splitAt = (text: string, at: number) => [text.slice(0, at), text.slice(at)] as const
const dashed = (seed: string) => toRandomText(seed, ALNUM, 20)

export const secrets = {
  awsKeyId: `AKIA${toRandomText('aws id', `${UPPER}234567`, 16)}`,
  awsSecret: toRandomText('aws secret', `${ALNUM}/+`, 40),
  stripeKey: `sk_live_${toRandomText('stripe', ALNUM, 32)}`,
  githubToken: checkedToken('ghp_', 'github'),
  npmToken: checkedToken('npm_', 'npm'),
  gitlabToken: `glpat-${dashed('gitlab')}`,
  /** In two pieces, which a page puts into different tags. */
  gitlabTokenInTags: splitAt(`glpat-${dashed('gitlab in tags')}`, 13),
  slackToken: `xoxb-${toRandomText('slack a', '123456789', 12)}-${toRandomText('slack b', '123456789', 12)}-${toRandomText('slack c', ALNUM, 24)}`,
  sendgridKey: `SG.${toRandomText('sendgrid a', ALNUM, 22)}.${toRandomText('sendgrid b', ALNUM, 43)}`,
  privateKey: pem('till gateway'),
  stockPassword: password('stock', 'Heather'),
  legacyPassword: password('legacy', 'Bracken'),
  carrierPassword: password('carrier', 'Fellside'),
  tillPasswords: [password('till 1', 'Crampon'), password('till 2', 'Ropewalk'), password('till 3', 'Gaiter')] as const,
  registerPasswords: [
    password('register 1', 'Tarnside'),
    password('register 2', 'Scree'),
    password('register 3', 'Windermere'),
  ] as const,
  artifactPassword: password('artifact', 'Cobble'),
  recoveryKey: toRandomText('recovery', ALNUM, 36),
  sessionJwt: jwt('session', { iss: 'gate', sub: 'svc-ferry', scope: 'orders:write', exp: 4_102_444_800 }),
  gatewayJwt: jwt('gateway', { iss: 'gate', sub: 'partner-demo', aud: 'catalogue', exp: 4_102_444_800 }),
  biPassword: password('bi source', 'Curlew'),
  biParameterPassword: password('bi parameter', 'Plover'),
  biApiKey: toRandomText('bi api key', ALNUM, 40),
  biReportPassword: password('bi report', 'Osprey'),
  passwordHash: `$2b$12$${toRandomText('bcrypt', `${ALNUM}./`, 53)}`,
}

export const people = {
  customerMails: [
    'maren.holloway@fellpost.net',
    'tobias.renard@glenmail.org',
    'ines.carvalho@posteverde.net',
    'joss.ackerley@fellpost.net',
    'priya.venkat@glenmail.org',
    'leif.aronsen@nordbrev.net',
  ],
  customerPhones: [
    '+44 117 496 0128',
    '+49 30 23125 408',
    '+351 21 340 2217',
    '+44 20 7946 0381',
    '+1 415 555 2671',
    '+47 22 86 44 19',
  ],
  complaintMail: 'd.mackworth@glenmail.org',
  complaintPhone: '+44 161 496 0207',
  nurseMail: 'station-nurse@fellpost.net',
  nursePhone: '+44 113 496 0155',
  refundCard: card('4539', 'refund'),
  disputeCard: card('5412', 'dispute'),
  payrollIbans: [iban('GB', 'LKMB20481733906152'), iban('DE', '500105175407324931')] as const,
  supplierIban: iban('NL', 'ABNA0417233915'),
  sheetIbans: [iban('GB', 'LKMB20481755102934'), iban('FR', '20041010050500013M02606')] as const,
  contractorSsn: ['512', '47', '8306'].join('-'),
  sheetSsns: [['437', '28', '6915'].join('-'), ['608', '13', '2744'].join('-')] as const,
  officeAddresses: ['10.42.16.1', '10.42.17.250', '81.174.203.18'] as const,
  auditorMail: 'h.lindqvist@revisio-nord.net',
  reportContact: 'amelie.brandt@glenmail.org',
}
