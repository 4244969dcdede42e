import Database from 'better-sqlite3'
import { Dice } from '../../properties/query-data.ts'
import { type Batch, type Seen, START, toFacets } from './work.ts'

/** A table of findings as others would make it. */
export interface Rival {
  readonly name: string
  fill(rows: number, perAsset: number): void
  store(batch: Batch): void
  close(): void
}

function openDatabase(file: string): Database.Database {
  const database = new Database(file)
  database.pragma('page_size = 8192')
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = NORMAL')
  database.pragma('cache_size = -131072')
  database.pragma('wal_autocheckpoint = 4000')
  return database
}

abstract class Table implements Rival {
  abstract readonly name: string
  readonly database: Database.Database

  constructor(file: string) {
    this.database = openDatabase(file)
  }

  protected abstract put(one: Seen, at: number): void

  fill(rows: number, perAsset: number): void {
    const dice = new Dice(1)
    this.database.transaction(() => {
      for (let fp = 0; fp < rows; fp++) {
        const at = START + dice.below(730) * 86_400_000
        this.put(
          { assetId: 1 + Math.floor(fp / perAsset), fp, status: 'OPEN', confidence: 5_000 + dice.below(5_000) },
          at,
        )
      }
    })()
    this.database.pragma('wal_checkpoint(TRUNCATE)')
  }

  store({ at, byAsset }: Batch): void {
    this.database.transaction(() => {
      for (const seen of byAsset.values()) for (const one of seen) this.put(one, at)
    })()
  }

  close(): void {
    this.database.close()
  }
}

/** One upsert a finding into a rowid table with the same small codes; what is seen again is written again. */
export class PlainTable extends Table {
  readonly name = 'a plain upsert table'
  readonly #upsert: Database.Statement

  constructor(file: string) {
    super(file)
    this.database.exec(
      `CREATE TABLE finding (id INTEGER PRIMARY KEY, asset_id INTEGER NOT NULL, fp INTEGER NOT NULL, combo_id INTEGER NOT NULL,
         first_detected_at INTEGER NOT NULL, last_detected_at INTEGER NOT NULL, confidence INTEGER NOT NULL,
         UNIQUE (asset_id, fp));
       CREATE INDEX finding_by_time ON finding (first_detected_at, combo_id, confidence, asset_id)`,
    )
    this.#upsert = this.database.prepare(
      `INSERT INTO finding (asset_id, fp, combo_id, first_detected_at, last_detected_at, confidence)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (asset_id, fp) DO UPDATE SET combo_id = excluded.combo_id,
         last_detected_at = excluded.last_detected_at, confidence = excluded.confidence`,
    )
  }

  protected put({ assetId, fp, status, confidence }: Seen, at: number): void {
    this.#upsert.run(assetId, fp, (fp % 30) * 4 + (status === 'OPEN' ? 0 : 1), at, at, confidence)
  }
}

/** A look and then an insert or an update, text in every column, and an index for each that is filtered by. */
export class OrmTable extends Table {
  readonly name = 'a table as an ORM makes it'
  readonly #find: Database.Statement
  readonly #insert: Database.Statement
  readonly #update: Database.Statement

  constructor(file: string) {
    super(file)
    this.database.exec(
      `CREATE TABLE finding (id TEXT PRIMARY KEY, asset_id TEXT NOT NULL, fingerprint TEXT NOT NULL, detector_type TEXT NOT NULL,
         finding_type TEXT NOT NULL, category TEXT NOT NULL, severity TEXT NOT NULL, status TEXT NOT NULL,
         confidence REAL NOT NULL, first_detected_at TEXT NOT NULL, last_detected_at TEXT NOT NULL);
       CREATE UNIQUE INDEX finding_key ON finding (asset_id, fingerprint);
       CREATE INDEX finding_detector ON finding (detector_type);
       CREATE INDEX finding_severity ON finding (severity);
       CREATE INDEX finding_status ON finding (status);
       CREATE INDEX finding_time ON finding (first_detected_at)`,
    )
    this.#find = this.database.prepare('SELECT * FROM finding WHERE asset_id = ? AND fingerprint = ?')
    this.#insert = this.database.prepare('INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#update = this.database.prepare(
      'UPDATE finding SET severity = ?, status = ?, confidence = ?, last_detected_at = ? WHERE id = ?',
    )
  }

  protected put({ assetId, fp, status, confidence }: Seen, at: number): void {
    const [asset, fingerprint, time] = [
      `asset-${assetId}`,
      fp.toString(16).padStart(12, '0'),
      new Date(at).toISOString(),
    ]
    const { detectorType, findingType, category, severity } = toFacets(1, fp, status)
    const sure = confidence / 10_000
    const known = this.#find.get(asset, fingerprint) as { id: string } | undefined
    if (known !== undefined) this.#update.run(severity, status, sure, time, known.id)
    else {
      const id = crypto.randomUUID()
      this.#insert.run(id, asset, fingerprint, detectorType, findingType, category, severity, status, sure, time, time)
    }
  }
}
