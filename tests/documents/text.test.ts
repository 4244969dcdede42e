import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AssayDocument, toSourceOffset } from '../../src/documents/document.ts'
import { hasAnchor } from '../../src/documents/markup/anchors.ts'
import { parseHtml } from '../../src/documents/markup/html.ts'
import { parseMarkdown } from '../../src/documents/markup/markdown.ts'
import { decodeTinyLink } from '../../src/documents/markup/wiki-address.ts'
import { parseXml } from '../../src/documents/markup/xml.ts'
import { MAX_CELLS, toColumnName } from '../../src/documents/text/cells.ts'
import { parseCsv } from '../../src/documents/text/csv.ts'
import { lineColumnOf } from '../../src/documents/text/lines.ts'
import { parseJson, parsePlainText } from '../../src/documents/text/plain.ts'
import { cpuMs } from '../support/cpu.ts'

const shapes = (document: AssayDocument) => document.parts.map(({ kind, label, text }) => [kind, label, text])

describe('HTML', () => {
  test('scripts become code, styles are omitted, and the title becomes the name', () => {
    const source =
      '<html><head><title>T &amp; U</title><style>p{}</style><script>var k = "a<b&amp;"</script></head><body><p>one<p>two<template>x</template></body>'
    expect(shapes(parseHtml(source))).toEqual([
      ['name', 'title', 'T & U'],
      ['code', undefined, 'var k = "a<b&amp;"'],
      ['text', undefined, 'one\ntwo\n'],
      ['hidden', undefined, 'x'],
    ])
  })

  test('hidden text ends with its element', () => {
    const parts = parseHtml('<p style="display:none">a<p>b<table><tr hidden><td>c<tr><td>d</table>').parts
    expect(parts.map(({ kind, text }) => [kind, text.trim()])).toEqual([
      ['hidden', 'a'],
      ['text', 'b'],
      ['hidden', 'c'],
      ['cell', 'd'],
    ])
  })

  test('ids are anchors, and links are distinguished from other text', () => {
    const document = parseHtml('<h2 id="a">A</h2><a name="b"></a><a href="https://x.io">x</a><a href="rel.html">y</a>')
    expect(document.anchors).toEqual(['a', 'A', 'b'])
    expect(document.links.map(({ url }) => url)).toEqual(['https://x.io'])
  })
})

describe('Markdown', () => {
  const source =
    '# Top\ntext <!-- a\nb --> more\n```py\nx = [a](https://no.io)\n```\n## Sub\n[b](https://x.io/(c)) <https://y.io>\n[ref]: https://z.io "t"\n'

  test('sections, fenced code and comments become parts', () => {
    expect(
      parseMarkdown(source).parts.map(({ kind, text, headings, language }) => [kind, text, headings, language]),
    ).toEqual([
      ['text', '# Top\ntext  more\n', ['# top'], undefined],
      ['comment', ' a\nb ', ['# top'], undefined],
      ['code', 'x = [a](https://no.io)\n', ['# top'], 'py'],
      [
        'text',
        '## Sub\n[b](https://x.io/(c)) <https://y.io>\n[ref]: https://z.io "t"\n',
        ['# top', '## sub'],
        undefined,
      ],
    ])
  })

  test('links of every form are found, with their positions', () => {
    expect(parseMarkdown(source).links).toMatchObject([
      { url: 'https://x.io/(c)', label: 'b', line: 8, column: 5 },
      { url: 'https://y.io', line: 8 },
      { url: 'https://z.io', line: 9, column: 8 },
    ])
    expect(parseMarkdown(source).anchors).toEqual(['Top', 'Sub'])
  })
})

