const LINES_PER_PAGE = 46
const MAX_LINE_CHARS = 92

function wrap(line: string): string[] {
  const lines: string[] = []
  let rest = line
  while (rest.length > MAX_LINE_CHARS) {
    const blank = rest.lastIndexOf(' ', MAX_LINE_CHARS)
    const at = blank > 0 ? blank : MAX_LINE_CHARS
    lines.push(rest.slice(0, at))
    rest = rest.slice(at).trimStart()
  }
  return [...lines, rest]
}

const escapeText = (text: string) => text.replace(/[\\()]/g, '\\$&').replace(/[^\x20-\x7e]/g, '?')

/** A PDF of plain lines in Helvetica: uncompressed, with a correct cross-reference table. ASCII only. */
export function toPdf(title: string, lines: readonly string[]): Uint8Array {
  const wrapped = [title, '', ...lines].flatMap(wrap)
  const pages: string[][] = []
  for (let start = 0; start < wrapped.length; start += LINES_PER_PAGE)
    pages.push(wrapped.slice(start, start + LINES_PER_PAGE))
  const pageIds = pages.map((_, index) => 4 + index * 2)
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${pageIds.map((id) => `${id} 0 R`).join(' ')}] /Count ${pages.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...pages.flatMap((page, index) => {
      const shown = page.map((line) => `(${escapeText(line)}) Tj T*`).join('\n')
      const stream = `BT\n/F1 10 Tf\n15 TL\n56 770 Td\n${shown}\nET`
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents ${(pageIds[index] ?? 0) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
        `<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`,
      ]
    }),
  ]
  let body = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = body.length
    body += `${index + 1} 0 obj\n${object}\nendobj\n`
    return offset
  })
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('')
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${body.length}\n%%EOF\n`
  return Buffer.from(`${body}xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}${trailer}`, 'latin1')
}
