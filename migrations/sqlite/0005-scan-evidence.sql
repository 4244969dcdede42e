-- The newest scan that counted the asset as missed, so that a scan that is resumed counts it once.
ALTER TABLE asset ADD COLUMN missed_scan_id INTEGER;
-- Pages are found by title when a link names one.
CREATE INDEX asset_by_name ON asset (source_id, name COLLATE NOCASE);
-- The newest asset whose links this scan has judged.
ALTER TABLE scan ADD COLUMN estate_cursor INTEGER NOT NULL DEFAULT 0;
