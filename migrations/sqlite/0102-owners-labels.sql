-- Owner and labels of an asset are facets: owners as words, labels as the number of a set of words.
CREATE TABLE label_set (
  id INTEGER PRIMARY KEY,
  -- The ids of its words as JSON, ascending.
  words TEXT NOT NULL UNIQUE CHECK (json_valid(words))
) STRICT;
-- The empty set has one member, the empty word, so that an asset without labels is in one group.
CREATE TABLE label_set_member (
  set_id INTEGER NOT NULL REFERENCES label_set (id) ON DELETE CASCADE,
  word_id INTEGER NOT NULL REFERENCES word (id),
  PRIMARY KEY (set_id, word_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_set_member_by_word ON label_set_member (word_id);
INSERT INTO label_set (id, words) VALUES (0, '[]');
INSERT INTO label_set_member (set_id, word_id) VALUES (0, 0);

DROP TRIGGER asset_log_update;
ALTER TABLE asset ADD COLUMN owner_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE asset ADD COLUMN labels_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE earlier_asset ADD COLUMN owner_id INTEGER NOT NULL DEFAULT 0;
ALTER TABLE earlier_asset ADD COLUMN labels_id INTEGER NOT NULL DEFAULT 0;

INSERT OR IGNORE INTO word (text, folded) SELECT DISTINCT owner, fold_case(owner) FROM asset WHERE owner <> '';
UPDATE asset SET owner_id = (SELECT id FROM word WHERE text = asset.owner) WHERE owner <> '';
ALTER TABLE asset DROP COLUMN owner;

-- Labels were among the facts of wiki pages.
CREATE TEMP TABLE told_label AS
  SELECT asset.id AS asset_id, label.value AS text FROM asset, json_each(asset.facts, '$.labels') AS label
  WHERE asset.facts IS NOT NULL AND json_type(asset.facts, '$.labels') = 'array' AND label.type = 'text' AND label.value <> '';
INSERT OR IGNORE INTO word (text, folded) SELECT DISTINCT text, fold_case(text) FROM told_label;
CREATE TEMP TABLE told_set AS
  SELECT asset_id, json_group_array(word_id) AS words
  FROM (SELECT DISTINCT told_label.asset_id, word.id AS word_id FROM told_label JOIN word ON word.text = told_label.text
        ORDER BY told_label.asset_id, word.id)
  GROUP BY asset_id;
INSERT OR IGNORE INTO label_set (words) SELECT DISTINCT words FROM told_set;
INSERT OR IGNORE INTO label_set_member (set_id, word_id)
  SELECT label_set.id, member.value FROM label_set, json_each(label_set.words) AS member WHERE label_set.id > 0;
UPDATE asset SET labels_id = label_set.id FROM told_set JOIN label_set ON label_set.words = told_set.words
  WHERE asset.id = told_set.asset_id;
DROP TABLE told_label;
DROP TABLE told_set;

CREATE TRIGGER asset_log_update AFTER UPDATE ON asset
WHEN old.kind_id <> new.kind_id OR old.container_id <> new.container_id OR old.source_id <> new.source_id
  OR old.owner_id <> new.owner_id OR old.labels_id <> new.labels_id
  OR old.status <> new.status OR (old.last_scanned_at IS NULL) <> (new.last_scanned_at IS NULL)
BEGIN
  INSERT INTO asset_log (asset_id) VALUES (new.id);
  DELETE FROM asset_log WHERE seq <= (SELECT max(seq) FROM asset_log) - 20000;
END;

-- The metrics that every installation starts with allow every dimension that fits.
CREATE TEMP TABLE widened AS
  SELECT id, version, substr(allowed_dimensions, 1, length(allowed_dimensions) - 1) || ',"asset","owner","label","dataset"]' AS dimensions
  FROM metric
  WHERE slug IN ('total-findings', 'open-findings', 'new-findings', 'critical-open-findings', 'false-positive-rate',
    'resolution-rate', 'affected-assets', 'scan-coverage', 'average-confidence', 'mean-time-to-resolve', 'weekly-finding-trend')
  AND allowed_dimensions IN (
    '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]',
    '["source","sourceType","assetKind","container"]');
UPDATE metric SET allowed_dimensions = widened.dimensions FROM widened WHERE metric.id = widened.id;
UPDATE metric_version SET snapshot = json_set(snapshot, '$.allowedDimensions', json(widened.dimensions))
  FROM widened WHERE metric_version.metric_id = widened.id AND metric_version.version = widened.version;
DROP TABLE widened;
