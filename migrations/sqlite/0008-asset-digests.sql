-- What a detector keeps of an asset's text to compare it later: counts, keyed hashes and places, no words.
CREATE TABLE asset_digest (
  asset_id INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
  detector_id INTEGER NOT NULL REFERENCES word (id),
  -- 0: something of the text could not be read.
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
  data BLOB NOT NULL,
  PRIMARY KEY (asset_id, detector_id)
) STRICT;
-- Which step of the evaluation of the whole estate the cursor belongs to.
ALTER TABLE scan ADD COLUMN estate_step TEXT NOT NULL DEFAULT '';
