import type { SchemaObject } from '../move/sqlite-tables.ts'

/** What statements ask SQLite about. */
const introspection = `
  CREATE VIEW sqlite_schema AS SELECT 'index' AS type, indexname::text AS name FROM pg_indexes WHERE schemaname = 'main';
`

/** Functions of SQLite that PostgreSQL lacks, and others that are defined on each connection to SQLite. */
const functions = `
  CREATE FUNCTION json_valid(text) RETURNS boolean LANGUAGE sql IMMUTABLE AS 'SELECT $1::jsonb IS NOT NULL';
  CREATE FUNCTION json_each(text) RETURNS TABLE (value text) LANGUAGE sql IMMUTABLE
    AS 'SELECT jsonb_array_elements_text($1::jsonb)';
  CREATE FUNCTION json_member(text, text) RETURNS text LANGUAGE sql IMMUTABLE
    AS $$ SELECT jsonb_path_query_first($1::jsonb, $2::jsonpath) #>> '{}' $$;
  CREATE OPERATOR ->> (LEFTARG = text, RIGHTARG = text, FUNCTION = json_member);
  CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS 'SELECT CASE WHEN $1 >= $2 THEN $1 WHEN $1 < $2 THEN $2 END';
  CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE
    AS 'SELECT CASE WHEN $1 <= $2 THEN $1 WHEN $1 > $2 THEN $2 END';
  CREATE FUNCTION min(bigint, bigint, VARIADIC bigint[]) RETURNS bigint LANGUAGE sql IMMUTABLE AS $$
    SELECT CASE WHEN array_position($3, NULL) IS NULL THEN min(min($1, $2), (SELECT min(v) FROM unnest($3) v)) END $$;
  CREATE FUNCTION fold_case(text) RETURNS text LANGUAGE plpgsql IMMUTABLE STRICT AS $$
    DECLARE letter text; folded text := '';
    BEGIN
      IF $1 ~ '^[ -~]*$' THEN RETURN lower($1 COLLATE "C"); END IF;
      FOREACH letter IN ARRAY regexp_split_to_array(normalize($1, NFC), '') LOOP
        folded := folded || CASE letter WHEN 'ı' THEN letter
          ELSE lower(upper(lower(letter COLLATE "und-x-icu") COLLATE "und-x-icu") COLLATE "und-x-icu") END;
      END LOOP;
      RETURN normalize(folded, NFC);
    END $$;
  CREATE FUNCTION percentile_of(double precision[], double precision) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    WITH value AS (SELECT array_agg(v ORDER BY v) AS sorted, count(v) AS n FROM unnest($1) v WHERE v IS NOT NULL),
      place AS (SELECT sorted, n, $2 * (n - 1) AS at, floor($2 * (n - 1))::bigint AS low FROM value)
    SELECT CASE WHEN n > 0 THEN sorted[low + 1]
      + (at - low) * (sorted[CASE WHEN low + 1 < n THEN low + 2 ELSE low + 1 END] - sorted[low + 1]) END FROM place $$;
`

/**
 * The last numbers of the change logs and of names. A number is taken in the transaction that writes the row, under the
 * lock of its counter, so that the numbers are in the order of the commits and those of a log have no gaps; those of a
 * sequence are neither.
 */
const counters = `
  CREATE TABLE sqlite_sequence (name text PRIMARY KEY, seq bigint NOT NULL) WITH (fillfactor = 50);
  INSERT INTO sqlite_sequence SELECT 'facet_log', 0 UNION ALL SELECT 'asset_log', 0
    UNION ALL SELECT 'word', coalesce(max(id), 0) FROM word UNION ALL SELECT 'label_set', coalesce(max(id), 0) FROM label_set;
  ALTER TABLE word ALTER id DROP IDENTITY;
  ALTER TABLE label_set ALTER id DROP IDENTITY;
  ALTER TABLE facet_log ALTER seq DROP IDENTITY;
  ALTER TABLE asset_log ALTER seq DROP IDENTITY;
`

