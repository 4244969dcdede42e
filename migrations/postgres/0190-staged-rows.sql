-- Files of other scanners wait in plain rows, and one transaction applies all of them. What waited in packed blocks, or
-- was applied in part, is dropped: the file is to be imported again.
UPDATE main.scan SET status = 'CANCELLED', owner = NULL, heartbeat_at = NULL
WHERE "trigger" = 'IMPORT' AND status IN ('QUEUED', 'RUNNING');
DROP TABLE main.import_block CASCADE;
DROP TABLE main.import_row CASCADE;
DROP TABLE main.pending_import CASCADE;
DROP TABLE main.earlier_finding CASCADE;
DROP TABLE main.earlier_asset CASCADE;
DROP TABLE main.pending_change CASCADE;
DROP TABLE main.pending_log CASCADE;
DROP TABLE main.finished_import CASCADE;
ALTER TABLE main.combo DROP COLUMN held CASCADE;
DROP TABLE main.import_file CASCADE;

CREATE TABLE main.import_file (
  -- Also that of the scan that applies it.
  uid TEXT PRIMARY KEY,
  created_at BIGINT NOT NULL,
  -- 1 once the whole file was found valid: from then on it is applied, whatever happens.
  accepted BIGINT NOT NULL DEFAULT 0
);

-- The assets that a file describes; columns that are NULL keep what is stored.
CREATE TABLE main.import_asset (
  uid TEXT NOT NULL REFERENCES main.import_file (uid) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  key TEXT NOT NULL,
  kind TEXT,
  name TEXT,
  url TEXT,
  container TEXT,
  owner TEXT,
  labels TEXT CHECK (labels IS NULL OR json_valid(labels)),
  content_updated_at BIGINT,
  -- Set while the file is applied.
  asset_id BIGINT,
  PRIMARY KEY (uid, number)
);

-- The combinations of facets in a file.
CREATE TABLE main.import_facets (
  uid TEXT NOT NULL REFERENCES main.import_file (uid) ON DELETE CASCADE,
  number BIGINT NOT NULL,
  detector_type TEXT NOT NULL,
  finding_type TEXT NOT NULL,
  category TEXT NOT NULL,
  custom_detector_key TEXT NOT NULL,
  severity TEXT NOT NULL,
  status TEXT NOT NULL,
  -- Set while the file is applied.
  combo_id BIGINT,
  PRIMARY KEY (uid, number)
);

-- The findings of a file, in its order.
CREATE TABLE main.import_finding (
  uid TEXT NOT NULL REFERENCES main.import_file (uid) ON DELETE CASCADE,
  ordinal BIGINT NOT NULL,
  -- Numbers of rows of import_asset and import_facets.
  asset BIGINT NOT NULL,
  facets BIGINT NOT NULL,
  fp BIGINT NOT NULL,
  first_detected_at BIGINT NOT NULL,
  last_detected_at BIGINT,
  resolved_at BIGINT,
  conf_q BIGINT NOT NULL,
  -- 1 if the file does not give resolved_at, so that it does not correct a stored one.
  undated BIGINT NOT NULL,
  excerpt TEXT,
  PRIMARY KEY (uid, ordinal)
);
