import type { Reader } from '../store/store.ts'

/** What a server says of itself and of a database to a user without further rights. */
export interface ServerFacts {
  version: string
  /** The size of the database. */
  bytes: number
  /** Settings that decide what survives a crash or a power cut: on or off. */
  fsync: string
  fullPageWrites: string
  synchronousCommit: string
  /** The standby servers that commits wait for, as configured, and the number of those that are connected. */
  standbys: string
  replicas: number
  /** Connections that the server, the database and the user may have, and how many there are now. */
  maxConnections: number
  connections: number
  /** off, on or always. */
  archiving: string
  /** Whether the newest file of the write-ahead log could not be archived. */
  isArchivingFailing: number
  /** Tables that belong to another user, who alone may change them in an upgrade. */
  foreignTables: number
}

const selectFacts = `SELECT current_setting('server_version') AS version, pg_database_size(current_database()) AS bytes,
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS fullPageWrites,
    current_setting('synchronous_commit') AS synchronousCommit,
    current_setting('synchronous_standby_names') AS standbys, (SELECT count(*) FROM pg_stat_replication) AS replicas,
    (SELECT least(current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
        CASE WHEN d.datconnlimit >= 0 THEN d.datconnlimit END, CASE WHEN r.rolconnlimit >= 0 THEN r.rolconnlimit END)
      FROM pg_database d, pg_roles r WHERE d.datname = current_database() AND r.rolname = current_user) AS maxConnections,
    (SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL) AS connections,
    current_setting('archive_mode') AS archiving,
    (SELECT coalesce(last_failed_time > coalesce(last_archived_time, '-infinity'), false) FROM pg_stat_archiver) AS isArchivingFailing,
    (SELECT count(*) FROM pg_class WHERE relnamespace = 'main'::regnamespace AND relkind IN ('r', 'S', 'v')
      AND NOT pg_has_role(relowner, 'USAGE')) AS foreignTables`

export const readServerFacts = (reader: Reader): ServerFacts => reader.prepare(selectFacts).get() as ServerFacts

/**
 * By how much the clock of the server is ahead of that of this machine, at least; 0 while the difference may be the time
 * that the answer took.
 */
export function measureClock(reader: Reader, now: () => number): number {
  const before = now()
  const there = reader.time?.() ?? before
  const after = now()
  return there > after ? there - after : Math.min(0, there - before)
}
