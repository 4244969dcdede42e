-- When what an asset or a whole scope holds was last read, and what the platform told of it then.
CREATE TABLE reading (
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
  -- Key of an asset or of a scope.
  key TEXT NOT NULL,
  mark TEXT NOT NULL,
  -- Start of the scan that read all of it.
  read_at INTEGER NOT NULL,
  -- Start of the newest scan that found it as it was, or read it.
  checked_at INTEGER NOT NULL,
  PRIMARY KEY (source_id, key)
) STRICT, WITHOUT ROWID;
