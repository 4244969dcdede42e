import type { AssayDocument } from '../document.ts'
import { createFlow } from '../text/flow.ts'
import { createSlugs } from './anchors.ts'
import { createElementReader, emitAttributes } from './elements.ts'
import { type Close, findAttribute, type MarkupElement, readMarkup } from './markup.ts'

export interface ParseOptions {
  /** Path of the body text; default `body`. */
  path?: string
  /** Headings that apply to the whole document, such as page labels. */
  headings?: readonly string[]
  /** Origin of the wiki, to distinguish wiki links from web links. */
  site?: string
}

/**
 * Parses an HTML document. Scripts become code parts, styles are dropped, and text that is not displayed is marked as
 * hidden.
 */
export function parseHtml(source: string, options: ParseOptions = {}): AssayDocument {
  const flow = createFlow({ ...options, source })
  const readElement = createElementReader(flow, { site: options.site, slug: createSlugs(), idsAreAnchors: true })
  let inScript = false

  const openSpecial = (element: MarkupElement): Close | undefined => {
    if (element.name === 'style') return flow.drop()
    if (element.name === 'script') {
      emitAttributes(flow, element)
      const type = findAttribute(element, 'type') ?? 'javascript'
      const end = flow.capture('code', { language: type.includes('json') ? 'json' : 'javascript' })
      inScript = true
      return () => {
        inScript = false
        end()
      }
    }
    if (element.name === 'title') return flow.capture('name', { label: 'title' })
    if (element.name === 'template') return flow.hide()
    return undefined
  }

  const { flattened } = readMarkup(
    source,
    { xml: false },
    {
      open: (element) => openSpecial(element) ?? readElement(element),
      text: (raw, at) => (inScript ? flow.plain(raw, at) : flow.encoded(raw, at)),
      cdata: (raw, at) => flow.part('comment', raw, at),
      comment: (raw, at) => flow.part('comment', raw, at),
    },
  )
  if (flattened) flow.note('Elements are nested too deeply; the deepest are read as plain text.')
  return flow.finish('text/html')
}
