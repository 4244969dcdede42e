/** File formats as far as parsing distinguishes them. */
export type FileFormat =
  | 'html'
  | 'markdown'
  | 'csv'
  | 'json'
  | 'xml'
  | 'text'
  | 'pdf'
  | 'zip'
  | 'ole'
  | 'image'
  | 'media'
  | 'archive'
  | 'binary'

const starts: [FileFormat, readonly number[]][] = [
  ['pdf', [0x25, 0x50, 0x44, 0x46, 0x2d]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  ['ole', [0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]],
  ['image', [0x89, 0x50, 0x4e, 0x47]],
  ['image', [0xff, 0xd8, 0xff]],
  ['image', [0x47, 0x49, 0x46, 0x38]],
  ['image', [0x42, 0x4d]],
  ['image', [0x49, 0x49, 0x2a, 0x00]],
  ['image', [0x4d, 0x4d, 0x00, 0x2a]],
  ['archive', [0x1f, 0x8b]],
  ['archive', [0x37, 0x7a, 0xbc, 0xaf]],
  ['archive', [0x52, 0x61, 0x72, 0x21]],
  ['media', [0x49, 0x44, 0x33]],
  ['media', [0x4f, 0x67, 0x67, 0x53]],
  ['binary', [0x7f, 0x45, 0x4c, 0x46]],
  ['binary', [0x4d, 0x5a]],
]

const extensions: Record<string, FileFormat> = {
  ...Object.fromEntries(['html', 'htm', 'xhtml'].map((name) => [name, 'html'])),
  ...Object.fromEntries(['md', 'markdown', 'mdx'].map((name) => [name, 'markdown'])),
  ...Object.fromEntries(['csv', 'tsv', 'tab'].map((name) => [name, 'csv'])),
  ...Object.fromEntries(
    ['json', 'jsonl', 'ndjson', 'geojson', 'ipynb', 'har', 'webmanifest'].map((name) => [name, 'json']),
  ),
  ...Object.fromEntries(
    ['xml', 'svg', 'xsd', 'xsl', 'xslt', 'wsdl', 'drawio', 'plist', 'csproj', 'config'].map((name) => [name, 'xml']),
  ),
}

const ascii = (bytes: Uint8Array, from: number, to: number) => String.fromCharCode(...bytes.subarray(from, to))

function readMagic(bytes: Uint8Array): FileFormat | undefined {
  const found = starts.find(([, magic]) => magic.every((byte, index) => bytes[index] === byte))?.[0]
  if (found === 'pdf') return found
  if (looksLikeText(bytes)) return undefined
  if (found !== undefined) return found
  if (ascii(bytes, 0, 4) === 'RIFF') return ascii(bytes, 8, 12) === 'WEBP' ? 'image' : 'media'
  if (ascii(bytes, 4, 8) === 'ftyp') return 'media'
  return undefined
}

/** Whether bytes look like text: no zero bytes and at most 1 % control characters in the first 8 KiB. */
function looksLikeText(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 8192)
  let odd = 0
  for (const byte of head) {
    if (byte === 0) return false
    if (byte < 9 || (byte > 13 && byte < 32 && byte !== 27)) odd++
  }
  return odd <= head.length / 100
}

/** `isCut`: a character that the end of the bytes cuts is left out. */
export function decodeText(bytes: Uint8Array, isCut = false): string | undefined {
  const stream = isCut
  const [first, second, third] = bytes
  if (first === 0xff && second === 0xfe) return new TextDecoder('utf-16le').decode(bytes, { stream })
  if (first === 0xfe && second === 0xff) return new TextDecoder('utf-16be').decode(bytes, { stream })
  if (first === 0xef && second === 0xbb && third === 0xbf) return new TextDecoder('utf-8').decode(bytes, { stream })
  if (!looksLikeText(bytes)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}

const byMime: [RegExp, FileFormat][] = [
  [/\bx?html\b/, 'html'],
  [/markdown/, 'markdown'],
  [/csv|tab-separated/, 'csv'],
  [/json/, 'json'],
  [/\bxml\b/, 'xml'],
]

/** Determines the format of text by its filename, then its declared type, then its first characters. */
export function readTextFormat(
  text: string,
  { mime = '', filename = '' }: { mime?: string; filename?: string },
): FileFormat {
  const extension = /\.([a-z0-9]{1,12})$/i.exec(filename)?.[1]?.toLowerCase() ?? ''
  const named = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined
  if (named !== undefined) return named
  const declared = byMime.find(([pattern]) => pattern.test(mime.toLowerCase()))?.[1]
  if (declared !== undefined) return declared
  const head = text.slice(0, 512).trimStart().toLowerCase()
  if (/^<!doctype html|^<html[\s>]/.test(head)) return 'html'
  return head.startsWith('<?xml') ? 'xml' : 'text'
}

const mimes: Partial<Record<FileFormat, string>> = {
  pdf: 'application/pdf',
  zip: 'application/zip',
  ole: 'application/x-ole-storage',
  text: 'text/plain',
}

/** The media type that the first bytes of a file show; undefined where they show no particular one. */
export const inferMime = (bytes: Uint8Array): string | undefined => mimes[readFormat(bytes)]

/** Determines the format of bytes from their signature; `text` where they have none and decode as text. */
export function readFormat(bytes: Uint8Array): FileFormat {
  return readMagic(bytes) ?? (decodeText(bytes.subarray(0, 8192), true) === undefined ? 'binary' : 'text')
}
