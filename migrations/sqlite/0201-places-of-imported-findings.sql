-- Where in its file an imported finding is; JSON like that of finding.location.
ALTER TABLE import_finding ADD COLUMN location TEXT;
