-- The newest scan that counted the asset as missed, so that a scan that is resumed counts it once.
ALTER TABLE asset ADD COLUMN missed_scan_id INTEGER;
