import type { AssayDocument } from '../document.ts'
import { addLink } from '../markup/elements.ts'
import { createTableReader } from '../markup/tables.ts'
import { createFlow, type DocumentBuilder } from '../text/flow.ts'
import {
  findLocal,
  listFiles,
  type OfficeFiles,
  readElements,
  readFileText,
  readProperties,
  readRelationships,
  tableElements,
} from './office.ts'

function readSlide(files: OfficeFiles, name: string, flow: DocumentBuilder, site: string | undefined): void {
  const relationships = readRelationships(files, name)
  const readTable = createTableReader(flow)
  let inText = false
  readElements(
    readFileText(files, name) ?? '',
    (local, element) => {
      const tableName = tableElements[local]
      if (tableName !== undefined) return readTable({ ...element, name: tableName, attributes: [] })
      if (local === 'sld' && findLocal(element, 'show') === '0') return flow.hide()
      if (local === 'p') return (at) => flow.breakLine(at)
      if (local === 'br') flow.made('\n', element.start, 0)
      if (local === 'cNvPr') {
        const description = element.attributes.find((attribute) => attribute.name === 'descr')
        if (description !== undefined) {
          flow.part('attribute', description.raw, description.at, { label: 'alt', encoded: true })
        }
      }
      if (local === 'hlinkClick') {
        const target = relationships.get(findLocal(element, 'id') ?? '')
        if (target?.external === true) addLink(flow, target.target, { site })
      }
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

/**
 * Parses a presentation: slides, then speaker notes, then comments. Slides excluded from the show become hidden parts.
 */
export function parsePptx(files: OfficeFiles, site?: string): AssayDocument {
  const flow = createFlow()
  const kinds: [RegExp, string][] = [
    [/^ppt\/slides\/slide(\d+)\.xml$/, 'slide'],
    [/^ppt\/notesSlides\/notesSlide(\d+)\.xml$/, 'notes'],
    [/^ppt\/comments\/[^\d/]{0,80}(\d{1,9})\.xml$/, 'comments'],
  ]
  for (const [pattern, word] of kinds) {
    for (const { name, number } of listFiles(files, pattern)) {
      flow.startSection(`${word} ${number}`)
      readSlide(files, name, flow, site)
    }
  }
  readProperties(files, flow)
  return flow.finish('application/vnd.openxmlformats-officedocument.presentationml.presentation')
}
