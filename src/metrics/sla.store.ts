import { internalText, type SafeText } from '../kernel/safe-text.ts'
import type { Writer } from '../store/store.ts'

export function insertPolicy(
  writer: Writer,
  { name, termId, days, at }: { name: string; termId: number | null; days: SafeText; at: number },
): void {
  writer
    .prepare('INSERT INTO sla_policy (name, term_id, days, created_at, updated_at) VALUES (?, ?, ?, ?, ?)')
    .run(internalText(name), termId, days, at, at)
}

export function replaceDays(writer: Writer, id: number, days: SafeText, at: number): void {
  writer.prepare('UPDATE sla_policy SET days = ?, updated_at = ? WHERE id = ?').run(days, at, id)
}

export function removePolicy(writer: Writer, id: number): void {
  writer.prepare('DELETE FROM sla_policy WHERE id = ?').run(id)
}
