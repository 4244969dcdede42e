import { type Selectable, sql } from 'kysely'
import { MAX_ADDRESS, toSafeJson, toSafeText } from '../detectors/safe-text.ts'
import { findingCondition } from '../findings/filter.store.ts'
import type { FilterMapping } from '../findings/filter.ts'
import { listDeletedSources } from '../findings/source-names.store.ts'
import { resolveFilter } from '../findings/term-filters.store.ts'
import { foldCase } from '../kernel/fold.ts'
import { comparand, db } from '../store/builder.ts'
import type { TermRow } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import { matchingTexts } from '../store/text-search.ts'
import type { NamedRow, TermRecord } from './model.ts'

type Row = Selectable<TermRow>

export interface TermFilter {
  category?: string | undefined
  /** FTS5 expression. */
  match?: string | undefined
  includeInactive: boolean
}

/** One page of terms, best match first (by slug without a match), and the total number. */
export function listTerms(
  reader: Reader,
  filter: TermFilter,
  page: { limit: number; offset: number },
): { terms: TermRecord[]; total: number } {
  const matched = sql`FROM term${
    filter.match === undefined
      ? sql``
      : sql` JOIN ${matchingTexts(reader, 'term', filter.match)} matching ON matching.id = term.id`
  } WHERE ${filter.includeInactive ? sql`TRUE` : sql`term.is_active = 1`}${
    filter.category === undefined ? sql`` : sql` AND fold_case(term.category) = ${foldCase(filter.category)}`
  }`
  const order = filter.match === undefined ? sql`term.slug` : sql`matching.rank, term.slug`
  const rows = reader.all<Row>(
    sql<Row>`SELECT term.* ${matched} ORDER BY ${order} LIMIT ${page.limit} OFFSET ${page.offset}`,
  )
  const total = reader.first<{ n: number }>(sql<{ n: number }>`SELECT count(*) AS n ${matched}`)?.n ?? 0
  return { terms: rows.map(toTermRecord), total }
}

export function findTermBySlug(reader: Reader, slug: string): TermRecord | undefined {
  const row = reader.first(db.selectFrom('term').selectAll().where('slug', '=', slug))
  return row === undefined ? undefined : toTermRecord(row)
}

export function findTermById(reader: Reader, id: number): TermRecord | undefined {
  const row = reader.first(db.selectFrom('term').selectAll().where('id', '=', id))
  return row === undefined ? undefined : toTermRecord(row)
}

export function listTermNames(reader: Reader): NamedRow[] {
  return reader
    .all(db.selectFrom('term').select(['slug', 'uid', 'display_name', 'synonyms']).orderBy('slug'))
    .map(({ slug, uid, display_name, synonyms }) => ({
      slug,
      uid,
      displayName: display_name,
      synonyms: JSON.parse(synonyms) as string[],
    }))
}

export type TermMembers = Omit<TermRecord, 'id' | 'createdAt'>

export function insertTerm(writer: Writer, term: TermMembers): void {
  writer.run(db.insertInto('term').values({ ...toRow(term), created_at: term.updatedAt }))
}

export function replaceTerm(writer: Writer, id: number, term: TermMembers): void {
  writer.run(db.updateTable('term').set(toRow(term)).where('id', '=', id))
}

export function removeTerm(writer: Writer, id: number): void {
  writer.run(db.deleteFrom('term').where('id', '=', id))
}

/** The number of findings, of any status, that match a mapping. */
export function countFindings(reader: Reader, mapping: FilterMapping, at: number): number {
  const counted = db.selectFrom('finding as f').select(({ fn }) => fn.countAll<number>().as('n'))
  const deleted = listDeletedSources(reader)
  const others = deleted.length === 0 ? [] : [{ key: 'sources', values: deleted, exclude: true } as const]
  return reader.first(counted.where(findingCondition([...resolveFilter(reader, mapping, at), ...others])))?.n ?? 0
}

/** Whether any finding of any source was reported by that detector. */
export function hasFindingsOf(reader: Reader, detectorType: string): boolean {
  const found = reader.first(
    db
      .selectFrom('combo')
      .innerJoin('word', 'word.id', 'combo.detector_id')
      .select('combo.id')
      .where('word.text', '=', comparand(detectorType))
      .limit(1),
  )
  return found !== undefined
}

function toRow(term: TermMembers) {
  return {
    uid: term.uid,
    slug: term.slug,
    display_name: toSafeText(term.displayName, 'definition'),
    description: toSafeText(term.description, 'definition', MAX_ADDRESS),
    category: toSafeText(term.category, 'definition'),
    filter_mapping: toSafeJson(term.filterMapping, 'definition'),
    color: term.color,
    icon: term.icon === null ? null : toSafeText(term.icon, 'definition'),
    synonyms: toSafeJson(term.synonyms, 'definition'),
    is_active: term.isActive ? 1 : 0,
    updated_at: term.updatedAt,
  }
}

function toTermRecord(row: Row): TermRecord {
  return {
    id: row.id,
    uid: row.uid,
    slug: row.slug,
    displayName: row.display_name,
    description: row.description,
    category: row.category,
    filterMapping: JSON.parse(row.filter_mapping) as FilterMapping,
    color: row.color,
    icon: row.icon,
    synonyms: JSON.parse(row.synonyms) as string[],
    isActive: row.is_active === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}
