import type { AssayDocument } from '../document.ts'
import { addLink } from '../markup/elements.ts'
import { decodeEntities } from '../markup/entities.ts'
import { createSheet, type DocumentCell } from '../text/cells.ts'
import { createFlow, type DocumentBuilder } from '../text/flow.ts'
import { findLocal, type OfficeFiles, readElements, readFileText, readProperties, readRelationships } from './office.ts'

const MAX_STRINGS = 500_000

function readSharedStrings(files: OfficeFiles, flow: DocumentBuilder): string[] {
  const xml = readFileText(files, 'xl/sharedStrings.xml')
  const strings: string[] = []
  if (xml === undefined) return strings
  let text = ''
  let inText = false
  let phonetic = false
  readElements(
    xml,
    (local) => {
      if (local === 'rPh') phonetic = true
      if (local === 't') inText = !phonetic
      return () => {
        if (local === 'rPh') phonetic = false
        if (local === 't') inText = false
        if (local !== 'si') return
        if (strings.length < MAX_STRINGS) strings.push(text)
        else flow.note('The workbook has more texts than are read; the last ones are left out.')
        text = ''
      }
    },
    (raw) => {
      if (inText) text += decodeEntities(raw)
    },
  )
  return strings
}

/** Formats whole numbers without an exponent. */
function toPlainNumber(text: string): string {
  if (!/e/i.test(text)) return text
  const value = Number(text)
  return Number.isSafeInteger(value) ? value.toFixed(0) : text
}

function toColumn(reference: string): number {
  let column = 0
  for (const letter of /^[A-Z]{1,3}/.exec(reference)?.[0] ?? 'A') column = column * 26 + letter.charCodeAt(0) - 64
  return column - 1
}

function readSheet(xml: string, sheet: string, strings: readonly string[], flow: DocumentBuilder): string[] {
  const writeRow = createSheet(flow, sheet)
  const linkIds: string[] = []
  let row = 0
  let cells: DocumentCell[] = []
  let cell = { reference: '', type: '', value: '', formula: '' }
  let reading: 'value' | 'formula' | undefined

  const endText = () => {
    reading = undefined
  }

  const endCell = () => {
    const { reference, type, value, formula } = cell
    const text =
      type === 's' ? (strings[Number(value)] ?? '') : type === '' || type === 'n' ? toPlainNumber(value) : value
    const column = reference === '' ? cells.length : toColumn(reference)
    cells.push({ text, column, at: 0, write: (to) => to.plain(text, 0) })
    if (formula.includes('"')) flow.part('expression', formula, 0, { path: `${sheet}!${reference}` })
  }

  readElements(
    xml,
    (local, element) => {
      switch (local) {
        case 'row':
          row = Number(findLocal(element, 'r') ?? row + 1)
          cells = []
          return () => writeRow(row, cells)
        case 'c':
          cell = {
            reference: findLocal(element, 'r') ?? '',
            type: findLocal(element, 't') ?? '',
            value: '',
            formula: '',
          }
          return endCell
        case 'v':
        case 't':
          reading = 'value'
          return endText
        case 'f':
          reading = 'formula'
          return endText
        case 'hyperlink':
          linkIds.push(findLocal(element, 'id') ?? '')
          return undefined
        default:
          return undefined
      }
    },
    (raw) => {
      if (reading !== undefined) cell[reading] += decodeEntities(raw)
    },
  )
  return linkIds
}

function readComments(xml: string, sheet: string, flow: DocumentBuilder): void {
  let inText = false
  readElements(
    xml,
    (local, element) => {
      if (local === 'comment')
        return flow.capture('comment', { path: `comment ${sheet}!${findLocal(element, 'ref') ?? ''}` })
      if (local !== 't') return undefined
      inText = true
      return () => {
        inText = false
      }
    },
    (raw, at) => {
      if (inText) flow.encoded(raw, at)
    },
  )
}

/** Reads data connections, whose connection strings and queries are in attributes. */
function readConnections(files: OfficeFiles, flow: DocumentBuilder): void {
  const xml = readFileText(files, 'xl/connections.xml')
  if (xml === undefined) return
  readElements(xml, (_local, element) => {
    for (const { name, raw, at } of element.attributes) {
      if (!/^(?:connection|command|name|description|url|sourceFile)$/.test(name)) continue
      flow.part('attribute', raw, at, { path: 'connections', label: name, encoded: true })
    }
    return undefined
  })
}

/**
 * Parses a workbook: every non-empty cell is a part labelled with its column and located by path, such as `Sheet1!B4`.
 */
export function parseXlsx(files: OfficeFiles, site?: string): AssayDocument {
  const flow = createFlow()
  const strings = readSharedStrings(files, flow)
  const parts = readRelationships(files, 'xl/workbook.xml')
  readElements(readFileText(files, 'xl/workbook.xml') ?? '', (local, element) => {
    const file = local === 'sheet' ? parts.get(findLocal(element, 'id') ?? '')?.target : undefined
    const xml = file === undefined ? undefined : readFileText(files, file)
    if (file === undefined || xml === undefined) return undefined
    const sheet = findLocal(element, 'name') ?? 'Sheet'
    flow.startSection(sheet)
    const linkIds = readSheet(xml, sheet, strings, flow)
    const related = readRelationships(files, file)
    for (const id of linkIds) {
      const target = related.get(id)
      if (target?.external === true) addLink(flow, target.target, { site, path: sheet })
    }
    for (const { target } of related.values()) {
      const comments = /comments\d*\.xml$/.test(target) ? readFileText(files, target) : undefined
      if (comments !== undefined) readComments(comments, sheet, flow)
    }
    return undefined
  })
  readConnections(files, flow)
  readProperties(files, flow)
  return flow.finish('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet')
}
