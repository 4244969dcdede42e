import { IN_NUMBERS } from '../store/builder.ts'
import { statusCodes } from '../store/schema.ts'
import type { Reader, Writer } from '../store/store.ts'
import { toStatus } from './facets.store.ts'
import type { FindingStatus } from './model.ts'

/** When a decision ends by itself, and the status of the finding from then on. */
export interface Expiry {
  at: number
  to: FindingStatus
}

export function findExpiry(reader: Reader, findingId: number): Expiry | undefined {
  const row = reader.prepare('SELECT at, to_status FROM main.expiry WHERE finding_id = ?').get(findingId)
  if (row === undefined) return undefined
  const { at, to_status } = row as { at: number; to_status: number }
  return { at, to: toStatus(to_status) }
}

/** The ends of several decisions, by the ids of their findings. */
export function findExpiries(reader: Reader, findingIds: readonly number[]): Map<number, Expiry> {
  const rows = reader
    .prepare(`SELECT finding_id, at, to_status FROM main.expiry WHERE finding_id ${IN_NUMBERS}`)
    .raw()
    .all(JSON.stringify(findingIds)) as [id: number, at: number, to: number][]
  return new Map(rows.map(([id, at, to]) => [id, { at, to: toStatus(to) }]))
}

export function saveExpiry(writer: Writer, findingId: number, at: number): void {
  writer
    .prepare(
      `INSERT INTO main.expiry (finding_id, at) VALUES (?, ?)
       ON CONFLICT (finding_id) DO UPDATE SET at = excluded.at, to_status = 0`,
    )
    .run(findingId, at)
}

export function removeExpiry(writer: Writer, findingId: number): void {
  writer.prepare('DELETE FROM main.expiry WHERE finding_id = ?').run(findingId)
}

/**
 * Records whether the last complete detection run on its asset found a finding; if not, it is resolved when its
 * decision ends.
 */
export function noteEvidence(writer: Writer, findingId: number, isGone: boolean): void {
  const to = isGone ? statusCodes.RESOLVED : statusCodes.OPEN
  writer.prepare('UPDATE main.expiry SET to_status = ? WHERE finding_id = ? AND to_status <> ?').run(to, findingId, to)
}

/** Has a row if some decision is due to end by a moment. */
export const dueExpiries = 'SELECT 1 FROM main.expiry WHERE at <= ?'

export const hasDueExpiry = (reader: Reader, at: number): boolean =>
  reader.prepare(`${dueExpiries} LIMIT 1`).get(at) !== undefined

/** Published findings whose decision has ended without a record of it, the earliest end first. */
export function listDueExpiries(writer: Writer, at: number, limit: number): number[] {
  return writer
    .prepare(
      `SELECT e.finding_id FROM main.expiry e CROSS JOIN finding f ON f.id = e.finding_id
         CROSS JOIN combo k ON k.id = f.combo_id AND k.status IN (2, 3)
       WHERE e.at <= ? ORDER BY e.at, e.finding_id LIMIT ?`,
    )
    .pluck()
    .all(at, limit) as number[]
}
