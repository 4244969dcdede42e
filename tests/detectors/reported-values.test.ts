import { describe, expect, it } from 'vitest'
import { ReportedValues } from '../../src/detectors/reported-values.ts'
import { MASK } from '../../src/kernel/redaction.ts'
import { internalText } from '../../src/kernel/safe-text.ts'
import { cpuMs } from '../support/cpu.ts'

const percent = (text: string) =>
  [...Buffer.from(text)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

/** How platforms and authors write a value, apart from cutting it. */
const writings: Record<string, (text: string) => string> = {
  plain: (text) => text,
  percent: (text) => percent(text),
  'percent twice': (text) => encodeURIComponent(percent(text)),
  plus: (text) => encodeURIComponent(text).replaceAll('%20', '+'),
  dashes: (text) => text.replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/^-|-$/g, ''),
  upper: (text) => text.toUpperCase(),
  lower: (text) => text.toLowerCase(),
  entities: (text) => [...text].map((character) => `&#${character.codePointAt(0)};`).join(''),
  'soft hyphens': (text) => [...text].join('\u00ad'),
  'full width': (text) => text.replace(/[!-~]/g, (character) => String.fromCodePoint(character.charCodeAt(0) + 0xfee0)),
  'beside itself': (text) => `${text}${text}`,
  glued: (text) => `Q${text}q`,
}

const hide = (text: string, ...values: string[]) => new ReportedValues(values).hide(internalText(text))

const values = [
  'tR7kQm2ZpW9xLb4',
  'xoxb-284719365820-917364825173-aBcDeFgHiJkLmNoPqRsTuVwX',
  'Tr0ub4dor&3xYz',
  '4539 1488 0343 6467',
  'DE89 3704 0044 0532 0130 00',
  'jonathan.archer@globex.example',
  '+49 170 1234567',
  '756.9217.0769.85',
]

describe('a reported value', () => {
  it('is hidden however it is written', () => {
    for (const value of values) {
      for (const [name, write] of Object.entries(writings)) {
        const hidden = hide(`x ${write(value)} y`, value)
        expect([value, name, hidden]).toEqual([value, name, expect.stringContaining(MASK)])
        const shown = [...value.replace(/[^A-Za-z0-9]/g, '')].join('[^a-z0-9]*')
        expect(hidden).not.toMatch(new RegExp(shown, 'i'))
      }
    }
  })

  it('is hidden where the text is cut, from five characters on', () => {
    const [key = '', , , card = ''] = values
    for (const value of [key, card]) {
      const bare = value.replaceAll(' ', '')
      for (let length = 5; length < bare.length; length++) {
        for (const text of [
          `ends in ${bare.slice(0, length)}`,
          `ends in a${bare.slice(0, length)}… and more`,
          `${bare.slice(-length)} and more`,
          `begins after ${MASK}${bare.slice(-length)} and more`,
        ])
          expect([text, hide(text, value)]).toEqual([text, expect.stringContaining(`${MASK}`)])
        expect(hide(`ends in ${bare.slice(0, length)}`, value)).toBe(`ends in ${MASK}`)
      }
    }
  })

  it('is hidden beside itself, within a longer word, and in parts of eight characters', () => {
    const [key = ''] = values
    expect(hide(`a${key}${key}b`, key)).toBe(`a${MASK}b`)
    expect(hide(`see ${key.slice(3, 11)} here`, key)).toBe(`see ${MASK} here`)
    expect(hide(`KEY${key}`, `${key}${key}`)).toBe(`KEY${MASK}`)
  })

  it('is hidden where the text is cut within letters that are no word', () => {
    for (const cut of ['see AKIALANFUCVCVO.pdf', '/docs/akialanfucv/b', 'AKIALANF…'])
      expect(hide(cut, 'AKIALANFUCVCVO2QWXYZ')).toContain(MASK)
    expect(hide('Plans for the summer', 'Summer2024')).toBe('Plans for the summer')
  })

  it('leaves no half of a character that consists of two', () => {
    const [key = ''] = values
    for (const sign of ['\u{1f600}', '\u{1f469}\u200d\u{1f4bb}', '\u{20bb7}'])
      expect(hide(`${sign}${key}${sign}`, key)).toBe(`${sign}${MASK}${sign}`)
    expect(hide('\u{1d7d2}539 1488 0343 6467!', values[3] ?? '')).toBe(`${MASK}!`)
  })
})

describe('what only resembles a reported value', () => {
  it.each([
    ['a word in another word, or its plural', 'Sunny days and sunshines', 'sunshine', 'Sunny days and sunshines'],
    ['a word', 'Rain or sunshine', 'sunshine', `Rain or ${MASK}`],
    ['the word of a password with a year', 'Summer 2025, a cold summer', 'Summer2024', 'Summer 2025, a cold summer'],
    ['the host of a mailbox', 'https://globex.example/team', 'jo@globex.example', 'https://globex.example/team'],
    [
      'the host of a database',
      'db.globex.example is up',
      'postgres://app:Q7x@db.globex.example',
      'db.globex.example is up',
    ],
    ['a short number in a longer one', 'ticket 110,123', '10.1.2.3', 'ticket 110,123'],
    ['a number that begins like the end of another', '/pages/123456789012', '+49 170 1234567', '/pages/123456789012'],
    ['two characters', 'a-b', 'ab', 'a-b'],
  ])('%s', (_what, text, value, expected) => expect(hide(text, value)).toBe(expected))
})

describe('an address', () => {
  const shorten = (address: string, value: string, kept = 0) =>
    new ReportedValues([value]).hideInAddress(internalText(address), kept)

  it.each([
    [
      'https://w.example/wiki/spaces/ENG/pages/100/Key+is+tR7kQm2ZpW9xLb4',
      'https://w.example/wiki/spaces/ENG/pages/100',
    ],
    ['https://w.example/a?pageId=100&preview=%2F100%2FtR7kQm2ZpW9xLb4.txt', 'https://w.example/a?pageId=100'],
    ['https://w.example/a#tr7kqm2zpw9xlb4', 'https://w.example/a'],
    ['https://tR7kQm2ZpW9xLb4.example/a', ''],
    ['https://w.example/a', 'https://w.example/a'],
  ])('%s ends before a value', (address, expected) => expect(shorten(address, 'tR7kQm2ZpW9xLb4')).toBe(expected))

  it('keeps an id that is also a value', () => {
    const address = 'https://w.example/wiki/spaces/HUNTER2X/pages/491701234567'
    expect(shorten(address, 'HUNTER2X', address.length)).toBe(address)
    expect(shorten(`${address}/HUNTER2X`, 'HUNTER2X', address.length)).toBe(address)
  })
})

it('takes time that is linear in the number of values and in the text', () => {
  const many = Array.from({ length: 5_000 }, (_, n) => [
    `customer${n}@globex.example`,
    `ghp_aB3d${n * 7919}xYz${n}Qw`,
  ]).flat()
  const measure = (values: readonly string[]) => {
    const before = cpuMs()
    expect(hide(values.join(' '), ...values)).not.toMatch(/customer|ghp_aB/)
    return cpuMs() - before
  }
  const part = measure(many.slice(0, 1_000))
  expect(measure(many)).toBeLessThan(10 * (3 * part + 100))
}, 30_000)
