import fc from 'fast-check'
import { expect, it } from 'vitest'
import { hideSecrets, hideSecretsOnce } from '../../src/detectors/hide-secrets.ts'

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
