-- How many findings carry each combination: counts over all time need no look at the findings.
ALTER TABLE combo ADD COLUMN n INTEGER NOT NULL DEFAULT 0;
UPDATE combo SET n = (SELECT count(*) FROM finding WHERE finding.combo_id = combo.id);
