import type { DocumentLink } from '../document.ts'
import type { DocumentBuilder } from '../text/flow.ts'
import { type Background, readAppearance } from './appearance.ts'
import { type Close, findAttribute, type MarkupElement } from './markup.ts'
import { createTableReader } from './tables.ts'
import { readAddress } from './wiki-address.ts'

const blocks = new Set(
  'address article aside blockquote body center dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html legend li main nav ol p pre section summary table tbody tfoot thead tr ul br option select'.split(
    ' ',
  ),
)

/** Attributes that hold presentation or internal ids, never authored content. */
const silentAttributes =
  /^(?:class|style|d|points|viewbox|transform|id|name|rel|target|type|lang|dir|role|for|method|colspan|rowspan|width|height|align|valign|border|cell(?:padding|spacing)|scope|start|loading|decoding|tabindex|charset|http-equiv|viewport|xmlns(?::[^:]*)?|hidden|local-id|checked|disabled|aria-(?:hidden|level|expanded)|bgcolor|color|size|face|srcset|sizes|integrity|data-(?:layout|highlight-colour|number-column|node-type|card-appearance|colorid|width|(?:table|renderer|mark)-[\w.-]*)|data-[\w.-]*-id|[^:]*:(?:local-id|macro-id|schema-version|version-at-save|account-id|userkey|layout|align|thumbnail|border|style|custom-width|original-[\w.-]*|name|content-title|space-key|anchor|breakout-[\w.-]*|emoji-(?:id|shortname|fallback)|type|entity-id)|[^:]*:[\w.-]*(?:width|height))$/

export function emitAttributes(flow: DocumentBuilder, element: MarkupElement): void {
  for (const { name, raw, at } of element.attributes) {
    if (raw === '' || silentAttributes.test(name) || /^data:(?:image|font|audio|video)\//i.test(raw)) continue
    flow.part('attribute', raw, at, { label: name.slice(name.indexOf(':') + 1), encoded: true })
  }
}

/** Builds a link from an address as written; undefined for `mailto:`, `tel:`, `javascript:` and other schemes. */
export function toLink(
  href: string,
  site: string | undefined,
  label: string,
  offset: number,
): Omit<DocumentLink, 'path'> | undefined {
  const address = readAddress(href, site)
  if (address === undefined) return undefined
  const facts = { offset, ...(label === '' ? {} : { label }) }
  if ('anchor' in address) {
    return { kind: 'anchor', url: `#${address.anchor}`, reference: { anchor: address.anchor }, ...facts }
  }
  if (address.wiki === undefined) return { kind: 'web', url: address.url, ...facts }
  return { kind: address.wiki.kind, url: href.trim(), reference: address.wiki.reference, ...facts }
}

/** Adds a link of a format without offsets. */
export function addLink(
  flow: DocumentBuilder,
  href: string | undefined,
  { site, label = '', path }: { site: string | undefined; label?: string; path?: string },
): void {
  const link = href === undefined ? undefined : toLink(href, site, label, 0)
  if (link === undefined) return
  const { offset: _, ...placeless } = link
  flow.link(path === undefined ? placeless : { ...placeless, path })
}

export interface ElementOptions {
  /** Origin of the wiki whose pages links may point to. */
  site?: string | undefined
  slug: (heading: string) => string
  /** True where every `id` and `name` is an anchor. */
  idsAreAnchors: boolean
}

const both = (first: Close | undefined, second: Close | undefined): Close | undefined =>
  first === undefined
    ? second
    : second === undefined
      ? first
      : (at) => [first, second].forEach((close) => void close(at))

/** Handles the elements that HTML and the wiki's storage format share. */
export function createElementReader(
  flow: DocumentBuilder,
  options: ElementOptions,
): (element: MarkupElement) => Close | undefined {
  const readTable = createTableReader(flow)
  let ground: Background = [255, 255, 255]

  const readAnchor = (element: MarkupElement): Close | undefined => {
    const href = element.attributes.find(({ name }) => name === 'href')
    if (href === undefined) return undefined
    const heard = flow.listen()
    return () => {
      const link = toLink(href.value, options.site, heard(), href.at)
      if (link !== undefined) flow.link(link)
    }
  }

  const readOwn = (element: MarkupElement): Close | undefined => {
    const { name } = element
    if (/^h[1-6]$/.test(name)) {
      const end = flow.heading(Number(name.slice(1)))
      return () => flow.anchor(options.slug(end()))
    }
    if (name === 'a') return readAnchor(element)
    if (name === 'img') {
      const source = element.attributes.find((attribute) => attribute.name === 'src')
      const alt = findAttribute(element, 'alt') ?? ''
      const link = source === undefined ? undefined : toLink(source.value, options.site, alt, source.at)
      if (link !== undefined) flow.link(link)
      return undefined
    }
    if (name === 'pre') {
      const language = /(?:^|\s)lang(?:uage)?-([\w+#-]+)/.exec(findAttribute(element, 'class') ?? '')?.[1]
      return flow.capture('code', { language })
    }
    return readTable(element)
  }

  return (element) => {
    emitAttributes(flow, element)
    if (options.idsAreAnchors) {
      for (const { name, value } of element.attributes) {
        if (name === 'id' || (name === 'name' && element.name === 'a')) flow.anchor(value)
      }
    }
    const block = blocks.has(element.name)
    if (block) flow.breakLine(element.start)
    const before = ground
    const appearance = readAppearance(element, ground)
    ground = appearance.ground
    const show = appearance.hidden ? flow.hide() : undefined
    const own = readOwn(element)
    return both(own, (at) => {
      if (block) flow.breakLine(at)
      show?.()
      ground = before
    })
  }
}
