import { type Close, findAttribute, type MarkupElement, readMarkup } from '../markup/markup.ts'
import type { DocumentBuilder } from '../text/flow.ts'

export type OfficeFiles = ReadonlyMap<string, Uint8Array>

const decoder = new TextDecoder('utf-8')

export function readFileText(files: OfficeFiles, name: string): string | undefined {
  const bytes = files.get(name)
  return bytes === undefined ? undefined : decoder.decode(bytes)
}

/** Files whose names match, sorted by the number in the name. */
export function listFiles(files: OfficeFiles, pattern: RegExp): { name: string; number: number }[] {
  return [...files.keys()]
    .flatMap((name) => {
      const match = pattern.exec(name)
      return match === null ? [] : [{ name, number: Number(match[1] ?? 0) }]
    })
    .sort((a, b) => a.number - b.number)
}

/** Finds an attribute by its local name, because writers choose namespace prefixes freely. */
export function findLocal(element: MarkupElement, name: string): string | undefined {
  return (
    findAttribute(element, name) ?? element.attributes.find((attribute) => attribute.name.endsWith(`:${name}`))?.value
  )
}

/** Walks XML with namespace prefixes stripped from element names. `text` receives text as written. */
export function readElements(
  xml: string,
  open: (name: string, element: MarkupElement) => Close | undefined,
  text: (raw: string, at: number) => void = () => {},
): void {
  readMarkup(
    xml,
    { xml: true },
    {
      open: (element) => open(element.name.slice(element.name.indexOf(':') + 1), element),
      text,
      cdata: text,
      comment: () => {},
    },
  )
}

export interface Relationship {
  target: string
  external: boolean
}

/** The relationships of a file inside the package, by id; internal targets are full paths. */
export function readRelationships(files: OfficeFiles, name: string): Map<string, Relationship> {
  const slash = name.lastIndexOf('/')
  const folder = name.slice(0, slash + 1)
  const found = new Map<string, Relationship>()
  const xml = readFileText(files, `${folder}_rels/${name.slice(slash + 1)}.rels`)
  if (xml === undefined) return found
  readElements(xml, (local, element) => {
    const [id, target] = [findLocal(element, 'Id'), findLocal(element, 'Target')]
    if (local !== 'Relationship' || id === undefined || target === undefined) return undefined
    const external = findLocal(element, 'TargetMode') === 'External'
    const inside = new URL(target.replaceAll('\\', '/'), `file:///${folder}`).pathname.slice(1)
    found.set(id, { target: external ? target : decodeURIComponent(inside), external })
    return undefined
  })
  return found
}

/** Elements of tables in documents and slides, by their counterparts in HTML. */
export const tableElements: Readonly<Record<string, string>> = { tbl: 'table', tr: 'tr', tc: 'td' }

const namedProperties = new Set(['title', 'subject', 'description', 'keywords', 'category', 'Company', 'Manager'])

/** Reads title, keywords and similar properties, and all custom properties. */
export function readProperties(files: OfficeFiles, flow: DocumentBuilder): void {
  for (const name of ['docProps/core.xml', 'docProps/app.xml', 'docProps/custom.xml']) {
    const xml = readFileText(files, name)
    if (xml === undefined) continue
    const custom = name.endsWith('custom.xml')
    let label: string | undefined
    readElements(
      xml,
      (local, element) => {
        if (custom && local === 'property') label = findLocal(element, 'name')
        if (!custom) label = namedProperties.has(local) ? local : undefined
        return () => {
          if (!custom || local === 'property') label = undefined
        }
      },
      (raw, at) => {
        if (label !== undefined) flow.part('attribute', raw, at, { path: 'properties', label, encoded: true })
      },
    )
  }
}
