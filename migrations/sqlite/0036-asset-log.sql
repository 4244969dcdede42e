-- Assets are counted by whether they are there and were ever scanned, too.
DROP TRIGGER asset_log_update;
CREATE TRIGGER asset_log_update AFTER UPDATE ON asset
WHEN old.kind_id <> new.kind_id OR old.container_id <> new.container_id OR old.source_id <> new.source_id
  OR old.status <> new.status OR (old.last_scanned_at IS NULL) <> (new.last_scanned_at IS NULL)
BEGIN
  INSERT INTO asset_log (asset_id) VALUES (new.id);
  DELETE FROM asset_log WHERE seq <= (SELECT max(seq) FROM asset_log) - 20000;
END;

-- What was resolved when, and how long it had been there.
CREATE INDEX finding_by_resolution ON finding (resolved_at, combo_id, first_detected_at) WHERE resolved_at IS NOT NULL;
