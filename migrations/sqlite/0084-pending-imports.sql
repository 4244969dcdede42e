-- Imports whose findings are being stored: until the last of them is, readers see what was there before.
CREATE TABLE pending_import (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  source_id INTEGER NOT NULL UNIQUE REFERENCES source (id) ON DELETE CASCADE,
  -- That of its scan.
  uid TEXT NOT NULL,
  -- Rows of the source with these ids or greater ones came with the import.
  first_finding INTEGER NOT NULL,
  first_asset INTEGER NOT NULL,
  first_combo INTEGER NOT NULL,
  -- 1 once the import has changed rows that were there before.
  has_earlier INTEGER NOT NULL DEFAULT 0,
  -- 0: followers of the change log start over when the import is published.
  is_followed INTEGER NOT NULL,
  -- Ids of the suppressions that its findings were compared with, as JSON.
  suppressions TEXT NOT NULL CHECK (json_valid(suppressions))
) STRICT;

-- Findings as they were before a pending import changed them.
CREATE TABLE earlier_finding (
  import_id INTEGER NOT NULL,
  finding_id INTEGER NOT NULL,
  combo_id INTEGER NOT NULL,
  conf_q INTEGER NOT NULL,
  last_detected_at INTEGER,
  resolved_at INTEGER,
  location TEXT,
  excerpt TEXT,
  value_fp INTEGER,
  -- The last entry of its history; 0 when it had none.
  last_seq INTEGER NOT NULL,
  last_at INTEGER,
  -- The lines of the import about it, as a JSON list.
  lines TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(lines)),
  PRIMARY KEY (import_id, finding_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE earlier_asset (
  import_id INTEGER NOT NULL,
  asset_id INTEGER NOT NULL,
  kind_id INTEGER NOT NULL,
  container_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  url TEXT NOT NULL,
  content_updated_at INTEGER,
  last_seen_at INTEGER NOT NULL,
  last_scanned_at INTEGER,
  PRIMARY KEY (import_id, asset_id)
) STRICT, WITHOUT ROWID;

-- Lines of a pending import about findings that somebody has changed since: they are applied once more.
CREATE TABLE pending_change (
  import_id INTEGER NOT NULL,
  finding_id INTEGER NOT NULL,
  lines TEXT NOT NULL CHECK (json_valid(lines)),
  PRIMARY KEY (import_id, finding_id)
) STRICT, WITHOUT ROWID;

-- Rows of `facet_log` that are added to it when the import is published.
CREATE TABLE pending_log (
  import_id INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  n INTEGER NOT NULL,
  delta BLOB NOT NULL,
  PRIMARY KEY (import_id, ordinal)
) STRICT;

-- Imports that are over: what was kept for them is yet to be removed.
CREATE TABLE finished_import (
  id INTEGER PRIMARY KEY
) STRICT;

-- By how much the count of a combination changes when the pending import of its source is published.
ALTER TABLE combo ADD COLUMN held INTEGER NOT NULL DEFAULT 0;
