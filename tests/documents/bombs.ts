import { deflateSync, gzipSync, strToU8, zipSync } from 'fflate'
import { relationships } from './files.ts'

export const MEGABYTE = 1024 * 1024
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
const files = (count: number, name: (at: number) => string) =>
  zipSync(Object.fromEntries(Array.from({ length: count }, (_, at) => [name(at), strToU8('x')])), { level: 0 })
const pdf = (filter: string, stream: Uint8Array) =>
  Buffer.concat([
    Buffer.from(`%PDF-1.4\n1 0 obj\n<< /Length ${stream.length} /Filter ${filter} >>\nstream\n`),
    stream,
    Buffer.from('\nendstream\nendobj\ntrailer\n<< /Size 2 >>\n%%EOF\n'),
  ])

/** Files that unpack to far more than they are, most of them to some megabytes. */
export const bombsOf = (megabytes: number): Readonly<Record<string, () => Uint8Array>> => ({
  'a Word file of zeros': () => zipSync({ 'word/document.xml': zeros(megabytes) }),
  'a Word file of blanks': () => zipSync({ 'word/document.xml': spaces(megabytes) }),
  'a Word file whose header says it is small': () => lying(zipSync({ 'word/document.xml': zeros(megabytes) }), 10),
  'a Word file whose header says it is huge': () => lying(zipSync({ 'word/document.xml': zeros(1) }), 0x7fffffff),
  'a Word file with many bloated parts': () =>
    zipSync(Object.fromEntries(Array.from({ length: megabytes }, (_, at) => [`word/header${at}.xml`, zeros(1)]))),
  'a Word file of entities in entities': () => zipSync({ 'word/document.xml': strToU8(`${entities}${word('&l12;')}`) }),
  'a Word file nested without end': () =>
    zipSync({ 'word/document.xml': strToU8(word('<w:p>'.repeat(5_000 * megabytes))) }),
  'an Excel file of zeros': () => zipSync({ ...workbook, 'xl/worksheets/sheet1.xml': zeros(megabytes) }),
  'an Excel file of empty rows': () =>
    zipSync({ ...workbook, 'xl/worksheets/sheet1.xml': strToU8(sheet('<row r="1"/>'.repeat(400_000))) }),
  'an Excel file with one string shown everywhere': () =>
    zipSync({
      ...workbook,
      'xl/sharedStrings.xml': strToU8(`<sst><si><t>${'long '.repeat(20_000)}</t></si></sst>`),
      'xl/worksheets/sheet1.xml': strToU8(sheet(`<row r="1">${'<c r="A1" t="s"><v>0</v></c>'.repeat(20_000)}</row>`)),
    }),
  'a presentation of zeros': () => zipSync({ 'ppt/slides/slide1.xml': zeros(megabytes) }),
  'a presentation of 1,900 slides': () => files(1_900, (at) => `ppt/slides/slide${at}.xml`),
  'an archive of very many files': () => files(2_000 * megabytes, (at) => `${at}`),
  'an archive with one name 100 times': () => {
    const one = zipSync({ 'word/document.xml': zeros(1) })
    return Buffer.concat(Array.from({ length: 100 }, () => one))
  },
  'an archive in an archive': () => {
    const inner = zipSync({ 'word/document.xml': zeros(megabytes / 2) })
    return zipSync({ 'word/document.xml': inner, 'a.docx': inner })
  },
  'a gzip of zeros': () => gzipSync(zeros(megabytes)),
  'a gzip in a gzip': () => gzipSync(gzipSync(zeros(megabytes))),
  'XML of entities in entities': () => strToU8(`<?xml version="1.0"?>${entities}<a>&l12;</a>`),
  'XML that points outside': () =>
    strToU8('<?xml version="1.0"?><!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>'),
  'a PDF with a bloated stream': () => pdf('/FlateDecode', deflateSync(zeros(megabytes))),
  'a PDF with a stream packed twice': () =>
    pdf('[/FlateDecode /FlateDecode]', deflateSync(deflateSync(zeros(megabytes)))),
})

export interface HugeInput {
  source: () => string
  mime?: string
  /** More than is read of a document. */
  partial?: true
  links?: number
}

/** Texts that are too long, too deep or too wide; with a scale of 1 as much so as their names say. */
export const hugeInputs = (scale: number): Readonly<Record<string, HugeInput>> => ({
  'a page of 50 MB': { source: () => `<p>${'word '.repeat(10_000_000 * scale)}</p>`, mime: 'storage', partial: true },
  'a line of 20 MB': { source: () => 'x'.repeat(20_000_000), partial: true },
  '100,000 nested tags': { source: () => '<div>'.repeat(100_000 * scale), mime: 'text/html', partial: true },
  'JSON 200,000 deep': { source: () => '['.repeat(200_000) + ']'.repeat(200_000), mime: 'application/json' },
  'a page of 1,000,000 links': {
    source: () => '<a href="https://example.com/x">y</a>'.repeat(1_000_000 * scale ** 4),
    mime: 'storage',
    partial: true,
    links: 5_000,
  },
  'a table of 10,000 columns': { source: () => `${'a,'.repeat(10_000)}\n`.repeat(50 * scale), mime: 'text/csv' },
  'zero characters': { source: () => '\u0000'.repeat(1_000_000), mime: 'text/html' },
  'halves of surrogate pairs': { source: () => '\ud83d\udc00x\udc00'.repeat(300_000 * scale), mime: 'storage' },
})
