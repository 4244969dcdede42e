import { sql } from 'kysely'
import { findReason } from '../../detectors/reasons.ts'
import { toSafeJson, toSafeText } from '../../detectors/safe-text.ts'
import { AppError } from '../../kernel/errors.ts'
import { db } from '../../store/builder.ts'
import { presenceCodes, statusCodes } from '../../store/schema.ts'
import type { Reader, Writer } from '../../store/store.ts'
import type { FilterCondition } from '../conditions.ts'
import { toStatus } from '../facets.store.ts'
import { findingCondition } from '../filter.store.ts'
import { type FilterMapping, listTerms } from '../filter.ts'
import type { FindingStatus } from '../model.ts'
import { resolveFilter } from '../term-filters.store.ts'

export const patternFields = ['name', 'url', 'container', 'path', 'heading', 'column', 'excerpt', 'reason'] as const
export type PatternField = (typeof patternFields)[number]

/** A stored suppression; times in milliseconds. */
export interface SuppressionRecord {
  id: number
  filters: FilterMapping
  valueFp: number | null
  patterns: { field: PatternField; pattern: string }[]
  status: FindingStatus
  reason: string
  createdBy: string
  createdAt: number
  /** From when on it changes nothing more, and what it changed is open again; null: never. */
  until: number | null
}

interface SuppressionSqlRow extends Omit<SuppressionRecord, 'filters' | 'patterns' | 'status'> {
  filters: string
  patterns: string
  status: number
}

const select = `SELECT id, filters, value_fp AS valueFp, patterns, status, reason, created_by AS createdBy,
    created_at AS createdAt, until
  FROM suppression`

const toRecord = (row: SuppressionSqlRow): SuppressionRecord => ({
  ...row,
  filters: JSON.parse(row.filters) as FilterMapping,
  patterns: JSON.parse(row.patterns) as SuppressionRecord['patterns'],
  status: toStatus(row.status),
})

/** Oldest first. */
export function listSuppressions(reader: Reader): SuppressionRecord[] {
  return (reader.prepare(`${select} ORDER BY id`).all() as SuppressionSqlRow[]).map(toRecord)
}

export function findSuppression(reader: Reader, id: number): SuppressionRecord | undefined {
  const row = reader.prepare(`${select} WHERE id = ?`).get(id) as SuppressionSqlRow | undefined
  return row === undefined ? undefined : toRecord(row)
}

export function insertSuppression(writer: Writer, draft: Omit<SuppressionRecord, 'id'>): number {
  return writer
    .prepare(
      `INSERT INTO suppression (filters, value_fp, patterns, status, reason, created_by, created_at, until)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .insert(
      toSafeJson(draft.filters, 'definition'),
      draft.valueFp,
      toSafeJson(draft.patterns, 'definition'),
      statusCodes[draft.status],
      toSafeText(draft.reason, 'definition'),
      toSafeText(draft.createdBy, 'prose'),
      draft.createdAt,
      draft.until,
    ) as number
}

export function removeSuppression(writer: Writer, id: number): void {
  writer.prepare('DELETE FROM suppression WHERE id = ?').run(id)
}

/** The keyed hash of a finding's value, null if it has none; undefined if there is no such finding. */
export function findValueFp(reader: Reader, findingId: number): number | null | undefined {
  const row = reader.prepare('SELECT value_fp AS valueFp FROM finding WHERE id = ?').get(findingId)
  return (row as { valueFp: number | null } | undefined)?.valueFp
}

/** The texts that the patterns of a suppression are matched against. */
export type SuppressibleFinding = { id: number } & Record<PatternField, string>

/** The conditions of a suppression; undefined while a term that it names is not active, so that it matches nothing. */
function findConditions(reader: Reader, filters: FilterMapping, at: number): FilterCondition[] | undefined {
  try {
    return resolveFilter(reader, filters, at)
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

/** The suppressions whose filters name a term, by id. */
export const listSuppressionsOfTerm = (reader: Reader, slug: string): number[] =>
  listSuppressions(reader).flatMap(({ id, filters }) => (listTerms(filters).includes(slug) ? [id] : []))

/** Open findings that match filters and value, by id: a page after an id, or those among some ids. */
export function listSuppressible(
  reader: Reader,
  { filters, valueFp }: Pick<SuppressionRecord, 'filters' | 'valueFp'>,
  page: { at: number } & ({ after: number; limit: number } | { ids: readonly number[] }),
): SuppressibleFinding[] {
  const conditions = findConditions(reader, filters, page.at)
  if (conditions === undefined) return []
  let query = db
    .selectFrom('finding as f')
    .innerJoin('combo as c', 'c.id', 'f.combo_id')
    .innerJoin('asset as a', 'a.id', 'f.asset_id')
    .innerJoin('word as container', 'container.id', 'a.container_id')
    .select(['f.id', 'a.name', 'a.url', 'container.text as container'])
    .select(sql<string>`coalesce(f.location ->> '$.path', '')`.as('path'))
    .select(sql<string>`coalesce(f.location ->> '$.heading', '')`.as('heading'))
    .select(sql<string>`coalesce(f.location ->> '$.label', '')`.as('column'))
    .select(sql<string>`coalesce(f.location ->> '$.rule', '')`.as('rule'))
    .select(sql<string>`coalesce(f.excerpt, '')`.as('excerpt'))
    .where('c.status', '=', statusCodes.OPEN)
    .where(findingCondition(conditions))
    .orderBy('f.id')
  if (valueFp !== null) query = query.where('f.value_fp', '=', valueFp)
  query =
    'ids' in page ? query.where('f.id', 'in', [...page.ids]) : query.where('f.id', '>', page.after).limit(page.limit)
  return reader.all(query).map(({ rule, ...finding }) => ({ ...finding, reason: findReason(rule) ?? '' }))
}

/**
 * Findings whose current status an actor set, by id, after `after`; `gone`: not found when they were last looked for,
 * also not in earlier versions. Those of an import are not looked for.
 */
export function listDecidedBy(
  reader: Reader,
  actor: string,
  { after, limit }: { after: number; limit: number },
): { id: number; gone: boolean }[] {
  const rows = reader
    .prepare(
      `SELECT f.id, f.last_detected_at IS NOT NULL AND c.presence <= ${presenceCodes.archived}
           AND source.type <> 'IMPORT' AS gone
         FROM status_change s JOIN finding f ON f.id = s.finding_id JOIN combo c ON c.id = f.combo_id
         JOIN source ON source.id = c.source_id
       WHERE s.actor = ? AND s.finding_id > ? AND c.status = s.to_status
         AND s.seq = (SELECT max(seq) FROM status_change o WHERE o.finding_id = s.finding_id)
       ORDER BY f.id LIMIT ?`,
    )
    .all(actor, after, limit) as { id: number; gone: number }[]
  return rows.map(({ id, gone }) => ({ id, gone: gone === 1 }))
}

/** The detectors of stored findings. */
export function listFoundDetectors(reader: Reader): string[] {
  const found = sql<{ text: string }>`SELECT text FROM word WHERE id IN (SELECT detector_id FROM combo)`
  return reader.all(found).map(({ text }) => text)
}
