import { internalText } from '../kernel/safe-text.ts'
import type { Reader, Writer } from './store.ts'

/** Kinds of definitions whose texts assistants read. */
export type ReviewedKind = 'term' | 'metric'

const isReviewed = (kind: string): kind is ReviewedKind => kind === 'term' || kind === 'metric'

/** Records who last wrote a definition: text by an assistant stays marked until a person changes or certifies it. */
export function noteReview(
  writer: Writer,
  { kind, name, byAssistant }: { kind: string; name: string; byAssistant: boolean },
): void {
  if (!isReviewed(kind)) return
  const sql = byAssistant
    ? 'INSERT INTO unreviewed (kind, name) VALUES (?, ?) ON CONFLICT DO NOTHING'
    : 'DELETE FROM unreviewed WHERE kind = ? AND name = ?'
  writer.prepare(sql).run(kind, internalText(name))
}

export function isUnreviewed(reader: Reader, kind: ReviewedKind, name: string): boolean {
  return reader.prepare('SELECT 1 FROM unreviewed WHERE kind = ? AND name = ?').get(kind, name) !== undefined
}
