import { strToU8, zipSync } from 'fflate'

const DATE = Date.UTC(2024, 0, 2)
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006'
const DOCUMENT = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const OFFICE = 'application/vnd.openxmlformats-officedocument'

const escapeXml = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')

/** Dates in the archive are fixed, so that the same content gives the same bytes. */
function toArchive(files: Record<string, string>): Uint8Array {
  const entries = Object.entries(files).map(([name, xml]) => [name, strToU8(`${DECLARATION}${xml}`)] as const)
  return zipSync(Object.fromEntries(entries), { mtime: DATE })
}

const contentTypes = (overrides: Record<string, string>) =>
  `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/>${Object.entries(
    overrides,
  )
    .map(([name, type]) => `<Override PartName="${name}" ContentType="${OFFICE}.${type}+xml"/>`)
    .join('')}</Types>`

const relationships = (items: readonly (readonly [string, string, string])[]) =>
  `<Relationships xmlns="${PACKAGE}/relationships">${items
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="${DOCUMENT}/${type}" Target="${target}"/>`)
    .join('')}</Relationships>`

export type DocxBlock = string | { heading: string } | { table: readonly (readonly string[])[] }

/** A Word document of headings, paragraphs and tables. */
export function toDocx(blocks: readonly DocxBlock[]): Uint8Array {
  const run = (text: string) => `<w:r><w:t xml:space="preserve">${escapeXml(text)}</w:t></w:r>`
  const paragraph = (text: string) => `<w:p>${run(text)}</w:p>`
  const body = blocks.map((block) => {
    if (typeof block === 'string') return paragraph(block)
    if ('heading' in block) {
      return `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr>${run(block.heading)}</w:p>`
    }
    const rows = block.table.map(
      (row) => `<w:tr>${row.map((cell) => `<w:tc>${paragraph(cell)}</w:tc>`).join('')}</w:tr>`,
    )
    return `<w:tbl>${rows.join('')}</w:tbl>`
  })
  return toArchive({
    '[Content_Types].xml': contentTypes({ '/word/document.xml': 'wordprocessingml.document.main' }),
    '_rels/.rels': relationships([['rId1', 'officeDocument', 'word/document.xml']]),
    'word/document.xml': `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>${body.join('')}</w:body></w:document>`,
  })
}

const toColumn = (index: number): string =>
  index < 26 ? String.fromCharCode(65 + index) : toColumn(Math.floor(index / 26) - 1) + toColumn(index % 26)

/**
 * A workbook; the first row of each sheet contains its column names. Text is in a shared string table, as spreadsheet
 * programs write it.
 */
export function toXlsx(sheets: Readonly<Record<string, readonly (readonly (string | number)[])[]>>): Uint8Array {
  const strings = new Map<string, number>()
  const indexOf = (text: string) => {
    const known = strings.get(text)
    if (known !== undefined) return known
    strings.set(text, strings.size)
    return strings.size - 1
  }
  const names = Object.keys(sheets)
  const sheetXml = Object.values(sheets).map((rows) => {
    const written = rows.map((row, r) => {
      const cells = row.map((value, c) => {
        const at = `${toColumn(c)}${r + 1}`
        return typeof value === 'number'
          ? `<c r="${at}"><v>${value}</v></c>`
          : `<c r="${at}" t="s"><v>${indexOf(value)}</v></c>`
      })
      return `<row r="${r + 1}">${cells.join('')}</row>`
    })
    return `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>${written.join('')}</sheetData></worksheet>`
  })
  const shared = [...strings.keys()].map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`).join('')
  const sheetFiles = Object.fromEntries(sheetXml.map((xml, index) => [`xl/worksheets/sheet${index + 1}.xml`, xml]))
  return toArchive({
    '[Content_Types].xml': contentTypes({
      '/xl/workbook.xml': 'spreadsheetml.sheet.main',
      '/xl/sharedStrings.xml': 'spreadsheetml.sharedStrings',
      ...Object.fromEntries(
        names.map((_, index) => [`/xl/worksheets/sheet${index + 1}.xml`, 'spreadsheetml.worksheet']),
      ),
    }),
    '_rels/.rels': relationships([['rId1', 'officeDocument', 'xl/workbook.xml']]),
    'xl/workbook.xml': `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="${DOCUMENT}"><sheets>${names
      .map((name, index) => `<sheet name="${escapeXml(name)}" sheetId="${index + 1}" r:id="rId${index + 1}"/>`)
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relationships([
      ...names.map((_, index) => [`rId${index + 1}`, 'worksheet', `worksheets/sheet${index + 1}.xml`] as const),
      [`rId${names.length + 1}`, 'sharedStrings', 'sharedStrings.xml'],
    ]),
    'xl/sharedStrings.xml': `<sst xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" count="${strings.size}" uniqueCount="${strings.size}">${shared}</sst>`,
    ...sheetFiles,
  })
}
