import type { UnreadSection } from './section.ts'
import { type LineColumn, toLineColumn } from './text/lines.ts'

/** What a part of a document is; detectors weigh a match by it. */
export type PartKind =
  /** Text that a reader sees. */
  | 'text'
  /** Text that is in the page but not shown: display none, zero size, white on white. */
  | 'hidden'
  /** A markup comment, or a comment line. */
  | 'comment'
  /** A code block or code macro. */
  | 'code'
  /** An attribute or macro parameter: alt, title, href. `label` is its name. */
  | 'attribute'
  /** A table or sheet cell. `label` is its column header. */
  | 'cell'
  /** The name of a thing: a title, a table, a column, a file. */
  | 'name'
  /** DAX, Power Query or another formula language. */
  | 'expression'

/** One run of text that a detector looks at. A match never spans two parts. */
export interface Part {
  kind: PartKind
  text: string
  /** Where the part stands, as a person would say it: `body`, `comment 77`, `Sheet1!B4`, `Sales.Amount`. */
  path: string
  /** The section of the item that it was read with; see `UnreadSection`. Absent: the item's own listing. */
  section?: string
  /** What the text is called: a column header, an attribute name, a parameter name. */
  label?: string
  /** The language of a code block, as written. */
  language?: string
  /** Lower-cased section headings or page labels that stand over the part, nearest last. */
  headings?: readonly string[]
  /**
   * Source offsets of the text, as ascending pairs [offset in text, offset in source] flattened: between two pairs both
   * run on alike. Absent: offsets in the text are offsets in the source.
   */
  map?: readonly number[]
  /** As the document's, where the parts of a document come from several sources. */
  lineStarts?: readonly number[]
}

/** A link as the author wrote it. */
export interface DocumentLink {
  /** `web` is an absolute address; the others are named in the platform's own terms. */
  kind: 'web' | 'page' | 'attachment' | 'anchor' | 'user'
  /** The address, or the reference as a person would write it: `DOCS:Onboarding#Access`. */
  url: string
  /** The words that are linked. */
  label?: string
  /** Path of the part that holds the link. */
  path: string
  /** As the part's. */
  section?: string
  /** Offset of the link in the source. */
  offset?: number
  /** 1-based place of the link in the source. */
  line?: number
  column?: number
  /** For references by name: what the platform needs to resolve it. */
  reference?: { space?: string; title?: string; id?: string; filename?: string; anchor?: string }
}

/** A scanned thing as text: what detectors see of it. */
export interface AssayDocument {
  /** Media type of the source. */
  mime: string
  parts: readonly Part[]
  links: readonly DocumentLink[]
  /**
   * Source offsets at which the lines begin, the first being 0; absent: lines are known only where a part has no map.
   */
  lineStarts?: readonly number[]
  /** Anchors that links may point to: heading slugs and anchor macros. */
  anchors?: readonly string[]
  /** Things in it that show something without having words of their own, such as images and empty macros. */
  embeds?: number
  /** True where size or depth limits cut the document; what was cut is said in `notes`. */
  truncated?: boolean
  /** What could not be read, one sentence each. */
  notes?: readonly string[]
  /** Sections that turned out to be unreadable while the document was read. */
  unread?: readonly UnreadSection[]
}

/** The 1-based line and column in the source of an offset in a part's text; undefined where lines mean nothing. */
export function findLineColumn(document: AssayDocument, part: Part, offset: number): LineColumn | undefined {
  const lineStarts = part.lineStarts ?? document.lineStarts
  return lineStarts === undefined ? undefined : toLineColumn(lineStarts, toSourceOffset(part, offset))
}

/** The offset in the source of an offset in a part's text. */
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
