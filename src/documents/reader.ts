import type { AssayDocument } from './document.ts'
import { MAX_FILE_BYTES } from './limits.ts'
import { type ParseOptions, parseHtml } from './markup/html.ts'
import { parseMarkdown } from './markup/markdown.ts'
import { parseXml } from './markup/xml.ts'
import { isUnread, readArchive, type UnreadableFile } from './office/archive.ts'
import { parseDocx } from './office/docx.ts'
import { readPdf } from './office/pdf-thread.ts'
import { parsePptx } from './office/pptx.ts'
import { parseXlsx } from './office/xlsx.ts'
import { decodeText, readFormat, readTextFormat } from './sniff.ts'
import { parseCsv } from './text/csv.ts'
import { parseJson, parsePlainText } from './text/plain.ts'

export type { UnreadableFile, UnreadStatus } from './office/archive.ts'

export interface FileFacts {
  /** The declared media type; the file's content takes precedence. */
  mime?: string | undefined
  filename?: string | undefined
  /** Origin of the wiki, to distinguish wiki links from web links. */
  site?: string | undefined
  /** Whether the bytes are only the first ones of the file. */
  isCut?: boolean
}

export type ReadResult = { document: AssayDocument } | UnreadableFile

const unsupported = (reason: string): UnreadableFile => ({ status: 'unsupported', reason })

/** Parses text whose format is determined by filename, then declared type, then first characters. */
export function readText(text: string, { mime, filename, site }: FileFacts = {}): AssayDocument {
  const options: ParseOptions = site === undefined ? {} : { site }
  const format = readTextFormat(text, {
    ...(mime === undefined ? {} : { mime }),
    ...(filename === undefined ? {} : { filename }),
  })
  switch (format) {
    case 'html':
      return parseHtml(text, options)
    case 'markdown':
      return parseMarkdown(text, options)
    case 'csv':
      return parseCsv(text, options)
    case 'json':
      return parseJson(text, options)
    case 'xml':
      return parseXml(text, options)
    default:
      return parsePlainText(text, options)
  }
}

const wanted =
  /^(?:word\/[^/]+\.xml|xl\/(?:worksheets\/)?[^/]+\.xml|ppt\/(?:slides|notesSlides|comments)\/[^/]+\.xml|docProps\/[^/]+\.xml|(?:[^/]{1,80}\/){0,8}_rels\/[^/]+\.rels)$/

function readOffice(bytes: Uint8Array, site: string | undefined): ReadResult {
  const files = readArchive(bytes, (name) => wanted.test(name))
  if (isUnread(files)) return files
  const document = parseOffice(files, site)
  const isCut = bytes.length > 22 && !hasDirectory(bytes)
  if (document !== undefined) return { document: isCut ? toCut(document) : document }
  return files.size === 0 && isCut ? { status: 'damaged', reason: CUT } : unsupported('Archives are not read.')
}

function parseOffice(files: ReadonlyMap<string, Uint8Array>, site: string | undefined): AssayDocument | undefined {
  if (files.has('word/document.xml')) return parseDocx(files, site)
  if (files.has('xl/workbook.xml')) return parseXlsx(files, site)
  return files.keys().some((name) => name.startsWith('ppt/slides/')) ? parsePptx(files, site) : undefined
}

const CUT = 'The archive is truncated.'

const toCut = (document: AssayDocument): AssayDocument => ({
  ...document,
  truncated: true,
  notes: [...(document.notes ?? []), CUT],
})

/** Whether a zip archive has its end-of-central-directory record. */
function hasDirectory(bytes: Uint8Array): boolean {
  return (
    Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).lastIndexOf('PK\u0005\u0006', undefined, 'latin1') >=
    0
  )
}

/** Limit on the distance from the end at which a cut text is shortened. */
const MAX_CUT_WORD_CHARS = 4096

/** Shortens a cut text to its last whole word, so that no number or address is read in part. */
function toWholeWords(text: string): string {
  const tail = text.slice(-MAX_CUT_WORD_CHARS)
  const end = tail.search(/\s\S*$/)
  const at = end >= 0 ? end : tail.search(/["'<>][^"'<>]*$/)
  return at < 0 ? text : text.slice(0, text.length - tail.length + at + 1)
}

const notInPart = (format: string): UnreadableFile => ({
  status: 'skipped_too_large',
  reason: `The file is larger than is downloaded, and ${format} cannot be read in part.`,
})

/**
 * Reads a file as text. The format is taken from the bytes, then from the filename, then from the declared type. Never
 * throws because of a file's content: unreadable files return a status and a reason.
 */
export async function readDocument(source: Uint8Array | string, facts: FileFacts = {}): Promise<ReadResult> {
  if (typeof source === 'string') return { document: readText(source, facts) }
  if (source.length > MAX_FILE_BYTES) {
    return { status: 'skipped_too_large', reason: 'The file is too large to be read.' }
  }
  const { isCut = false } = facts
  const format = readFormat(source)
  switch (format) {
    case 'pdf': {
      if (isCut) return notInPart('a PDF file')
      const document = await readPdf(source, facts.site)
      return 'status' in document ? document : { document }
    }
    case 'zip':
      if (isCut) return notInPart('an Office file or archive')
      return readOffice(source, facts.site)
    case 'ole': {
      const marker = Buffer.from('EncryptedPackage', 'utf16le')
      return Buffer.from(source.buffer, source.byteOffset, source.byteLength).includes(marker)
        ? { status: 'encrypted', reason: 'The document is protected by a password.' }
        : unsupported('Old binary Office formats are not read.')
    }
    case 'image':
      return { ...unsupported('Images are not read.'), isTextless: true }
    case 'media':
      return { ...unsupported('Audio and video are not read.'), isTextless: true }
    case 'archive':
      return unsupported('Archives are not read.')
    default: {
      const text = decodeText(source, isCut)
      if (text === undefined) return unsupported('Files of this type are not read.')
      return { document: readText(isCut ? toWholeWords(text) : text, facts) }
    }
  }
}
