-- A hash of each definition as it was written: a bit that flips on the disk afterwards shows.
CREATE TABLE definition_digest (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
