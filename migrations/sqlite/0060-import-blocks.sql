-- Findings of an import that wait to be stored, many to a row, in columns; `import_row` holds those of earlier versions.
CREATE TABLE import_block (
  uid TEXT NOT NULL REFERENCES import_file (uid) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  -- How many findings it holds.
  size INTEGER NOT NULL,
  data BLOB NOT NULL,
  PRIMARY KEY (uid, ordinal)
) STRICT;
