type Event = 'INSERT' | 'UPDATE' | 'DELETE'

type Effect =
  /** A number is increased by which readers learn that something has changed. */
  | { table: 'definition_count' | 'watch_signal'; column: 'n' | 'scans' | 'revision' }
  /** The asset is named in `asset_log`. */
  | 'logged'
  | { refusal: string }

/** What else a write to a table does. */
export interface WriteEffect {
  table: string
  on: Event
  /** Of an update: only if it sets this column. */
  column?: string
  /** A condition on the row as it was (`old`) and as it is (`new`). */
  when?: string
  effect: Effect
}

const always: readonly Event[] = ['INSERT', 'UPDATE', 'DELETE']
const counted = { table: 'definition_count', column: 'n' } as const
const revised = { table: 'watch_signal', column: 'revision' } as const
const ended = { table: 'watch_signal', column: 'scans' } as const
const refused = { refusal: 'the audit trail is append-only' } as const

/**
 * What else writes do. SQLite has a trigger for each, made by its migrations, which a test compares with this list; a
 * connection to PostgreSQL does it in the same statement, because not all servers that speak its protocol have triggers.
 */
export const writeEffects: readonly WriteEffect[] = [
  ...['metric', 'term', 'source', 'custom_detector', 'sla_policy'].flatMap((table) =>
    always.map((on) => ({ table, on, effect: counted })),
  ),
  ...always.map((on) => ({ table: 'watch', on, effect: revised })),
  { table: 'watch_change', on: 'INSERT', effect: revised },
  ...(['INSERT', 'UPDATE'] as const).map((on) => ({ table: 'proposal', on, effect: revised })),
  {
    ...{ table: 'scan', on: 'UPDATE', column: 'status', effect: ended },
    when: "new.status <> old.status AND new.status NOT IN ('QUEUED', 'RUNNING')",
  },
  {
    ...{ table: 'source', on: 'UPDATE', column: 'deleted_at', effect: ended },
    when: 'new.deleted_at IS DISTINCT FROM old.deleted_at',
  },
  {
    ...{ table: 'asset', on: 'UPDATE', effect: 'logged' },
    when: `old.kind_id <> new.kind_id OR old.container_id <> new.container_id OR old.source_id <> new.source_id
      OR old.owner_id <> new.owner_id OR old.labels_id <> new.labels_id
      OR old.status <> new.status OR (old.last_scanned_at IS NULL) <> (new.last_scanned_at IS NULL)`,
  },
  {
    ...{ table: 'asset', on: 'UPDATE', column: 'dataset_id', effect: 'logged' },
    when: 'old.dataset_id <> new.dataset_id',
  },
  {
    ...{ table: 'asset', on: 'UPDATE', column: 'audience', effect: 'logged' },
    when: 'old.audience <> new.audience',
  },
  ...['audit', 'audit_chain'].flatMap((table) =>
    (['UPDATE', 'DELETE'] as const).map((on) => ({ table, on, effect: refused })),
  ),
]
