import { gzipSync, strToU8, zipSync } from 'fflate'
import { describe, expect, test } from 'vitest'
import type { AssayDocument } from '../../src/documents/document.ts'
import { type FileFacts, readDocument } from '../../src/documents/reader.ts'
import { cpuMs } from '../support/cpu.ts'
import { pdfOf, relationships, zipOf } from './files.ts'

async function read(source: Uint8Array | string, facts: FileFacts = {}): Promise<AssayDocument> {
  const result = await readDocument(source, facts)
  if (!('document' in result)) throw new Error(`${result.status}: ${result.reason}`)
  return result.document
}

async function statusOf(source: Uint8Array, facts: FileFacts = {}): Promise<string> {
  const result = await readDocument(source, facts)
  return 'document' in result ? 'read' : result.status
}

const shapes = (document: AssayDocument) =>
  document.parts.map(({ kind, path, label, text }) => [kind, path, label, text])
const word = (body: string) => `<?xml version="1.0"?><w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`
const run = (text: string, properties = '') => `<w:r><w:rPr>${properties}</w:rPr><w:t>${text}</w:t></w:r>`

describe('Word', () => {
  const files = {
    'word/document.xml': word(
      `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run('Access')}</w:p><w:p>${run('key gh')}${run('p_12 &amp; more')}<w:r><w:tab/><w:br/></w:r></w:p>` +
        `<w:p>${run('unseen', '<w:vanish/>')}${run('seen', '<w:vanish w:val="0"/>')}<w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>` +
        `<w:tbl><w:tr><w:tc><w:p>${run('Name')}</w:p></w:tc><w:tc><w:p>${run('Mail')}</w:p></w:tc><w:tc><w:p>${run('SSN')}</w:p></w:tc></w:tr><w:tr><w:tc><w:p>${run('Ann')}</w:p></w:tc><w:tc><w:p>${run('a@x.io')}</w:p></w:tc><w:tc><w:p>${run('1')}</w:p></w:tc></w:tr></w:tbl>` +
        `<w:p><w:hyperlink r:id="rId1">${run('site')}</w:hyperlink></w:p>` +
        `<mc:AlternateContent><mc:Choice><w:p>${run('once')}</w:p></mc:Choice><mc:Fallback><w:p>${run('once')}</w:p></mc:Fallback></mc:AlternateContent>`,
    ),
    'word/_rels/document.xml.rels': relationships({ rId1: { target: 'https://x.io/a', external: true } }),
    'word/comments.xml': `<w:comments><w:comment w:id="4"><w:p>${run('why?')}</w:p></w:comment></w:comments>`,
    'word/header1.xml': `<w:hdr><w:p>${run('secret')}</w:p></w:hdr>`,
    'docProps/core.xml':
      '<cp:coreProperties><dc:title>Plan &lt;1&gt;</dc:title><dc:creator>Ann</dc:creator></cp:coreProperties>',
  }

  test('is read with text, cells, hidden text, headers, notes and properties', async () => {
    const document = await read(zipOf(files), { filename: 'a.docx' })
    expect(shapes(document)).toEqual([
      ['text', 'body', undefined, 'Access\nkey ghp_12 & more\t\nseen\nsite\nonce\n'],
      ['hidden', 'body', undefined, 'unseen'],
      ['hidden', 'body', undefined, 'gone'],
      ['cell', 'body', undefined, 'Name\n'],
      ['cell', 'body', undefined, 'Mail\n'],
      ['cell', 'body', undefined, 'SSN\n'],
      ['cell', 'body', 'Name', 'Ann\n'],
      ['cell', 'body', 'Mail', 'a@x.io\n'],
      ['cell', 'body', 'SSN', '1\n'],
      ['text', 'header 1', undefined, 'secret\n'],
      ['comment', 'comment 4', undefined, 'why?\n'],
      ['attribute', 'properties', 'title', 'Plan <1>'],
    ])
    expect(document.parts[0]?.headings).toEqual(['access'])
    expect(document.parts[0]?.heading).toBe('Access')
    expect(document.links).toMatchObject([{ kind: 'web', url: 'https://x.io/a', label: 'site' }])
  })

  test('is recognized by its bytes, regardless of its name', async () => {
    const document = await read(zipOf(files), { filename: 'a.txt', mime: 'text/plain' })
    expect(document.mime).toContain('wordprocessingml')
  })
})

