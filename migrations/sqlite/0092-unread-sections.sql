-- Sections of assets that the newest scan did not read. What was found in them stays as it is.
CREATE TABLE unread_section (
  asset_id INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
  -- Empty: the whole asset.
  section TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  -- 1: an earlier scan has read it.
  was_read INTEGER NOT NULL CHECK (was_read IN (0, 1)),
  -- 1: the platform left it out twice in a row, so it is taken to be empty.
  is_settled INTEGER NOT NULL DEFAULT 0 CHECK (is_settled IN (0, 1)),
  scan_id INTEGER NOT NULL,
  PRIMARY KEY (asset_id, section)
) STRICT, WITHOUT ROWID;
CREATE INDEX unread_section_by_scan ON unread_section (scan_id);

-- 1: the listing of the scope has gaps, so that nothing that is missing from it is gone.
ALTER TABLE scan_scope ADD COLUMN has_gap INTEGER NOT NULL DEFAULT 0;

-- Findings do not know yet which section they stand in: everything is looked at once more.
UPDATE asset SET detectors_hash = NULL WHERE scope_key <> '';
