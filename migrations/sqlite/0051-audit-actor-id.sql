-- Names change hands; this one does not: a token, or an issuer and its subject. Null is the person at this machine.
ALTER TABLE audit ADD COLUMN actor_id TEXT;
