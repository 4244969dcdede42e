import type { AssayDocument } from '../document.ts'
import { addLink } from '../markup/elements.ts'
import type { Close, MarkupElement } from '../markup/markup.ts'
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

const isOff = (element: MarkupElement) => /^(?:0|false|off|none)$/.test(findLocal(element, 'val') ?? '')

/** Writes one XML part of a Word file: body, header, footer, footnotes or comments. */
function readStory(files: OfficeFiles, name: string, flow: DocumentBuilder, site: string | undefined): void {
  const xml = readFileText(files, name)
  if (xml === undefined) return
  const relationships = readRelationships(files, name)
  const readTable = createTableReader(flow)
  let hiddenRun = false
  let inText = false
  let inField = false
  let skipped = 0
  let field = ''
  let endHeading: (() => string) | undefined

  const link = (target: string | undefined, label: string) => addLink(flow, target, { site, label })

  const openText = (hidden: boolean): Close => {
    const show = hidden ? flow.hide() : undefined
    inText = true
    return () => {
      inText = false
      show?.()
    }
  }

  const open = (local: string, element: MarkupElement): Close | undefined => {
    const tableName = tableElements[local]
    if (tableName !== undefined) {
      const columns = element.name.startsWith('w') ? [] : element.attributes
      return readTable({ ...element, name: tableName, attributes: columns })
    }
    switch (local) {
      case 'p':
        return (at) => {
          if (endHeading !== undefined) flow.anchor(endHeading())
          endHeading = undefined
          flow.breakLine(at)
        }
      case 'pStyle': {
        const level = /^(?:heading|berschrift|titre)\s*([1-6])$/i.exec(findLocal(element, 'val') ?? '')?.[1]
        if (level !== undefined) endHeading ??= flow.heading(Number(level))
        return undefined
      }
      case 'r':
        hiddenRun = false
        return undefined
      case 'vanish':
      case 'webHidden':
        hiddenRun = local === 'vanish' && !isOff(element)
        return undefined
      case 't':
        return skipped > 0 ? undefined : openText(hiddenRun)
      case 'delText':
        return skipped > 0 ? undefined : openText(true)
      case 'tab':
        if (skipped === 0 && element.attributes.length === 0) flow.made('\t', element.start, 0)
        return undefined
      case 'br':
      case 'cr':
        if (skipped === 0) flow.made('\n', element.start, 0)
        return undefined
      case 'noBreakHyphen':
        flow.made('-', element.start, 0)
        return undefined
      case 'Fallback':
        skipped++
        return () => void skipped--
      case 'hyperlink': {
        const target = relationships.get(findLocal(element, 'id') ?? '')
        const anchor = findLocal(element, 'anchor')
        const takeText = flow.listen()
        return () => {
          const label = takeText()
          if (target?.external === true) link(target.target, label)
          else if (anchor !== undefined) link(`#${anchor}`, label)
        }
      }
      case 'bookmarkStart':
        flow.anchor(findLocal(element, 'name') ?? '')
        return undefined
      case 'instrText':
        inField = true
        return () => {
          inField = false
          link(/^\s*HYPERLINK\s+"([^"]+)"/.exec(field)?.[1], '')
          if (field.length > 4_096 || field.includes('"')) field = ''
        }
      case 'comment':
        return flow.capture('comment', { path: `comment ${findLocal(element, 'id') ?? ''}` })
      default:
        return undefined
    }
  }

  readElements(xml, open, (raw, at) => {
    if (inText) flow.encoded(raw, at)
    else if (inField) field += raw
  })
}

const storyNames: [RegExp, (number: number) => string][] = [
  [/^word\/header(\d*)\.xml$/, (number) => `header ${number}`],
  [/^word\/footer(\d*)\.xml$/, (number) => `footer ${number}`],
  [/^word\/(?:footnotes|endnotes)\.xml$/, () => 'notes'],
  [/^word\/comments\.xml$/, () => 'comments'],
]

/** Parses a Word document. Hidden and deleted text becomes hidden parts. */
export function parseDocx(files: OfficeFiles, site?: string): AssayDocument {
  const flow = createFlow()
  readStory(files, 'word/document.xml', flow, site)
  for (const [pattern, toPath] of storyNames) {
    for (const { name, number } of listFiles(files, pattern)) {
      flow.startSection(toPath(number))
      readStory(files, name, flow, site)
    }
  }
  readProperties(files, flow)
  return flow.finish('application/vnd.openxmlformats-officedocument.wordprocessingml.document')
}
