import type { DocumentLink } from '../document.ts'

type Reference = NonNullable<DocumentLink['reference']>

export interface WikiAddress {
  kind: 'page' | 'attachment'
  reference: Reference
}

/**
 * Decodes the page id of a tiny link: 8 little-endian bytes in base64 (`-` for `/`, `_` for `+`), trailing zeros
 * omitted.
 */
export function decodeTinyLink(code: string): string | undefined {
  if (!/^[\w-]{1,11}$/.test(code)) return undefined
  const base64 = code.replaceAll('-', '/').replaceAll('_', '+').padEnd(11, 'A')
  const bytes = Buffer.from(`${base64}=`, 'base64')
  if (bytes.length !== 8) return undefined
  const id = bytes.readBigUInt64LE()
  return id === 0n ? undefined : id.toString()
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment.replaceAll('+', ' '))
  } catch {
    return segment
  }
}

const withAnchor = (reference: Reference, url: URL): Reference => {
  const anchor = decodeSegment(url.hash.slice(1))
  return anchor === '' || anchor.startsWith(':~:') ? reference : { ...reference, anchor }
}

/**
 * Resolves a path after the site's `/wiki`, in any of the URL forms that the wiki uses for its own pages; undefined for
 * URLs of neither a page nor an attachment.
 */
function readPath(path: string, url: URL): WikiAddress | undefined {
  const segments = path.split('/').filter(Boolean).map(decodeSegment)
  const [first = '', second = '', third = '', fourth = ''] = segments
  const pageId = url.searchParams.get('pageId') ?? ''
  const numeric = (text: string) => /^\d+$/.test(text)
  if (first === 'x') {
    const id = decodeTinyLink(second)
    return id === undefined ? undefined : { kind: 'page', reference: withAnchor({ id }, url) }
  }
  if (first === 'pages' && /^(?:viewpage|releaseview|viewinfo)\.action$/.test(second)) {
    if (numeric(pageId)) return { kind: 'page', reference: withAnchor({ id: pageId }, url) }
    const [space, title] = [url.searchParams.get('spaceKey'), url.searchParams.get('title')]
    return space === null || title === null ? undefined : { kind: 'page', reference: withAnchor({ space, title }, url) }
  }
  if (first === 'spaces' && third === 'pages') {
    const id = fourth === 'edit-v2' || fourth === 'edit' ? (segments[4] ?? '') : fourth
    return numeric(id) ? { kind: 'page', reference: withAnchor({ space: second, id }, url) } : undefined
  }
  // The steps after `blog` are the year, month and day of a blog post.
  if (first === 'spaces' && third === 'blog') {
    const id = segments[6] ?? ''
    return numeric(id) ? { kind: 'page', reference: withAnchor({ space: second, id }, url) } : undefined
  }
  if (first === 'display' && second !== '' && third !== '') {
    return { kind: 'page', reference: withAnchor({ space: second, title: third }, url) }
  }
  if (first === 'download' && (second === 'attachments' || second === 'thumbnails') && numeric(third)) {
    return fourth === '' ? undefined : { kind: 'attachment', reference: { id: third, filename: fourth } }
  }
  return undefined
}

/**
 * Distinguishes the wiki's own pages and attachments from other web addresses. `site` is the wiki's origin, against
 * which relative addresses are resolved. Returns undefined where the text is not an address that can be opened.
 */
export function readAddress(
  href: string,
  site: string | undefined,
): { url: string; wiki?: WikiAddress } | { anchor: string } | undefined {
  const text = href.trim()
  if (text.startsWith('#')) return text.length > 1 ? { anchor: decodeSegment(text.slice(1)) } : undefined
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(text)
  if (absolute && !/^https?:/i.test(text)) return undefined
  if (text === '' || (!absolute && site === undefined)) return undefined
  const base = site === undefined ? undefined : `${site}/wiki/`
  const url = URL.parse(text, base)
  if (url === null) return absolute ? { url: text } : undefined
  const shown = absolute ? text : url.href
  if (site === undefined || url.origin !== site) return { url: shown }
  const wiki = readPath(url.pathname.replace(/^\/wiki(?=\/)/, ''), url)
  return wiki === undefined ? { url: shown } : { url: shown, wiki }
}
