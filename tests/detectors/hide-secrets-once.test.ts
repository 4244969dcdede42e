import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hideSecrets, hideSecretsOnce } from '../../src/detectors/hide-secrets.ts'
import { mayHoldSecret, secretsDetector } from '../../src/detectors/secrets/index.ts'

const word = fc.constantFrom(
  'https://',
  'ana:hunter2hunter2',
  '@',
  'example.org',
  '?sig=',
  'password = ',
  'x1Y2z3W4q5',
  ' ',
)

it('hides the same whether it remembers or not', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(word, fc.string({ maxLength: 5 })), { maxLength: 8 }), (words) => {
      const line = words.join('')
      expect(hideSecretsOnce(line)).toBe(hideSecrets(line))
    }),
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

it('looks closer wherever the detector finds something', () => {
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