test('Excel is read with cells by column, full numbers, formulas with texts, comments, connections and links', async () => {
  const document = await read(
    zipOf({
      'xl/workbook.xml': '<workbook><sheets><sheet name="People" sheetId="1" r:id="rId1"/></sheets></workbook>',
      'xl/_rels/workbook.xml.rels': relationships({ rId1: { target: 'worksheets/sheet1.xml' } }),
      'xl/sharedStrings.xml':
        '<sst><si><t>Name</t></si><si><r><t>Ca</t></r><r><t>rd</t></r></si><si><t>Ann</t><rPh><t>x</t></rPh></si></sst>',
      'xl/worksheets/sheet1.xml':
        '<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>' +
        '<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3"><v>4.111111111111111E15</v></c><c r="AA3" t="inlineStr"><is><t>note &amp;</t></is></c></row>' +
        '<row r="4"><c r="A4" t="str"><f>CONCAT("pw=",B3)</f><v>pw=1</v></c></row></sheetData><hyperlinks><hyperlink ref="A1" r:id="rId1"/></hyperlinks></worksheet>',
      'xl/worksheets/_rels/sheet1.xml.rels': relationships({
        rId1: { target: 'https://x.io', external: true },
        rId2: { target: '../comments1.xml' },
      }),
      'xl/comments1.xml':
        '<comments><commentList><comment ref="A3"><text><r><t>call her</t></r></text></comment></commentList></comments>',
      'xl/connections.xml':
        '<connections><connection name="db"><dbPr connection="Server=x;Password=y" command="select 1"/></connection></connections>',
    }),
  )
  expect(shapes(document)).toEqual([
    ['cell', 'People!A1', undefined, 'Name'],
    ['cell', 'People!B1', undefined, 'Card'],
    ['cell', 'People!A3', 'Name', 'Ann'],
    ['cell', 'People!B3', 'Card', '4111111111111111'],
    ['cell', 'People!AA3', undefined, 'note &'],
    ['expression', 'People!A4', undefined, 'CONCAT("pw=",B3)'],
    ['cell', 'People!A4', 'Name', 'pw=1'],
    ['comment', 'comment People!A3', undefined, 'call her'],
    ['attribute', 'connections', 'name', 'db'],
    ['attribute', 'connections', 'connection', 'Server=x;Password=y'],
    ['attribute', 'connections', 'command', 'select 1'],
  ])
  expect(document.links).toMatchObject([{ kind: 'web', url: 'https://x.io', path: 'People' }])
})

