import { cutText, toCharacterStart } from '../../kernel/well-formed.ts'
import type { AssayDocument, DocumentLink, Part, PartKind } from '../document.ts'
import { MAX_ANCHORS, MAX_LABEL_CHARS, MAX_LINKS, MAX_PARTS, MAX_SECTIONS, MAX_TEXT_CHARS } from '../limits.ts'
import { decodeInto } from '../markup/entities.ts'
import { toLineColumn, toLineStarts } from './lines.ts'
import { createTextRun, type TextRun } from './text-run.ts'

interface OpenPart extends Pick<Part, 'kind' | 'path' | 'language' | 'headings' | 'heading'> {
  run: TextRun
  label?: Label
  /** Its text is discarded. */
  dropped?: boolean
}

/** A name, or a function that returns it once the whole document has been read. */
type Label = string | (() => string | undefined)

interface PartFacts {
  path?: string
  label?: Label | undefined
  language?: string | undefined
  /** An additional heading that applies to this part only. */
  under?: string | undefined
}

/**
 * Builds a document while its source is read: body text split at headings, and separate parts for everything else. `at`
 * is an offset in the source.
 */
export interface DocumentBuilder {
  /** Adds text as written. */
  plain(text: string, at: number): void
  /** Adds text and decodes its character references. */
  encoded(raw: string, at: number): void
  /** Adds text that replaces `width` characters of the source. */
  made(text: string, at: number, width: number): void
  breakLine(at: number): void
  /** Sends text to a separate part until the returned function is called. */
  capture(kind: PartKind, facts?: PartFacts): () => void
  /** Discards text until the returned function is called; listeners still receive it. */
  drop(): () => void
  /** Adds a complete part. */
  part(kind: PartKind, raw: string, at: number, facts?: PartFacts & { encoded?: boolean }): void
  /** Marks everything captured until the returned function is called as hidden. */
  hide(): () => void
  /** Starts a section; the returned function ends its heading and returns the heading's text. */
  heading(level: number): () => string
  /** Records added text; the returned function stops recording and returns at most MAX_LABEL_CHARS characters. */
  listen(): () => string
  link(link: Omit<DocumentLink, 'path'> & { path?: string }): void
  anchor(name: string): void
  note(sentence: string): void
  /** Makes the next body text start a new part with this path. */
  startSection(path: string): void
  finish(mime: string): AssayDocument
}

export interface FlowOptions {
  path?: string
  headings?: readonly string[] | undefined
  /** The text that offsets refer to; absent for formats without line numbers. */
  source?: string | undefined
}

const TOO_MANY_PARTS = 'There are too many separate parts; the last ones are not read.'

