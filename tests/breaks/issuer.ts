import type { Break } from './break.ts'

const gatekeeper = 'src/access/gatekeeper.ts'
const issuer = 'src/access/issuer.ts'
const issuerKeys = 'src/access/issuer-keys.ts'
const claims = 'src/access/claims.ts'
const issuerTest = 'tests/access/issuer.test.ts'
const hostileTest = 'tests/access/hostile-issuer.test.ts'

/** Tokens of an identity provider, and its keys. */
export const issuerBreaks: readonly Break[] = [
  {
    id: 'issuer-not-checked',
    rule: 'A token of another issuer is refused.',
    file: issuer,
    find: 'decodeJwt(text).iss === issuer &&',
    put: 'decodeJwt(text).iss !== issuer.length &&',
    also: [{ file: issuer, find: '      issuer: settings.issuer,\n', put: '' }],
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'audience-not-checked',
    rule: 'A token for somebody else is refused.',
    file: issuer,
    find: '      audience: settings.audience,\n',
    put: '',
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'algorithm-not-checked',
    rule: 'A token is signed with an algorithm of the list.',
    file: issuer,
    find: '      algorithms: settings.algorithms,\n',
    put: '',
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'end-not-required',
    rule: 'A token without an end is refused.',
    file: claims,
    find: '  exp: z.number(),\n',
    put: '  exp: z.number().default(0),\n',
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'end-far-away',
    rule: 'A token lives a year at most.',
    file: claims,
    find: 'if (exp > now / 1000 + MAX_LIFE_SECONDS + CLOCK_TOLERANCE_SECONDS) return undefined',
    put: 'if (exp < MAX_LIFE_SECONDS - MAX_LIFE_SECONDS) return undefined',
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'subject-on-two-lines',
    rule: 'A subject is printable, on one line.',
    file: claims,
    find: '    .refine((text) => text.search(unprintable) === -1),\n',
    put: '    ,\n',
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'subjects-alike',
    rule: 'Two subjects are two people in histories.',
    file: claims,
    find: "?? 'subject'} (${tag})`",
    put: '?? tag}`',
    test: { file: issuerTest, title: 'are two people in histories' },
  },
  {
    id: 'token-allows-nothing',
    rule: 'A token without a scope of ours is refused everywhere.',
    file: gatekeeper,
    find: 'if (caller.scopes.size === 0) {',
    put: 'if (caller.scopes.size < 0) {',
    test: { file: issuerTest, title: 'gets nothing at' },
  },
  {
    id: 'end-not-checked',
    rule: 'A token that has ended is refused.',
    file: claims,
    find: 'const CLOCK_TOLERANCE_SECONDS = 60',
    put: 'const CLOCK_TOLERANCE_SECONDS = 86_400',
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'type-not-checked',
    rule: 'A token of another type is refused.',
    file: issuer,
    find: 'types.has(toType(typ)) &&',
    put: 'types.size > 0 &&',
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'key-of-the-token',
    rule: 'A token that names or brings a key is refused.',
    file: issuer,
    find: 'keyHeaders.every((name) => header[name] === undefined)',
    put: "keyHeaders.every((name) => name !== '')",
    test: { file: issuerTest, title: 'forged tokens' },
  },
  {
    id: 'metadata-of-another-issuer',
    rule: 'Keys come from metadata of this issuer.',
    file: issuerKeys,
    find: "if (metadata.issuer !== issuer) throw new Error('the metadata is of another issuer')",
    put: '',
    test: { file: hostileTest, title: 'nobody is let in wrongly' },
  },
  {
    id: 'keys-of-an-open-address',
    rule: 'Keys come over https, or from this machine.',
    file: issuerKeys,
    find: 'if (!isSafeAddress(metadata.jwks_uri, issuer)) throw',
    put: 'if (!isSafeAddress(issuer)) throw',
    test: { file: hostileTest, title: 'nobody is let in wrongly' },
  },
  {
    id: 'exponent-one',
    rule: 'A key with which anybody can sign checks nothing.',
    file: 'src/access/verification-keys.ts',
    find: 'isWithin(bitsOf(text), 2, 32)',
    put: 'isWithin(bitsOf(text), 1, 32)',
    test: { file: hostileTest, title: 'nobody is let in wrongly' },
  },
  {
    id: 'issuer-asked-for-each-token',
    rule: 'Wrong key ids do not make the server ask the issuer each time.',
    file: issuerKeys,
    find: 'clock() < nextLookupAt',
    put: 'clock() < 0',
    test: { file: issuerTest, title: 'are asked for once' },
  },
  {
    id: 'known-keys-wait',
    rule: 'A slow issuer delays no token whose key is known.',
    file: issuerKeys,
    find: '      const found = findKnown(keyId)\n',
    put: '      if (lookup !== undefined) await lookup\n      const found = findKnown(keyId)\n',
    test: { file: hostileTest, title: 'valid tokens are let in as fast as before' },
  },
]
