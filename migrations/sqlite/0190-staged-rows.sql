-- Files of other scanners wait in plain rows, and one transaction applies all of them. What waited in packed blocks, or
-- was applied in part, is dropped: the file is to be imported again.
UPDATE scan SET status = 'CANCELLED', owner = NULL, heartbeat_at = NULL
WHERE "trigger" = 'IMPORT' AND status IN ('QUEUED', 'RUNNING');
DROP TABLE import_block;
DROP TABLE import_row;
DROP TABLE pending_import;
DROP TABLE earlier_finding;
DROP TABLE earlier_asset;
DROP TABLE pending_change;
DROP TABLE pending_log;
DROP TABLE finished_import;
ALTER TABLE combo DROP COLUMN held;
DROP TABLE import_file;

CREATE TABLE import_file (
  -- Also that of the scan that applies it.
  uid TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  -- 1 once the whole file was found valid: from then on it is applied, whatever happens.
  accepted INTEGER NOT NULL DEFAULT 0
) STRICT, WITHOUT ROWID;

-- The assets that a file describes; columns that are NULL keep what is stored.
CREATE TABLE import_asset (
  uid TEXT NOT NULL REFERENCES import_file (uid) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  kind TEXT,
  name TEXT,
  url TEXT,
  container TEXT,
  owner TEXT,
  labels TEXT CHECK (labels IS NULL OR json_valid(labels)),
  content_updated_at INTEGER,
  -- Set while the file is applied.
  asset_id INTEGER,
  PRIMARY KEY (uid, number)
) STRICT, WITHOUT ROWID;

-- The combinations of facets in a file.
CREATE TABLE import_facets (
  uid TEXT NOT NULL REFERENCES import_file (uid) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  detector_type TEXT NOT NULL,
  finding_type TEXT NOT NULL,
  category TEXT NOT NULL,
  custom_detector_key TEXT NOT NULL,
  severity TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Set while the file is applied.
  combo_id INTEGER,
  PRIMARY KEY (uid, number)
) STRICT, WITHOUT ROWID;

-- The findings of a file, in its order.
CREATE TABLE import_finding (
  uid TEXT NOT NULL REFERENCES import_file (uid) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  -- Numbers of rows of import_asset and import_facets.
  asset INTEGER NOT NULL,
  facets INTEGER NOT NULL,
  fp INTEGER NOT NULL,
  first_detected_at INTEGER NOT NULL,
  last_detected_at INTEGER,
  resolved_at INTEGER,
  conf_q INTEGER NOT NULL,
  -- 1 if the file does not give resolved_at, so that it does not correct a stored one.
  undated INTEGER NOT NULL,
  excerpt TEXT,
  PRIMARY KEY (uid, ordinal)
) STRICT, WITHOUT ROWID;
