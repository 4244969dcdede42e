import type { Digest } from '../detectors/detector.ts'
import { toSafeText } from '../detectors/safe-text.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { FacetDictionary } from './facets.store.ts'

/** Replaces the digests that detectors keep of an asset's text. */
export function saveDigests(
  writer: Writer,
  dictionary: FacetDictionary,
  assetId: number,
  { digests, whole }: { digests: readonly Digest[]; whole: boolean },
): void {
  writer.prepare('DELETE FROM asset_digest WHERE asset_id = ?').run(assetId)
  const insert = writer.prepare('INSERT INTO asset_digest (asset_id, detector_id, whole, data) VALUES (?, ?, ?, ?)')
  for (const { detectorType, data } of digests) {
    insert.run(assetId, dictionary.wordId(toSafeText(detectorType, 'key')), whole ? 1 : 0, data)
  }
}

/** An active asset with a detector's digest of its text. */
export interface DigestedAsset {
  id: number
  key: string
  kind: string
  name: string
  scopeKey: string
  /** When the asset was created, as far as known. */
  at: number
  data: Uint8Array
}

/** By id, after `afterId`; only assets that were read completely and are not archived. */
export function listDigestedAssets(
  reader: Reader,
  {
    sourceId,
    detectorType,
    afterId,
    limit,
  }: { sourceId: number; detectorType: string; afterId: number; limit: number },
): DigestedAsset[] {
  return reader
    .prepare(
      `SELECT a.id, a.key, k.text AS kind, a.name, a.scope_key AS scopeKey, d.data,
         coalesce(a.content_created_at, a.content_updated_at, a.first_seen_at) AS at
       FROM asset a JOIN word k ON k.id = a.kind_id
         JOIN asset_digest d ON d.asset_id = a.id AND d.detector_id = (SELECT id FROM word WHERE text = @type)
       WHERE a.id > @after AND +a.source_id = @source_id AND a.status = 'ACTIVE' AND d.whole = 1
         AND coalesce(a.facts ->> '$.status', '') <> 'archived'
       ORDER BY a.id LIMIT @limit`,
    )
    .all({ after: afterId, source_id: sourceId, type: detectorType, limit }) as DigestedAsset[]
}

/** Total bytes of a detector's digests of the texts of a source. */
export function measureDigests(reader: Reader, sourceId: number, detectorType: string): number {
  const row = reader
    .prepare(
      `SELECT coalesce(sum(length(d.data)), 0) AS bytes FROM asset_digest d JOIN asset a ON a.id = d.asset_id
       WHERE d.detector_id = (SELECT id FROM word WHERE text = ?) AND a.source_id = ?`,
    )
    .get(detectorType, sourceId) as { bytes: number }
  return row.bytes
}

/** Whether some of the text of an asset could not be read, so that its digest proves nothing. */
export function isDigestCut(reader: Reader, assetId: number, detectorType: string): boolean {
  const row = reader
    .prepare(
      `SELECT 1 FROM asset_digest d JOIN word w ON w.id = d.detector_id
       WHERE d.asset_id = ? AND w.text = ? AND d.whole = 0`,
    )
    .get(assetId, detectorType)
  return row !== undefined
}

/** A detector's digest of an asset's text, if all of the text was read. */
export function findDigest(reader: Reader, assetId: number, detectorType: string): Uint8Array | undefined {
  const row = reader
    .prepare(
      `SELECT d.data FROM asset_digest d JOIN word w ON w.id = d.detector_id
       WHERE d.asset_id = ? AND w.text = ? AND d.whole = 1`,
    )
    .get(assetId, detectorType) as { data: Uint8Array } | undefined
  return row?.data
}
