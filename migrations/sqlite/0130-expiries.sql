-- Decisions that end by themselves: when, and the status that the finding has from then on. A row goes when its end is in
-- the history, or when another decision replaces the one that it ends.
CREATE TABLE expiry (
  finding_id INTEGER PRIMARY KEY REFERENCES finding (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  -- 0 OPEN; 1 RESOLVED, if a complete scan since the decision has not found it.
  to_status INTEGER NOT NULL DEFAULT 0 CHECK (to_status IN (0, 1))
) STRICT;
CREATE INDEX expiry_by_time ON expiry (at);

-- When a decision ends, and from when on a suppression changes nothing more; NULL for never.
ALTER TABLE status_change ADD COLUMN until INTEGER;
ALTER TABLE suppression ADD COLUMN until INTEGER;
