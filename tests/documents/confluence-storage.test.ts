import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type AssayDocument, findLineColumn, type Part, toSourceOffset } from '../../src/documents/document.ts'
import { parseStorage } from '../../src/documents/markup/confluence-storage.ts'
import { anyText } from '../support/any-text.ts'

const site = 'https://acme.atlassian.net'
const parse = (source: string) => parseStorage(source, { site })
const textOf = (document: AssayDocument, kind: Part['kind'] = 'text') =>
  document.parts.filter((part) => part.kind === kind).map(({ text }) => text)
const macro = (name: string, inner: string) => `<ac:structured-macro ac:name="${name}">${inner}</ac:structured-macro>`
const parameter = (name: string, value: string) => `<ac:parameter ac:name="${name}">${value}</ac:parameter>`
const code = (text: string, language = '') =>
  macro(
    'code',
    `${language === '' ? '' : parameter('language', language)}<ac:plain-text-body><![CDATA[${text}]]></ac:plain-text-body>`,
  )

/** The source that a word of a part stands for. */
function sourceOf(source: string, document: AssayDocument, word: string): string {
  const part = document.parts.find(({ text }) => text.includes(word))
  if (part === undefined) throw new Error(`no part holds ${word}`)
  const start = part.text.indexOf(word)
  return source.slice(toSourceOffset(part, start), toSourceOffset(part, start + word.length - 1) + 1)
}

test('a parameter is read whatever its name says of its value', () => {
  const names = ['accountId', 'server', 'key_id', 'macro-id']
  const source = macro('jira', names.map((name) => parameter(name, `of ${name}`)).join(''))
  const parts = parse(source).parts.filter(({ kind }) => kind === 'attribute')
  expect(parts.filter(({ text }) => text.startsWith('of ')).map(({ label }) => label)).toEqual(names)
})

describe('running text', () => {
  test('inline tags leave no gap', () => {
    expect(textOf(parse('<p>token ghp_<em>ab</em>cd<strong>ef</strong></p>'))).toEqual(['token ghp_abcdef\n'])
  })

  test('blocks are on separate lines', () => {
    expect(textOf(parse('<p>one</p><ul><li>two</li><li>three</li></ul><p>four<br/>five</p>'))).toEqual([
      'one\ntwo\nthree\nfour\nfive\n',
    ])
  })

  test('headings start sections with their names', () => {
    const document = parse('<p>intro</p><h1>Access</h1><p>a</p><h2>Key Vault</h2><p>b</p><h1>End</h1><p>c</p>')
    expect(document.parts.map(({ text, headings }) => [text, headings])).toEqual([
      ['intro\n', undefined],
      ['Access\na\n', ['access']],
      ['Key Vault\nb\n', ['access', 'key vault']],
      ['End\nc\n', ['end']],
    ])
  })

  test('HTML entities are decoded', () => {
    expect(textOf(parse('<p>a&nbsp;b &rarr; &lt;c&gt; &#128512; &unknown; AT&T</p>'))).toEqual([
      'a\u00A0b → <c> 😀 &unknown; AT&T\n',
    ])
  })

  test('the ids of tasks are omitted', () => {
    const source =
      '<ac:task-list><ac:task><ac:task-id>7</ac:task-id><ac:task-status>incomplete</ac:task-status><ac:task-body>call Ann</ac:task-body></ac:task></ac:task-list>'
    expect(parse(source).parts.map(({ text }) => text)).toEqual(['call Ann\n'])
  })

  test('an extension is read once, without its fallback', () => {
    const source =
      '<ac:adf-extension><ac:adf-node type="panel"><ac:adf-content><p>kept</p></ac:adf-content></ac:adf-node><ac:adf-fallback><p>kept</p></ac:adf-fallback></ac:adf-extension>'
    expect(textOf(parse(source))).toEqual(['kept\n'])
    expect(textOf(parse(source.replace(/<ac:adf-node.*adf-node>/, '')))).toEqual(['kept\n'])
  })
})

