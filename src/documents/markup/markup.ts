import { QuoteType, Tokenizer } from 'htmlparser2'
import { MAX_ATTRIBUTE_CHARS, MAX_ATTRIBUTES, MAX_DEPTH, MAX_NAME_CHARS } from '../limits.ts'
import { decodeEntities } from './entities.ts'

export interface Attribute {
  name: string
  value: string
  /** The value as written, and its offset in the source. */
  raw: string
  at: number
}

export interface MarkupElement {
  name: string
  attributes: readonly Attribute[]
  /** Offsets of the opening tag. */
  start: number
  end: number
}

/** Called when the element closes, with the offset at which its closing tag starts. */
export type Close = (at: number) => void

export interface MarkupHandler {
  open(element: MarkupElement): Close | undefined
  /** Text as written, with character references not decoded. */
  text(raw: string, at: number): void
  cdata(raw: string, at: number): void
  comment(raw: string, at: number): void
}

const voidElements = new Set(
  'area base basefont br col embed frame hr img input link meta param source track wbr'.split(' '),
)

const closesParagraph =
  'address article aside blockquote details div dl fieldset figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul'
const impliedCloses = new Map<string, ReadonlySet<string>>([
  ...closesParagraph.split(' ').map((name): [string, Set<string>] => [name, new Set(['p'])]),
  ['li', new Set(['li', 'p'])],
  ['dt', new Set(['dt', 'dd', 'p'])],
  ['dd', new Set(['dt', 'dd', 'p'])],
  ['td', new Set(['td', 'th', 'p'])],
  ['th', new Set(['td', 'th', 'p'])],
  ['tr', new Set(['tr', 'td', 'th', 'p'])],
  ['tbody', new Set(['thead', 'tbody', 'tr', 'td', 'th', 'p'])],
  ['option', new Set(['option'])],
])

export function findAttribute(element: MarkupElement, name: string): string | undefined {
  return element.attributes.find((attribute) => attribute.name === name)?.value
}

interface Frame {
  name: string
  close: Close | undefined
}

/**
 * Reads XML or HTML in one pass and linear time, however deeply it is nested. Never throws: malformed input is read as
 * browsers do, so an element ends with its parent and an unmatched closing tag is ignored. `flattened` is true where
 * elements exceeded MAX_DEPTH.
 */
export function readMarkup(source: string, { xml }: { xml: boolean }, handler: MarkupHandler): { flattened: boolean } {
  const frames: Frame[] = []
  const openCounts = new Map<string, number>()
  const flatCounts = new Map<string, number>()
  let flattened = false
  let name = ''
  let tagStart = 0
  let attributes: Attribute[] = []
  let attributeName = ''
  let attributeStart = -1
  let attributeEnd = -1

  const count = (counts: Map<string, number>, key: string, by: number) =>
    counts.set(key, Math.max(0, (counts.get(key) ?? 0) + by))
  const nameAt = (start: number, end: number) => {
    const written = source.slice(start, Math.min(end, start + MAX_NAME_CHARS))
    return xml ? written : written.toLowerCase()
  }

  const pop = (at: number) => {
    const frame = frames.pop()
    if (frame === undefined) return
    count(openCounts, frame.name, -1)
    frame.close?.(at)
  }

  const openElement = (end: number, selfClosing: boolean) => {
    const implied = xml ? undefined : impliedCloses.get(name)
    while (implied?.has(frames.at(-1)?.name ?? '')) pop(tagStart)
    const isVoid = voidElements.has(name)
    if (frames.length >= MAX_DEPTH && !isVoid && !selfClosing) {
      flattened = true
      count(flatCounts, name, 1)
      return
    }
    const close = handler.open({ name, attributes, start: tagStart, end })
    if (isVoid || selfClosing) {
      close?.(end)
      return
    }
    frames.push({ name, close })
    count(openCounts, name, 1)
  }

  const tokenizer = new Tokenizer(
    { xmlMode: xml, decodeEntities: false },
    {
      onopentagname(start, end) {
        name = nameAt(start, end)
        tagStart = start - 1
        attributes = []
      },
      onattribname(start, end) {
        attributeName = nameAt(start, end)
        attributeStart = -1
        attributeEnd = -1
      },
      onattribdata(start, end) {
        if (attributeStart < 0) attributeStart = start
        attributeEnd = end
      },
      onattribentity() {},
      onattribend(quote, end) {
        if (quote === QuoteType.NoValue || attributes.length >= MAX_ATTRIBUTES) {
          if (attributes.length < MAX_ATTRIBUTES) attributes.push({ name: attributeName, value: '', raw: '', at: end })
          return
        }
        const at = attributeStart < 0 ? end : attributeStart
        const raw = attributeStart < 0 ? '' : source.slice(at, Math.min(attributeEnd, at + MAX_ATTRIBUTE_CHARS))
        attributes.push({ name: attributeName, value: decodeEntities(raw), raw, at })
      },
      onopentagend(end) {
        openElement(end + 1, false)
      },
      onselfclosingtag(end) {
        openElement(end + 1, xml)
      },
      onclosetag(start, end) {
        const closed = nameAt(start, end)
        const at = start - 2
        if ((flatCounts.get(closed) ?? 0) > 0) {
          count(flatCounts, closed, -1)
          return
        }
        if ((openCounts.get(closed) ?? 0) === 0) return
        while (frames.length > 0) {
          const last = frames.at(-1)?.name === closed
          pop(at)
          if (last) break
        }
      },
      ontext: (start, end) => handler.text(source.slice(start, end), start),
      ontextentity() {},
      oncdata: (start, end, tail) => handler.cdata(source.slice(start, end - tail), start),
      oncomment: (start, end, tail) => handler.comment(source.slice(start, end - tail), start),
      ondeclaration() {},
      onprocessinginstruction() {},
      onend() {},
    },
  )
  tokenizer.write(source)
  tokenizer.end()
  while (frames.length > 0) pop(source.length)
  return { flattened }
}
