-- Facts about this installation: its id, the key check value.
CREATE TABLE install (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Data keys, each wrapped by the key that lives outside the database.
CREATE TABLE data_key (
  id INTEGER PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('credential', 'fingerprint')),
  wrapped TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- One dictionary for every small name: detector types, finding types, categories, kinds, containers. 0 is "no name".
CREATE TABLE word (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO word (id, text) VALUES (0, '');

CREATE TABLE source (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL UNIQUE COLLATE NOCASE,
  type TEXT NOT NULL,
  -- The payload without its masked values, as JSON.
  config TEXT NOT NULL CHECK (json_valid(config)),
  -- Sealed secrets: JSON object, member -> sealed text.
  secrets TEXT NOT NULL DEFAULT '{}' CHECK (json_valid(secrets)),
  tenant_id TEXT,
  last_completed_scan_at INTEGER,
  -- The schedule's own state.
  schedule_enabled INTEGER NOT NULL DEFAULT 0,
  next_run_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE scan (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED')),
  trigger TEXT NOT NULL CHECK (trigger IN ('MANUAL', 'SCHEDULE', 'IMPORT', 'RESUME')),
  requested_by TEXT NOT NULL,
  -- Checkpoints hold only for the configuration they were made with.
  config_hash TEXT NOT NULL,
  detectors_hash TEXT NOT NULL,
  seed INTEGER NOT NULL DEFAULT 0,
  sampled INTEGER NOT NULL DEFAULT 0,
  -- Who drives it; a driver that stops its heartbeat loses it, and a late finisher is refused by the token.
  owner TEXT,
  token INTEGER NOT NULL DEFAULT 0,
  heartbeat_at INTEGER,
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  started_at INTEGER,
  finished_at INTEGER,
  discovered INTEGER NOT NULL DEFAULT 0,
  scanned INTEGER NOT NULL DEFAULT 0,
  unchanged INTEGER NOT NULL DEFAULT 0,
  findings_new INTEGER NOT NULL DEFAULT 0,
  findings_again INTEGER NOT NULL DEFAULT 0,
  findings_resolved INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  retry_at INTEGER,
  failures TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(failures)),
  warnings TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(warnings))
) STRICT;
CREATE INDEX scan_by_source ON scan (source_id, id);
CREATE UNIQUE INDEX scan_one_active ON scan (source_id) WHERE status IN ('QUEUED', 'RUNNING');

CREATE TABLE scan_scope (
  scan_id INTEGER NOT NULL REFERENCES scan (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('PENDING', 'RUNNING', 'COMPLETE', 'PARTIAL', 'FAILED')),
  cursor TEXT,
  discovered INTEGER NOT NULL DEFAULT 0,
  scanned INTEGER NOT NULL DEFAULT 0,
  unchanged INTEGER NOT NULL DEFAULT 0,
  reason TEXT,
  PRIMARY KEY (scan_id, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE asset (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
  key TEXT NOT NULL,
  kind_id INTEGER NOT NULL REFERENCES word (id),
  container_id INTEGER NOT NULL REFERENCES word (id),
  -- The scope that lists it: a space or a workspace.
  scope_key TEXT NOT NULL DEFAULT '',
  name TEXT NOT NULL,
  url TEXT NOT NULL DEFAULT '',
  owner TEXT,
  checksum TEXT NOT NULL DEFAULT '',
  -- The detectors and their configuration that last looked at the content.
  detectors_hash TEXT,
  status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'DELETED')),
  facts TEXT CHECK (facts IS NULL OR json_valid(facts)),
  content_created_at INTEGER,
  content_updated_at INTEGER,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  last_scanned_at INTEGER,
  -- The newest scan that listed it, and in how many complete scans in a row it was absent.
  seen_scan_id INTEGER,
  missed INTEGER NOT NULL DEFAULT 0,
  deleted_at INTEGER,
  UNIQUE (source_id, key)
) STRICT;
CREATE INDEX asset_by_scope ON asset (source_id, scope_key, status);

CREATE TABLE asset_link (
  asset_id INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  type TEXT NOT NULL,
  target_key TEXT,
  url TEXT,
  label TEXT,
  -- path, line, column and the reference by name, as JSON.
  detail TEXT CHECK (detail IS NULL OR json_valid(detail)),
  PRIMARY KEY (asset_id, ordinal)
) STRICT, WITHOUT ROWID;
CREATE INDEX asset_link_by_target ON asset_link (target_key) WHERE target_key IS NOT NULL;

-- One row per combination of the facets of a finding that occurs; a finding carries its id.
CREATE TABLE combo (
  id INTEGER PRIMARY KEY,
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
  detector_id INTEGER NOT NULL REFERENCES word (id),
  type_id INTEGER NOT NULL REFERENCES word (id),
  category_id INTEGER NOT NULL REFERENCES word (id),
  custom_key_id INTEGER NOT NULL REFERENCES word (id),
  -- 5 CRITICAL, 4 HIGH, 3 MEDIUM, 2 LOW, 1 INFO.
  severity INTEGER NOT NULL CHECK (severity BETWEEN 1 AND 5),
  -- 0 OPEN, 1 RESOLVED, 2 FALSE_POSITIVE, 3 IGNORED.
  status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 3),
  UNIQUE (source_id, detector_id, type_id, category_id, custom_key_id, severity, status)
) STRICT;

