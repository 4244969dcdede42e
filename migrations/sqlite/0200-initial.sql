-- Times are milliseconds since the epoch. Truth values are 0 and 1.

-- ---------------------------------------------------------------------------------------------------------------------
-- The installation
-- ---------------------------------------------------------------------------------------------------------------------

-- Facts about this installation, such as its id and the value that its key is checked with.
CREATE TABLE install (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
-- Authenticates the cursors of lists. It is no credential, so it is kept beside what the cursors lead to.
INSERT INTO install (name, value) VALUES ('cursor_key', lower(hex(randomblob(32))));

-- Data keys, each wrapped by the key that is outside the database.
CREATE TABLE data_key (
  id INTEGER PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('credential', 'fingerprint')),
  wrapped TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Tokens for HTTP; only a hash of each is kept.
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

-- Which process runs something that only one may run; a holder that does not renew its lease loses it.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT NOT NULL,
  token INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Who changed which definition, when and through which interface. Rows are never changed or deleted.
CREATE TABLE audit (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  actor TEXT NOT NULL,
  via TEXT NOT NULL,
  action TEXT NOT NULL,
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  before TEXT CHECK (before IS NULL OR json_valid(before)),
  after TEXT CHECK (after IS NULL OR json_valid(after)),
  -- A name may pass to somebody else, this does not: a token, or an issuer and its subject. NULL: the local user.
  actor_id TEXT,
  -- The program that made the change, if it gave its name.
  client TEXT,
  -- The proposal that it was approved by, if somebody else had proposed it.
  proposal TEXT
) STRICT;
CREATE INDEX audit_by_kind ON audit (kind, at);
CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON audit BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;

-- A hash of each entry of the audit trail and of the hash before it, which shows entries that were changed or deleted.
CREATE TABLE audit_chain (
  seq INTEGER PRIMARY KEY,
  digest TEXT NOT NULL
) STRICT;
CREATE TRIGGER audit_chain_is_append_only_update BEFORE UPDATE ON audit_chain BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
CREATE TRIGGER audit_chain_is_append_only_delete BEFORE DELETE ON audit_chain BEGIN
  SELECT RAISE(ABORT, 'the audit trail is append-only');
END;

-- ---------------------------------------------------------------------------------------------------------------------
-- Names
-- ---------------------------------------------------------------------------------------------------------------------

-- Every short name that repeats: types of detectors and findings, categories, kinds, containers, owners, labels.
-- 0 is "no name".
CREATE TABLE word (
  id INTEGER PRIMARY KEY,
  text TEXT NOT NULL UNIQUE,
  -- Without difference of case, for filters.
  folded TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX word_by_folded ON word (folded);
INSERT INTO word (id, text) VALUES (0, '');

-- The labels of an asset are one facet: the number of a set of words.
CREATE TABLE label_set (
  id INTEGER PRIMARY KEY,
  -- The ids of its words as JSON, ascending.
  words TEXT NOT NULL UNIQUE CHECK (json_valid(words))
) STRICT;
-- The empty set has one member, the empty word, so that an asset without labels is in one group.
CREATE TABLE label_set_member (
  set_id INTEGER NOT NULL REFERENCES label_set (id) ON DELETE CASCADE,
  word_id INTEGER NOT NULL REFERENCES word (id),
  PRIMARY KEY (set_id, word_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_set_member_by_word ON label_set_member (word_id);
INSERT INTO label_set (id, words) VALUES (0, '[]');
INSERT INTO label_set_member (set_id, word_id) VALUES (0, 0);

-- ---------------------------------------------------------------------------------------------------------------------
-- Sources and scans
-- ---------------------------------------------------------------------------------------------------------------------

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
  schedule_enabled INTEGER NOT NULL DEFAULT 0,
  next_run_at INTEGER,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When its deletion began: it is no longer shown or counted, and its rows are deleted step by step.
  deleted_at INTEGER,
  -- From when on its findings are known: its first completed scan, or the earliest detection that was imported.
  observed_from INTEGER,
  -- Which earlier versions of its items are read.
  history TEXT NOT NULL DEFAULT 'vanished' CHECK (history IN ('off', 'vanished', 'all')),
  -- What its last scan read and what it could not, as JSON.
  coverage TEXT CHECK (coverage IS NULL OR json_valid(coverage))
) STRICT;

CREATE TABLE scan (
  id INTEGER PRIMARY KEY,
  uid TEXT NOT NULL UNIQUE,
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED')),
  trigger TEXT NOT NULL CHECK (trigger IN ('MANUAL', 'SCHEDULE', 'IMPORT', 'RESUME')),
  requested_by TEXT NOT NULL,
  -- Cursors are valid only for the configuration that they were made with.
  config_hash TEXT NOT NULL,
  detectors_hash TEXT NOT NULL,
  seed INTEGER NOT NULL DEFAULT 0,
  sampled INTEGER NOT NULL DEFAULT 0,
  -- Which process runs it; one that stops its heartbeat loses it, and is then refused because of the token.
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
  warnings TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(warnings)),
  -- The last asset that a check across assets has examined, and which check that is.
  estate_cursor INTEGER NOT NULL DEFAULT 0,
  estate_step TEXT NOT NULL DEFAULT '',
  -- Of the settings that decide which scopes the source has.
  scope_hash TEXT
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
  -- 1: its listing has gaps, so an asset that is not in it may still exist.
  has_gap INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (scan_id, key)
) STRICT, WITHOUT ROWID;

-- When the content of an asset or of a whole scope was last read, and what the platform reported of it then.
CREATE TABLE reading (
  source_id INTEGER NOT NULL REFERENCES source (id) ON DELETE CASCADE,
  -- Key of an asset or of a scope.
  key TEXT NOT NULL,
  mark TEXT NOT NULL,
  -- Start of the scan that read all of it.
  read_at INTEGER NOT NULL,
  -- Start of the newest scan that found it unchanged, or read it.
  checked_at INTEGER NOT NULL,
  PRIMARY KEY (source_id, key)
) STRICT, WITHOUT ROWID;

-- The results of link checks, kept across scans until they expire.
CREATE TABLE link_check (
  url TEXT PRIMARY KEY,
  verdict TEXT NOT NULL CHECK (json_valid(verdict)),
  checked_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Detectors that users have defined: rules with examples, run by every scan.
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

-- ---------------------------------------------------------------------------------------------------------------------
-- Assets
-- ---------------------------------------------------------------------------------------------------------------------

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
  checksum TEXT NOT NULL DEFAULT '',
  -- The detectors that last examined the content, with their configuration.
  detectors_hash TEXT,
  status TEXT NOT NULL CHECK (status IN ('ACTIVE', 'DELETED')),
  facts TEXT CHECK (facts IS NULL OR json_valid(facts)),
  content_created_at INTEGER,
  content_updated_at INTEGER,
  first_seen_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  last_scanned_at INTEGER,
  -- The newest scan that listed it, and in how many complete scans in a row it was missing.
  seen_scan_id INTEGER,
  missed INTEGER NOT NULL DEFAULT 0,
  deleted_at INTEGER,
  -- The newest scan that counted it as missing, so that a resumed scan counts it once.
  missed_scan_id INTEGER,
  owner_id INTEGER NOT NULL DEFAULT 0,
  labels_id INTEGER NOT NULL DEFAULT 0,
  -- The BI dataset that it is or belongs to, where datasets are containers; a word.
  dataset_id INTEGER NOT NULL DEFAULT 0,
  -- The container of its container, such as the workspace of a table's dataset; a word.
  parent_container_id INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0 CHECK (archived IN (0, 1)),
  -- When its earlier versions were last read; NULL: not since its content was.
  history_read_at INTEGER,
  -- The newest of its earlier versions that was read for findings of its own.
  history_version INTEGER NOT NULL DEFAULT 0,
  -- Who can read it: see `audienceCodes` in src/store/schema.ts; 0: unknown. The number of people; NULL: not known.
  audience INTEGER NOT NULL DEFAULT 0 CHECK (audience BETWEEN 0 AND 4),
  audience_size INTEGER,
  UNIQUE (source_id, key)
) STRICT;
CREATE INDEX asset_by_scope ON asset (source_id, scope_key, status);
-- Links may name a page by its title.
CREATE INDEX asset_by_name ON asset (source_id, name COLLATE NOCASE);

-- Changes of the audience of assets; a size that is NULL is not known.
CREATE TABLE audience_change (
  asset_id INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  was INTEGER NOT NULL,
  was_size INTEGER,
  now INTEGER NOT NULL,
  now_size INTEGER,
  PRIMARY KEY (asset_id, seq)
) STRICT, WITHOUT ROWID;

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

-- What a detector stores of an asset's text to compare it later: counts, keyed hashes and positions, no words.
CREATE TABLE asset_digest (
  asset_id INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
  detector_id INTEGER NOT NULL REFERENCES word (id),
  -- 0: some of the text could not be read.
  whole INTEGER NOT NULL CHECK (whole IN (0, 1)),
  data BLOB NOT NULL,
  PRIMARY KEY (asset_id, detector_id)
) STRICT;

-- Sections of assets that the newest scan did not read. What was found in them stays as it is.
CREATE TABLE unread_section (
  asset_id INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
  -- Empty: the whole asset.
  section TEXT NOT NULL,
  reason TEXT NOT NULL,
  detail TEXT NOT NULL DEFAULT '',
  -- 1: an earlier scan has read it.
  was_read INTEGER NOT NULL CHECK (was_read IN (0, 1)),
  scan_id INTEGER NOT NULL,
  PRIMARY KEY (asset_id, section)
) STRICT, WITHOUT ROWID;
CREATE INDEX unread_section_by_scan ON unread_section (scan_id);

-- ---------------------------------------------------------------------------------------------------------------------
-- Findings
-- ---------------------------------------------------------------------------------------------------------------------

-- One row for each combination of facets that occurs; a finding has its id.
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
  -- Where it can be read: 0 in the present version, 1 of an archived item, 2 only in an earlier version, 3 in the trash,
  -- 4 unknown.
  presence INTEGER NOT NULL DEFAULT 0 CHECK (presence BETWEEN 0 AND 4),
  -- How many findings have the combination.
  n INTEGER NOT NULL DEFAULT 0,
  UNIQUE (source_id, detector_id, type_id, category_id, custom_key_id, severity, status, presence)
) STRICT;

-- Clustered by asset, so that scanning an asset again reads and writes neighbouring rows only.
CREATE TABLE finding (
  asset_id INTEGER NOT NULL REFERENCES asset (id) ON DELETE CASCADE,
  -- 47-bit keyed hash of the value and its place.
  fp INTEGER NOT NULL,
  id INTEGER NOT NULL UNIQUE,
  combo_id INTEGER NOT NULL REFERENCES combo (id),
  first_detected_at INTEGER NOT NULL,
  -- Confidence in ten-thousandths.
  conf_q INTEGER NOT NULL CHECK (conf_q BETWEEN 0 AND 10000),
  -- NULL: when its asset was last scanned.
  last_detected_at INTEGER,
  resolved_at INTEGER,
  location TEXT,
  excerpt TEXT,
  -- Keyed hash of the value alone: the same in every asset that has it. NULL where a finding has no value of its own.
  value_fp INTEGER,
  -- Of a secret, a datum of a person, or an import with a key of it: 47-bit keyed hash of the normalised value, whatever
  -- type it was found as.
  value_id INTEGER,
  PRIMARY KEY (asset_id, fp)
) STRICT, WITHOUT ROWID;
-- The columnar index is built from it without reading the table.
CREATE INDEX finding_by_time ON finding (first_detected_at, combo_id, conf_q, asset_id, id, value_id);
CREATE INDEX finding_by_value ON finding (value_id) WHERE value_id IS NOT NULL;
CREATE INDEX finding_by_resolution ON finding (resolved_at, combo_id, first_detected_at) WHERE resolved_at IS NOT NULL;

-- Every change of a finding's status. The status before the first row is that row's from_status.
CREATE TABLE status_change (
  finding_id INTEGER NOT NULL REFERENCES finding (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  from_status INTEGER NOT NULL CHECK (from_status BETWEEN 0 AND 3),
  to_status INTEGER NOT NULL CHECK (to_status BETWEEN 0 AND 3),
  actor TEXT NOT NULL,
  reason TEXT,
  scan_id INTEGER,
  -- The interface and the program that the change was made through; NULL for a scan.
  via TEXT,
  client TEXT,
  -- When the decision ends; NULL: never.
  until INTEGER,
  -- Of a change to RESOLVED: the time of an earlier resolution that it restores; NULL: its own time.
  resolved_at INTEGER,
  PRIMARY KEY (finding_id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX status_change_by_time ON status_change (at, finding_id);

-- The scopes of imports that have a finding: what a complete file of its scope no longer contains is resolved.
CREATE TABLE finding_scope (
  -- Keyed hash of the tool and what its scope is called.
  scope INTEGER NOT NULL,
  finding_id INTEGER NOT NULL REFERENCES finding (id) ON DELETE CASCADE,
  PRIMARY KEY (scope, finding_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX finding_scope_by_finding ON finding_scope (finding_id);
-- Every change of a finding's presence.
CREATE TABLE presence_change (
  finding_id INTEGER NOT NULL REFERENCES finding (id) ON DELETE CASCADE,
  seq INTEGER NOT NULL,
  at INTEGER NOT NULL,
  presence INTEGER NOT NULL CHECK (presence BETWEEN 0 AND 4),
  PRIMARY KEY (finding_id, seq)
) STRICT, WITHOUT ROWID;

-- Decisions that end by themselves. A row is deleted when its end is in the history, or another decision replaces it.
CREATE TABLE expiry (
  finding_id INTEGER PRIMARY KEY REFERENCES finding (id) ON DELETE CASCADE,
  at INTEGER NOT NULL,
  -- The status from then on: 0 OPEN; 1 RESOLVED, if a complete scan since the decision has not found it.
  to_status INTEGER NOT NULL DEFAULT 0 CHECK (to_status IN (0, 1))
) STRICT;
CREATE INDEX expiry_by_time ON expiry (at);

-- Standing decisions: findings of later scans that match get the status at once.
CREATE TABLE suppression (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  filters TEXT NOT NULL CHECK (json_valid(filters)),
  value_fp INTEGER,
  -- JSON list of fields and linear-time patterns; all must match.
  patterns TEXT NOT NULL CHECK (json_valid(patterns)),
  -- 2 FALSE_POSITIVE, 3 IGNORED.
  status INTEGER NOT NULL CHECK (status IN (2, 3)),
  reason TEXT NOT NULL,
  created_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- From when on it changes nothing more; NULL: never.
  until INTEGER
) STRICT;

-- ---------------------------------------------------------------------------------------------------------------------
-- The change log, from which columnar indexes are updated
-- ---------------------------------------------------------------------------------------------------------------------

-- What changed in the facets of findings, one row for each transaction; `log.store.ts` defines the layout of delta.
CREATE TABLE facet_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  at INTEGER NOT NULL,
  -- The number of entries.
  n INTEGER NOT NULL,
  delta BLOB NOT NULL
) STRICT;

-- Assets whose facets changed. New ones are known by their greater ids.
CREATE TABLE asset_log (
  seq INTEGER PRIMARY KEY AUTOINCREMENT,
  asset_id INTEGER NOT NULL
) STRICT;
CREATE TRIGGER asset_log_update AFTER UPDATE ON asset
WHEN old.kind_id <> new.kind_id OR old.container_id <> new.container_id OR old.source_id <> new.source_id
  OR old.owner_id <> new.owner_id OR old.labels_id <> new.labels_id
  OR old.status <> new.status OR (old.last_scanned_at IS NULL) <> (new.last_scanned_at IS NULL)
BEGIN
  INSERT INTO asset_log (asset_id) VALUES (new.id);
  DELETE FROM asset_log WHERE seq <= (SELECT max(seq) FROM asset_log) - 20000;
END;
CREATE TRIGGER asset_log_dataset AFTER UPDATE OF dataset_id ON asset WHEN old.dataset_id <> new.dataset_id
BEGIN
  INSERT INTO asset_log (asset_id) VALUES (new.id);
END;
CREATE TRIGGER asset_log_audience AFTER UPDATE OF audience ON asset WHEN old.audience <> new.audience
BEGIN
  INSERT INTO asset_log (asset_id) VALUES (new.id);
END;

-- The stored snapshots of the columnar index: files named by a random mark. The row is written after everything that the
-- snapshot includes, so a database that has the row has that history.
CREATE TABLE engine_snapshot (
  mark TEXT PRIMARY KEY,
  -- SHA-256 of the file's header, which has the checksums of all other parts.
  digest TEXT NOT NULL,
  -- The last entries of the change logs that it includes.
  seq INTEGER NOT NULL,
  asset_seq INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------------------------------
-- Imports
-- ---------------------------------------------------------------------------------------------------------------------

-- Files that were read wait in plain rows, and one transaction applies all rows of a file.
CREATE TABLE import_file (
  -- Also that of the scan that applies it.
  uid TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  -- 1 once the whole file was found valid: from then on it is applied, whatever happens.
  accepted INTEGER NOT NULL DEFAULT 0,
  -- JSON of what a complete file covers: its scopes, and whether many of their findings may vanish. NULL: not complete.
  complete_file TEXT CHECK (complete_file IS NULL OR json_valid(complete_file))
) STRICT, WITHOUT ROWID;

-- The assets that a file describes; columns that are NULL keep what is stored.
CREATE TABLE import_asset (
  uid TEXT NOT NULL REFERENCES import_file (uid) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  key TEXT NOT NULL,
  kind TEXT,
  name TEXT,
  url TEXT,
  container TEXT,
  owner TEXT,
  labels TEXT CHECK (labels IS NULL OR json_valid(labels)),
  content_updated_at INTEGER,
  audience TEXT,
  audience_size INTEGER,
  -- Set while the file is applied.
  asset_id INTEGER,
  PRIMARY KEY (uid, number)
) STRICT, WITHOUT ROWID;

-- The combinations of facets in a file.
CREATE TABLE import_facets (
  uid TEXT NOT NULL REFERENCES import_file (uid) ON DELETE CASCADE,
  number INTEGER NOT NULL,
  detector_type TEXT NOT NULL,
  finding_type TEXT NOT NULL,
  category TEXT NOT NULL,
  custom_detector_key TEXT NOT NULL,
  severity TEXT NOT NULL,
  status TEXT NOT NULL,
  -- The scope that reports them, as in finding_scope; NULL: none.
  scope INTEGER,
  presence TEXT NOT NULL,
  -- Set while the file is applied.
  combo_id INTEGER,
  PRIMARY KEY (uid, number)
) STRICT, WITHOUT ROWID;

-- The findings of a file, in its order.
CREATE TABLE import_finding (
  uid TEXT NOT NULL REFERENCES import_file (uid) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  -- Numbers of rows of import_asset and import_facets.
  asset INTEGER NOT NULL,
  facets INTEGER NOT NULL,
  fp INTEGER NOT NULL,
  first_detected_at INTEGER NOT NULL,
  last_detected_at INTEGER,
  resolved_at INTEGER,
  conf_q INTEGER NOT NULL,
  -- 1 if the file does not give resolved_at, so that it does not correct a stored one.
  undated INTEGER NOT NULL,
  excerpt TEXT,
  -- Where in its file the finding is; JSON like that of finding.location.
  location TEXT,
  value_id INTEGER,
  PRIMARY KEY (uid, ordinal)
) STRICT, WITHOUT ROWID;

-- ---------------------------------------------------------------------------------------------------------------------
-- Definitions
-- ---------------------------------------------------------------------------------------------------------------------

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
  -- Hashes of all that the number depends on, as it was when certified; a difference is drift.
  certified_digest TEXT,
  deprecated_by TEXT,
  deprecated_at INTEGER,
  deprecation_reason TEXT,
  replaced_by TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- Which direction of change is good; NULL: neither.
  better TEXT CHECK (better IN ('lower', 'higher')),
  -- JSON list of what must hold for its value.
  tests TEXT NOT NULL DEFAULT '[]' CHECK (json_valid(tests)),
  -- JSON list of the tests that failed, in words; NULL: none did.
  failing TEXT CHECK (failing IS NULL OR json_valid(failing)),
  -- watch_signal.scans when the tests were run last; a greater one there makes them due.
  tested_scans INTEGER NOT NULL DEFAULT 0
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

-- Terms and metrics whose texts an assistant wrote, and that no person has changed or certified since.
CREATE TABLE unreviewed (
  kind TEXT NOT NULL CHECK (kind IN ('term', 'metric')),
  name TEXT NOT NULL,
  PRIMARY KEY (kind, name)
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

-- In how many days findings are due, by severity: one policy for all findings, and one for those of each of some terms.
CREATE TABLE sla_policy (
  id INTEGER PRIMARY KEY,
  -- The slug of its term; _all for the policy of all findings.
  name TEXT NOT NULL UNIQUE,
  term_id INTEGER UNIQUE REFERENCES term (id),
  days TEXT NOT NULL CHECK (json_valid(days)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

-- A hash of each definition as it was written, which shows a change by the disk or another program.
CREATE TABLE definition_digest (
  kind TEXT NOT NULL,
  name TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- Full text of names, descriptions and synonyms; rowid is the id of the term or metric.
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

-- Counts the changes of definitions: the index of findings and the search of texts read them again after each.
CREATE TABLE definition_count (n INTEGER NOT NULL) STRICT;
INSERT INTO definition_count (n) VALUES (1);
CREATE TRIGGER metric_insert_counts AFTER INSERT ON metric BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER metric_update_counts AFTER UPDATE ON metric BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER metric_delete_counts AFTER DELETE ON metric BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER term_insert_counts AFTER INSERT ON term BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER term_update_counts AFTER UPDATE ON term BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER term_delete_counts AFTER DELETE ON term BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER source_insert_counts AFTER INSERT ON source BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER source_update_counts AFTER UPDATE ON source BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER source_delete_counts AFTER DELETE ON source BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER custom_insert_counts AFTER INSERT ON custom_detector BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER custom_update_counts AFTER UPDATE ON custom_detector BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER custom_delete_counts AFTER DELETE ON custom_detector BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER sla_insert_counts AFTER INSERT ON sla_policy BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER sla_update_counts AFTER UPDATE ON sla_policy BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER sla_delete_counts AFTER DELETE ON sla_policy BEGIN UPDATE definition_count SET n = n + 1; END;

-- ---------------------------------------------------------------------------------------------------------------------
-- Watches
-- ---------------------------------------------------------------------------------------------------------------------

-- Named conditions on metrics. What an evaluation changes is in other tables, so that a definition keeps its digest.
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

-- scans counts the scans and imports that ended, revision the changes of what watches and proposals show; any process may
-- compare them.
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

-- Changes that somebody may not make alone, until they are approved, rejected or 14 days old. changes holds the entries of
-- the audit trail that a dry run wrote; an approval that would write others is refused.
CREATE TABLE proposal (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  operation TEXT NOT NULL,
  input TEXT NOT NULL CHECK (json_valid(input)),
  summary TEXT NOT NULL,
  changes TEXT NOT NULL CHECK (json_valid(changes)),
  proposer TEXT NOT NULL,
  proposer_id TEXT,
  via TEXT NOT NULL,
  client TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'open' CHECK (status IN ('open', 'approved', 'rejected', 'failed')),
  decider TEXT,
  decided_at INTEGER,
  reason TEXT
) STRICT;
CREATE INDEX proposal_by_status ON proposal (status, id);
CREATE TRIGGER proposal_insert_revises AFTER INSERT ON proposal BEGIN UPDATE watch_signal SET revision = revision + 1; END;
CREATE TRIGGER proposal_update_revises AFTER UPDATE ON proposal BEGIN UPDATE watch_signal SET revision = revision + 1; END;

-- ---------------------------------------------------------------------------------------------------------------------
-- The terms, metrics and the dashboard that every installation begins with: ordinary rows, to be changed or deleted
-- ---------------------------------------------------------------------------------------------------------------------

INSERT INTO term (uid, slug, display_name, description, category, filter_mapping, color, icon, synonyms, created_at, updated_at)
WITH default_term (slug, display_name, description, category, filter_mapping, color, icon, synonyms) AS (VALUES
  ('security-threats', 'Security threats',
    'Credentials, keys and other secrets that lie in the open, and text that tries to take over an AI assistant.',
    'SECURITY', '{"detectorTypes":["SECRETS","PROMPT_INJECTION"]}', '#d92d20', 'shield-alert',
    '["security issues","security risks","leaked secrets"]'),
  ('pii-exposure', 'PII exposure',
    'Personal data, such as email addresses, phone numbers, payment cards and national ids, where more people can read it than should.',
    'PRIVACY', '{"detectorTypes":["PII"]}', '#9333ea', 'user-lock',
    '["personal data","privacy issues","PII"]'),
  ('broken-content', 'Broken content',
    'Links and references that lead nowhere: pages, attachments, datasets and websites that are gone.',
    'CONTENT', '{"detectorTypes":["BROKEN_LINKS"]}', '#ea580c', 'link-off',
    '["broken links","dead links"]'),
  ('data-quality', 'Data quality',
    'Content that is stale, empty, undescribed, without an owner, or kept in several copies.',
    'QUALITY', '{"detectorTypes":["DUPLICATE","CONTENT_QUALITY"]}', '#0d9488', 'clipboard-check',
    '["content quality","quality issues","stale content"]'),
  ('critical-findings', 'Critical findings',
    'Findings of the highest severity, whatever they are about.',
    'PRIORITY', '{"severities":["CRITICAL"]}', '#b91c1c', 'alert-octagon',
    '["critical issues","most severe findings"]'),
  ('unresolved-issues', 'Unresolved issues',
    'Findings that nobody has resolved, ignored or marked as a false positive yet.',
    'PRIORITY', '{"statuses":["OPEN"]}', '#2563eb', 'inbox',
    '["open issues","unresolved findings","backlog"]'),
  ('publicly-readable', 'Publicly readable',
    'Findings in items that everyone in the organization can read, or anyone on the web.',
    'PRIORITY', '{"audiences":["anonymous","everyone"]}', '#be185d', 'globe',
    '["readable by everyone","open to all","public items"]')
)
SELECT new_uid(), slug, display_name, description, category, filter_mapping, color, icon, synonyms, at, at
FROM default_term, (SELECT now_ms() AS at);

-- certified_digest is what the code computes for these definitions. Metrics of due dates are for people to certify once
-- there is a policy.
INSERT INTO metric (uid, slug, display_name, description, type, definition, allowed_dimensions, format, unit, term_id, synonyms, certified_digest,
  status, version, certified_by, certified_version, certified_via, certified_at, created_at, updated_at, better)
WITH default_metric (slug, display_name, description, type, definition, format, unit, better, term_slug, synonyms, digest) AS (VALUES
  ('total-findings', 'Total findings',
    'How many findings there are, whatever their status; in a time range, those first detected in it.',
    'SIMPLE', '{"aggregation":"COUNT","entity":"finding"}', 'number', 'findings', 'lower', NULL,
    '["all findings","finding count","number of findings"]', '{"definition":"498350d39059789a"}'),
  ('open-findings', 'Open findings',
    'How many findings were open at the end of the time range; without one, how many are open now.',
    'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"}', 'number', 'findings', 'lower', NULL,
    '["current findings","outstanding findings"]', '{"definition":"d351de1d46c8956a"}'),
  ('new-findings', 'New findings',
    'How many findings were detected for the first time in the time range.',
    'SIMPLE', '{"aggregation":"COUNT","entity":"finding","timeField":"firstDetectedAt"}', 'number', 'findings', 'lower', NULL,
    '["newly detected findings","incoming findings"]', '{"definition":"e6de73ea2c7150f7"}'),
  ('critical-open-findings', 'Critical open findings',
    'How many findings of the term critical-findings were open at the end of the time range.',
    'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"}', 'number', 'findings', 'lower', 'critical-findings',
    '["open critical findings"]', '{"definition":"9b2d0d35b50febcc","term critical-findings":"d5ddaceeb5755722"}'),
  ('false-positive-rate', 'False positive rate',
    'The share of all findings that people have marked as false positives.',
    'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["FALSE_POSITIVE"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}}', 'percentage', '%', 'lower', NULL,
    '["false alarm rate","fp rate"]', '{"definition":"0ef471641964685d"}'),
  ('resolution-rate', 'Resolution rate',
    'The share of all findings that are resolved.',
    'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["RESOLVED"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}}', 'percentage', '%', 'higher', NULL,
    '["share resolved","fix rate"]', '{"definition":"ecea7625228da6f3"}'),
  ('affected-assets', 'Affected assets',
    'How many pages, reports and other assets had at least one open finding at the end of the time range.',
    'SIMPLE', '{"aggregation":"COUNT_DISTINCT","entity":"finding","field":"assetId","filters":{"statuses":["OPEN"]},"mode":"stock"}', 'number', 'assets', 'lower', NULL,
    '["assets with findings","affected pages"]', '{"definition":"0a2775245fe28e9e"}'),
  ('distinct-secrets', 'Distinct secrets',
    'How many different secrets were open at the end of the time range, each counted once wherever it stands.',
    'SIMPLE', '{"aggregation":"COUNT_DISTINCT","entity":"finding","field":"value","filters":{"detectorTypes":["SECRETS"],"statuses":["OPEN"]},"mode":"stock"}', 'number', 'secrets', 'lower', NULL,
    '["unique secrets","leaked secrets","different secrets"]', '{"definition":"a0a82dc5aa52fd6a"}'),
  ('scan-coverage', 'Scan coverage',
    'The share of the known assets that have been scanned at least once.',
    'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"asset","filters":{"scanned":true}},"denominator":{"aggregation":"COUNT","entity":"asset"}}', 'percentage', '%', 'higher', NULL,
    '["coverage","scanned share"]', '{"definition":"92cf7504247cc675"}'),
  ('average-confidence', 'Average confidence',
    'How sure the detectors are of their findings on average, from 0 to 1.',
    'SIMPLE', '{"aggregation":"AVG","entity":"finding","field":"confidence"}', 'number', '', NULL, NULL,
    '["mean confidence","detection confidence"]', '{"definition":"c9ce443d062d3413"}'),
  ('mean-time-to-resolve', 'Mean time to resolve',
    'How many hours it took on average from the first detection of a finding to its resolution, for those resolved in the time range.',
    'SIMPLE', '{"aggregation":"AVG","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"}', 'duration', 'hours', 'lower', NULL,
    '["MTTR","time to fix","resolution time"]', '{"definition":"ea5ccade15e33926"}'),
  ('weekly-finding-trend', 'Weekly finding trend',
    'How the number of new findings of the last 7 days has changed against the 7 days before.',
    'TREND', '{"baseMetricSlug":"new-findings","currentWindow":"7d","compareWindow":"7d"}', 'percentage', '%', 'lower', NULL,
    '["weekly trend","week over week","finding trend"]', '{"definition":"eb13789768ce8b94","metric new-findings":"e6de73ea2c7150f7"}'),
  ('median-time-to-resolve', 'Median time to resolve',
    'How many hours it took in the middle case from the first detection of a finding to its resolution, for those resolved in the time range.',
    'SIMPLE', '{"aggregation":"MEDIAN","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"}', 'duration', 'hours', 'lower', NULL,
    '["typical time to fix","median resolution time"]', '{"definition":"1605fd291792e1ae"}'),
  ('exposed-secrets', 'Exposed secrets',
    'How many secrets were open at the end of the time range in items that everyone in the organization can read, or anyone on the web.',
    'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"detectorTypes":["SECRETS"],"statuses":["OPEN"]},"mode":"stock"}', 'number', 'secrets', 'lower', 'publicly-readable',
    '["public secrets","secrets that everyone can read"]', '{"definition":"038e08a2ddeafd20","term publicly-readable":"f606e93a7ece6333"}'),
  ('overdue-findings', 'Overdue findings',
    'Open findings whose due date has passed, at the end of the time range. It needs a policy of due dates.',
    'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"overdue":true},"mode":"stock"}', 'number', 'findings', NULL, NULL,
    '["past due findings","missed deadlines"]', NULL),
  ('sla-compliance', 'SLA compliance',
    'Findings closed by their due date, among those that are closed or due. It needs a policy of due dates.',
    'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"sla":["MET"]}},"denominator":{"aggregation":"COUNT","entity":"finding","filters":{"sla":["MET","MISSED"]}}}', 'percentage', '', NULL, NULL,
    '["due date compliance","deadline compliance"]', NULL)
)
SELECT new_uid(), slug, display_name, description, type, definition,
  CASE definition ->> '$.numerator.entity' WHEN 'asset' THEN '[' ELSE '["severity","detectorType","status","presence","findingType","category","customDetectorKey","value",' END
    || '"source","sourceType","assetKind","container","asset","owner","label","dataset","audience"]',
  format, unit, (SELECT id FROM term WHERE term.slug = term_slug), synonyms, digest,
  iif(digest IS NULL, 'DRAFT', 'ACTIVE'), 1, iif(digest IS NULL, NULL, 'assay'), iif(digest IS NULL, NULL, 1), iif(digest IS NULL, NULL, 'cli'),
  iif(digest IS NULL, NULL, at), at, at, better
FROM default_metric, (SELECT now_ms() AS at);

INSERT INTO metric_version (metric_id, version, at, actor, via, snapshot)
SELECT id, 1, created_at, 'assay', 'cli', json_object(
  'displayName', display_name, 'description', description, 'type', type, 'definition', json(definition),
  'allowedDimensions', json(allowed_dimensions), 'format', format, 'unit', unit, 'emptyAs', empty_as,
  'glossaryTermSlug', (SELECT term.slug FROM term WHERE term.id = term_id))
FROM metric ORDER BY id;

INSERT INTO dashboard (name, created_at) VALUES ('discovery', now_ms());
INSERT INTO placement (dashboard_id, metric_id, position, size, chart_type)
SELECT dashboard.id, metric.id, row_number() OVER (ORDER BY metric.id), 'md', 'number' FROM metric, dashboard WHERE metric.status = 'ACTIVE';

INSERT INTO audit (at, actor, via, action, kind, name, after)
SELECT created_at, 'assay', 'cli', 'create', 'term', slug, json_object(
  'id', uid, 'slug', slug, 'displayName', display_name, 'description', description, 'category', category,
  'filterMapping', json(filter_mapping), 'synonyms', json(synonyms), 'isActive', json('true'), 'color', color, 'icon', icon,
  'createdAt', strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch'),
  'updatedAt', strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch'))
FROM term ORDER BY id;
INSERT INTO audit (at, actor, via, action, kind, name, after)
SELECT metric.created_at, 'assay', 'cli', 'certify', 'metric', metric.slug, json_patch(metric_version.snapshot, json_object(
  'id', metric.uid, 'slug', metric.slug, 'status', status, 'version', metric.version, 'synonyms', json(synonyms),
  'certifiedBy', certified_by, 'certifiedVersion', certified_version, 'certifiedVia', certified_via,
  'certifiedAt', strftime('%Y-%m-%dT%H:%M:%fZ', certified_at / 1000.0, 'unixepoch')))
FROM metric JOIN metric_version ON metric_version.metric_id = metric.id WHERE metric.status = 'ACTIVE' ORDER BY metric.id;
INSERT INTO audit (at, actor, via, action, kind, name, after)
SELECT dashboard.created_at, 'assay', 'cli', 'create', 'placement', dashboard.name || '/' || metric.slug, json_object(
  'dashboard', dashboard.name, 'metricSlug', metric.slug, 'pinnedFilters', NULL, 'size', size, 'position', position, 'chartType', chart_type)
FROM placement JOIN dashboard ON dashboard.id = dashboard_id JOIN metric ON metric.id = metric_id ORDER BY position;
