-- Detectors that people have written: rules with examples, run with every scan.
CREATE TABLE custom_detector (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  key TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  description TEXT NOT NULL,
  enabled INTEGER NOT NULL CHECK (enabled IN (0, 1)),
  -- What it finds, where it looks, and its examples.
  definition TEXT NOT NULL CHECK (json_valid(definition)),
  version INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
