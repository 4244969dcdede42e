-- Authenticates the cursors of lists; not a credential, so it is kept with what the cursors lead to.
INSERT INTO install (name, value) VALUES ('cursor_key', lower(hex(randomblob(32))));
