import Database from 'better-sqlite3'
import { type Batch, type Estate, type Seen, toFacets } from './work.ts'

/** A table of findings as others would make it. */
export interface Rival {
  readonly name: string
  fill(estate: Estate): void
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
  /** What is made once the rows are there: that is faster, and the same afterwards. */
  protected abstract readonly indexes: string

  constructor(file: string) {
    this.database = openDatabase(file)
  }

  protected abstract add(one: Seen, at: number): void
  protected abstract put(one: Seen, at: number): void
  protected abstract prepare(): void

  /** The `order`th row. */
  protected rowOf(estate: Estate, order: number): Seen {
    return estate.arrived(order)
  }

  fill(estate: Estate): void {
    this.database.pragma('journal_mode = OFF')
    this.database.pragma('synchronous = OFF')
    this.database.transaction(() => {
      for (let order = 0; order < estate.rows; order++) {
        const one = this.rowOf(estate, order)
        this.add(one, estate.detectedAt(one.fp))
      }
    })()
    this.database.exec(this.indexes)
    this.database.pragma('journal_mode = WAL')
    this.database.pragma('synchronous = NORMAL')
    this.prepare()
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

/**
 * One upsert a finding into a rowid table with the same small codes; what is seen again is written again. Its rows lie
 * in the order in which they came.
 */
export class PlainTable extends Table {
  readonly name: string = 'a plain upsert table'
  protected readonly indexes = `CREATE UNIQUE INDEX finding_key ON finding (asset_id, fp);
    CREATE INDEX finding_by_time ON finding (first_detected_at, combo_id, confidence, asset_id)`
  readonly #insert: Database.Statement
  #upsert: Database.Statement

  constructor(file: string) {
    super(file)
    this.database.exec(
      `CREATE TABLE finding (id INTEGER PRIMARY KEY, asset_id INTEGER NOT NULL, fp INTEGER NOT NULL, combo_id INTEGER NOT NULL,
         first_detected_at INTEGER NOT NULL, last_detected_at INTEGER NOT NULL, confidence INTEGER NOT NULL)`,
    )
    this.#insert = this.database.prepare(
      `INSERT INTO finding (asset_id, fp, combo_id, first_detected_at, last_detected_at, confidence)
       VALUES (?, ?, ?, ?, ?, ?)`,
    )
    this.#upsert = this.#insert
  }

  protected prepare(): void {
    this.#upsert = this.database.prepare(
      `INSERT INTO finding (asset_id, fp, combo_id, first_detected_at, last_detected_at, confidence)
       VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT (asset_id, fp) DO UPDATE SET combo_id = excluded.combo_id,
         last_detected_at = excluded.last_detected_at, confidence = excluded.confidence`,
    )
  }

  protected add({ assetId, fp, status, confidence }: Seen, at: number): void {
    this.#insert.run(assetId, fp, toCombo(fp, status), at, at, confidence)
  }

  protected put({ assetId, fp, status, confidence }: Seen, at: number): void {
    this.#upsert.run(assetId, fp, toCombo(fp, status), at, at, confidence)
  }
}

const toCombo = (fp: number, status: Seen['status']) => (fp % 30) * 4 + (status === 'OPEN' ? 0 : 1)

/** The same table at its best: somebody has sorted its rows by asset before. */
export class SortedTable extends PlainTable {
  override readonly name = 'the same table, sorted by asset'

  protected override rowOf(estate: Estate, order: number): Seen {
    return estate.ofFingerprint(order)
  }
}

/** A look and then an insert or an update, text in every column, and an index for each that is filtered by. */
export class OrmTable extends Table {
  readonly name = 'a table as an ORM makes it'
  protected readonly indexes = `CREATE UNIQUE INDEX finding_key ON finding (asset_id, fingerprint);
    CREATE INDEX finding_detector ON finding (detector_type);
    CREATE INDEX finding_severity ON finding (severity);
    CREATE INDEX finding_status ON finding (status);
    CREATE INDEX finding_time ON finding (first_detected_at)`
  readonly #find: Database.Statement
  readonly #insert: Database.Statement
  readonly #update: Database.Statement

  constructor(file: string) {
    super(file)
    this.database.exec(
      `CREATE TABLE finding (id TEXT PRIMARY KEY, asset_id TEXT NOT NULL, fingerprint TEXT NOT NULL, detector_type TEXT NOT NULL,
         finding_type TEXT NOT NULL, category TEXT NOT NULL, severity TEXT NOT NULL, status TEXT NOT NULL,
         confidence REAL NOT NULL, first_detected_at TEXT NOT NULL, last_detected_at TEXT NOT NULL)`,
    )
    this.#find = this.database.prepare('SELECT * FROM finding WHERE asset_id = ? AND fingerprint = ?')
    this.#insert = this.database.prepare('INSERT INTO finding VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    this.#update = this.database.prepare(
      'UPDATE finding SET severity = ?, status = ?, confidence = ?, last_detected_at = ? WHERE id = ?',
    )
  }

  protected prepare(): void {
    this.#find.get('', '')
  }

  protected add(one: Seen, at: number): void {
    const { detectorType, findingType, category, severity } = toFacets(1, one.fp, one.status)
    const { asset, fingerprint, time, sure } = toTexts(one, at)
    const id = crypto.randomUUID()
    const { status } = one
    this.#insert.run(id, asset, fingerprint, detectorType, findingType, category, severity, status, sure, time, time)
  }

  protected put(one: Seen, at: number): void {
    const { asset, fingerprint, time, sure } = toTexts(one, at)
    const known = this.#find.get(asset, fingerprint) as { id: string } | undefined
    if (known === undefined) this.add(one, at)
    else this.#update.run(toFacets(1, one.fp, one.status).severity, one.status, sure, time, known.id)
  }
}

const toTexts = ({ assetId, fp, confidence }: Seen, at: number) => ({
  asset: `asset-${assetId}`,
  fingerprint: fp.toString(16).padStart(12, '0'),
  time: new Date(at).toISOString(),
  sure: confidence / 10_000,
})