describe('separate parts', () => {
  test('a code macro keeps its text and language', () => {
    const [part] = parse(code('key = "<a>&amp;"\n', 'Python')).parts
    expect(part).toMatchObject({ kind: 'code', language: 'python', text: 'key = "<a>&amp;"\n' })
  })

  test('a split CDATA end mark inside a code macro is joined', () => {
    const source =
      '<ac:structured-macro ac:name="noformat"><ac:plain-text-body><![CDATA[a]]]]><![CDATA[>b]]></ac:plain-text-body></ac:structured-macro>'
    expect(textOf(parse(source), 'code')).toEqual(['a]]>b'])
    expect(sourceOf(source, parse(source), '>b')).toBe('>b')
  })

  test('cells are labelled with the header of their column', () => {
    const document = parse(
      '<table><tbody><tr><th>Name</th><th colspan="2">Mail</th><th>SSN</th></tr><tr><td>Ann</td><td>a@x.io</td><td>b@x.io</td><td><p>1</p><p>2</p></td></tr></tbody></table>',
    )
    expect(document.parts.slice(3).map(({ text, label }) => [label, text])).toEqual([
      ['Name', 'Ann'],
      ['Mail', 'a@x.io'],
      ['Mail', 'b@x.io'],
      ['SSN', '1\n2\n'],
    ])
  })

  test('without a header row, cells are labelled with the first cell of their row', () => {
    const document = parse('<table><tr><th>Password</th><td>hunter</td></tr><tr><td>User</td><td>ann</td></tr></table>')
    expect(document.parts.map(({ text, label }) => [label, text])).toEqual([
      [undefined, 'Password'],
      ['Password', 'hunter'],
      [undefined, 'User'],
      ['User', 'ann'],
    ])
  })

  test('macro parameters and attributes with content become parts', () => {
    const source = `${macro('jdbc', parameter('url', 'jdbc:x;password=a&amp;b'))}<img alt="a &quot;b&quot;" width="3" src="x.png"/><p style="color: red" local-id="1">x</p>`
    expect(parse(source).parts.filter(({ kind }) => kind === 'attribute')).toMatchObject([
      { label: 'url', text: 'jdbc:x;password=a&b' },
      { label: 'alt', text: 'a "b"' },
      { label: 'src', text: 'x.png' },
    ])
  })

  test('comments and template hints become parts', () => {
    expect(textOf(parse('<p>a<!-- todo: x --></p><ac:placeholder>write here</ac:placeholder>'), 'comment')).toEqual([
      ' todo: x ',
      'write here',
    ])
  })

  test.each([
    ['not displayed', '<span style="display: none">x</span>'],
    ['white on white', '<span style="color: rgb(255,255,255);">x</span>'],
    ['tiny', '<span style="font-size: 1px">x</span>'],
    ['see-through', '<span style="opacity: 0">x</span>'],
    ['far away', '<p style="position:absolute; left:-9999px">x</p>'],
    ['dark on the same dark', '<p style="background-color:#123456"><span style="color:#123456">x</span></p>'],
    ['a concealed excerpt', macro('excerpt', `${parameter('hidden', 'true')}<ac:rich-text-body>x</ac:rich-text-body>`)],
  ])('text is marked as hidden in %s', (_name, source) => {
    expect(parse(source).parts.map(({ kind, text }) => [kind, text.trim()])).toEqual([['hidden', 'x']])
  })

  test.each([
    [
      'white on a coloured cell',
      '<table><tr><td data-highlight-colour="#0747a6"><span style="color:white">x</span></td></tr></table>',
    ],
    ['white on a dark block', '<div style="background:#000"><span style="color:#fff">x</span></div>'],
    ['white on an image', '<div style="background: url(a.png)"><span style="color:#fff">x</span></div>'],
    ['small print', '<span style="font-size: 8px">x</span>'],
  ])('text is not marked as hidden in %s', (_name, source) => {
    expect(parse(source).parts.map(({ kind }) => kind)).not.toContain('hidden')
  })
})

