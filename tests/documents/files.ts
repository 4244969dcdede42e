import { zipSync } from 'fflate'

const utf8 = (text: string) => new TextEncoder().encode(text)

/** A zip archive of texts. */
export function zipOf(files: Record<string, string>): Uint8Array {
  return zipSync(Object.fromEntries(Object.entries(files).map(([name, text]) => [name, utf8(text)])))
}

export function relationships(items: Record<string, { target: string; external?: boolean }>): string {
  const rows = Object.entries(items).map(
    ([id, { target, external }]) =>
      `<Relationship Id="${id}" Type="x" Target="${target}"${external === true ? ' TargetMode="External"' : ''}/>`,
  )
  return `<?xml version="1.0"?><Relationships>${rows.join('')}</Relationships>`
}

/** A PDF of plain pages, with any further members of its trailer. */
export function pdfOf(pages: readonly string[], options: { trailer?: string; annotation?: string } = {}): Uint8Array {
  const objects: string[] = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '',
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
  ]
  const kids: string[] = []
  for (const text of pages) {
    const lines = text.split('\n').map((line) => `(${line.replace(/[\\()]/g, '\\$&')}) Tj 0 -14 Td`)
    const stream = `BT /F1 12 Tf 72 720 Td ${lines.join(' ')} ET`
    objects.push(`<< /Length ${stream.length} >>\nstream\n${stream}\nendstream`)
    const content = objects.length
    const annotations = options.annotation === undefined ? '' : ` /Annots [${options.annotation}]`
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${content} 0 R /Resources << /Font << /F1 3 0 R >> >>${annotations} >>`,
    )
    kids.push(`${objects.length} 0 R`)
  }
  objects[1] = `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${kids.length} >>`
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const at = text.length
    text += `${index + 1} 0 obj\n${object}\nendobj\n`
    return at
  })
  const table = text.length
  const rows = offsets.map((at) => `${String(at).padStart(10, '0')} 00000 n \n`).join('')
  const size = objects.length + 1
  text += `xref\n0 ${size}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${size} /Root 1 0 R ${options.trailer ?? ''} >>\nstartxref\n${table}\n%%EOF\n`
  return new Uint8Array(Buffer.from(text, 'latin1'))
}
