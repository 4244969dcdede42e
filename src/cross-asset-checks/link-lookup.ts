import type { AssetDraft } from '../connectors/connector.ts'
import type { InternalLink, LinkLookup, LinkTarget } from '../detectors/broken-links/internal.ts'
import type { LinkingAsset, TargetAsset } from '../findings/links.store.ts'
import { findTarget, listAttached, listTargetsByName, listTargetsOfKind } from '../findings/links.store.ts'
import { isMaskOf, MASK } from '../kernel/redaction.ts'
import type { ScopeRecord } from '../scans/model.ts'
import type { Reader } from '../store/store.ts'

/** How completely the source was listed: only an asset of a completely listed scope can be missing. */
export interface Coverage {
  sourceId: number
  scopes: readonly ScopeRecord[]
  sampled: boolean
  leavesOut: { kinds: readonly AssetDraft['kind'][]; scopes: boolean }
}

type Found = LinkTarget | 'missing' | 'unknown'

/** Finds the stored targets of the links of one asset, and remembers whether any of them was `unknown`. */
export interface AssetLookup extends LinkLookup {
  sawUnknown(): boolean
}

/** Prepares what all assets of a scan share. */
export function openLookups(reader: Reader, coverage: Coverage) {
  const { sourceId, scopes, sampled, leavesOut } = coverage
  const complete = new Set<string>(scopes.filter(({ state }) => state === 'COMPLETE').map(({ key }) => key))
  const everywhere = !sampled && !leavesOut.scopes && complete.size === scopes.length
  const scopeOfSpace = new Map<string, string>()
  for (const { facts, scopeKey } of listTargetsOfKind(reader, sourceId, 'wiki.space')) {
    if (typeof facts.spaceKey === 'string') scopeOfSpace.set(facts.spaceKey.toLowerCase(), scopeKey)
  }

  /** Whether an asset that was not found in a space, or in any space, is certain not to exist. */
  const absence = (space: string | undefined): 'missing' | 'unknown' => {
    if (sampled) return 'unknown'
    if (space === undefined) return everywhere ? 'missing' : 'unknown'
    const scope = scopeOfSpace.get(space.toLowerCase()) ?? space.toLowerCase()
    return complete.has(scope) || complete.has(space) ? 'missing' : 'unknown'
  }

  let masked: TargetAsset[] | undefined
  const maskedPages = (reading: Reader) => {
    masked ??= listTargetsOfKind(reading, sourceId, 'wiki.page', `%${MASK}%`)
    return masked
  }

  return (reading: Reader, asset: LinkingAsset, link: InternalLink): AssetLookup => {
    let unknown = false
    const noted = (found: Found): Found => {
      unknown ||= found === 'unknown'
      return found
    }
    const own = () => findTarget(reading, sourceId, asset.key)
    const byKey = (key: string): Found => {
      const target = findTarget(reading, sourceId, key)
      if (target !== undefined) return toLinkTarget(target)
      return isLeftOut(link.type) ? 'unknown' : absence(link.reference?.space)
    }
    const byTitle = (title: string, space: string | undefined): Found => {
      const wanted = (space ?? spaceOf(own()))?.toLowerCase()
      const isWanted = ({ kind, facts }: TargetAsset) =>
        kind === 'wiki.page' && String(facts.spaceKey ?? '').toLowerCase() === wanted
      const page = listTargetsByName(reading, sourceId, title).find(isWanted)
      if (page !== undefined) return toLinkTarget(page)
      // The title may be masked here or there.
      const isMasked =
        title.includes(MASK) || maskedPages(reading).some((other) => isWanted(other) && isMaskOf(other.name, title))
      return isMasked ? 'unknown' : absence(wanted)
    }
    const pageOf = (reference: NonNullable<InternalLink['reference']>): Found | TargetAsset => {
      if (reference.id !== undefined && link.targetKey !== undefined) return byKey(link.targetKey)
      if (reference.title !== undefined) return byTitle(reference.title, reference.space)
      const target = own()
      if (target === undefined || reference.id === undefined) return target ?? 'unknown'
      return byKey(target.key.replace(/[^:]+$/, reference.id).replace(/:(?:comments|attachment):/, ':page:'))
    }
    return {
      byKey: (key) => noted(byKey(key)),
      byTitle: (title, space) => noted(byTitle(title, space)),
      byFilename: (filename, reference) => {
        if (leavesOut.kinds.includes('wiki.attachment')) return noted('unknown')
        const page = pageOf(reference)
        if (page === 'missing' || page === 'unknown') return noted(page)
        const attached = listAttached(reading, sourceId, page.key)
        const file =
          attached.find(({ facts }) => facts.filename === filename) ??
          attached.find(({ facts }) => isMaskOf(String(facts.filename), filename))
        if (file !== undefined) return noted(toLinkTarget(file))
        if (filename.includes(MASK)) return noted('unknown')
        const space = spaceOf(findTarget(reading, sourceId, page.key))
        return noted(space === undefined ? 'unknown' : absence(space))
      },
      self: () => {
        const target = own()
        return target === undefined ? 'unknown' : toLinkTarget(target)
      },
      sawUnknown: () => unknown,
    }
  }

  function isLeftOut(linkType: string): boolean {
    return linkType === 'tile_from_report' && leavesOut.kinds.includes('bi.report')
  }
}

function spaceOf(asset: TargetAsset | undefined): string | undefined {
  if (asset === undefined) return undefined
  return typeof asset.facts.spaceKey === 'string' ? asset.facts.spaceKey : asset.scopeKey
}

function toLinkTarget({ key, kind, name, status, facts }: TargetAsset): LinkTarget {
  const { anchors, anchorsCut } = facts
  const isMasked = [name, ...(Array.isArray(anchors) ? anchors : [])].some((text) => String(text).includes(MASK))
  const whole = Array.isArray(anchors) && anchorsCut !== true && !isMasked
  return {
    key,
    kind,
    name,
    deleted: status === 'DELETED',
    ...(typeof facts.status === 'string' ? { status: facts.status } : {}),
    ...(whole ? { anchors: anchors.filter((anchor) => typeof anchor === 'string') } : {}),
  }
}
