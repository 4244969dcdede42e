import { describe, expect, it } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { removeInvisible } from '../../src/kernel/invisible.ts'

describe('removing invisible characters', () => {
  it.each([
    ['a family of emoji', '👩‍👩‍👧'],
    ['a flag of joined emoji', '🏳️‍🌈'],
    ['a keycap', '1️⃣'],
    ['a heart with its selector', '❤️'],
    ['Persian with a non-joiner', 'می\u200cخواهم'],
    ['Hindi with a joiner', 'क्\u200dष'],
    ['lines and tabs', 'a\n\tb'],
  ])('keeps %s', (_, text) => expect(removeInvisible(text)).toBe(text))

  it.each([
    ['joiners between Latin letters', 'i\u200dg\u200cn\u200do\u200dr\u200de', 'ignore'],
    ['a run of joiners', `a${'\u200d\u200c'.repeat(20)}b`, 'ab'],
    ['a run of joiners after an emoji', `👩${'\u200d'.repeat(9)} x`, '👩 x'],
    ['a run of selectors after a letter', 'a\ufe0f\ufe0f', 'a'],
    ['tags', 'a\u{e0061}\u{e0062}', 'a'],
    ['reordering', '\u202eabc\u202c', 'abc'],
    ['a soft hyphen and a byte order mark', '\ufeffa\u00adb', 'ab'],
    ['fillers', 'a\u3164\u115fb', 'ab'],
    ['control characters', '\u001b[2Ja\u0000', '[2Ja'],
  ])('drops %s', (_, text, visible) => expect(removeInvisible(text)).toBe(visible))
})

it('an error message contains no invisible characters', () => {
  const error = new AppError('not_found', 'no\u200b page \u202eevil', {
    issues: [{ path: 'name', message: 'is\u2060 unknown' }],
    suggestions: [{ value: 'x', kind: 'page', label: 'a\u{e0041}b' }],
  })
  expect([error.message, error.facts.issues?.[0]?.message, error.facts.suggestions?.[0]?.label]).toEqual([
    'no page evil',
    'is unknown',
    'ab',
  ])
})
