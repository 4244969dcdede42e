import { writeFileSync } from 'node:fs'
import Database from 'better-sqlite3'
import { migrate } from '../../src/store/migrate.ts'
import { listMigrations } from '../../src/store/migrations.ts'

/** An empty database of the schema that was made last, from which a newer one is made sooner than from nothing. */
let last: { schema: number; bytes: Buffer } | undefined

/** The database of an earlier release: in use, with findings in a few assets, a changed term and an audit trail. */
export function makeOldDatabase(target: string, upTo: number, findings = 3): void {
  if (last !== undefined && last.schema <= upTo) writeFileSync(target, last.bytes)
  const database = new Database(target)
  database.pragma('page_size = 8192')
  database.pragma('journal_mode = WAL')
  migrate(
    database,
    () => Date.UTC(2026, 5, 15),
    listMigrations().filter(({ number }) => number <= upTo),
  )
  last = { schema: upTo, bytes: database.serialize() }
  const assets = Math.max(3, Math.ceil(findings / 20))
  database.exec(`
    BEGIN;
    INSERT INTO install (name, value) VALUES ('id', 'i'), ('key_check', 'k');
    INSERT INTO source (uid, name, type, config, created_at, updated_at) VALUES ('s', 'S', 'IMPORT', '{}', 0, 0);
    INSERT INTO word (text) VALUES ('wiki.page'), ('PII'), ('EMAIL');
    WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < ${assets})
      INSERT INTO asset (uid, source_id, key, kind_id, container_id, name, status, first_seen_at, last_seen_at)
      SELECT 'a' || value, 1, 'a' || value, 1, 0, 'A', 'ACTIVE', 0, 0 FROM number;
    INSERT INTO combo (source_id, detector_id, type_id, category_id, custom_key_id, severity, status) VALUES (1, 2, 3, 0, 0, 4, 0);
    WITH RECURSIVE number (value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM number WHERE value < ${findings})
      INSERT INTO finding (asset_id, fp, id, combo_id, first_detected_at, conf_q)
      SELECT 1 + (value - 1) % ${assets}, value, value, 1, value, 9000 FROM number;
    UPDATE term SET display_name = 'Mine' WHERE slug = 'pii-exposure';
    COMMIT;`)
  if (upTo >= 4) database.exec(`UPDATE combo SET n = ${findings}`)
  database.close()
}
