import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseSync, type Span, Visitor } from 'oxc-parser'
import { describe, expect, it } from 'vitest'

// Comments and messages of `src` use the standard terms of the field. The list only reminds of words that once made them
// hard to understand; a sentence without them may still be unclear.

const banned: Readonly<Record<string, string>> = {
  'stands?|stood|standing': 'is, is in, is stored',
  'nobody|somebody|anybody': 'no one, no process, another caller',
  'told|tells?|telling': 'reported, passed, states',
  whatever: 'any, regardless of',
  anew: 'again, rebuilt',
  '(?<!do )so many': 'N, up to MAX_X',
  'go(?:es)? on': 'continues, resumes',
  'put together': 'combined',
  'at all': 'nothing',
  'worn|tid(?:y|ies)|bur(?:y|ies)|hears?': 'a standard term',
  'mends?|mended': 'fixes, repairs',
  'takes? in|took in': 'contains, matches',
  'looks? at|looked at': 'reads, examines',
}

/** Word lists and sample pages are data. */
const isData = (file: string) => /^(?:sample|detectors\/(?:pii|secrets|prompt-injection|content-quality))\//.test(file)

const root = new URL('../../src/', import.meta.url).pathname
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

interface Sentence {
  line: number
  text: string
}

/** Comments of a source file, and its string literals unless they are data. */
function listSentences(source: string, withStrings: boolean): Sentence[] {
  const sentences: Sentence[] = []
  const { program, comments } = parseSync('file.ts', source)
  const add = (start: number, text: string) =>
    sentences.push({
      line: source.slice(0, start).split('\n').length,
      text: text.replaceAll(/\$\{[^}]*\}|`[^`\s]*`/g, '…').replaceAll(/\s+/g, ' '),
    })
  for (const { start, value } of comments) add(start, value.replaceAll(/\n\s*\*/g, ' '))
  if (!withStrings) return sentences
  const addText = ({ start, end }: Span) => add(start, source.slice(start, end))
  const modules = new Set<number>()
  new Visitor({
    ImportDeclaration: ({ source: { start } }) => modules.add(start),
    Literal(node) {
      if (typeof node.value === 'string' && !modules.has(node.start)) addText(node)
    },
    TemplateLiteral: addText,
  }).visit(program)
  return sentences
}

const words = new RegExp(`(?<![\\w-])(?:${Object.keys(banned).join('|')})(?![\\w-])`, 'i')

/** Most files contain none of the words anywhere, so they need no parsing. */
const mayUse = (source: string): boolean => words.test(source.replaceAll(/\n\s*\*/g, ' ').replaceAll(/\s+/g, ' '))

const listUses = (file: string, source: string): string[] =>
  (mayUse(source) ? listSentences(source, !isData(file)) : [])
    .filter(({ text }) => words.test(text))
    .map(({ line, text }) => `${file}:${line} '${words.exec(text)?.[0]}' in ${text.slice(0, 160)}`)

describe('comments and messages', () => {
  it('avoid the listed words', () => {
    expect(files.flatMap((file) => listUses(file, readFileSync(join(root, file), 'utf8')))).toEqual([])
  })

  it.each([
    '/** What stands in a folder. */ const a = 1',
    'const a = 1 // nobody reads this',
    "throw new Error('It goes on when assay runs again.')",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of a template
    'const message = `${name} may still stand in free parts`',
  ])('are searched: %s', (source) => {
    expect(listUses('file.ts', source)).toHaveLength(1)
  })
})
