import { toCsv } from '../files/csv.ts'
import { type DocxBlock, toDocx, toXlsx } from '../files/office.ts'
import { toPdf } from '../files/pdf.ts'

type Cells = readonly (readonly (string | number)[])[]

/** Content of an attached file, by format. */
export type FileContent =
  | { text: string }
  | { csv: Cells }
  | { xlsx: Readonly<Record<string, Cells>> }
  | { docx: readonly DocxBlock[] }
  | { pdf: { title: string; lines: readonly string[] } }
  | { base64: string }

export function toBytes(content: FileContent): Uint8Array {
  if ('text' in content) return new TextEncoder().encode(content.text)
  if ('csv' in content) return toCsv(content.csv)
  if ('xlsx' in content) return toXlsx(content.xlsx)
  if ('docx' in content) return toDocx(content.docx)
  if ('pdf' in content) return toPdf(content.pdf.title, content.pdf.lines)
  return Buffer.from(content.base64, 'base64')
}
