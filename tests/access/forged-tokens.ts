import { createHmac, type KeyObject, randomUUID, sign } from 'node:crypto'
import {
  audience,
  claimsOf,
  rsaKey,
  type SigningKey,
  secondsFromNow,
  signToken,
  type TestIssuer,
  type TokenChanges,
} from '../support/issuer.ts'

/** Whose words a token repeats. */
export interface Forgery {
  issuer: TestIssuer
  /** A key of the issuer. */
  good: SigningKey
  /** A key that the issuer does not know, under an id that it does. */
  stranger: KeyObject
  /** An issuer of the forger, with keys of its own. */
  elsewhere: string
}

type Make = (about: Forgery) => string | Promise<string>

const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64url')
const write = ({ issuer, good }: Forgery, changes: TokenChanges = {}) => signToken(issuer, good, changes)
const withClaims =
  (claims: Record<string, unknown>): Make =>
  (about) =>
    write(about, { claims })
const byStranger =
  (header: Record<string, unknown>): Make =>
  (about) =>
    write(about, { header, key: about.stranger })

/** Signs whatever text stands for the header and the claims, which a library would refuse to write. */
const signText = ({ good }: Forgery, header: unknown, claims: unknown) => {
  const text = `${encode(header)}.${encode(claims)}`
  return `${text}.${sign('sha256', Buffer.from(text), good.privateKey).toString('base64url')}`
}
const headerOf = ({ good }: Forgery, changes: object = {}) => ({
  alg: 'RS256',
  typ: 'at+jwt',
  kid: good.id,
  ...changes,
})
/** Claims in which a member has a value that JSON can write and JavaScript cannot. */
const withLiteral =
  (member: string, literal: string): Make =>
  (about) =>
    signText(
      about,
      headerOf(about),
      JSON.stringify(claimsOf(about.issuer, { [member]: '@' })).replace('"@"', () => literal),
    )
const unsigned = (about: Forgery, header: object, signature = '') =>
  `${encode(header)}.${encode(claimsOf(about.issuer))}.${signature}`
const withMac = (about: Forgery, secret: string | Buffer, alg = 'HS256') => {
  const text = `${encode(headerOf(about, { alg }))}.${encode(claimsOf(about.issuer))}`
  return `${text}.${createHmac(`sha${alg.slice(2)}`, secret)
    .update(text)
    .digest('base64url')}`
}
const tamper =
  (change: Record<string, unknown>): Make =>
  async (about) => {
    const [header = '', payload = '', signature = ''] = (await write(about)).split('.')
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as object
    return [header, encode({ ...claims, ...change }), signature].join('.')
  }

const YEAR = 365 * 86_400

