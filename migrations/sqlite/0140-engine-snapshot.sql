-- The snapshot of the columnar index that belongs to this database: a file named by a random mark. The row is written
-- after everything that the snapshot contains, so a database that has it has all of that in its past.
CREATE TABLE engine_snapshot (
  mark TEXT PRIMARY KEY,
  -- SHA-256 of the file's header, which has the checksums of all other parts.
  digest TEXT NOT NULL,
  -- The last entries of the change logs that it includes.
  seq INTEGER NOT NULL,
  asset_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
