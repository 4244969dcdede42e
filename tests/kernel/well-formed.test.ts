import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cutText, parseOutsideJson } from '../../src/kernel/well-formed.ts'

const EMOJI = '\ud83d\ude00'

it.each<[string, unknown]>([
  ['"\\ud83d\\ude00"', EMOJI],
  ['"\\ud83d"', '\ufffd'],
  ['"\\ude00\\ud83d"', '\ufffd\ufffd'],
  ['"\\ud83d\\ud83d\\ude00"', `\ufffd${EMOJI}`],
  ['"a\\u0000b"', 'a\ufffdb'],
  ['"\\\\ud83d"', '\\ud83d'],
  ['"\\\\\\ud83d"', '\\\ufffd'],
  ['"\\"\\uD83D\\""', '"\ufffd"'],
  ['{"\\ud83d":["\\ude00"]}', { '\ufffd': ['\ufffd'] }],
  ['"\ud83d"', '\ufffd'],
])('parses %s', (json, expected) => expect(parseOutsideJson(json)).toEqual(expected))

const anyText = fc.array(fc.constantFrom('a', '\\', '"', '\u0000', '\ud83d', '\ude00', EMOJI, 'u', 'd83d'))

it('parses any JSON as JSON.parse does, with replacements for what cannot be stored', () => {
  const toStorable = (text: string) => text.toWellFormed().replaceAll('\u0000', '\ufffd')
  fc.assert(
    fc.property(anyText, (parts) => {
      const text = parts.join('')
      expect(parseOutsideJson(JSON.stringify(text))).toBe(toStorable(text))
    }),
  )
})

it('cuts a text between characters', () => {
  fc.assert(
    fc.property(anyText, fc.nat(30), (parts, max) => {
      const text = parts.join('').toWellFormed()
      const cut = cutText(text, max)
      expect(cut.isWellFormed()).toBe(true)
      expect(text.startsWith(cut)).toBe(true)
      expect(cut.length).toBeLessThanOrEqual(max)
      expect(cut.length).toBeGreaterThanOrEqual(Math.min(max - 1, text.length))
    }),
  )
})
