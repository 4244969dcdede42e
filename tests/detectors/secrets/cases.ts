import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

/** A text with the spans that are to be found in it; none in a text that only looks as if it held a secret. */
export interface SecretCase {
  /** The file that the case stands in: what kind of form is tried. */
  topic: string
  /** The section of the file: a language, or a group of vendors. */
  group: string
  text: string
  path: string | undefined
  expected: { start: number; end: number }[]
}

const folder = new URL('./cases/', import.meta.url)
const upper = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const lower = upper.toLowerCase()
const digits = '0123456789'
const syllables = 'ba de fi go ku la me ni po ru sa te vi zo mu ka lo ne'.split(' ')
const alphabets: Readonly<Record<string, string>> = {
  hex: `${digits}abcdef`,
  HEX: `${digits}ABCDEF`,
  base62: digits + upper + lower,
  base64: `${digits}${upper}${lower}+/`,
  dashed: `${digits}${upper}${lower}_-`,
  base32: `${upper}234567`,
  lower: digits + lower,
  upper: digits + upper,
  letters: upper + lower,
  digits,
}

/** Numbers that depend on the seed alone, so that a case is the same in every run and no scanner finds it in the file. */
function createNumbers(seed: string): (below: number) => number {
  let block = Buffer.alloc(0)
  let at = 0
  let round = 0
  return (below) => {
    if (at + 2 > block.length) {
      block = hash('sha512', `${seed} ${round++}`, 'buffer')
      at = 0
    }
    at += 2
    return block.readUInt16BE(at - 2) % below
  }
}

/** `{{hex 32}}`, `{{uuid}}`, `{{pass}}` (letters, a sign, digits), `{{plain}}` (letters and digits), `{{phrase}}`. */
function make(kind: string, length: number, next: (below: number) => number): string {
  const pick = (from: string | readonly string[]) => from[next(from.length)] ?? ''
  const word = (count: number) => Array.from({ length: count }, () => pick(syllables)).join('')
  const number = () => `${1 + next(9)}${next(10)}${next(10)}${1 + next(9)}`
  const title = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
  switch (kind) {
    case 'uuid':
      return [8, 4, 4, 4, 12].map((size) => make('hex', size, next)).join('-')
    case 'pass':
      return `${title(word(3))}${pick('#!$%+=')}${number()}${word(1)}`
    case 'plain':
      return `${title(word(3))}${number()}${word(1)}`
    case 'phrase':
      return Array.from({ length: 4 }, () => word(3)).join('-')
    default: {
      const alphabet = alphabets[kind]
      if (alphabet === undefined) return `{{${kind}}}`
      let text = ''
      while (text.length < length) text += pick(alphabet)
      const isMixed = ['letters', 'digits'].includes(kind) || length < 12 || (/\d/.test(text) && /[A-Za-z]/.test(text))
      return isMixed ? text : make(kind, length, next)
    }
  }
}

/** The text of a line: macros filled in, `¦` and the brackets around what is expected taken out. */
function toCase(topic: string, group: string, path: string | undefined, line: string): SecretCase {
  const next = createNumbers(`${topic} ${line}`)
  const filled = line
    .slice(2)
    .replace(/\\n/g, '\n')
    .replace(/\\t/g, '\t')
    .replace(/\{\{(\w+)(?: (\d+))?\}\}/g, (_, kind: string, length = '0') => make(kind, Number(length), next))
    .replaceAll('¦', '')
  const expected: { start: number; end: number }[] = []
  let text = ''
  for (const piece of filled.split(/([⟦⟧])/)) {
    if (piece === '⟦') expected.push({ start: text.length, end: text.length })
    else if (piece === '⟧') expected[expected.length - 1] = { start: expected.at(-1)?.start ?? 0, end: text.length }
    else text += piece
  }
  return { topic, group, path, text, expected }
}

const carriers = [
  '%',
  'use % for the nightly job',
  '"value": "%"',
  '- %',
  '`%`',
  '<td>%</td>',
  '| % |',
  "const client = connect('%')",
  'moved to the vault: %',
  '(%)',
]
const rests = ['...', '<token>', 'x'.repeat(24), 'your_token_here', '{{base62 3}}', ' is the prefix']

/** A documented format in ten places, and what only begins like it: fillers, placeholders, too few characters. */
function expandFormat(format: string): string[] {
  const lead = format.split('{{')[0]?.replace('⟦', '') ?? ''
  const begun = lead === '' ? [] : rests.map((rest) => `- ${lead}${rest}`)
  return [...carriers.map((carrier) => `+ ${carrier.replace('%', () => format)}`), ...begun]
}

const chosen = ['{{pass}}', '{{plain}}', '{{pass}}!', '{{plain}}x', '{{pass}}-{{digits 3}}']
const names = [
  ['AES-256', 'ISO-27001', 'srv-01', 'README.md', 'v2.4.1'],
  ['NIST-800-63B', 'Windows10', '12', 'ssh-keygen(1)', '17.05.2024'],
]
const variables = [
  ['$DB_PASSWORD', '$env:DB_PASSWORD', '<password>', '%DB_PASSWORD%', '{{ password }}'],
  ['changeme', 'your_password', '********', 'xxxxxxxx', 'example'],
]
/** What takes the place of a value, by topic or form: five that are secrets, and two times five that are not. */
const places: Readonly<Record<string, readonly [found: readonly string[], left: readonly (readonly string[])[]]>> = {
  phrase: [Array.from({ length: 5 }, () => '{{phrase}}'), names],
  dotted: [
    ['Summer.Rain24', 'Maple.River87', 'Copper.Lantern31', 'Velvet.Harbor56', 'Orchid.Tunnel92'],
    [
      ['config.yaml', 'user.name', 'README.md', 'com.example.app', 'v2.4.1'],
      ['settings.ini', 'request.body', 'System.Text', '10.0.2', 'window.location'],
    ],
  ],
  statements: [chosen, variables],
}

/** A text with a place for a value, with five values that are secrets and five that are not. */
function fillPlace(line: string, topic: string, group: string, count: number): string[] {
  const [found, left] = places[topic] ?? places[group.split('-')[0] ?? ''] ?? [chosen, names]
  return [
    ...found.map((value) => `+ ${line.replace('⟦⟧', () => `⟦${value}⟧`)}`),
    ...(left[count % left.length] ?? []).map((value) => `- ${line.replace('⟦⟧', () => value)}`),
  ]
}

/**
 * Cases from `cases/TOPIC.txt`: `# group` or `# group file.ext`, then `+ ` for what is found, `- ` for what is not,
 * `= ` for the format of a token and `% ` for a text with a place for a value.
 */
export const secretCases: readonly SecretCase[] = readdirSync(folder).flatMap((file) => {
  const topic = file.replace('.txt', '')
  let group = ''
  let path: string | undefined
  let filled = 0
  return readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('# ')) [, group = ''] = line.split(' ')
      if (line.startsWith('= ')) return expandFormat(line.slice(2))
      return line.startsWith('% ') ? fillPlace(line.slice(2), topic, group, filled++) : [line]
    })
    .flatMap((line): SecretCase[] => {
      if (line.startsWith('# ')) [, group = '', path] = line.split(' ')
      if (!/^[+-] /.test(line)) return []
      const made = toCase(topic, group, path, line)
      if (made.expected.length > 0 !== line.startsWith('+')) throw new RangeError(`${topic}: ${line}`)
      return [made]
    })
})