/** Tokens that somebody else made up, that were made for somebody else, or whose claims are not what they must be. */
export const forgedTokens: readonly (readonly [string, Make])[] = [
  ['another issuer', withClaims({ iss: 'https://evil.example' })],
  ['our issuer with a trailing slash', (about) => write(about, { claims: { iss: `${about.issuer.address}/` } })],
  [
    'another issuer that signs with its own key',
    (about) => write(about, { claims: { iss: about.elsewhere }, key: about.stranger }),
  ],
  ['no issuer', withClaims({ iss: undefined })],
  ['an issuer that is a list', (about) => write(about, { claims: { iss: [about.issuer.address] } })],
  ['another audience', withClaims({ aud: 'https://other.example' })],
  ['an audience that begins like ours', withClaims({ aud: `${audience}.evil.example` })],
  ['an audience in capitals', withClaims({ aud: audience.toUpperCase() })],
  ['a list of other audiences', withClaims({ aud: ['a', 'b'] })],
  ['an empty list of audiences', withClaims({ aud: [] })],
  ['an audience in a list with other types', withClaims({ aud: [audience, 1] })],
  ['an audience inside an object', withClaims({ aud: { 0: audience } })],
  ['no audience', withClaims({ aud: undefined })],
  ['an end in the past', withClaims({ exp: secondsFromNow(-61) })],
  ['no end', withClaims({ exp: undefined })],
  ['an end that is no number', withClaims({ exp: 'never' })],
  ['an end that is a number as a string', withClaims({ exp: String(secondsFromNow(300)) })],
  ['an end that is infinite', withLiteral('exp', '1e999')],
  ['an end that is null', withClaims({ exp: null })],
  ['an end in a list', withClaims({ exp: [secondsFromNow(300)] })],
  ['an end more than a year away', withClaims({ exp: secondsFromNow(YEAR + 3_600) })],
  ['an end in milliseconds', withClaims({ exp: secondsFromNow(300) * 1000 })],
  ['a beginning in the future', withClaims({ nbf: secondsFromNow(3_600), exp: secondsFromNow(7_200) })],
  ['a beginning that is text', withClaims({ nbf: 'now' })],
  ['a beginning of minus infinity', withLiteral('nbf', '-1e999')],
  ['a beginning that is null', withClaims({ nbf: null })],
  ['a time of issue that is text', withClaims({ iat: 'yesterday' })],
  ['a time of issue that is an object', withClaims({ iat: {} })],
  ['no subject', withClaims({ sub: undefined })],
  ['an empty subject', withClaims({ sub: '' })],
  ['a subject that is a number', withClaims({ sub: 1 })],
  ['a subject that is true', withClaims({ sub: true })],
  ['a subject that is null', withClaims({ sub: null })],
  ['a subject that is a list', withClaims({ sub: ['ada'] })],
  ['a subject that is an object', withClaims({ sub: { toString: 'ada' } })],
  ['a subject of 256 characters', withClaims({ sub: 'a'.repeat(256) })],
  ['a subject with a line break', withClaims({ sub: 'ada\ngrace' })],
  ['a subject with a NUL', withClaims({ sub: 'ada\u0000' })],
  ['a subject with an escape sequence', withClaims({ sub: '\u001b[2Kada' })],
  ['a subject with a C1 control', withClaims({ sub: 'ada\u0085' })],
  ['a subject with a line separator', withClaims({ sub: 'ada\u2028grace' })],
  ['a subject with a paragraph separator', withClaims({ sub: 'ada\u2029grace' })],
  ['a subject with an invisible character', withClaims({ sub: 'ada\u200b' })],
  ['a subject with half of a character', withLiteral('sub', '"ada\\ud800"')],
  ['an unknown key under a known id', byStranger({})],
  ['an unknown key id', byStranger({ kid: 'third' })],
  ['another unknown key id', byStranger({ kid: randomUUID() })],
  ['a key id that is a path', byStranger({ kid: '../../../../dev/null' })],
  ['a key id of 256 characters', byStranger({ kid: 'k'.repeat(256) })],
  ['a key id that is a number', (about) => signText(about, headerOf(about, { kid: 1 }), claimsOf(about.issuer))],
  ['no key id and an unknown key', byStranger({ kid: undefined })],
  ['a short key', (about) => signWithShortKey(about)],
  ['alg none', (about) => unsigned(about, { alg: 'none', typ: 'at+jwt' })],
  ['alg None with a signature', (about) => unsigned(about, headerOf(about, { alg: 'None' }), 'AAAA')],
  ['no algorithm', (about) => unsigned(about, headerOf(about, { alg: undefined }), 'AAAA')],
  ['a public key as a shared secret', (about) => withMac(about, pemOf(about))],
  ['a shared secret of 512 bits', (about) => withMac(about, 'secret', 'HS512')],
  ['an empty shared secret', (about) => withMac(about, '')],
  ['an algorithm that is not allowed', (about) => write(about, { header: { alg: 'RS512' } })],
  [
    'an algorithm of another kind of key',
    (about) => unsigned(about, headerOf(about, { alg: 'ES256' }), 'A'.repeat(86)),
  ],
  ['a key of its own in jwk', (about) => byStranger({ jwk: about.stranger.export({ format: 'jwk' }) })(about)],
  ['the address of its keys in jku', (about) => byStranger({ jku: `${about.elsewhere}/keys` })(about)],
  ['the address of a certificate in x5u', (about) => byStranger({ x5u: `${about.elsewhere}/keys` })(about)],
  ['a certificate in x5c', byStranger({ x5c: ['AAAA'] })],
  ['jku with a valid signature', (about) => write(about, { header: { jku: `${about.elsewhere}/keys` } })],
  ['the type of a logout token', (about) => write(about, { header: { typ: 'logout+jwt' } })],
  ['no type', (about) => write(about, { header: { typ: undefined } })],
  [
    'an unknown critical header',
    (about) => signText(about, headerOf(about, { crit: ['x'], x: 1 }), claimsOf(about.issuer)),
  ],
  [
    'claims that are not encoded',
    (about) => signText(about, headerOf(about, { crit: ['b64'], b64: false }), claimsOf(about.issuer)),
  ],
  ['claims that are a list', (about) => signText(about, headerOf(about), [claimsOf(about.issuer)])],
  ['claims that are not JSON', (about) => signText(about, headerOf(about), '{"iss":')],
  ['more scopes than were signed', tamper({ scope: 'admin' })],
  ['a later end than was signed', tamper({ exp: secondsFromNow(9999) })],
  ['another subject than was signed', tamper({ sub: 'grace' })],
  ['no signature', async (about) => (await write(about)).replace(/\.[^.]+$/, '.')],
  [
    'the signature of another token',
    async (about) => {
      const [, , signature] = (await write(about, { claims: { sub: 'grace' } })).split('.')
      return (await write(about)).replace(/[^.]+$/, signature ?? '')
    },
  ],
  ['five parts', (about) => `${unsigned(about, { alg: 'dir', enc: 'A256GCM', typ: 'at+jwt' }, 'AAAA')}.AAAA.AAAA`],
  ['dots alone', () => '..'],
  ['no token at all', () => randomUUID()],
]

const pemOf = ({ good }: Forgery) => good.publicKey.export({ type: 'spki', format: 'pem' })

const shortKey = rsaKey('short', 1024)
function signWithShortKey(about: Forgery): string {
  const { privateKey } = shortKey
  return signText({ ...about, good: { ...about.good, privateKey } }, headerOf(about), claimsOf(about.issuer))
}
