-- Which scopes a source has depends on fewer settings than what is read of them.
ALTER TABLE scan ADD COLUMN scope_hash TEXT;