/** What a transaction that writes leaves until its COMMIT, and what says whether that took place. */
const transactions = `
  CREATE TABLE asset_change (transaction_id uuid, asset_id bigint, PRIMARY KEY (transaction_id, asset_id));
  CREATE TABLE transaction_outcome (id uuid PRIMARY KEY, committed boolean NOT NULL, at timestamptz NOT NULL DEFAULT now());
`

/** Ids of findings for transactions that run at the same time. Rows that were copied into the table have others. */
const findingIds = `
  CREATE SEQUENCE finding_id MINVALUE 0;
  SELECT setval('finding_id', 0);
  CREATE FUNCTION take_finding_ids(n bigint) RETURNS SETOF bigint LANGUAGE plpgsql AS $$
    DECLARE newest bigint := (SELECT coalesce(max(id), 0) FROM main.finding);
    BEGIN
      IF newest > (SELECT last_value FROM finding_id) THEN
        PERFORM 1 FROM sqlite_sequence WHERE name = 'word' FOR UPDATE;
        PERFORM setval('finding_id', newest) FROM finding_id WHERE last_value < newest;
      END IF;
      RETURN QUERY SELECT nextval('finding_id') FROM generate_series(1, n);
    END $$;
`

/** A transaction that writes locks the rows of its scopes, or all of them, before anything else. */
const writeScopes = `
  CREATE TABLE write_scope (name text PRIMARY KEY, version bigint NOT NULL DEFAULT 0) WITH (fillfactor = 50);
  INSERT INTO write_scope (name) VALUES ('access'), ('imports'), ('loop');
`

/** The server counts the rows of tables of any size; it would take a table of a few rows that it never counted for an empty one. */
const statistics = 'ALTER TABLE source SET (autovacuum_analyze_threshold = 0);'

const TEXT_INDEX = /_text(?:_(?:data|idx|content|docsize|config))?$|_text_(?:insert|update|delete)$/

/**
 * The statements that create the schema in PostgreSQL, from the objects of SQLite's in their order of creation. Counters
 * come after the first rows. What triggers of SQLite do, connections do themselves.
 */
export function toPostgresSchema(objects: readonly SchemaObject[]): {
  tables: { sql: string; names: string[] }
  indexes: { sql: string; name: string }[]
  counters: string
} {
  const own = objects.filter(({ name }) => !TEXT_INDEX.test(name) && !name.startsWith('sqlite_'))
  const of = (type: string) => own.filter((object) => object.type === type)
  const tables = of('table')
  const sql = [
    'CREATE SCHEMA IF NOT EXISTS main;',
    functions,
    ...tables.map((table) => toTable(table.sql)),
    writeScopes,
    transactions,
    findingIds,
    statistics,
    introspection,
  ]
  return {
    tables: { sql: sql.join('\n'), names: tables.map(({ name }) => name) },
    indexes: of('index').map((index) => ({
      name: index.name,
      sql: `${index.sql.replace(/(\w+) COLLATE NOCASE/g, 'lower($1)')};`,
    })),
    counters,
  }
}

function toTable(sql: string): string {
  return `${sql
    .replace(/\)\s*STRICT(?:, WITHOUT ROWID)?\s*$/, ')')
    .replace(/(\w+) TEXT NOT NULL UNIQUE COLLATE NOCASE/g, '$1 TEXT NOT NULL UNIQUE')
    .replace(
      /(\w+) INTEGER PRIMARY KEY(?: AUTOINCREMENT)?(?! REFERENCES)/g,
      '$1 BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY',
    )
    // The language of a database would sort otherwise than SQLite, which compares the bytes.
    .replace(/\bTEXT\b/g, 'TEXT COLLATE "C"')
    .replace(/\bINTEGER\b/g, 'BIGINT')
    .replace(/\bBLOB\b/g, 'BYTEA')
    .replace(/\bREAL\b/g, 'DOUBLE PRECISION')};`
}
