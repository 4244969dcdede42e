-- Findings from other scanners that were read and checked, and wait to be stored; a row goes when it is stored.
CREATE TABLE import_file (
  -- Also that of the scan that stores it.
  uid TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  -- 1 once the whole file was found good: from then on it is stored, whatever happens.
  accepted INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

CREATE TABLE import_row (
  uid TEXT NOT NULL REFERENCES import_file (uid) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  finding TEXT NOT NULL,
  PRIMARY KEY (uid, ordinal)
) STRICT, WITHOUT ROWID;