describe('links', () => {
  const first = (source: string) => parse(source).links[0]
  const a = (href: string) => `<a href="${href}">x</a>`
  const link = (body: string) => `<ac:link>${body}</ac:link>`

  test.each<[string, string, object]>([
    [
      'a web address',
      '<a href="https://x.io/a?b=1&amp;c=2#d">there</a>',
      { kind: 'web', url: 'https://x.io/a?b=1&c=2#d', label: 'there' },
    ],
    [
      'a page by title',
      link('<ri:page ri:content-title="On &amp; Off" ri:space-key="DOCS"/>'),
      { kind: 'page', url: 'DOCS:On & Off', label: 'On & Off', reference: { space: 'DOCS', title: 'On & Off' } },
    ],
    [
      'a page and an anchor',
      '<ac:link ac:anchor="Top"><ri:page ri:content-title="A"/><ac:plain-text-link-body><![CDATA[see]]></ac:plain-text-link-body></ac:link>',
      { kind: 'page', url: 'A#Top', label: 'see', reference: { title: 'A', anchor: 'Top' } },
    ],
    [
      'an anchor',
      '<ac:link ac:anchor="Top"><ac:link-body>up</ac:link-body></ac:link>',
      { kind: 'anchor', url: '#Top', label: 'up', reference: { anchor: 'Top' } },
    ],
    [
      'an attachment',
      link('<ri:attachment ri:filename="a.pdf"/>'),
      { kind: 'attachment', url: 'a.pdf', reference: { filename: 'a.pdf' } },
    ],
    [
      'an attachment elsewhere',
      link('<ri:attachment ri:filename="a.pdf"><ri:page ri:content-title="B"/></ri:attachment>'),
      { kind: 'attachment', url: 'B/a.pdf', reference: { title: 'B', filename: 'a.pdf' } },
    ],
    [
      'an image',
      '<ac:image ac:alt="plan"><ri:attachment ri:filename="p.png"/></ac:image>',
      { kind: 'attachment', label: 'p.png', reference: { filename: 'p.png' } },
    ],
    [
      'a resource address',
      '<ac:image><ri:url ri:value="https://x.io/p.png"/></ac:image>',
      { kind: 'web', url: 'https://x.io/p.png' },
    ],
    ['a user', link('<ri:user ri:account-id="5b1"/>'), { kind: 'user', url: '@5b1' }],
    [
      'a page of the same site',
      a(`${site}/wiki/spaces/DOCS/pages/123/Some+Title#Part`),
      { kind: 'page', reference: { space: 'DOCS', id: '123', anchor: 'Part' } },
    ],
    ['a relative page', a('/wiki/spaces/DOCS/pages/123'), { kind: 'page', reference: { id: '123' } }],
    ['an old page address', a('/wiki/pages/viewpage.action?pageId=77'), { kind: 'page', reference: { id: '77' } }],
    [
      'a page by display address',
      a('/wiki/display/DOCS/Some+Title'),
      { kind: 'page', reference: { space: 'DOCS', title: 'Some Title' } },
    ],
    ['a tiny link', a('/wiki/x/AYCV'), { kind: 'page', reference: { id: '9797633' } }],
    [
      'a download address',
      a('/wiki/download/attachments/12/a%20b.pdf?api=v2'),
      { kind: 'attachment', reference: { id: '12', filename: 'a b.pdf' } },
    ],
    ['a fragment', a('#Part'), { kind: 'anchor', reference: { anchor: 'Part' } }],
    ['an address that cannot be read', a('http://'), { kind: 'web', url: 'http://' }],
    [
      'an address in a macro',
      macro('iframe', parameter('src', 'https://x.io/f')),
      { kind: 'web', url: 'https://x.io/f' },
    ],
  ])('%s', (_name, source, expected) => {
    expect(first(source)).toMatchObject(expected)
  })

  test.each(['mailto:a@x.io', 'tel:+49', 'javascript:alert(1)', ''])('there is no link in %s', (href) => {
    expect(parse(`<a href="${href}">x</a>`).links).toEqual([])
  })

  test('an included page is shown by its title in the text', () => {
    expect(textOf(parse('<p>see <ac:link><ri:page ri:content-title="Setup"/></ac:link>.</p>'))).toEqual([
      'see Setup.\n',
    ])
  })

  test('a link has the position of its text', () => {
    const source = '<p>x</p>\n<p><a href="https://x.io">y</a></p>'
    expect(first(source)).toMatchObject({ line: 2, column: 13, offset: source.indexOf('https') })
  })
})

