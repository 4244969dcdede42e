import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RedactedFinding, Severity } from '../detectors/detector.ts'
import { type ComparedText, compareTexts, type Likeness, toAnchors } from '../detectors/duplicate/compare.ts'
import { DuplicateConfig, type DuplicateType, duplicateTypes } from '../detectors/duplicate/config.ts'
import { decodeDigest } from '../detectors/duplicate/digest.ts'
import { duplicateDetector } from '../detectors/duplicate/index.ts'
import { createFingerprinter } from '../detectors/fingerprint.ts'
import { findDigest, isDigestCut, listDigestedAssets, measureDigests } from '../findings/digests.store.ts'
import { cutText } from '../kernel/well-formed.ts'
import type { CrossAssetCheck, CrossAssetContext } from '../scans/cross-asset-check.ts'
import { LeaseStopped } from '../scans/lease.ts'
import { openCrossAssetStore } from './evaluated.ts'
import { findNamed, listJudgedAssets } from './quality.store.ts'
import { listArchivedScopes } from './quality.ts'

const ASSETS_AT_ONCE = 200
/** Maximum number of texts whose shingles are cached during the comparison. */
const SHINGLES_HELD = 500
const MAX_NAME_LENGTH = 120
const PACKED_AT_ONCE = 65_536
const { type: TYPE, category } = duplicateDetector

const weights: Record<DuplicateType, { severity: Severity; certainty: number }> = {
  EXACT_DUPLICATE: { severity: 'MEDIUM', certainty: 1 },
  NEAR_DUPLICATE: { severity: 'LOW', certainty: 1 },
  CONTAINED_DUPLICATE: { severity: 'LOW', certainty: 0.9 },
}

interface Named {
  key: string
  name: string
}

/** Compares the digests of all texts of a source; a newer text similar to an older one is a finding. */
export const duplicatesCheck: CrossAssetCheck = {
  type: TYPE,
  async evaluate(context) {
    const { lease, store } = context
    const config = DuplicateConfig.parse(context.config)
    const fingerprint = createFingerprinter(context.fingerprintKey)
    const texts = await readTexts(context)
    const likenesses = new Map<number, Likeness>()
    for (const likeness of await compare(context, texts, config)) likenesses.set(likeness.id, likeness)
    const evaluated = openCrossAssetStore(context, TYPE)
    for (let afterId = evaluated.startAfter; ; ) {
      const seen = { sourceId: lease.scan.sourceId, scanId: lease.scan.id, afterId, limit: ASSETS_AT_ONCE }
      const judged = store.read((reader) =>
        listJudgedAssets(reader, seen).map((asset) => {
          const likeness = likenesses.get(asset.id)
          const original = likeness === undefined ? undefined : findNamed(reader, likeness.of)
          return {
            asset,
            found:
              likeness === undefined || original === undefined
                ? []
                : [toFinding(asset, likeness, original, fingerprint)],
            undecidedTypes: new Set<string>(isDigestCut(reader, asset.id, TYPE) ? duplicateTypes : []),
          }
        }),
      )
      const last = judged.at(-1)
      if (last === undefined) return
      evaluated.store(judged)
      afterId = last.asset.id
      await store.yieldBetweenBatches(lease.signal)
    }
  },
}

async function readTexts({ lease, store }: CrossAssetContext): Promise<ComparedText[]> {
  const { sourceId } = lease.scan
  const { archived, total } = store.read((reader) => ({
    archived: listArchivedScopes(reader, sourceId),
    total: measureDigests(reader, sourceId, TYPE) / 4,
  }))
  const texts: ComparedText[] = []
  const pack = createPacker()
  for (let afterId = 0; ; ) {
    const page = { sourceId, detectorType: TYPE, afterId, limit: ASSETS_AT_ONCE }
    const assets = store.read((reader) => listDigestedAssets(reader, page))
    for (const { id, kind, scopeKey, at, data } of assets) {
      const digest = archived.has(scopeKey) ? undefined : decodeDigest(data)
      if (digest === undefined) continue
      const { words, whole, bands, shingles } = digest
      // The stages of a report are separate workspaces, so copies across workspaces are intentional.
      const group = kind.startsWith('bi.') ? scopeKey : ''
      const anchors = pack(toAnchors(shingles, total))
      texts.push({ id, group, at, digest: { words, whole, bands: pack(bands) }, size: shingles.length, anchors })
    }
    const last = assets.at(-1)
    if (last === undefined) return texts
    afterId = last.id
    await nextTurn()
  }
}

/** Packs many short lists into few buffers; a buffer for each list would need more memory than its numbers. */
function createPacker(): (numbers: Uint32Array) => Uint32Array {
  let room = new Uint32Array()
  let used = 0
  return (numbers) => {
    if (used + numbers.length > room.length) {
      room = new Uint32Array(Math.max(PACKED_AT_ONCE, numbers.length))
      used = 0
    }
    const kept = room.subarray(used, used + numbers.length)
    kept.set(numbers)
    used += numbers.length
    return kept
  }
}

async function compare(
  { lease, store }: CrossAssetContext,
  texts: readonly ComparedText[],
  config: DuplicateConfig,
): Promise<Likeness[]> {
  const held = new Map<number, Uint32Array>()
  const shinglesOf = (id: number): Uint32Array => {
    const known = held.get(id)
    if (known !== undefined) return known
    const data = store.read((reader) => findDigest(reader, id, TYPE))
    const shingles = (data === undefined ? undefined : decodeDigest(data))?.shingles ?? new Uint32Array()
    const [oldest] = held.keys()
    if (held.size >= SHINGLES_HELD && oldest !== undefined) held.delete(oldest)
    held.set(id, shingles)
    return shingles
  }
  const comparison = compareTexts(texts, shinglesOf, config)
  for (;;) {
    const { done, value } = comparison.next()
    if (done === true) return value
    await nextTurn()
    if (lease.signal.aborted) throw new LeaseStopped(lease.stop)
  }
}

function toFinding(
  asset: Named,
  { type, share, holds }: Likeness,
  original: Named,
  fingerprint: (canonical: string) => string,
): RedactedFinding {
  const { severity, certainty } = weights[type]
  const percent = Math.floor(share * 100)
  const other = `"${cutText(original.name, MAX_NAME_LENGTH)}" (${original.key})`
  const excerpts: Record<DuplicateType, string> = {
    EXACT_DUPLICATE: `The same text as ${other}.`,
    NEAR_DUPLICATE: `${percent} % the same text as ${other}.`,
    CONTAINED_DUPLICATE:
      holds === true
        ? `Contains ${percent} % of the text of ${other}.`
        : `${percent} % of its text is contained in ${other}.`,
  }
  return {
    detectorType: TYPE,
    findingType: type,
    category,
    severity,
    confidence: Math.floor(share * certainty * 100) / 100,
    location: { path: 'text' },
    excerpt: excerpts[type],
    fingerprint: fingerprint(`${TYPE}|${asset.key}|${original.key}`),
  }
}
