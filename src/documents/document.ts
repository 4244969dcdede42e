import type { UnreadSection } from './section.ts'
import { type LineColumn, toLineColumn } from './text/lines.ts'

/** What a part of a document is; detectors weight a match by it. */
export type PartKind =
  /** Text that a reader sees. */
  | 'text'
  /** Text that is in the page but not displayed: display none, zero size, white on white. */
  | 'hidden'
  /** A markup comment, or a comment line. */
  | 'comment'
  /** A code block or code macro. */
  | 'code'
  /** An attribute or macro parameter: alt, title, href. `label` is its name. */
  | 'attribute'
  /** A table or sheet cell. `label` is its column header. */
  | 'cell'
  /** The name of an object: a title, a table, a column, a file. */
  | 'name'
  /** DAX, Power Query or another formula language. */
  | 'expression'

/** One run of text that a detector reads. A match never spans two parts. */
export interface Part {
  kind: PartKind
  text: string
  /** Human-readable location of the part: `body`, `comment 77`, `Sheet1!B4`, `Sales.Amount`. */
  path: string
  /**
   * The section of the item that the part was read from (see `UnreadSection`); absent for the item's own listing entry.
   */
  section?: string
  /** What the text is called: a column header, an attribute name, a parameter name. */
  label?: string
  /** The language of a code block, as written. */
  language?: string
  /** Lower-cased section headings or page labels that apply to the part, nearest last. */
  headings?: readonly string[]
  /** The section heading above the part, as written. */
  heading?: string
  /**
   * Maps offsets in the text to offsets in the source, as ascending pairs [text offset, source offset] in one flat
   * array; from one pair to the next, both advance by the same amount. Absent: the offsets are identical.
   */
  map?: readonly number[]
  /** Line starts of the part's own source, for documents whose parts come from several sources. */
  lineStarts?: readonly number[]
}

/** A link as the author wrote it. */
export interface DocumentLink {
  /** `web` is an absolute URL; the others are references in the platform's own terms. */
  kind: 'web' | 'page' | 'attachment' | 'anchor' | 'user'
  /** The URL, or the reference in human-readable form: `DOCS:Onboarding#Access`. */
  url: string
  /** The link text. */
  label?: string
  /** Path of the part that holds the link. */
  path: string
  /** The section of the part that holds the link. */
  section?: string
  /** Offset of the link in the source. */
  offset?: number
  /** 1-based position of the link in the source. */
  line?: number
  column?: number
  /** For references by name: the fields that the platform needs to resolve it. */
  reference?: { space?: string; title?: string; id?: string; filename?: string; anchor?: string }
}

/** The text of a scanned item, as detectors see it. */
export interface AssayDocument {
  /** Media type of the source. */
  mime: string
  parts: readonly Part[]
  links: readonly DocumentLink[]
  /**
   * Source offsets at which lines start, the first being 0. Absent: no line numbers, except for parts with line starts
   * of their own.
   */
  lineStarts?: readonly number[]
  /** Anchors that links may point to: heading slugs and anchor macros. */
  anchors?: readonly string[]
  /** Number of elements that display something but contain no text, such as images and empty macros. */
  embeds?: number
  /** True where size or depth limits cut the document; `notes` says what was cut. */
  truncated?: boolean
  /** What could not be read, one sentence each. */
  notes?: readonly string[]
  /** Sections found to be unreadable while the document was read. */
  unread?: readonly UnreadSection[]
}

/** The 1-based line and column in the source of an offset in a part's text; undefined for formats without lines. */
export function findLineColumn(document: AssayDocument, part: Part, offset: number): LineColumn | undefined {
  const lineStarts = part.lineStarts ?? document.lineStarts
  return lineStarts === undefined ? undefined : toLineColumn(lineStarts, toSourceOffset(part, offset))
}

/** Converts an offset in a part's text to an offset in the source. */
export function toSourceOffset(part: Pick<Part, 'map'>, offset: number): number {
  const { map } = part
  if (map === undefined || map.length === 0) return offset
  let low = 0
  let high = map.length / 2 - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((map[middle * 2] ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return (map[low * 2 + 1] ?? 0) + (offset - (map[low * 2] ?? 0))
}
