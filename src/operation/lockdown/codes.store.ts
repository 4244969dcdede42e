import type { Reader } from '../../store/store.ts'

/** Codes that custom detectors define: their keys, finding types and categories. */
function listDefinedCodes(reader: Reader): string[] {
  return reader
    .prepare(
      `SELECT key FROM custom_detector
       UNION SELECT definition ->> '$.findingType' FROM custom_detector WHERE definition ->> '$.findingType' IS NOT NULL
       UNION SELECT definition ->> '$.category' FROM custom_detector WHERE definition ->> '$.category' IS NOT NULL`,
    )
    .pluck()
    .all() as string[]
}

/** Codes of stored findings and assets, regardless of their origin. */
function listStoredCodes(reader: Reader): string[] {
  return reader
    .prepare(
      `SELECT text FROM word WHERE id IN (
         SELECT detector_id FROM combo UNION SELECT type_id FROM combo UNION SELECT category_id FROM combo
         UNION SELECT custom_key_id FROM combo UNION SELECT kind_id FROM asset)`,
    )
    .pluck()
    .all() as string[]
}

export const codeLists = { defined: listDefinedCodes, stored: listStoredCodes }
