import type { AssetFacts } from '../detectors/detector.ts'
import type { AssetDraft } from './connector.ts'

/** The facts about an asset that detectors may use. */
export function toAssetFacts(draft: AssetDraft): AssetFacts {
  const labels = draft.facts?.labels
  return {
    key: draft.key,
    kind: draft.kind,
    name: draft.name,
    url: draft.url,
    ...(draft.container === undefined ? {} : { container: draft.container }),
    ...(draft.presence === 'archived' ? { isArchived: true } : {}),
    ...(draft.owner === undefined ? {} : { owner: draft.owner }),
    ...(Array.isArray(labels) ? { labels: labels.filter((label) => typeof label === 'string') } : {}),
    ...(draft.contentUpdatedAt === undefined ? {} : { contentUpdatedAt: draft.contentUpdatedAt }),
  }
}
