import type { AssayDocument, DocumentLink } from '../document.ts'
import { createFlow } from '../text/flow.ts'
import { createSlugs } from './anchors.ts'
import { createElementReader, emitAttributes, toLink } from './elements.ts'
import type { ParseOptions } from './html.ts'
import { type Attribute, type Close, findAttribute, type MarkupElement, readMarkup } from './markup.ts'

type Link = Omit<DocumentLink, 'path'>

interface Macro {
  name: string
  language: string | undefined
  hidden: boolean
  /** True where the macro has a body. */
  wraps: boolean
}

/** A link or image element being read; its target is a child element. */
interface Target {
  link: Link | undefined
  anchor: string | undefined
  /** Shown where the link has no text of its own. */
  title: Attribute | undefined
}

const droppedElements = new Set(['ac:task-id', 'ac:task-uuid', 'ac:task-status'])
const blockElements = new Set([
  'ac:rich-text-body',
  'ac:task',
  'ac:task-body',
  'ac:layout-section',
  'ac:layout-cell',
  'ac:adf-content',
  'ac:caption',
])
const plainMacros = new Set(['code', 'noformat'])
/** Parameters that only affect how a macro is displayed. */
const silentParameters =
  /^(?:language|theme|linenumbers|collapse|firstline|breakout.*|layout|width|height|border.*|color|colou?r.*|bg.*|style|hidden|panel-?type|panelicon.*|icon|size|columns|maxlevel|minlevel|outline|type|separator|sort|reverse|first|depth|all|atlassian-macro-output-type|count|maximumissues)$/i

function toReferenceText({ space, title, filename, anchor }: NonNullable<DocumentLink['reference']>): string {
  const page = [space, title].filter((part) => part !== undefined).join(':')
  const file = filename === undefined ? page : page === '' ? filename : `${page}/${filename}`
  return anchor === undefined ? file : `${file}#${anchor}`
}

/**
 * Parses a wiki page or comment in storage format. Code macros become code parts, macro parameters and attributes
 * become separate parts, inline tags leave no gap in the text, and every offset maps back to the source.
 */
