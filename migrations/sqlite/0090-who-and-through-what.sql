-- The program that a change came through, and for findings the door too; null where that was not kept, or is a scan.
ALTER TABLE audit ADD COLUMN client TEXT;
ALTER TABLE status_change ADD COLUMN via TEXT;
ALTER TABLE status_change ADD COLUMN client TEXT;
CREATE INDEX audit_by_kind ON audit (kind, at);
