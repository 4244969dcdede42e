import type { Digest } from '../detectors/detector.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { FacetDictionary } from './facets.store.ts'

/** Replaces what the detectors keep of an asset's text. */
export function saveDigests(
  writer: Writer,
  dictionary: FacetDictionary,
  assetId: number,
  { digests, whole }: { digests: readonly Digest[]; whole: boolean },
): void {
  writer.prepare('DELETE FROM asset_digest WHERE asset_id = ?').run(assetId)
  const insert = writer.prepare('INSERT INTO asset_digest (asset_id, detector_id, whole, data) VALUES (?, ?, ?, ?)')
  for (const { detectorType, data } of digests) {
    insert.run(assetId, dictionary.wordId(detectorType), whole ? 1 : 0, data)
  }
}

/** What a detector keeps of one asset's text, where all of it was read. */
export function findDigest(reader: Reader, assetId: number, detectorType: string): Uint8Array | undefined {
  const row = reader
    .prepare(
      `SELECT d.data FROM asset_digest d JOIN word w ON w.id = d.detector_id
       WHERE d.asset_id = ? AND w.text = ? AND d.whole = 1`,
    )
    .get(assetId, detectorType) as { data: Uint8Array } | undefined
  return row?.data
}
