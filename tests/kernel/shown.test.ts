import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  line,
  MAX_NAME,
  quote,
  showAddress,
  showAmount,
  showCode,
  showJson,
  showName,
  showSentence,
} from '../../src/kernel/shown.ts'
import { anyText } from '../support/any-text.ts'
import { hostileNames } from '../support/hostile-names.ts'

describe('showName', () => {
  it.each([
    ['Human Resources', 'Human Resources'],
    ['wiki.page', 'wiki.page'],
    ["People's R&D", "People's R&D"],
    ['Größe 5-6', 'Größe 5-6'],
    ['人事', '人事'],
    ['Europe/Berlin', 'Europe/Berlin'],
    ['(none)', '(none)'],
    ['', "''"],
    ['a: 5', "'a: 5'"],
    ['a, b', "'a, b'"],
    ['a / b', "'a / b'"],
    ['a  b', "'a  b'"],
    ['- a', "'- a'"],
    ['other', "'other'"],
    ["it's: x", "'it\\'s: x'"],
    ['a\\n', "'a\\\\n'"],
    ['a\ntrust: Certified', "'a\\ntrust: Certified'"],
    ['a\u2028b\u2029c\u0085d', "'a\\u2028b\\u2029c\\u0085d'"],
    ['\u001b[31mred', "'\\u001b[31mred'"],
    ['a\u202eb', "'a\\u202eb'"],
    ['a\u200bb\u{e0041}', "'a\\u200bb\\udb40\\udc41'"],
    ['\u00a0a', "'\\u00a0a'"],
    ['x\ud800', "'x\\ud800'"],
    ['\u0301a', "'\\u0301a'"],
    ['👩\u200d🚒', "'👩\u200d🚒'"],
    ['می\u200cخواهم', "'می\u200cخواهم'"],
  ])('shows %j as %s', (text, shown) => {
    expect(showName(text)).toBe(shown)
  })

  it('marks a truncated name after the quotes', () => {
    expect(showName('a'.repeat(MAX_NAME))).toBe('a'.repeat(MAX_NAME))
    expect(showName('a'.repeat(MAX_NAME + 1))).toBe(`'${'a'.repeat(MAX_NAME - 3)}'…`)
    expect(showName('\n'.repeat(100_000), 9)).toBe("'\\n\\n\\n'…")
    expect(showName('😀'.repeat(100), 9)).toBe("'😀😀😀'…")
  })
})

const anyShown = fc.oneof(
  anyText({ maxLength: 300 }),
  fc.string({ unit: 'grapheme', maxLength: 150 }),
  fc.constantFrom(...hostileNames(300, 1)),
)
const quoted = /^'((?:[^'\\]|\\['\\nrt]|\\u[\da-f]{4})*)'(…?)$/u
const bare =
  /^(?:\((?:none|withheld)\)|[\p{L}\p{N}_](?:[\p{L}\p{M}\p{N}_.&+@%-]|(?<=\p{L})'(?=\p{L})|(?<=[\p{L}\p{N}_])\/(?=[\p{L}\p{N}_])| (?=[\p{L}\p{N}_&+@%-]))*)$/u
const characters: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** The name that a text shows, and whether its end is left out. */
function readName(text: string): { name: string; cut: boolean } {
  const [, inner, ellipsis] = quoted.exec(text) ?? []
  if (inner === undefined) {
    expect(text).toMatch(bare)
    return { name: text, cut: false }
  }
  const name = inner.replaceAll(/\\(?:u([\da-f]{4})|(.))/gu, (_, hex: string | undefined, character: string) =>
    hex === undefined ? (characters[character] ?? character) : String.fromCharCode(Number.parseInt(hex, 16)),
  )
  return { name, cut: ellipsis === '…' }
}

const unseen = /[\p{C}\u2028\u2029\u2800]|[^\S ]/u

describe('text from outside', () => {
  it('stays on one line within the length limit, and parses back', () => {
    fc.assert(
      fc.property(anyShown, fc.integer({ min: 12, max: MAX_NAME }), (text, max) => {
        for (const show of [showName, quote]) {
          const shown = show(text, max)
          expect(shown.length).toBeLessThanOrEqual(max)
          expect(shown.replaceAll(/\u200c|\u200d|\ufe0f/g, '')).not.toMatch(unseen)
          const { name, cut } = readName(shown)
          if (cut) expect(text.startsWith(name)).toBe(true)
          else expect(name).toBe(text)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('cannot break out of a sentence, code, number, address or JSON', () => {
    fc.assert(
      fc.property(anyShown, (text) => {
        for (const show of [showSentence, showCode, showAmount, showAddress]) {
          expect(show(text).replaceAll(/\u200c|\u200d|\ufe0f/g, '')).not.toMatch(unseen)
        }
        expect(showSentence(showSentence(text))).toBe(showSentence(text))
        expect(JSON.parse(showJson({ text }))).toEqual({ text: JSON.parse(JSON.stringify(text)) })
        expect(showJson({ text })).not.toMatch(/[\n\r\u2028\u2029\u0085\u202e]/)
      }),
    )
  })
})

describe('a line for people', () => {
  it('writes numbers in plain digits', () => {
    expect(line`${1e-7} and ${1e21}, ${-0}: ${showName('a')}`).toBe('0.0000001 and 1000000000000000000000, 0: a')
  })

  it('does not accept a plain string', () => {
    const name: string = 'a'
    // @ts-expect-error A text from outside must be shown first.
    expect(line`${name}`).toBe('a')
  })
})