export function parseStorage(source: string, options: ParseOptions = {}): AssayDocument {
  const flow = createFlow({ ...options, source })
  const readElement = createElementReader(flow, { site: options.site, slug: createSlugs(), idsAreAnchors: false })
  const macros: Macro[] = []
  const targets: Target[] = []
  const files: { filename: Attribute; page: { title?: string; space?: string } }[] = []
  const extensions: { hasContent: boolean }[] = []
  let embeds = 0

  const attributeOf = (element: MarkupElement, name: string) =>
    element.attributes.find((attribute) => attribute.name === name && attribute.value !== '')

  const emitLink = (link: Link) => {
    const target = targets.at(-1)
    if (target === undefined) flow.link(link)
    else target.link ??= link
  }

  const openTarget = (element: MarkupElement): Close => {
    const target: Target = { link: undefined, anchor: findAttribute(element, 'ac:anchor'), title: undefined }
    targets.push(target)
    const takeText = flow.listen()
    return () => {
      targets.pop()
      const words = takeText()
      const { anchor, title } = target
      const label = words === '' ? (title?.value ?? findAttribute(element, 'ac:alt') ?? '') : words
      if (words === '' && title !== undefined) flow.encoded(title.raw, title.at)
      const link: Link | undefined =
        target.link ??
        (anchor === undefined ? undefined : { kind: 'anchor', url: '', reference: {}, offset: element.start })
      if (link === undefined) return
      const labelled = label === '' ? link : { ...link, label }
      if (link.reference === undefined) {
        flow.link(labelled)
        return
      }
      const reference = anchor === undefined ? link.reference : { ...link.reference, anchor }
      flow.link({
        ...labelled,
        reference,
        url: link.reference.id === undefined ? toReferenceText(reference) : link.url,
      })
    }
  }

  const openPage = (element: MarkupElement): undefined => {
    const title = attributeOf(element, 'ri:content-title')
    const space = findAttribute(element, 'ri:space-key')
    const page = { ...(title === undefined ? {} : { title: title.value }), ...(space === undefined ? {} : { space }) }
    const file = files.at(-1)
    if (file !== undefined) {
      file.page = page
      return
    }
    if (title === undefined) return
    const target = targets.at(-1)
    if (target !== undefined) target.title = title
    emitLink({ kind: 'page', url: toReferenceText(page), reference: page, offset: element.start })
  }

  const openAttachment = (element: MarkupElement): Close | undefined => {
    const filename = attributeOf(element, 'ri:filename')
    if (filename === undefined) return undefined
    const file = { filename, page: {} }
    files.push(file)
    return () => {
      files.pop()
      const reference = { ...file.page, filename: filename.value }
      const target = targets.at(-1)
      if (target !== undefined) target.title ??= filename
      emitLink({ kind: 'attachment', url: toReferenceText(reference), reference, offset: element.start })
    }
  }

  const openUrl = (element: MarkupElement): undefined => {
    const value = attributeOf(element, 'ri:value')
    const link = value === undefined ? undefined : toLink(value.value, options.site, '', value.at)
    if (link !== undefined) emitLink(link)
  }

  const openParameter = (element: MarkupElement): Close => {
    const name = findAttribute(element, 'ac:name') ?? ''
    const macro = macros.at(-1)
    const isAnchor = macro?.name === 'anchor' && name === ''
    const silent = isAnchor || silentParameters.test(name)
    const end = silent ? flow.drop() : flow.capture('attribute', { label: name })
    const takeText = flow.listen()
    return (at) => {
      end()
      const value = takeText()
      if (macro !== undefined && name === 'language') macro.language = value.toLowerCase()
      if (macro !== undefined && name === 'hidden') macro.hidden = value === 'true'
      if (isAnchor) flow.anchor(value)
      if (silent || !/^https?:\/\/\S+$/i.test(value)) return
      const link = toLink(value, options.site, '', element.end)
      if (link !== undefined && at > element.end) flow.link(link)
    }
  }

  const openBody = (element: MarkupElement): Close => {
    const macro = macros.at(-1)
    if (macro !== undefined) macro.wraps = true
    const named = macro === undefined || plainMacros.has(macro.name) ? undefined : macro.name
    flow.breakLine(element.start)
    const end = flow.capture('code', { language: macro?.language ?? named })
    return () => end()
  }

  const openExtension = (element: MarkupElement): Close | undefined => {
    if (element.name === 'ac:adf-extension') {
      extensions.push({ hasContent: false })
      return () => void extensions.pop()
    }
    if (element.name === 'ac:adf-fallback') return extensions.at(-1)?.hasContent === true ? flow.drop() : undefined
    if (element.name !== 'ac:adf-attribute') return undefined
    const key = findAttribute(element, 'key') ?? ''
    return silentParameters.test(key) ? flow.drop() : flow.capture('attribute', { label: key })
  }

  const openBlock = (element: MarkupElement): Close => {
    const extension = extensions.at(-1)
    if (element.name === 'ac:adf-content' && extension !== undefined) extension.hasContent = true
    const wrapping = element.name === 'ac:rich-text-body' ? macros.at(-1) : undefined
    if (wrapping !== undefined) wrapping.wraps = true
    flow.breakLine(element.start)
    const concealed =
      element.name === 'ac:rich-text-body' && macros.at(-1)?.name === 'excerpt' && macros.at(-1)?.hidden === true
    const show = concealed ? flow.hide() : undefined
    return (at) => {
      flow.breakLine(at)
      show?.()
    }
  }

  const openPlatform = (element: MarkupElement): Close | undefined => {
    if (droppedElements.has(element.name)) return flow.drop()
    if (blockElements.has(element.name)) return openBlock(element)
    switch (element.name) {
      case 'ac:structured-macro':
      case 'ac:macro':
        macros.push({ name: findAttribute(element, 'ac:name') ?? '', language: undefined, hidden: false, wraps: false })
        return () => {
          if (macros.pop()?.wraps === false) embeds++
        }
      case 'ac:parameter':
      case 'ac:default-parameter':
        return openParameter(element)
      case 'ac:plain-text-body':
        return openBody(element)
      case 'ac:image':
        embeds++
        return openTarget(element)
      case 'ac:link':
        return openTarget(element)
      case 'ac:placeholder':
        return flow.capture('comment', { label: 'placeholder' })
      case 'ri:page':
        return openPage(element)
      case 'ri:attachment':
        return openAttachment(element)
      case 'ri:url':
        return openUrl(element)
      case 'ri:user': {
        const account = findAttribute(element, 'ri:account-id') ?? findAttribute(element, 'ri:userkey')
        if (account !== undefined) emitLink({ kind: 'user', url: `@${account}`, offset: element.start })
        return undefined
      }
      default:
        return openExtension(element)
    }
  }

  const { flattened } = readMarkup(
    source,
    { xml: true },
    {
      open(element) {
        if (/^(?:ac|ri):/.test(element.name)) {
          emitAttributes(flow, element)
          return openPlatform(element)
        }
        const date = element.name === 'time' ? attributeOf(element, 'datetime') : undefined
        if (date !== undefined) flow.encoded(date.raw, date.at)
        return readElement(element)
      },
      text: (raw, at) => flow.encoded(raw, at),
      cdata: (raw, at) => flow.plain(raw, at),
      comment: (raw, at) => flow.part('comment', raw, at),
    },
  )
  if (flattened) flow.note('Elements are nested too deeply; the deepest are read as plain text.')
  const document = flow.finish('application/vnd.atlassian.confluence.storage+xml')
  return embeds === 0 ? document : { ...document, embeds }
}
