/** A table, index or trigger as SQLite stores it. */
export interface SchemaObject {
  type: string
  name: string
  sql: string
}

/** What statements ask SQLite about. */
const introspection = `
  CREATE VIEW sqlite_schema AS SELECT 'index' AS type, indexname::text AS name FROM pg_indexes WHERE schemaname = 'main';
  CREATE FUNCTION total_changes() RETURNS bigint LANGUAGE sql
    AS 'SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint + (SELECT version FROM main.write_scope) * 4294967296 FROM pg_stat_xact_user_tables';
  CREATE FUNCTION pragma_table_info(wanted text, of_schema text) RETURNS TABLE (name text) LANGUAGE sql
    AS 'SELECT column_name::text FROM information_schema.columns WHERE table_name = $1 AND table_schema = $2 ORDER BY ordinal_position';
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
  CREATE TYPE percentile_state AS (items double precision[], p double precision);
  CREATE FUNCTION percentile_step(percentile_state, double precision, double precision) RETURNS percentile_state
    LANGUAGE sql IMMUTABLE AS 'SELECT row(array_append(($1).items, $2), $3)::percentile_state';
  CREATE FUNCTION percentile_end(percentile_state) RETURNS double precision LANGUAGE sql IMMUTABLE
    AS 'SELECT percentile_of(($1).items, ($1).p)';
  CREATE AGGREGATE percentile_cont(double precision, double precision)
    (SFUNC = percentile_step, STYPE = percentile_state, FINALFUNC = percentile_end);
`

/**
 * The last numbers of the change logs. A number is taken in the transaction that writes the row, under the lock of this
 * row, so that the numbers of each log have no gaps and are in the order of the commits; those of a sequence are neither.
 */
const logNumbers = `
  CREATE TABLE sqlite_sequence (name text PRIMARY KEY, seq bigint NOT NULL);
  INSERT INTO sqlite_sequence VALUES ('facet_log', 0), ('asset_log', 0);
  CREATE FUNCTION take_log_number() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = TG_TABLE_NAME RETURNING seq INTO new.seq;
    RETURN new;
  END $$;
  CREATE TRIGGER facet_log_number BEFORE INSERT ON facet_log FOR EACH ROW EXECUTE FUNCTION take_log_number();
  CREATE TRIGGER asset_log_number BEFORE INSERT ON asset_log FOR EACH ROW EXECUTE FUNCTION take_log_number();
`

/** Its row is changed first by each transaction that writes, so that only one writes at a time, as in SQLite. */
const writeLock = `
  CREATE TABLE write_scope (version bigint NOT NULL);
  INSERT INTO write_scope VALUES (0);
`

const TEXT_INDEX = /_text(?:_(?:data|idx|content|docsize|config))?$|_text_(?:insert|update|delete)$/

/**
 * The statements that create the schema in PostgreSQL, from the objects of SQLite's in their order of creation. Triggers
 * come after the first rows.
 */
export function toPostgresSchema(objects: readonly SchemaObject[]): {
  tables: { sql: string; names: string[] }
  triggers: string
} {
  const own = objects.filter(({ name }) => !TEXT_INDEX.test(name) && !name.startsWith('sqlite_'))
  const of = (type: string) => own.filter((object) => object.type === type)
  const tables = of('table')
  const sql = [
    'CREATE SCHEMA main;',
    functions,
    ...tables.map((table) => toTable(table.sql)),
    ...of('index').map((index) => `${index.sql.replace(/(\w+) COLLATE NOCASE/g, 'lower($1)')};`),
    writeLock,
    introspection,
  ]
  return {
    tables: { sql: sql.join('\n'), names: tables.map(({ name }) => name) },
    triggers: [logNumbers, ...of('trigger').map(toTrigger)].join('\n'),
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
    .replace(/\bINTEGER\b/g, 'BIGINT')
    .replace(/\bBLOB\b/g, 'BYTEA')
    .replace(/\bREAL\b/g, 'DOUBLE PRECISION')};`
}

const TRIGGER =
  /^CREATE TRIGGER (\w+)\s+((?:BEFORE|AFTER) (?:INSERT|DELETE|UPDATE(?: OF [\w, ]+?)?) ON \w+)\s+(?:WHEN ([\s\S]+?)\s+)?BEGIN([\s\S]+)END$/

function toTrigger({ sql, name }: SchemaObject): string {
  const [, , event = '', condition, body = ''] = TRIGGER.exec(sql) ?? []
  if (event === '') throw new TypeError(`the trigger ${name} has an unknown form`)
  const steps = body
    .replace(/SELECT RAISE\(ABORT, ('[^']*')\)/g, 'RAISE EXCEPTION USING MESSAGE = $1')
    .replace(/SELECT max\(seq\) FROM asset_log/g, "SELECT seq FROM sqlite_sequence WHERE name = 'asset_log'")
  const when = condition === undefined ? '' : `WHEN (${condition.replace(/ IS NOT (?!NULL)/g, ' IS DISTINCT FROM ')})`
  return `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${steps} RETURN NULL; END $$;
    CREATE TRIGGER ${name} ${event} FOR EACH ROW ${when} EXECUTE FUNCTION ${name}();`
}
