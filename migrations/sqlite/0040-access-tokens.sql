-- Tokens that let programs and people in over HTTP; only a hash of each is kept.
CREATE TABLE access_token (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  scopes TEXT NOT NULL,
  lockdown INTEGER NOT NULL DEFAULT 0,
  digest BLOB NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  revoked_at INTEGER,
  last_used_at INTEGER
) STRICT, WITHOUT ROWID;
