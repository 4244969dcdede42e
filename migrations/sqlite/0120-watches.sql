-- Named conditions on metrics. What evaluation changes is in tables of its own, so that a definition keeps its digest.
CREATE TABLE watch (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  metric_id INTEGER NOT NULL REFERENCES metric (id),
  term_id INTEGER REFERENCES term (id),
  filters TEXT CHECK (filters IS NULL OR json_valid(filters)),
  dimensions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(dimensions)),
  -- Range of a flow metric that ends at the evaluation, such as 7d.
  range_last TEXT,
  cron TEXT,
  condition TEXT NOT NULL CHECK (json_valid(condition)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX watch_by_metric ON watch (metric_id);
CREATE INDEX watch_by_term ON watch (term_id) WHERE term_id IS NOT NULL;

-- Where changes of state are sent. The address and the secret are sealed; address is what is shown of it.
CREATE TABLE watch_receiver (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  watch_id INTEGER NOT NULL REFERENCES watch (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  format TEXT NOT NULL CHECK (format IN ('json', 'slack')),
  address TEXT NOT NULL,
  sealed TEXT NOT NULL,
  has_secret INTEGER NOT NULL DEFAULT 0,
  last_failure TEXT,
  dropped INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX watch_receiver_by_watch ON watch_receiver (watch_id, ordinal);

CREATE TABLE watch_run (
  watch_id INTEGER PRIMARY KEY REFERENCES watch (id) ON DELETE CASCADE,
  evaluations INTEGER NOT NULL DEFAULT 0,
  evaluated_at INTEGER,
  -- watch_signal.scans at the last evaluation; a greater one there makes the watch due.
  seen_scans INTEGER NOT NULL DEFAULT 0,
  -- When it is due regardless of scans; NULL without a cron.
  due_at INTEGER,
  reason TEXT,
  message TEXT,
  total_groups INTEGER NOT NULL DEFAULT 0
) STRICT;

-- group_key: JSON list of the values of the watch's dimensions; [] without dimensions.
CREATE TABLE watch_state (
  watch_id INTEGER NOT NULL REFERENCES watch (id) ON DELETE CASCADE,
  group_key TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('OK', 'FIRING', 'UNKNOWN')),
  since INTEGER NOT NULL,
  value REAL,
  -- Evaluations in a row at which the condition held.
  streak INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  PRIMARY KEY (watch_id, group_key)
) STRICT, WITHOUT ROWID;

CREATE TABLE watch_change (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  uid TEXT NOT NULL UNIQUE,
  watch_id INTEGER NOT NULL REFERENCES watch (id) ON DELETE CASCADE,
  group_key TEXT NOT NULL,
  at INTEGER NOT NULL,
  from_state TEXT NOT NULL CHECK (from_state IN ('OK', 'FIRING', 'UNKNOWN')),
  to_state TEXT NOT NULL CHECK (to_state IN ('OK', 'FIRING', 'UNKNOWN')),
  value REAL,
  reason TEXT
) STRICT;
CREATE INDEX watch_change_by_watch ON watch_change (watch_id, id);

-- What is still to be sent; the oldest of a receiver comes first.
CREATE TABLE watch_delivery (
  receiver_id INTEGER NOT NULL REFERENCES watch_receiver (id) ON DELETE CASCADE,
  change_id INTEGER NOT NULL REFERENCES watch_change (id) ON DELETE CASCADE,
  tries INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL,
  PRIMARY KEY (receiver_id, change_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX watch_delivery_by_change ON watch_delivery (change_id);

-- scans counts the scans and imports that ended, revision whatever watches show; any process may compare them.
CREATE TABLE watch_signal (scans INTEGER NOT NULL, revision INTEGER NOT NULL) STRICT;
INSERT INTO watch_signal (scans, revision) VALUES (0, 0);
CREATE TRIGGER scan_end_signals_watches AFTER UPDATE OF status ON scan
  WHEN NEW.status <> OLD.status AND NEW.status NOT IN ('QUEUED', 'RUNNING')
  BEGIN UPDATE watch_signal SET scans = scans + 1; END;
CREATE TRIGGER source_deletion_signals_watches AFTER UPDATE OF deleted_at ON source WHEN NEW.deleted_at IS NOT OLD.deleted_at
  BEGIN UPDATE watch_signal SET scans = scans + 1; END;
CREATE TRIGGER watch_insert_revises AFTER INSERT ON watch BEGIN UPDATE watch_signal SET revision = revision + 1; END;
CREATE TRIGGER watch_update_revises AFTER UPDATE ON watch BEGIN UPDATE watch_signal SET revision = revision + 1; END;
CREATE TRIGGER watch_delete_revises AFTER DELETE ON watch BEGIN UPDATE watch_signal SET revision = revision + 1; END;
CREATE TRIGGER watch_change_revises AFTER INSERT ON watch_change BEGIN UPDATE watch_signal SET revision = revision + 1; END;
