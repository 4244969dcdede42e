import { setImmediate as nextTurn } from 'node:timers/promises'
import { createLinkChecker, type LinkCache, type LinkVerdict } from '../connectors/links/checker.ts'
import { BrokenLinksConfig } from '../detectors/broken-links/config.ts'
import { toLinkExcerpt } from '../detectors/broken-links/excerpt.ts'
import { brokenLinksDetector } from '../detectors/broken-links/index.ts'
import { evaluateInternalLink } from '../detectors/broken-links/internal.ts'
import type { RedactedFinding, Severity } from '../detectors/detector.ts'
import { createFingerprinter } from '../detectors/fingerprint.ts'
import { listLinks, type StoredLink } from '../findings/assets.store.ts'
import {
  dropExpiredLinkChecks,
  findLinkCheck,
  type LinkingAsset,
  listLinkingAssets,
  listOutwardUrls,
  saveLinkChecks,
} from '../findings/links.store.ts'
import { MASK } from '../kernel/redaction.ts'
import type { CrossAssetCheck, CrossAssetContext } from '../scans/cross-asset-check.ts'
import { whileLeased } from '../scans/lease.ts'
import { listScopes } from '../scans/scopes.store.ts'
import { openCrossAssetStore } from './evaluated.ts'
import { openLookups } from './link-lookup.ts'

const ASSETS_AT_ONCE = 40
const CHECKS_AT_ONCE = 32
/** Checks between two yields to the event loop; a check answered from the cache does not yield itself. */
const CHECKS_PER_TURN = 500
const TYPE = brokenLinksDetector.type

/** The verdict on a link; `undecided`: it cannot be judged in this scan. */
type Verdict = 'fine' | 'undecided' | { findingType: string; severity: Severity; confidence: number }

/** Checks every link of the assets that a scan saw: internal ones against stored assets, external ones by request. */
export const brokenLinksCheck: CrossAssetCheck = {
  type: TYPE,
  async evaluate(context) {
    const { lease, store, now } = context
    const config = BrokenLinksConfig.parse(context.config)
    lease.write((writer) => dropExpiredLinkChecks(writer, now()))
    const outward = await checkOutward(context, config)
    const lookupFor = store.read((reader) =>
      openLookups(reader, {
        sourceId: lease.scan.sourceId,
        scopes: listScopes(reader, lease.scan.id),
        sampled: lease.scan.sampled,
        leavesOut: context.leavesOut,
      }),
    )
    const fingerprint = createFingerprinter(context.fingerprintKey)
    const { startAfter, store: storeEvaluated } = openCrossAssetStore(context, TYPE)
    for await (const assets of seenAssets(context, startAfter)) {
      const judged = store.read((reader) =>
        assets.map((asset) => {
          const links = listLinks(reader, asset.id).map((link) => ({ link, verdict: judge(link) }))
          return { asset, ...toFindings(asset, links, fingerprint) }

          function judge(link: StoredLink): Verdict {
            if (link.type === 'links_to') return outward.get(link.url ?? '') ?? 'fine'
            const lookup = lookupFor(reader, asset, link)
            const verdict = evaluateInternalLink(link, lookup, config)
            return verdict ?? (lookup.sawUnknown() ? 'undecided' : 'fine')
          }
        }),
      )
      storeEvaluated(judged)
    }
  },
}

async function* seenAssets({ lease, store }: CrossAssetContext, afterId = 0): AsyncGenerator<LinkingAsset[]> {
  const { id: scanId, sourceId } = lease.scan
  for (let after = afterId; ; ) {
    const seen = { sourceId, scanId, afterId: after, limit: ASSETS_AT_ONCE }
    const assets = store.read((reader) => listLinkingAssets(reader, seen))
    const last = assets.at(-1)
    if (last === undefined) return
    yield assets
    after = last.id
    await store.yieldBetweenBatches(lease.signal)
  }
}

/** One finding for each asset and address, at its first occurrence. */
function toFindings(
  asset: LinkingAsset,
  links: readonly { link: StoredLink; verdict: Verdict }[],
  fingerprint: (canonical: string) => string,
): { found: RedactedFinding[]; undecided: Set<string> } {
  const found = new Map<string, RedactedFinding>()
  const undecided = new Set<string>()
  for (const { link, verdict } of links) {
    if (verdict === 'fine') continue
    const written = link.url ?? link.label ?? link.targetKey ?? ''
    const mark = fingerprint(`${TYPE}|${asset.key}|${written}`)
    if (verdict === 'undecided') {
      undecided.add(mark)
    } else if (!found.has(mark)) {
      found.set(mark, {
        detectorType: TYPE,
        category: brokenLinksDetector.category,
        ...verdict,
        location: {
          path: link.path ?? '',
          ...(link.line === undefined ? {} : { line: link.line }),
          ...(link.column === undefined ? {} : { column: link.column }),
        },
        excerpt: toLinkExcerpt(written),
        fingerprint: mark,
        valueFingerprint: fingerprint(`${TYPE}|value|${written}`),
      })
    }
  }
  return { found: [...found.values()], undecided }
}

/** Requests each external address once, however many assets link to it. */
async function checkOutward(context: CrossAssetContext, config: BrokenLinksConfig): Promise<Map<string, Verdict>> {
  const { lease, store, log, now, upstream } = context
  const verdicts = new Map<string, Verdict>()
  for await (const assets of seenAssets(context)) {
    store.read((reader) => {
      for (const asset of assets) for (const url of listOutwardUrls(reader, asset.id)) verdicts.set(url, 'undecided')
    })
  }
  const cache = openCache(context)
  const checker = createLinkChecker({ ...config, signal: lease.signal, now, log, cache, onBlocked: upstream?.blocked })
  // All workers share one iterator over the map: setting an existing key does not change the order.
  const waiting = verdicts.keys()
  let checked = 0
  const work = async () => {
    for (const url of waiting) {
      if (!url.includes(MASK)) verdicts.set(url, toVerdict(await checker.check(url)))
      if (++checked % CHECKS_PER_TURN === 0) await nextTurn()
    }
  }
  try {
    await whileLeased(lease, Promise.all(Array.from({ length: CHECKS_AT_ONCE }, work)))
  } finally {
    cache.flush()
  }
  return verdicts
}

function toVerdict(verdict: LinkVerdict): Verdict {
  if (verdict.state === 'ok') return 'fine'
  if (verdict.state !== 'broken') return 'undecided'
  const { findingType = 'HTTP_4XX', severity = 'LOW', confidence = 0.7 } = verdict
  return { findingType, severity, confidence }
}

/** The cache of link checks; new results are written in batches. */
function openCache({ lease, store, now }: CrossAssetContext): LinkCache & { flush(): void } {
  const fresh = new Map<string, { url: string; verdict: LinkVerdict; checkedAt: number; expiresAt: number }>()
  const flush = () => {
    if (fresh.size === 0 || lease.signal.aborted) return
    const checks = [...fresh.values()]
    fresh.clear()
    lease.write((writer) => saveLinkChecks(writer, checks))
  }
  return {
    find: (url) => fresh.get(url)?.verdict ?? store.read((reader) => findLinkCheck<LinkVerdict>(reader, url, now())),
    save: (url, verdict, expiresAt) => {
      fresh.set(url, { url, verdict, checkedAt: now(), expiresAt })
      if (fresh.size >= 50) flush()
    },
    flush,
  }
}
