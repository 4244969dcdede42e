import { cutText } from '../../kernel/well-formed.ts'
import type { AssayDocument } from '../document.ts'
import { MAX_LABEL_CHARS } from '../limits.ts'
import { createFlow } from '../text/flow.ts'
import { createSlugs } from './anchors.ts'
import { toLink } from './elements.ts'
import type { ParseOptions } from './html.ts'

const fence = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]*)/
const heading = /^ {0,3}(#{1,6})[ \t]/
const inlineLink =
  /!?\[([^\][\n]{0,400})\]\(\s{0,8}<?([^\s<>()]{1,2000}(?:\([^\s<>()]{0,400}\)[^\s<>()]{0,400}){0,4})>?(?:\s{1,8}["'(][^\n]{0,400}?["')])?\s{0,8}\)/g
const definition = /^ {0,3}\[([^\]\n]{1,200})\]:\s*<?(\S+?)>?(?:\s|$)/
const autolink = /<(https?:\/\/[^\s<>]+)>/g

/** The offset at which the line terminator starts. */
function endOfLine(line: string): number {
  const end = line.charCodeAt(line.length - 1) === 10 ? line.length - 1 : line.length
  return line.charCodeAt(end - 1) === 13 ? end - 1 : end
}

/**
 * Parses Markdown: fences become code parts, headings start sections, comments become separate parts; other syntax is
 * kept as written.
 */
export function parseMarkdown(source: string, options: ParseOptions = {}): AssayDocument {
  const flow = createFlow({ ...options, source })
  const slug = createSlugs()
  let block: { mark: string; end: () => void } | undefined
  let comment: (() => void) | undefined

  const readLinks = (line: string, at: number) => {
    if (!line.includes('[') && !line.includes('<')) return
    const found: { href: string; label: string; index: number }[] = []
    for (const { 1: label = '', 2: href = '', 0: all, index } of line.matchAll(inlineLink)) {
      found.push({ href, label, index: index + all.indexOf(href, label.length) })
    }
    for (const { 1: href = '', index } of line.matchAll(autolink)) found.push({ href, label: '', index: index + 1 })
    const defined = definition.exec(line)
    if (defined !== null) {
      const { 1: label = '', 2: href = '' } = defined
      found.push({ href, label, index: line.indexOf(href, label.length) })
    }
    for (const { href, label, index } of found) {
      const link = toLink(href, options.site, cutText(label, MAX_LABEL_CHARS), at + index)
      if (link !== undefined) flow.link(link)
    }
  }

  const writeText = (line: string, at: number) => {
    let from = 0
    while (from < line.length) {
      const mark = comment === undefined ? '<!--' : '-->'
      const next = line.indexOf(mark, from)
      if (next < 0) break
      if (comment === undefined) {
        flow.plain(line.slice(from, next), at + from)
        comment = flow.capture('comment')
      } else {
        flow.plain(line.slice(from, next), at + from)
        comment()
        comment = undefined
      }
      from = next + mark.length
    }
    flow.plain(line.slice(from), at + from)
  }

  for (const { 0: whole, index: at } of source.matchAll(/[^\r\n]*(?:\r\n|\n|\r|$)/g)) {
    if (whole === '') continue
    const line = whole.slice(0, endOfLine(whole))
    if (line === '') {
      flow.plain(whole, at)
      continue
    }
    const fenced = fence.exec(line)
    if (block !== undefined) {
      if (fenced?.[1]?.startsWith(block.mark) === true && fenced[2] === '') {
        block.end()
        block = undefined
      } else flow.plain(whole, at)
      continue
    }
    if (comment === undefined && fenced !== null) {
      const language = fenced[2] === '' ? undefined : fenced[2]?.toLowerCase()
      block = { mark: fenced[1] ?? '', end: flow.capture('code', { language }) }
      continue
    }
    const titled = comment === undefined ? heading.exec(line) : null
    const endHeading = titled === null ? undefined : flow.heading(titled[1]?.length ?? 1)
    readLinks(line, at)
    writeText(whole, at)
    if (endHeading !== undefined) flow.anchor(slug(endHeading().replace(/^#{1,6}\s{0,20}|\s{0,20}#{1,20}$/g, '')))
  }
  return flow.finish('text/markdown')
}
