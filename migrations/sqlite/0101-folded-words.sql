-- Words with their letter case folded, because filters compare them without it.
ALTER TABLE word ADD COLUMN folded TEXT NOT NULL DEFAULT '';
UPDATE word SET folded = fold_case(text);
CREATE INDEX word_by_folded ON word (folded);
