-- When the deletion of a source began: it is shown and counted no more, and what is left of it goes step by step.
ALTER TABLE source ADD COLUMN deleted_at INTEGER;
