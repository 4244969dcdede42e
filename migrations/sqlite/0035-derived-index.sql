-- Findings by time with their id: what the derived index is built from, without a look at the rows.
DROP INDEX finding_by_time;
CREATE INDEX finding_by_time ON finding (first_detected_at, combo_id, conf_q, asset_id, id);

-- Which assets changed in what findings are counted by. New ones are known by their greater id.
CREATE TABLE asset_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  asset_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER asset_log_update AFTER UPDATE ON asset
WHEN old.kind_id <> new.kind_id OR old.container_id <> new.container_id OR old.source_id <> new.source_id
BEGIN
  INSERT INTO asset_log (asset_id) VALUES (new.id);
  DELETE FROM asset_log WHERE seq <= (SELECT max(seq) FROM asset_log) - 20000;
END;

-- Counts the changes of definitions, so that what was read of them can be kept until the next.
CREATE TABLE definition_count (n INTEGER NOT NULL) STRICT;
INSERT INTO definition_count (n) VALUES (1);
CREATE TRIGGER metric_insert_counts AFTER INSERT ON metric BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER metric_update_counts AFTER UPDATE ON metric BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER metric_delete_counts AFTER DELETE ON metric BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER term_insert_counts AFTER INSERT ON term BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER term_update_counts AFTER UPDATE ON term BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER term_delete_counts AFTER DELETE ON term BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER source_insert_counts AFTER INSERT ON source BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER source_update_counts AFTER UPDATE ON source BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER source_delete_counts AFTER DELETE ON source BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER custom_insert_counts AFTER INSERT ON custom_detector BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER custom_update_counts AFTER UPDATE ON custom_detector BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER custom_delete_counts AFTER DELETE ON custom_detector BEGIN UPDATE definition_count SET n = n + 1; END;