describe('CSV', () => {
  test('cells are labelled by header, and may contain quotes and line breaks', () => {
    const source = 'name;mail\r\n"Ann ""A"" B";a@x.io\r\n"two\nlines";\n'
    const document = parseCsv(source)
    expect(document.parts.map(({ path, label, text }) => [path, label, text])).toEqual([
      ['A1', undefined, 'name'],
      ['B1', undefined, 'mail'],
      ['A2', 'name', 'Ann "A" B'],
      ['B2', 'mail', 'a@x.io'],
      ['A3', 'name', 'two\nlines'],
    ])
    const [, , quoted] = document.parts
    expect(quoted && source[toSourceOffset(quoted, quoted.text.indexOf('B'))]).toBe('B')
  })

  test('a row of values is not used as a header', () => {
    expect(parseCsv('a@x.io,1\nb@x.io,2').parts.map(({ label }) => label)).toEqual([
      undefined,
      'a@x.io',
      undefined,
      'b@x.io',
    ])
  })

  test('a large sheet continues as plain text, without losing a row', () => {
    const rows = 6_000
    const source = `id,mail\n${Array.from({ length: rows }, (_, row) => `n${row},m${row}@x.io`).join('\n')}`
    const { parts } = parseCsv(source)
    expect(parts.filter(({ kind }) => kind === 'cell')).toHaveLength(MAX_CELLS)
    const rest = parts.at(-1)
    expect(rest?.text).toContain(`n${rows - 1}\tm${rows - 1}@x.io`)
    expect(rest && source.slice(toSourceOffset(rest, rest.text.indexOf('m5999'))).startsWith('m5999')).toBe(true)
  })

  test('unclosed quotes and arbitrary text are read to the end', () => {
    expect(parseCsv('a,"b\nc').parts.map(({ text }) => text)).toEqual(['a', 'b\nc'])
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('"', ',', '\n', 'a', '\r'), maxLength: 40 }),
        (text) => void parseCsv(text),
      ),
    )
  })

  test('hundreds of thousands of quotes are read within seconds', () => {
    const before = cpuMs()
    parseCsv(`${'"a""b",'.repeat(100_000)}\n${'"'.repeat(300_001)}`)
    expect(cpuMs() - before).toBeLessThan(2_000)
  })
})

test('JSON decodes escapes and keeps source offsets', () => {
  const source = '{"key":"a\\nb\\u0041\\"c\\"","x":1}'
  const [part] = parseJson(source).parts
  expect(part?.text).toBe('{"key":"a\nbA"c"","x":1}')
  expect(part && source[toSourceOffset(part, part.text.indexOf('x'))]).toBe('x')
})

test('XML names short values and reads longer text as running text', () => {
  const source =
    '<cfg user="ann"><Pass>p&amp;w</Pass><d>one <b>two</b> three</d><!-- c --><e><![CDATA[<raw>]]></e></cfg>'
  expect(shapes(parseXml(source))).toEqual([
    ['attribute', 'user', 'ann'],
    ['attribute', 'Pass', 'p&w'],
    ['text', undefined, 'one \n'],
    ['attribute', 'b', 'two'],
    ['attribute', 'd', ' three'],
    ['comment', undefined, ' c '],
    ['attribute', 'e', '<raw>'],
  ])
})

test('plain text is one unchanged part', () => {
  expect(parsePlainText('a\r\nb').parts).toEqual([{ kind: 'text', path: 'body', text: 'a\r\nb' }])
})

describe('lines and columns', () => {
  test.each([
    [0, 1, 1],
    [2, 2, 1],
    [5, 3, 1],
    [6, 4, 1],
    [8, 4, 3],
    [99, 4, 3],
  ])('offset %i is line %i column %i', (offset, line, column) => {
    expect(lineColumnOf('a\nb\r\n\rxy', offset)).toEqual({ line, column })
  })

  test('many lookups in a large text take one pass', () => {
    const source = 'line of text\n'.repeat(100_000)
    const before = cpuMs()
    for (let offset = 0; offset < source.length; offset += 13) lineColumnOf(source, offset)
    expect(cpuMs() - before).toBeLessThan(2_000)
  })
})

test.each([
  [0, 'A'],
  [25, 'Z'],
  [26, 'AA'],
  [701, 'ZZ'],
  [702, 'AAA'],
])('column %i is %s', (column, name) => {
  expect(toColumnName(column)).toBe(name)
})

test('a tiny link decodes to its page id', () => {
  const toTiny = (id: bigint) => {
    const bytes = Buffer.alloc(8)
    bytes.writeBigUInt64LE(id)
    return bytes.toString('base64').replace(/=+$/, '').replaceAll('/', '-').replaceAll('+', '_').replace(/A+$/, '')
  }
  fc.assert(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 63n }), (id) => {
      expect(decodeTinyLink(toTiny(id))).toBe(id.toString())
    }),
  )
})

describe('anchors of a page', () => {
  const page = { title: 'Key Rotation', anchors: ['Getting-started!', 'A-&-B'] }
  test.each([
    ['Getting-started!', true],
    ['#getting%2Dstarted!', true],
    ['Gettingstarted!', true],
    ['KeyRotation-Gettingstarted!', true],
    ['A-&-B', true],
    ['top', true],
    ['', true],
    ['Missing', false],
    ['KeyRotation-Missing', false],
  ])('%s: %s', (anchor, expected) => {
    expect(hasAnchor(page, anchor)).toBe(expected)
  })
})