test('PowerPoint is read with slides in order, notes, tables and hidden slides', async () => {
  const text = (words: string) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`
  const document = await read(
    zipOf({
      'ppt/slides/slide10.xml': `<p:sld show="0">${text('ten')}</p:sld>`,
      'ppt/slides/slide2.xml': `<p:sld><p:cNvPr descr="a map"/>${text('two')}<a:tbl><a:tr><a:tc>${text('User')}</a:tc><a:tc>${text('ann')}</a:tc></a:tr></a:tbl></p:sld>`,
      'ppt/notesSlides/notesSlide2.xml': `<p:notes>${text('say hello')}</p:notes>`,
    }),
  )
  expect(shapes(document)).toEqual([
    ['attribute', 'slide 2', 'alt', 'a map'],
    ['text', 'slide 2', undefined, 'two\n'],
    ['cell', 'slide 2', undefined, 'User\n'],
    ['cell', 'slide 2', 'User', 'ann\n'],
    ['hidden', 'slide 10', undefined, 'ten\n'],
    ['text', 'notes 2', undefined, 'say hello\n'],
  ])
})

describe('PDF', () => {
  test('is read page by page, with links', async () => {
    const annotation = '<< /Type /Annot /Subtype /Link /Rect [0 0 9 9] /A << /S /URI /URI (https://x.io/p) >> >>'
    const document = await read(pdfOf(['first line\nsecond', 'token ghp_1234'], { annotation }))
    expect(shapes(document)).toEqual([
      ['text', 'page 1', undefined, expect.stringMatching(/^first line\s+second/)],
      ['text', 'page 2', undefined, expect.stringContaining('token ghp_1234')],
    ])
    expect(document.links[0]).toMatchObject({ kind: 'web', url: 'https://x.io/p', path: 'page 1' })
  })

  test('with a password is reported as encrypted', async () => {
    const hex = '41'.repeat(32)
    const trailer = `/ID [<${hex}> <${hex}>] /Encrypt << /Filter /Standard /V 1 /R 2 /Length 40 /P -4 /O <${hex}> /U <${hex}> >>`
    expect(await statusOf(pdfOf(['x'], { trailer }))).toBe('encrypted')
  })

  test('that is truncated is reported as damaged or read in part, without an error', async () => {
    const bytes = pdfOf(['hello there'])
    for (const end of [6, 60, 200, bytes.length - 40]) {
      expect(['damaged', 'read']).toContain(await statusOf(bytes.subarray(0, end)))
    }
  })
})

describe('an unread file has a reason', () => {
  const office = (files: Record<string, string>) => zipOf({ 'word/document.xml': word(''), ...files })
  const encryptedZip = zipOf({ 'word/document.xml': 'x' })
  encryptedZip[6] = 1
  const ole = (words: string) =>
    Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1, ...Buffer.from(words, 'utf16le')])

  test.each<[string, Uint8Array, string]>([
    ['an image', Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0), 'unsupported'],
    ['a zip of other files', zipOf({ 'a.txt': 'x' }), 'unsupported'],
    ['a gzip', gzipSync(strToU8('x')), 'unsupported'],
    ['unknown bytes', Uint8Array.from({ length: 64 }, (_, index) => index), 'unsupported'],
    ['an old office file', ole('WordDocument'), 'unsupported'],
    ['an office file with a password', ole('EncryptedPackage'), 'encrypted'],
    ['a zip with a password', encryptedZip, 'encrypted'],
    ['a truncated zip', office({}).subarray(0, 40), 'damaged'],
    [
      'a zip of too many files',
      zipOf(Object.fromEntries(Array.from({ length: 2_100 }, (_, index) => [`word/${index}.xml`, 'x']))),
      'skipped_too_large',
    ],
  ])('%s', async (_name, bytes, expected) => {
    expect(await statusOf(bytes, { filename: 'a.docx' })).toBe(expected)
  })

  test('a zip bomb is stopped before it is unpacked, even if its header has false sizes', async () => {
    const bomb = zipSync({ 'word/document.xml': new Uint8Array(20 * 1024 * 1024) })
    const lying = Uint8Array.from(bomb)
    new DataView(lying.buffer).setUint32(22, 10, true)
    for (const bytes of [bomb, lying]) {
      const before = cpuMs()
      expect(await statusOf(bytes)).toBe('skipped_too_large')
      expect(cpuMs() - before).toBeLessThan(3_000)
    }
  })
})

describe('text files', () => {
  test.each<[string, Uint8Array]>([
    ['UTF-8', new TextEncoder().encode('größe')],
    ['UTF-8 with a byte order mark', Uint8Array.of(0xef, 0xbb, 0xbf, ...new TextEncoder().encode('größe'))],
    ['UTF-16', Uint8Array.of(0xff, 0xfe, ...Buffer.from('größe', 'utf16le'))],
    ['Windows-1252', Uint8Array.from(Buffer.from('größe', 'latin1'))],
  ])('%s is decoded', async (_name, bytes) => {
    expect((await read(bytes)).parts.map(({ text }) => text)).toEqual(['größe'])
  })

  test.each<[string, FileFacts, string]>([
    ['<p>x</p>', { filename: 'a.html' }, 'text/html'],
    ['<!DOCTYPE html><p>x</p>', {}, 'text/html'],
    ['<?xml version="1.0"?><a>x</a>', {}, 'application/xml'],
    ['{"a":1}', { mime: 'application/json' }, 'application/json'],
    ['a,b', { filename: 'a.CSV', mime: 'text/plain' }, 'text/csv'],
    ['# x', { filename: 'a.md' }, 'text/markdown'],
    ['BMW and MZ', {}, 'text/plain'],
    ['x', { filename: 'a.constructor' }, 'text/plain'],
  ])('%s with %o is read as %s', async (text, facts, mime) => {
    expect((await read(new TextEncoder().encode(text), facts)).mime).toBe(mime)
  })
})
