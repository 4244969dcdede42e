import fc from 'fast-check'
import { describe, expect, expectTypeOf, it } from 'vitest'
import {
  type TextKind,
  toSafeAddress,
  toSafeJson,
  toSafeKey,
  toSafeText,
  toSafeTextOnce,
} from '../../src/detectors/safe-text.ts'
import { mayHoldSecret, secretsDetector } from '../../src/detectors/secrets/index.ts'
import { MASK } from '../../src/kernel/redaction.ts'
import { ownText, type Safe, type SafeText } from '../../src/kernel/safe-text.ts'
import { credentialDisguises, credentials, disguises, personalData } from '../support/planted.ts'

const kinds: TextKind[] = ['prose', 'key', 'definition']

describe('masking of a text', () => {
  it.each(kinds)('hides every credential in a %s, however it is disguised', (kind) => {
    for (const [name, credential] of Object.entries(credentials)) {
      for (const [disguise, put] of Object.entries(credentialDisguises)) {
        const text = `Notes ${put(credential)} end`
        expect([name, disguise, toSafeText(text, kind, 10_000)]).toEqual([
          name,
          disguise,
          expect.stringMatching(/^Notes .*\*{8}.*/s),
        ])
      }
    }
  })

  it('hides a disguised credential next to one whose mask itself looks like a credential', () => {
    const text = `T ${credentialDisguises.markup?.(credentials.sendgrid ?? '')}. postgr&#8203;es://app:Qx7vLm29pT@db.example.net/app`
    expect(toSafeText(text, 'prose')).not.toMatch(/TwL2iGABf9|Qx7vLm/)
    expect(toSafeText(`${credentials.keyInBase64} on ${credentials.gitlab}`, 'prose')).toBe(`${MASK} on ${MASK}`)
  })

  it('hides all of an encoded key that is directly followed by another credential', () => {
    const { keyInBase64 = '', aws = '' } = credentials
    const coded = `${keyInBase64.slice(0, 46)}%252B${keyInBase64.slice(47)}`
    expect(toSafeText(`${coded}\n${aws}`, 'key')).toBe(MASK)
  })

  it('hides a truncated private key, in plain text and in base64', () => {
    const { pem = '', pemInBase64 = '' } = credentials
    expect(toSafeText(`Key ${pem.slice(0, 80)}`, 'prose')).toBe(`Key ${MASK}`)
    expect(toSafeText(`Key ${pemInBase64.slice(0, 110)}`, 'prose')).toBe(`Key ${MASK}`)
  })

  it('hides all of a token that directly follows a word, but not a word that only starts like a token', () => {
    expect(toSafeText(`page${credentials.github}`, 'key')).toBe(`page${MASK}`)
    expect(toSafeText(`Name_${credentials.aws}`, 'key')).toBe(`Name_${MASK}`)
    expect(toSafeText('highs_and_lows_per_day', 'prose')).toBe('highs_and_lows_per_day')
  })

  it('hides personal data in prose only', () => {
    for (const [name, value] of Object.entries(personalData)) {
      for (const [disguise, put] of Object.entries(disguises)) {
        const text = `Notes ${put(value)} end`
        expect([name, disguise, toSafeText(text, 'prose')]).toEqual([name, disguise, `Notes ${MASK} end`])
        expect(toSafeText(text, 'key')).toBe(text)
        expect(toSafeText(text, 'definition')).toBe(text)
      }
    }
  })

  it('keeps text that identifies content for people', () => {
    for (const text of [
      'Quarterly Revenue & Costs, 100 %',
      'Sales report 2024-01-15 10:33',
      'How to reset your password: the guide',
      'Token bucket: rate limiting',
      'M\u00fcller & S\u00f6hne \u2013 caf\u00e9 \u{1f469}\u200d\u{1f4bb}',
      'https://wiki.example/wiki/spaces/ENG/pages/123456789012/Deploy%20Guide?atlOrigin=abc#top',
      'com.example.service.AuthenticationTokenProviderFactory',
      'src/detectors/secrets/vendor-tokens.ts',
      'order 4539148803436468',
      'anna@example.org',
      '+49 170 1234567',
      '10.0.0.1',
      'Anna Schmidt',
    ]) {
      expect(toSafeText(text, 'prose')).toBe(text)
    }
  })

  it('masks a private key in the path of an address', () => {
    const { pemInBase64 = '' } = credentials
    const hidden = toSafeAddress(`https://files.example/attachments/${pemInBase64}`)
    expect(hidden).toContain(MASK)
    expect(hidden).not.toContain(pemInBase64.slice(8, 40))
  })
})

