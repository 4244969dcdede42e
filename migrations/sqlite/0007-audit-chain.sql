-- A hash over each entry of the audit trail and the hash before it, so that an entry changed or taken out behind our back shows.
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
