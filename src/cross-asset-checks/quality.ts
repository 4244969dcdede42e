import { ContentQualityConfig } from '../detectors/content-quality/config.ts'
import { evaluateQuality, type QualityMatch, type QualitySubject } from '../detectors/content-quality/evaluate.ts'
import { contentQualityDetector } from '../detectors/content-quality/index.ts'
import { decodeTextFacts } from '../detectors/content-quality/text-facts.ts'
import type { RedactedFinding } from '../detectors/detector.ts'
import { createFingerprinter } from '../detectors/fingerprint.ts'
import { findDigest } from '../findings/digests.store.ts'
import { listTargetsOfKind } from '../findings/links.store.ts'
import type { CrossAssetCheck, CrossAssetContext } from '../scans/cross-asset-check.ts'
import { listScopes } from '../scans/scopes.store.ts'
import type { Reader } from '../store/store.ts'
import { openCrossAssetStore } from './evaluated.ts'
import { countRelated, type JudgedAsset, listJudgedAssets } from './quality.store.ts'

const ASSETS_AT_ONCE = 100
const { type: TYPE, category } = contentQualityDetector

/** Judges every asset that a scan saw by its facts, its age and the digest of its text. */
export const contentQualityCheck: CrossAssetCheck = {
  type: TYPE,
  async evaluate(context) {
    const { lease, store } = context
    const config = ContentQualityConfig.parse(context.config)
    const at = context.now()
    const fingerprint = createFingerprinter(context.fingerprintKey)
    const evaluated = openCrossAssetStore(context, TYPE)
    const qualityContext = store.read((reader) => readQualityContext(reader, context))
    for (let afterId = evaluated.startAfter; ; ) {
      const seen = { sourceId: lease.scan.sourceId, scanId: lease.scan.id, afterId, limit: ASSETS_AT_ONCE }
      const judged = store.read((reader) =>
        listJudgedAssets(reader, seen).map((asset) => {
          const verdict = evaluateQuality(toSubject(reader, asset, qualityContext), config, at)
          return {
            asset,
            found: verdict.found.map((match) => toFinding(asset, match, fingerprint)),
            undecidedTypes: verdict.undecided,
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

interface QualityContext {
  sourceId: number
  /** Completely listed scopes. */
  whole: ReadonlySet<string>
  archived: ReadonlySet<string>
}

function readQualityContext(reader: Reader, { lease, leavesOut }: CrossAssetContext): QualityContext {
  const { id, sourceId, sampled } = lease.scan
  const known = !sampled && !leavesOut.kinds.includes('wiki.attachment')
  const scopes = known ? listScopes(reader, id).filter(({ state }) => state === 'COMPLETE') : []
  return {
    sourceId,
    whole: new Set(scopes.map(({ key }) => key)),
    archived: listArchivedScopes(reader, sourceId),
  }
}

/** Scopes that are archived on the platform. */
export function listArchivedScopes(reader: Reader, sourceId: number): ReadonlySet<string> {
  const spaces = listTargetsOfKind(reader, sourceId, 'wiki.space')
  return new Set(spaces.filter(({ facts }) => facts.status === 'archived').map(({ scopeKey }) => scopeKey))
}

function toSubject(reader: Reader, asset: JudgedAsset, { sourceId, whole, archived }: QualityContext): QualitySubject {
  const { id: assetId, key, kind, name, facts, contentUpdatedAt, owner, scopeKey } = asset
  const digest = kind === 'wiki.page' ? findDigest(reader, assetId, TYPE) : undefined
  const text = digest === undefined ? undefined : decodeTextFacts(digest)
  const { below, inbound } =
    kind === 'wiki.page' ? countRelated(reader, { sourceId, assetId, key }) : { below: 0, inbound: 0 }
  return {
    kind,
    name,
    facts,
    inbound,
    archived: archived.has(scopeKey) || facts.status === 'archived',
    ...(contentUpdatedAt === null ? {} : { contentUpdatedAt }),
    ...(owner === null ? {} : { owner }),
    ...(text === undefined ? {} : { text }),
    // A count above zero is certain, zero only in a completely listed scope.
    ...(below > 0 || whole.has(scopeKey) ? { below } : {}),
  }
}

function toFinding(
  asset: JudgedAsset,
  { identity, ...match }: QualityMatch,
  fingerprint: (canonical: string) => string,
): RedactedFinding {
  const mark = fingerprint(`${TYPE}|${match.findingType}|${asset.key}|${identity}`)
  return { detectorType: TYPE, category, ...match, fingerprint: mark }
}
