-- Terms and metrics whose texts an assistant wrote, and that no person has changed or certified since.
CREATE TABLE unreviewed (
  kind TEXT NOT NULL CHECK (kind IN ('term', 'metric')),
  name TEXT NOT NULL,
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
