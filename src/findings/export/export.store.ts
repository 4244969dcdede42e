import { sql } from 'kysely'
import { toInstant } from '../../kernel/instant.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import { numbersIn } from '../../store/builder.ts'
import type { Reader } from '../../store/store.ts'
import { listLabels } from '../assets.store.ts'
import { findDueDates } from '../due-dates.store.ts'
import {
  type FindingSelection,
  findings,
  type IdRange,
  type ListedFindingRow,
  matching,
  matchingWithin,
  sortedBy,
  toFinding,
} from '../list.store.ts'
import type { ExportedFinding } from './model.ts'

/** A matching finding with the values that it is sorted by. */
export interface SortedId {
  id: number
  first: number
  second: number
}

/** The matching findings with row ids above `after` and up to `upTo`, in no particular order. */
export function listSortedIds(reader: Reader, { sort, ...asked }: FindingSelection, range: IdRange): SortedId[] {
  const [first = sql<number>`0`, second = sql<number>`0`] = sortedBy[sort]
  const matching = matchingWithin(reader, { ...asked, ...range })
  return reader.all(matching.select(['f.id', first.as('first'), second.as('second')]))
}

/** The place of a finding in the index by time: the columns of that, which end with the id. */
export type TimePlace = readonly [first: number, combo: number, confidence: number, asset: number, id: number]

export const beforeAllPlaces: TimePlace = [Number.MAX_SAFE_INTEGER, 0, 0, 0, 0]

/** Places behind another one, the newest first; read from the index by time alone. */
export const listPlaces = (reader: Reader, after: TimePlace, limit: number): TimePlace[] =>
  reader
    .prepare(
      `SELECT first_detected_at, combo_id, conf_q, asset_id, id FROM finding
       WHERE (first_detected_at, combo_id, conf_q, asset_id, id) < (?, ?, ?, ?, ?)
       ORDER BY first_detected_at DESC, combo_id DESC, conf_q DESC, asset_id DESC, id DESC LIMIT ?`,
    )
    .raw()
    .all(...after, limit) as TimePlace[]

/** Those of some row ids whose findings match. */
export function listMatchingOf(reader: Reader, asked: FindingSelection, ids: readonly number[]): Set<number> {
  const query = matching(reader, asked).where('f.id', 'in', numbersIn(JSON.stringify(ids)))
  return new Set(reader.all(query.select('f.id')).map(({ id }) => id))
}

type ExportedRow = ListedFindingRow & { owner: SafeText; labels_id: number; content_updated_at: number | null }

/** The findings with some row ids, in the order of the ids, with their due dates at an instant; `labelsOf` is kept between the calls of an export. */
export function listExported(
  reader: Reader,
  ids: readonly number[],
  at: number,
  labelsOf: Map<number, readonly SafeText[]>,
): ExportedFinding[] {
  const rows: ExportedRow[] = reader.all(
    findings()
      .innerJoin('word as owner', 'owner.id', 'a.owner_id')
      .select(['owner.text as owner', 'a.labels_id', 'a.content_updated_at'])
      .where('f.id', 'in', numbersIn(JSON.stringify(ids))),
  )
  const dueDates = findDueDates(reader, rows, at)
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = byId.get(id)
    if (row === undefined) return []
    const finding = toFinding(row, dueDates.get(id))
    const labels = labelsOf.get(row.labels_id) ?? listLabels(reader, row.labels_id)
    labelsOf.set(row.labels_id, labels)
    const updatedAt = row.content_updated_at === null ? {} : { contentUpdatedAt: toInstant(row.content_updated_at) }
    // Assigned, because a spread followed by named members leaves garbage that outlives young collections.
    const asset = Object.assign(finding.asset, { owner: row.owner, labels: [...labels] }, updatedAt)
    return [Object.assign(finding, { asset })]
  })
}
