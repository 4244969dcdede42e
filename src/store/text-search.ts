import { type RawBuilder, sql } from 'kysely'
import type { IndexedKind, Reader } from './reader-writer.ts'

/** The weights of the columns of each full-text index: names, descriptions, synonyms, and dimensions of metrics. */
export const textWeights: Readonly<Record<IndexedKind, string>> = { term: '10, 1, 6', metric: '10, 1, 6, 2' }

/**
 * The ids of the terms or metrics that match an FTS5 expression, as a relation with the columns `id` and `rank`, the
 * lowest rank being the best match.
 */
export function matchingTexts(
  reader: Reader,
  kind: IndexedKind,
  match: string,
): RawBuilder<{ id: number; rank: number }> {
  const ranked = reader.rankTexts?.(kind, match)
  if (ranked !== undefined) {
    return sql`(SELECT CAST(value ->> '$[0]' AS BIGINT) AS id, CAST(value ->> '$[1]' AS DOUBLE PRECISION) AS rank
      FROM json_each(${JSON.stringify(ranked)}))`
  }
  const table = sql.raw(`${kind}_text`)
  return sql`(SELECT rowid AS id, bm25(${table}, ${sql.raw(textWeights[kind])}) AS rank FROM ${table}
    WHERE ${table} MATCH ${match})`
}