export function createFlow(options: FlowOptions = {}): DocumentBuilder {
  const lineStarts = options.source === undefined ? undefined : toLineStarts(options.source)
  const opened: OpenPart[] = []
  const sinks: OpenPart[] = []
  const listeners = new Set<{ text: string }>()
  const headings: { level: number; text: string; written: string }[] = []
  const links: DocumentLink[] = []
  const anchors = new Set<string>()
  const notes = new Set<string>()
  let path = options.path ?? 'body'
  let body: OpenPart | undefined
  let hiddenDepth = 0
  let sections = 0
  let total = 0

  const headingsNow = (under?: string): readonly string[] | undefined => {
    const all = [...(options.headings ?? []), ...headings.map(({ text }) => text).filter(Boolean)]
    if (under !== undefined && under !== '') all.push(under.toLowerCase())
    return all.length === 0 ? undefined : all
  }

  const openPart = (kind: PartKind, facts: PartFacts = {}): OpenPart => {
    const under = headingsNow(facts.under)
    const heading = headings.findLast(({ written }) => written !== '')?.written
    return {
      kind: hiddenDepth > 0 ? 'hidden' : kind,
      path: facts.path ?? path,
      run: createTextRun(),
      ...(facts.label === undefined ? {} : { label: facts.label }),
      ...(facts.language === undefined ? {} : { language: facts.language }),
      ...(under === undefined ? {} : { headings: under }),
      ...(heading === undefined ? {} : { heading }),
    }
  }

  const reopen = (full: OpenPart): OpenPart => {
    const next: OpenPart = { ...full, run: createTextRun() }
    if (full === body) body = next
    else sinks[sinks.length - 1] = next
    return next
  }

  const sink = (): OpenPart => {
    const captured = sinks.at(-1)
    if (captured !== undefined) return captured
    body ??= openPart('text')
    return body
  }

  const addTo = (target: OpenPart, text: string, at: number, width: number): number => {
    if (target.dropped !== true && target.run.length === 0) {
      if (opened.length < MAX_PARTS || target === body) opened.push(target)
      else notes.add(TOO_MANY_PARTS)
    }
    return target.run.add(text, at, width)
  }

  const add = (whole: string, at: number, wholeWidth: number) => {
    const room = toCharacterStart(whole, Math.max(0, MAX_TEXT_CHARS - total))
    const [text, width] =
      whole.length > room && wholeWidth === whole.length ? [whole.slice(0, room), room] : [whole, wholeWidth]
    for (const listener of listeners) {
      if (listener.text.length < MAX_LABEL_CHARS) listener.text += cutText(text, MAX_LABEL_CHARS)
    }
    if (whole.length > room) notes.add('The text is too long; the end is not read.')
    if (room === 0) return
    total += text.length
    let target = sink()
    let left = addTo(target, text, at, width)
    while (left > 0) {
      target = reopen(target)
      const from = text.length - left
      left = addTo(target, text.slice(from), width === text.length ? at + from : at, left)
    }
  }

  const listen = () => {
    const listener = { text: '' }
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
      return cutText(listener.text.replace(/\s+/g, ' ').trim(), MAX_LABEL_CHARS).toWellFormed()
    }
  }

  const capture = (kind: PartKind, facts?: PartFacts) => {
    sinks.push(openPart(kind, facts))
    return () => {
      sinks.pop()
    }
  }

  const flow: DocumentBuilder = {
    plain: (text, at) => add(text, at, text.length),
    encoded(raw, at) {
      const target = sink()
      if (target.kind !== 'code' && target.run.atLineStart && raw.trim() === '') return
      decodeInto(raw, at, add)
    },
    made: add,
    breakLine(at) {
      if (!sink().run.atLineStart) add('\n', at, 0)
    },
    capture,
    drop() {
      sinks.push({ kind: 'text', path, run: createTextRun(), dropped: true })
      return () => {
        sinks.pop()
      }
    },
    part(kind, raw, at, facts = {}) {
      if (raw.trim() === '') return
      if (opened.length >= MAX_PARTS) {
        notes.add(TOO_MANY_PARTS)
        return
      }
      const paused = [...listeners]
      listeners.clear()
      const end = capture(kind, facts)
      if (facts.encoded === true) decodeInto(raw, at, add)
      else add(raw, at, raw.length)
      end()
      for (const listener of paused) listeners.add(listener)
    },
    hide() {
      hiddenDepth++
      const end = capture('hidden')
      return () => {
        hiddenDepth--
        end()
      }
    },
    heading(level) {
      while ((headings.at(-1)?.level ?? 0) >= level) headings.pop()
      const heading = { level, text: '', written: '' }
      headings.push(heading)
      const section = sinks.length === 0 && sections < MAX_SECTIONS
      if (section) {
        sections++
        body = openPart('text')
      }
      const target = section ? body : undefined
      const end = listen()
      return () => {
        const text = end()
        heading.text = text.toLowerCase()
        heading.written = cutText(text.trim().replace(/\s+/g, ' '), MAX_LABEL_CHARS).toWellFormed()
        const now = headingsNow()
        if (target !== undefined && now !== undefined) target.headings = now
        if (target !== undefined && heading.written !== '') target.heading = heading.written
        return text
      }
    },
    listen,
    link(link) {
      if (links.length >= MAX_LINKS) {
        notes.add('There are too many links; the last ones are not read.')
        return
      }
      const place = link.offset === undefined || lineStarts === undefined ? {} : toLineColumn(lineStarts, link.offset)
      links.push({ ...link, ...place, path: link.path ?? sink().path })
    },
    anchor(name) {
      if (name !== '' && anchors.size < MAX_ANCHORS) anchors.add(name)
    },
    note: (sentence) => void notes.add(sentence),
    startSection(next) {
      path = next
      body = undefined
    },
    finish(mime) {
      const parts = opened.flatMap(({ run, label, dropped: _, ...facts }): Part[] => {
        const { text, map } = run.toText()
        if (text.trim() === '') return []
        const part: Part = { ...facts, text }
        const name = typeof label === 'function' ? label() : label
        if (name !== undefined && name !== '') part.label = cutText(name, MAX_LABEL_CHARS).toWellFormed()
        if (map !== undefined && lineStarts !== undefined) part.map = map
        return [part]
      })
      return {
        mime,
        parts,
        links,
        ...(lineStarts === undefined ? {} : { lineStarts }),
        ...(anchors.size === 0 ? {} : { anchors: [...anchors] }),
        ...(notes.size === 0 ? {} : { truncated: true, notes: [...notes] }),
      }
    },
  }
  return flow
}