test('anchors are heading slugs and anchor macros', () => {
  const document = parse(`<h1>Getting  started!</h1><h2>A</h2><h2>A</h2>${macro('anchor', parameter('', 'mark'))}`)
  expect(document.anchors).toEqual(['Getting-started!', 'A', 'A.1', 'mark'])
})

describe('source positions', () => {
  test('are correct after entities, emoji and tags', () => {
    const source = '<p>😀 &amp; &#x1F600; x</p>\n<p>pass<b>word</b>: se&shy;cret <i>😀tail</i></p>'
    const document = parse(source)
    expect(sourceOf(source, document, 'pass')).toBe('pass')
    expect(sourceOf(source, document, 'password')).toBe('pass<b>word')
    expect(sourceOf(source, document, 'cret')).toBe('cret')
    expect(sourceOf(source, document, 'tail')).toBe('tail')
    const [part] = document.parts
    expect(part && findLineColumn(document, part, part.text.indexOf('word'))).toEqual({ line: 2, column: 11 })
  })

  test('of a part that ends with an entity include the whole entity', () => {
    const source = '<td>x</td><a title="a&amp;">'
    const part = parse(source).parts.find(({ kind }) => kind === 'attribute')
    expect(part && toSourceOffset(part, part.text.length)).toBe(source.indexOf('">'))
  })

  test('of every character that is not decoded contain that character', () => {
    const piece = fc.constantFrom(
      '<p>',
      '</p>',
      '<b>',
      '</b>',
      '&amp;',
      '&nbsp;',
      '😀',
      'a',
      ' ',
      '\n',
      '<td>',
      '</td>',
      '<![CDATA[c]]>',
      '<!-- d -->',
      '<h1>',
      '</h1>',
      '<a title="e&lt;f">',
      '</a>',
      '<',
      '&',
      '"',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const source = pieces.join('')
        for (const part of parse(source).parts) {
          for (let at = 0; at < part.text.length; at++) {
            const character = part.text[at] ?? ''
            if (/[&\u00A0<\n]/.test(character)) continue
            expect(source[toSourceOffset(part, at)]).toBe(character)
          }
        }
      }),
      { numRuns: 400 },
    )
  })
})

describe('hostile markup', () => {
  const timed = (source: string) => {
    const before = process.cpuUsage()
    const document = parse(source)
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1_000).toBeLessThan(1_500)
    return document
  }

  test.each<[string, string]>([
    ['deep nesting', '<div>'.repeat(200_000)],
    ['closing tags without an opening one', `<a>${'</b>'.repeat(200_000)}`],
    ['unclosed paragraphs', '<p>'.repeat(100_000)],
    ['many references', '&amp;'.repeat(300_000)],
    ['many ampersands', '&'.repeat(1_000_000)],
    ['many links', '<a href="https://x.io">y</a>'.repeat(10_000)],
    ['many attributes', `<p ${'a="b" '.repeat(100_000)}>`],
    ['long names', `<p ${'a:'.repeat(300_000)}="x">`],
    ['many headings', '<h1>a</h1>'.repeat(10_000)],
    ['many cells', `<table>${'<tr><td>a</td></tr>'.repeat(12_000)}</table>`],
    ['open marks', '<'.repeat(500_000)],
    ['open links', '<ac:link>'.repeat(50_000)],
  ])('%s', (_name, source) => {
    timed(source)
  })

  test('text below the maximum depth is kept, with a note', () => {
    const document = timed(`${'<div>'.repeat(2_000)}AKIA<b>12</b>34${'</div>'.repeat(2_000)}<p>after</p>`)
    expect(textOf(document).join('')).toBe('AKIA1234\nafter\n')
    expect(document.truncated).toBe(true)
  })

  test('a body longer than the limit of a part continues in the next part', () => {
    const document = timed(`<p>${'word '.repeat(1_000_000)}end</p>`)
    expect(textOf(document).map(({ length }) => length)).toEqual([2_097_152, 2_097_152, 805_700])
    const last = document.parts.at(-1)
    expect(last && toSourceOffset(last, last.text.indexOf('end'))).toBe(3 + 5_000_000)
  })

  test('any text is read without an error', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 300 }), (source) => {
        expect(parse(source).parts.length).toBeGreaterThanOrEqual(0)
      }),
    )
  })
})
