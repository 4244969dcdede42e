import { itemAt, memberOf, textOf } from './check.ts'
import { ArtifactLocation, type SarifResult, type SarifRun } from './model.ts'

/** What a result is about, as an asset of an import. */
export interface Place {
  key: string
  name: string
  kind: 'import.file' | 'import.asset'
  url?: string | undefined
}

/** Something that no base changes: it has a scheme, or begins at the root of a machine. */
const absolute = /^(?:[a-z][a-z\d+.-]*:|\/)/i
const webAddress = /^https?:/i
/** How many containers a file may be nested in. */
const MAX_NESTED = 16

/** The place of a result: a file, a logical location, the target of the analysis, or else the tool itself. */
export function toPlace(run: SarifRun, { locations: [location] = [], analysisTarget }: SarifResult): Place {
  const file = toFile(run, location?.physicalLocation?.artifactLocation)
  if (file !== undefined) return file
  const key = toLogicalName(run, location?.logicalLocations?.[0])
  if (key !== undefined) return { key, name: key, kind: 'import.asset' }
  const { name } = run.tool.driver
  return toFile(run, analysisTarget) ?? { key: name, name, kind: 'import.asset' }
}

export function toLogicalName(
  run: SarifRun,
  logical: { name?: string | undefined; fullyQualifiedName?: string | undefined; index?: number | undefined } = {},
): string | undefined {
  const described = itemAt(run.logicalLocations, logical.index)
  return (
    textOf(logical.fullyQualifiedName) ??
    textOf(memberOf(described, 'fullyQualifiedName')) ??
    textOf(logical.name) ??
    textOf(memberOf(described, 'name'))
  )
}

function toFile(run: SarifRun, location: ArtifactLocation | undefined): Place | undefined {
  const found = location === undefined ? undefined : resolve(run, location)
  return found && { key: found.key, name: decodeName(found.key), kind: 'import.file', url: found.url }
}

interface Resolved {
  key: string
  url?: string | undefined
}

function resolve(run: SarifRun, location: ArtifactLocation, nested = 0): Resolved | undefined {
  const artifact = itemAt(run.artifacts, location.index)
  const described = ArtifactLocation.safeParse(memberOf(artifact, 'location')).data
  const [from] = [location, described].filter((each) => textOf(each?.uri) !== undefined)
  const own = from?.uri === undefined ? undefined : toRoot(run, from.uri, from.uriBaseId)
  const parent = memberOf(artifact, 'parentIndex')
  if (typeof parent !== 'number' || parent < 0 || nested >= MAX_NESTED) return own
  const container = resolve(run, { index: parent }, nested + 1)
  if (container === undefined || own === undefined) return container ?? own
  // As in `jar:` addresses.
  return { key: `${container.key}!/${own.key.replace(/^\//, '')}` }
}

/**
 * A reference below its bases, as far as these are relative: an absolute one is where the files were on the machine of
 * the scanner. A chain of bases that leads back to itself ends there.
 */
function toRoot({ originalUriBaseIds }: SarifRun, uri: string, baseId: string | undefined): Resolved {
  let key = uri
  const seen = new Set<string>()
  for (let id = baseId; id !== undefined && !absolute.test(key) && !seen.has(id); ) {
    seen.add(id)
    const base = memberOf(originalUriBaseIds, id)
    const given = textOf(memberOf(base, 'uri'))
    if (given !== undefined && absolute.test(given)) return { key, url: toAddress(key, given) }
    if (given !== undefined) key = removeDots(`${given}${given.endsWith('/') ? '' : '/'}${key}`)
    id = textOf(memberOf(base, 'uriBaseId'))
  }
  return { key, url: toAddress(key) }
}

function toAddress(uri: string, base = uri): string | undefined {
  return webAddress.test(base) ? URL.parse(uri, base)?.href : undefined
}

/** A relative path without `.` and, as far as possible, without `..` (RFC 3986, 5.2.4). */
function removeDots(path: string): string {
  const kept: string[] = []
  for (const part of path.split('/')) {
    if (part === '..' && kept.length > 0 && kept.at(-1) !== '..') kept.pop()
    else if (part !== '.') kept.push(part)
  }
  return kept.join('/')
}

/** A name with percent-encoding decoded, where it is valid. */
const decodeName = (uri: string): string =>
  uri.replace(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded)
    } catch {
      return encoded
    }
  })