describe('length limits and addresses', () => {
  it('truncates overlong text, but never inside a mask', () => {
    expect(toSafeText('a'.repeat(100_000), 'prose')).toHaveLength(1000)
    for (let before = 960; before <= 1_010; before++) {
      const text = `${'a '.repeat(before / 2)}${credentials.github} tail`
      const safe = toSafeText(text, 'prose')
      expect(safe.length).toBeLessThanOrEqual(1000)
      expect(safe).not.toContain('ghp_9')
    }
  })

  it.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//host/x', 'relative/path', ' https://x'])(
    'refuses %s as the address of an asset',
    (address) => expect(toSafeAddress(address)).toBe(''),
  )

  it('keeps keys distinct that differ only in masked values', () => {
    const identify = (canonical: string) => canonical.length
    const first = toSafeKey(`repo/${credentials.github}`, identify)
    const second = toSafeKey(`repo/${credentials.gitlab}`, identify)
    expect(first).not.toBe(second)
    expect(toSafeKey('wiki:1:page:2', identify)).toBe('wiki:1:page:2')
  })

  it('masks in JSON the values of members named like a secret, and member names', () => {
    const json = toSafeJson({ apiToken: 'short', [`x ${credentials.aws}`]: [{ owner: 'Anna' }] })
    expect(JSON.parse(json)).toEqual({ apiToken: MASK, [`x ${MASK}`]: [{ owner: 'Anna' }] })
  })
})

describe('safe text', () => {
  it('is a type that no plain string is assignable to', () => {
    const text: string = 'x'
    // @ts-expect-error a text that has not passed is not safe
    const unsafe: SafeText = text
    // @ts-expect-error nor is one that was put together
    ownText(`${text} more`)
    // @ts-expect-error nor is a text of unknown content
    ownText(text)
    expectTypeOf(ownText('literal')).toEqualTypeOf<SafeText>()
    expectTypeOf<Safe<{ status: 'OPEN' | 'RESOLVED'; names: readonly string[]; at?: number }>>().toEqualTypeOf<{
      status: 'OPEN' | 'RESOLVED'
      names: readonly SafeText[]
      at?: number
    }>()
    expect(unsafe).toBe('x')
  })
})

const word = fc.constantFrom(
  ...Object.values(credentials),
  ...Object.values(personalData),
  'https://',
  'ana:hunter2hunter2',
  '@',
  'example.org',
  '?sig=',
  'password = ',
  'x1Y2z3W4q5',
  '%20',
  '<b>',
  '\u200b',
  MASK,
  ' ',
)
const line = fc.array(fc.oneof(word, fc.string({ maxLength: 5 })), { maxLength: 8 }).map((words) => words.join(''))

it('masking gives the same result with and without the cache', () => {
  fc.assert(
    fc.property(line, (text) => {
      expect(toSafeTextOnce(text, 'prose')).toBe(toSafeText(text, 'prose'))
    }),
  )
})

it('masking a masked text changes nothing', () => {
  fc.assert(
    fc.property(line, fc.constantFrom(...kinds), (text, kind) => {
      const safe = toSafeText(text, kind)
      expect(toSafeText(safe, kind)).toBe(safe)
    }),
    { numRuns: 2_000, seed: 7 },
  )
})

const fragment = fc.constantFrom(
  'https://',
  'git@',
  'ana:s3cretWord9@db.internal',
  'password=',
  'hunter2hunter2',
  'AKIAQ3EGRIJK7LMNOPQR',
  'ghp_',
  'aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5',
  'Authorization: Basic ',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlc2lnbmF0dXJl',
  '-----BEGIN PRIVATE KEY-----',
  'curl -u ',
  ' ',
  '\n',
)

it('a text contains no NUL, and keys that differ in it stay different', () => {
  for (const kind of kinds) expect(toSafeText('a\u0000', kind)).toBe('a\ufffd')
  expect(toSafeAddress('https://wiki.example/a\u0000')).toBe('https://wiki.example/a\ufffd')
  expect(toSafeKey('a\u0000', () => 10)).toBe('a\ufffd#a')
})

it('the quick test accepts every text in which the detector finds something', () => {
  const asset = { key: '', kind: 'text', name: '', url: '' }
  const config = secretsDetector.config.parse({})
  const found = { some: 0, none: 0 }
  fc.assert(
    fc.property(fc.array(fc.oneof(fragment, fc.string({ maxLength: 6 })), { maxLength: 8 }), (words) => {
      const text = words.join('')
      const document = { mime: 'text/plain', parts: [{ kind: 'text' as const, path: '', text }], links: [] }
      const matches = [...secretsDetector.detect(document, { asset, config, now: 0 })]
      if (matches.length > 0) expect(mayHoldSecret(text)).toBe(true)
      found[matches.length > 0 ? 'some' : 'none']++
    }),
    { numRuns: 2_000, seed: 5 },
  )
  expect(Math.min(found.some, found.none)).toBeGreaterThan(100)
  expect(mayHoldSecret('https://wiki.example/pages/75114')).toBe(false)
})
