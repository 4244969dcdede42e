import { deflateSync, gzipSync, strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { readDocument } from '../../src/documents/reader.ts'
import { parseStorage } from '../../src/documents/storage.ts'
import { relationships } from './files.ts'

const MEGABYTE = 1024 * 1024
const zeros = (megabytes: number) => new Uint8Array(megabytes * MEGABYTE)
const spaces = (megabytes: number) => zeros(megabytes).fill(32)
const word = (body: string) => `<w:document><w:body>${body}</w:body></w:document>`
const sheet = (rows: string) => `<worksheet><sheetData>${rows}</sheetData></worksheet>`
const workbook = {
  'xl/workbook.xml': strToU8('<workbook><sheets><sheet name="A" r:id="rId1"/></sheets></workbook>'),
  'xl/_rels/workbook.xml.rels': strToU8(relationships({ rId1: { target: 'worksheets/sheet1.xml' } })),
}

function lying(bytes: Uint8Array, size: number): Uint8Array {
  const changed = Uint8Array.from(bytes)
  new DataView(changed.buffer).setUint32(22, size, true)
  return changed
}

const entities = `<!DOCTYPE a [${Array.from({ length: 12 }, (_, at) => `<!ENTITY l${at + 1} "${`&l${at};`.repeat(10)}">`).join('')}<!ENTITY l0 "ha">]>`
const inner = zipSync({ 'word/document.xml': zeros(30) })
const files = (count: number, name: (at: number) => string) =>
  zipSync(Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), strToU8('x')])), { level: 0 })
const pdf = (filter: string, stream: Uint8Array) =>
  Buffer.concat([
    Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Length ${stream.length} /Filter ${filter} >>\nstream\n`),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Size 2 >>\n%%EOF\n'),
  ])

const bombs: Readonly<Record<string, () => Uint8Array>> = {
  'a Word file of zeros': () => zipSync({ 'word/document.xml': zeros(60) }),
  'a Word file of blanks': () => zipSync({ 'word/document.xml': spaces(60) }),
  'a Word file whose header says it is small': () => lying(zipSync({ 'word/document.xml': zeros(60) }), 10),
  'a Word file whose header says it is huge': () => lying(zipSync({ 'word/document.xml': zeros(1) }), 0x7fffffff),
  'a Word file with many bloated parts': () =>
    zipSync(Object.fromEntries(Array.from({ length: 60 }, (_, at) => [`word/header${at}.xml`, zeros(1)]))),
  'a Word file of entities in entities': () => zipSync({ 'word/document.xml': strToU8(`${entities}${word('&l12;')}`) }),
  'a Word file nested without end': () => zipSync({ 'word/document.xml': strToU8(word('<w:p>'.repeat(300_000))) }),
  'an Excel file of zeros': () => zipSync({ ...workbook, 'xl/worksheets/sheet1.xml': zeros(60) }),
  'an Excel file of empty rows': () =>
    zipSync({ ...workbook, 'xl/worksheets/sheet1.xml': strToU8(sheet('<row r="1"/>'.repeat(400_000))) }),
  'an Excel file with one string shown everywhere': () =>
    zipSync({
      ...workbook,
      'xl/sharedStrings.xml': strToU8(`<sst><si><t>${'long '.repeat(20_000)}</t></si></sst>`),
      'xl/worksheets/sheet1.xml': strToU8(sheet(`<row r="1">${'<c r="A1" t="s"><v>0</v></c>'.repeat(20_000)}</row>`)),
    }),
  'a presentation of zeros': () => zipSync({ 'ppt/slides/slide1.xml': zeros(60) }),
  'a presentation of 1,900 slides': () => files(1_900, (at) => `ppt/slides/slide${at}.xml`),
  'an archive of 100,000 files': () => files(100_000, (at) => `${at}`),
  'an archive with one name 100 times': () => {
    const one = zipSync({ 'word/document.xml': zeros(1) })
    return Buffer.concat(Array.from({ length: 100 }, () => one))
  },
  'an archive in an archive': () => zipSync({ 'word/document.xml': inner, 'a.docx': inner }),
  'a gzip of zeros': () => gzipSync(zeros(60)),
  'a gzip in a gzip': () => gzipSync(gzipSync(zeros(60))),
  'XML of entities in entities': () => strToU8(`<?xml version="1.0"?>${entities}<a>&l12;</a>`),
  'XML that points outside': () =>
    strToU8('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'),
  'a PDF with a bloated stream': () => pdf('/FlateDecode', deflateSync(zeros(60))),
  'a PDF with a stream packed twice': () => pdf('[/FlateDecode /FlateDecode]', deflateSync(deflateSync(zeros(60)))),
}

const MOST_GROWTH = 200 * MEGABYTE

describe('bombs', () => {
  it('are at least twenty', () => expect(Object.keys(bombs).length).toBeGreaterThanOrEqual(20))

  it.each(Object.keys(bombs))(
    '%s costs little and is told',
    async (name) => {
      const bytes = bombs[name]?.() ?? new Uint8Array()
      const resident = process.memoryUsage().rss
      const before = process.cpuUsage()
      const result = await readDocument(bytes, { filename: name.startsWith('XML') ? 'a.xml' : 'a.docx' })
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(5_000)
      expect(process.memoryUsage().rss - resident).toBeLessThan(MOST_GROWTH)
      if ('document' in result) {
        const length = result.document.parts.reduce((sum, { text }) => sum + text.length, 0)
        expect(length).toBeLessThan(20 * MEGABYTE)
        expect(result.document.parts.some(({ text }) => /haha|root:/.test(text))).toBe(false)
      } else expect(result.reason).not.toBe('')
    },
    60_000,
  )
})

describe('huge inputs', () => {
  const inputs: Readonly<Record<string, [source: () => string, facts: { mime?: string }]>> = {
    'a page of 50 MB': [() => `<p>${'word '.repeat(10_000_000)}</p>`, { mime: 'storage' }],
    'a line of 20 MB': [() => 'x'.repeat(20_000_000), {}],
    '100,000 nested tags': [() => '<div>'.repeat(100_000), { mime: 'text/html' }],
    'JSON 200,000 deep': [() => '['.repeat(200_000) + ']'.repeat(200_000), { mime: 'application/json' }],
    'a page of 300,000 links': [() => '<a href="/x">y</a>'.repeat(300_000), { mime: 'storage' }],
    'a table of 10,000 columns': [() => `${'a,'.repeat(10_000)}\n`.repeat(50), { mime: 'text/csv' }],
    'zero characters': [() => '\u0000'.repeat(1_000_000), { mime: 'text/html' }],
    'halves of surrogate pairs': [() => '\ud83d\udc00x\udc00'.repeat(300_000), { mime: 'storage' }],
  }

  it.each(Object.keys(inputs))(
    '%s is read in part and in bounds',
    async (name) => {
      const [source, facts] = inputs[name] ?? [() => '', {}]
      const text = source()
      const before = process.cpuUsage()
      const read = facts.mime === 'storage' ? { document: parseStorage(text) } : await readDocument(text, facts)
      const { user, system } = process.cpuUsage(before)
      expect((user + system) / 1_000).toBeLessThan(5_000)
      if (!('document' in read)) throw new Error(read.reason)
      const length = read.document.parts.reduce((sum, part) => sum + part.text.length, 0)
      expect(length).toBeLessThanOrEqual(17 * MEGABYTE)
      expect(read.document.links.length).toBeLessThanOrEqual(5_000)
      if (text.length > 17 * MEGABYTE) expect(read.document.truncated).toBe(true)
    },
    60_000,
  )
})
