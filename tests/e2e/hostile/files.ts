import { deflateSync } from 'node:zlib'
import { bombsOf, MEGABYTE } from '../../documents/bombs.ts'

const object = (number: number, body: string | Buffer) =>
  Buffer.concat([Buffer.from(`${number} 0 obj\n`), Buffer.from(body), Buffer.from('\nendobj\n')])
const stream = (entries: string, bytes: Uint8Array) =>
  Buffer.concat([Buffer.from(`<< /Length ${bytes.length} ${entries} >>\nstream\n`), bytes, Buffer.from('\nendstream')])
const pdf = (objects: readonly Buffer[], trailer = '<< /Root 1 0 R /Size 9 >>') =>
  Buffer.concat([Buffer.from('%PDF-1.5\n'), ...objects, Buffer.from(`trailer\n${trailer}\n%%EOF\n`)])

const catalog = object(1, '<< /Type /Catalog /Pages 2 0 R >>')
const onePage = object(2, '<< /Type /Pages /Kids [3 0 R] /Count 1 >>')
const page = object(3, '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R /Resources 5 0 R >>')
const font = object(5, '<< /Font << /F 6 0 R >> /XObject << /X 7 0 R >> >>')
const face = object(6, '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>')

/** A page whose content unpacks to this many megabytes, packed this many times. */
function packed(part: string, megabytes: number, times: number): Buffer {
  let bytes: Buffer = Buffer.alloc(megabytes * MEGABYTE, part)
  for (let turn = 0; turn < times; turn++) bytes = deflateSync(bytes, { level: 9 })
  const filters = Array(times).fill('/FlateDecode').join(' ')
  return pdf([catalog, onePage, page, font, face, object(4, stream(`/Filter [${filters}]`, bytes))])
}

const drawing = (content: string) => [catalog, onePage, page, font, face, object(4, stream('', Buffer.from(content)))]

/** PDFs of at most some kilobytes that cost far more to read. */
const pdfs: Record<string, () => Buffer> = {
  'a PDF with 400 MB of blanks packed three times': () => packed(' ', 400, 3),
  'a PDF with 200 MB of operators packed twice': () => packed('q Q ', 200, 2),
  'a PDF with 64 MB of text packed twice': () => packed('BT /F 1 Tf (aaaaaaaa) Tj ET ', 64, 2),
  'a PDF with 64 MB of nested lists packed twice': () => packed('[', 64, 2),
  'a PDF with a form that draws itself': () =>
    pdf([
      ...drawing('/X Do'),
      object(7, stream('/Type /XObject /Subtype /Form /BBox [0 0 1 1] /Resources 5 0 R', Buffer.from('/X Do /X Do'))),
    ]),
  'a PDF whose pages contain each other': () =>
    pdf([catalog, object(2, '<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>'), page, face]),
  'a PDF that says it has a billion pages': () =>
    pdf([catalog, object(2, '<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>'), page, face]),
  'a PDF whose length refers to itself': () =>
    pdf([catalog, onePage, page, object(4, '<< /Length 4 0 R >>\nstream\nq\nendstream')]),
  'a PDF whose tables of objects refer to each other': () =>
    Buffer.from(
      '%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<< /Root 1 0 R /Size 2 /Prev 46 >>\nstartxref\n46\n%%EOF\n',
    ),
  'a PDF with a stream of objects of 200 MB': () => {
    const bytes = deflateSync(Buffer.alloc(200 * MEGABYTE, '[[ '), { level: 9 })
    return pdf([object(8, stream('/Type /ObjStm /N 100000 /First 1000000 /Filter /FlateDecode', bytes)), catalog])
  },
  'a PDF nested 100,000 deep': () => pdf([catalog, object(2, `${'<< /A '.repeat(100_000)}`)]),
  'a PDF with a picture of 60,000 by 60,000': () =>
    pdf([
      ...drawing('/X Do'),
      object(
        7,
        stream(
          '/Type /XObject /Subtype /Image /Width 60000 /Height 60000 /BitsPerComponent 8 /ColorSpace /DeviceRGB /Filter /FlateDecode',
          deflateSync(Buffer.alloc(MEGABYTE)),
        ),
      ),
    ]),
}

/** Files that cost far more to read than they weigh, by a name that ends with their type. */
export const hostileFiles: Record<string, { filename: string; bytes: () => Uint8Array }> = Object.fromEntries([
  ...Object.entries(pdfs).map(([name, bytes]) => [name, { filename: 'a.pdf', bytes }]),
  ...Object.entries(bombsOf(40)).map(([name, bytes]) => [
    name,
    { filename: name.startsWith('XML') ? 'a.xml' : name.includes('PDF') ? 'b.pdf' : 'a.docx', bytes },
  ]),
])
