-- Keyed hash of the value alone: the same in every asset that holds it. NULL where a finding has no value of its own.
ALTER TABLE finding ADD COLUMN value_fp INTEGER;

-- Standing decisions: what later scans find of this is given its status at once.
CREATE TABLE suppression (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  filters TEXT NOT NULL CHECK (json_valid(filters)),
  value_fp INTEGER,
  -- JSON list of fields and linear-time patterns; all must match.
  patterns TEXT NOT NULL CHECK (json_valid(patterns)),
  -- 2 FALSE_POSITIVE, 3 IGNORED.
  status INTEGER NOT NULL CHECK (status IN (2, 3)),
  reason TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
