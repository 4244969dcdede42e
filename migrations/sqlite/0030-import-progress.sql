-- Waiting findings stand many to a row of import_row, as a JSON list; so many of the first row's are stored.
ALTER TABLE import_file ADD COLUMN stored INTEGER NOT NULL DEFAULT 0;