-- Clustered by asset, so that a re-scan of an asset touches neighbouring rows only.
CREATE TABLE finding (
  asset_id INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
  -- 47-bit keyed hash of the value.
  fp INTEGER NOT NULL,
  id INTEGER NOT NULL UNIQUE,
  combo_id INTEGER NOT NULL REFERENCES combo (id),
  first_detected_at INTEGER NOT NULL,
  -- Confidence in ten-thousandths.
  conf_q INTEGER NOT NULL CHECK (conf_q BETWEEN 0 AND 10000),
  -- NULL: as its asset was last scanned.
  last_detected_at INTEGER,
  resolved_at INTEGER,
  location TEXT,
  excerpt TEXT,
  PRIMARY KEY (asset_id, fp)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_by_time ON finding (first_detected_at, combo_id, conf_q, asset_id);

-- Every status change of a finding. The status before the first row is that row's from_status.
CREATE TABLE status_change (
  finding_id INTEGER NOT NULL REFERENCES finding (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  from_status INTEGER NOT NULL CHECK (from_status BETWEEN 0 AND 3),
  to_status INTEGER NOT NULL CHECK (to_status BETWEEN 0 AND 3),
  actor TEXT NOT NULL,
  reason TEXT,
  scan_id INTEGER,
  PRIMARY KEY (finding_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX status_change_by_time ON status_change (at, finding_id);

-- What changed in the facets of findings, one row a transaction: n entries, see the store for their layout.
CREATE TABLE facet_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  n INTEGER NOT NULL,
  delta BLOB NOT NULL
) STRICT;

CREATE TABLE term (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  category TEXT NOT NULL DEFAULT '',
  filter_mapping TEXT NOT NULL CHECK (json_valid(filter_mapping)),
  color TEXT,
  icon TEXT,
  synonyms TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(synonyms)),
  is_active INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE TABLE metric (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  slug TEXT NOT NULL UNIQUE,
  display_name TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  type TEXT NOT NULL CHECK (type IN ('SIMPLE', 'RATIO', 'DERIVED', 'TREND')),
  definition TEXT NOT NULL CHECK (json_valid(definition)),
  allowed_dimensions TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(allowed_dimensions)),
  format TEXT NOT NULL DEFAULT 'number',
  unit TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL CHECK (status IN ('DRAFT', 'ACTIVE', 'DEPRECATED')),
  term_id INTEGER REFERENCES term (id),
  owner TEXT,
  color TEXT,
  synonyms TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(synonyms)),
  empty_as TEXT CHECK (empty_as IN ('zero', 'null')),
  version INTEGER NOT NULL DEFAULT 1,
  certified_by TEXT,
  certified_at INTEGER,
  certified_version INTEGER,
  certified_via TEXT CHECK (certified_via IN ('http', 'mcp', 'cli')),
  -- Hash of all that the number depends on, as it was when certified; a difference is drift.
  certified_digest TEXT,
  deprecated_by TEXT,
  deprecated_at INTEGER,
  deprecation_reason TEXT,
  replaced_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX metric_by_term ON metric (term_id);

CREATE TABLE metric_version (
  metric_id INTEGER NOT NULL REFERENCES metric (id) ON DELETE CASCADE,
  version INTEGER NOT NULL,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  via TEXT NOT NULL,
  snapshot TEXT NOT NULL CHECK (json_valid(snapshot)),
  PRIMARY KEY (metric_id, version)
) STRICT, WITHOUT ROWID;

CREATE TABLE dashboard (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE placement (
  dashboard_id INTEGER NOT NULL REFERENCES dashboard (id) ON DELETE CASCADE,
  metric_id INTEGER NOT NULL REFERENCES metric (id),
  pinned_filters TEXT CHECK (pinned_filters IS NULL OR json_valid(pinned_filters)),
  size TEXT NOT NULL DEFAULT 'md',
  position INTEGER NOT NULL,
  chart_type TEXT NOT NULL DEFAULT 'number',
  PRIMARY KEY (dashboard_id, metric_id)
) STRICT, WITHOUT ROWID;

-- Who changed which definition, when and through which door. Rows are never changed or removed.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  via TEXT NOT NULL,
  action TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  before TEXT CHECK (before IS NULL OR json_valid(before)),
  after TEXT CHECK (after IS NULL OR json_valid(after))
) STRICT;
CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;

-- Full text over names, descriptions and synonyms; rowid is the term's or metric's id.
CREATE VIRTUAL TABLE term_text USING fts5 (display_name, description, synonyms, tokenize = "unicode61 remove_diacritics 2");
CREATE TRIGGER term_text_insert AFTER INSERT ON term BEGIN
  INSERT INTO term_text (rowid, display_name, description, synonyms)
  VALUES (new.id, new.display_name || ' ' || replace(new.slug, '-', ' '), new.description, (SELECT group_concat(value, ' ') FROM json_each(new.synonyms)));
END;
CREATE TRIGGER term_text_update AFTER UPDATE OF slug, display_name, description, synonyms ON term BEGIN
  UPDATE term_text SET display_name = new.display_name || ' ' || replace(new.slug, '-', ' '), description = new.description,
    synonyms = (SELECT group_concat(value, ' ') FROM json_each(new.synonyms)) WHERE rowid = new.id;
END;
CREATE TRIGGER term_text_delete AFTER DELETE ON term BEGIN
  DELETE FROM term_text WHERE rowid = old.id;
END;

CREATE VIRTUAL TABLE metric_text USING fts5 (display_name, description, synonyms, dimensions, tokenize = "unicode61 remove_diacritics 2");
CREATE TRIGGER metric_text_insert AFTER INSERT ON metric BEGIN
  INSERT INTO metric_text (rowid, display_name, description, synonyms, dimensions)
  VALUES (new.id, new.display_name || ' ' || replace(new.slug, '-', ' '), new.description,
    (SELECT group_concat(value, ' ') FROM json_each(new.synonyms)), (SELECT group_concat(value, ' ') FROM json_each(new.allowed_dimensions)));
END;
CREATE TRIGGER metric_text_update AFTER UPDATE OF slug, display_name, description, synonyms, allowed_dimensions ON metric BEGIN
  UPDATE metric_text SET display_name = new.display_name || ' ' || replace(new.slug, '-', ' '), description = new.description,
    synonyms = (SELECT group_concat(value, ' ') FROM json_each(new.synonyms)),
    dimensions = (SELECT group_concat(value, ' ') FROM json_each(new.allowed_dimensions)) WHERE rowid = new.id;
END;
CREATE TRIGGER metric_text_delete AFTER DELETE ON metric BEGIN
  DELETE FROM metric_text WHERE rowid = old.id;
END;

-- What a link answered, kept across scans until it expires.
CREATE TABLE link_check (
  url TEXT PRIMARY KEY,
  verdict TEXT NOT NULL CHECK (json_valid(verdict)),
  checked_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Which process drives the background loop; a holder that does not renew loses it.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
