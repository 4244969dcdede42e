import type { AssayDocument, DocumentLink } from '../../documents/document.ts'
import type { AssetDraft, LinkDraft } from '../connector.ts'
import { sha256 } from './checksum.ts'

/** The page that contains the links, for references without a space or page. */
export interface LinkPlace {
  prefix: string
  spaceKey: string
  pageId: string
}

export const toPageKey = ({ prefix }: Pick<LinkPlace, 'prefix'>, id: string) => `${prefix}:page:${id}`

const fileEnding =
  /\.(?:pdf|docx?|xlsx?|xlsm|pptx?|odt|ods|odp|rtf|csv|tsv|txt|md|json|ya?ml|xml|sql|log|zip|tar|gz|tgz|7z|rar|png|jpe?g|gif|svg|webp|mp[34]|mov|avi|wav|drawio|vsdx|eml|msg|parquet|ipynb|pem|key|pfx|p12|jks|bak)$/i

/** The filename at the end of a URL; undefined where there is none. */
function findFilename(address: string): string | undefined {
  const last = URL.parse(address)?.pathname.split('/').at(-1) ?? ''
  let name = last
  try {
    name = decodeURIComponent(last)
  } catch {
    // A malformed escape is kept as written.
  }
  return fileEnding.test(name) ? name : undefined
}

function toLinkedFileKey(prefix: string, address: string): string {
  const url = new URL(address)
  url.hash = ''
  return `${prefix}:link:${sha256(url.href)}`
}

/** A file on the web that a page links to: identified by its URL and never downloaded. */
function toLinkedFile(prefix: string, address: string, filename: string, container: string): AssetDraft {
  const key = toLinkedFileKey(prefix, address)
  return {
    key,
    kind: 'wiki.linked_file',
    name: filename,
    url: address,
    container,
    checksum: sha256(key),
    links: [],
    facts: { filename },
  }
}

function toDraft(link: DocumentLink, place: LinkPlace, hasFile: boolean): LinkDraft | undefined {
  const shared = {
    url: link.url,
    path: link.path,
    ...(link.section === undefined ? {} : { section: link.section }),
    ...(link.label === undefined ? {} : { label: link.label }),
    ...(link.line === undefined ? {} : { line: link.line }),
    ...(link.column === undefined ? {} : { column: link.column }),
  }
  const { reference = {} } = link
  switch (link.kind) {
    case 'user':
      return undefined
    case 'web':
      return { type: 'links_to', ...shared, ...(hasFile ? { targetKey: toLinkedFileKey(place.prefix, link.url) } : {}) }
    case 'anchor':
      return {
        type: 'references',
        ...shared,
        targetKey: toPageKey(place, place.pageId),
        reference: { ...reference, id: place.pageId },
      }
    case 'page':
      return reference.id === undefined
        ? { type: 'references', ...shared, reference: { ...reference, space: reference.space ?? place.spaceKey } }
        : { type: 'references', ...shared, targetKey: toPageKey(place, reference.id), reference }
    case 'attachment': {
      const named = reference.title === undefined ? {} : { space: reference.space ?? place.spaceKey }
      const own = reference.title === undefined && reference.id === undefined ? { id: place.pageId } : {}
      return { type: 'references', ...shared, reference: { ...reference, ...named, ...own } }
    }
  }
}

/** Links of a document to be stored, and the files on the web that they point to. */
export function toLinks(
  document: AssayDocument,
  place: LinkPlace,
  files: { include: boolean; container: string },
): { links: LinkDraft[]; linkedFiles: AssetDraft[] } {
  const linkedFiles = new Map<string, AssetDraft>()
  const links = document.links.flatMap((link) => {
    const filename = files.include && link.kind === 'web' ? findFilename(link.url) : undefined
    if (filename !== undefined) {
      const file = toLinkedFile(place.prefix, link.url, filename, files.container)
      linkedFiles.set(file.key, file)
    }
    return toDraft(link, place, filename !== undefined) ?? []
  })
  return { links, linkedFiles: [...linkedFiles.values()] }
}
