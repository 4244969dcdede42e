import { AppError } from '../kernel/errors.ts'
import { localName } from '../runtime/local-name.ts'
import { newestSchema } from '../store/migrations.ts'
import type { Store } from '../store/store.ts'
import { type AuditEntry, appendAudit, listAuditRows } from './audit.store.ts'

/**
 * Records work on the database or its key, which is done already: a database that cannot be written now, such as a
 * damaged one that was backed up, is no reason to report it as failed.
 */
export function recordMaintenance(store: Store, at: number, entry: AuditEntry): void {
  try {
    store.write((writer) => appendAudit(writer, { name: localName(), via: 'cli', at }, entry), { durable: true })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
}

/** Records that the database was created, or since the last record upgraded. */
export function recordSchema(store: Store, at: number): void {
  const [last] = store.read((reader) => listAuditRows(reader, { kind: 'database', name: 'schema', limit: 1 }))
  const after = { schema: newestSchema() }
  if (last?.after === JSON.stringify(after)) return
  const before = last?.after == null ? {} : { before: JSON.parse(last.after) as object }
  const action = last === undefined ? 'create' : 'upgrade'
  recordMaintenance(store, at, { action, kind: 'database', name: 'schema', ...before, after })
}
