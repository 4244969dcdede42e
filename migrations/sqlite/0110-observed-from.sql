-- From when on the findings of a source are known: of a scanned source its first completed scan, of an imported one the
-- earliest detection that was imported.
ALTER TABLE source ADD COLUMN observed_from INTEGER;
UPDATE source SET observed_from = CASE type
  WHEN 'IMPORT' THEN (SELECT min(first_detected_at) FROM finding
    WHERE combo_id IN (SELECT id FROM combo WHERE source_id = source.id))
  ELSE coalesce((SELECT min(finished_at) FROM scan WHERE source_id = source.id AND status = 'COMPLETED'),
    last_completed_scan_at) END
  WHERE last_completed_scan_at IS NOT NULL;

-- The earliest detection among the findings of an import that are stored so far.
ALTER TABLE import_file ADD COLUMN earliest_at INTEGER;
