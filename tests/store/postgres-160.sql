-- The first schema that was published for PostgreSQL, as pg_dump wrote it, without comments.
SET statement_timeout = 0;
SET lock_timeout = 0;
SET idle_in_transaction_session_timeout = 0;
SET client_encoding = 'UTF8';
SET standard_conforming_strings = on;
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
SET xmloption = content;
SET client_min_messages = warning;
SET row_security = off;
CREATE SCHEMA main;
CREATE FUNCTION main.add_write_scope() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
    INSERT INTO write_scope (name) VALUES ('source/' || new.id) ON CONFLICT DO NOTHING;
    RETURN NULL;
  END $$;
CREATE FUNCTION main.asset_log_dataset() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN 
  INSERT INTO asset_log (asset_id) VALUES (new.id);
 RETURN NULL; END $$;
CREATE FUNCTION main.asset_log_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN 
  INSERT INTO asset_log (asset_id) VALUES (new.id);
  DELETE FROM asset_log WHERE seq <= (SELECT seq FROM sqlite_sequence WHERE name = 'asset_log') - 20000;
 RETURN NULL; END $$;
CREATE FUNCTION main.audit_chain_is_append_only_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN 
  RAISE EXCEPTION USING MESSAGE = 'the audit trail is append-only';
 RETURN NULL; END $$;
CREATE FUNCTION main.audit_chain_is_append_only_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN 
  RAISE EXCEPTION USING MESSAGE = 'the audit trail is append-only';
 RETURN NULL; END $$;
CREATE FUNCTION main.audit_is_append_only_delete() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN 
  RAISE EXCEPTION USING MESSAGE = 'the audit trail is append-only';
 RETURN NULL; END $$;
CREATE FUNCTION main.audit_is_append_only_update() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN 
  RAISE EXCEPTION USING MESSAGE = 'the audit trail is append-only';
 RETURN NULL; END $$;
CREATE FUNCTION main.custom_delete_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.custom_insert_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.custom_update_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.fold_case(text) RETURNS text
    LANGUAGE plpgsql IMMUTABLE STRICT
    AS $_$
    DECLARE letter text; folded text := '';
    BEGIN
      IF $1 ~ '^[ -~]*$' THEN RETURN lower($1 COLLATE "C"); END IF;
      FOREACH letter IN ARRAY regexp_split_to_array(normalize($1, NFC), '') LOOP
        folded := folded || CASE letter WHEN 'ı' THEN letter
          ELSE lower(upper(lower(letter COLLATE "und-x-icu") COLLATE "und-x-icu") COLLATE "und-x-icu") END;
      END LOOP;
      RETURN normalize(folded, NFC);
    END $_$;
CREATE FUNCTION main.json_each(text) RETURNS TABLE(value text)
    LANGUAGE sql IMMUTABLE
    AS $_$SELECT jsonb_array_elements_text($1::jsonb)$_$;
CREATE FUNCTION main.json_member(text, text) RETURNS text
    LANGUAGE sql IMMUTABLE
    AS $_$ SELECT jsonb_path_query_first($1::jsonb, $2::jsonpath) #>> '{}' $_$;
CREATE FUNCTION main.json_valid(text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    AS $_$SELECT $1::jsonb IS NOT NULL$_$;
CREATE FUNCTION main.log_new_asset() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM pending_import WHERE source_id = new.source_id) THEN
      INSERT INTO asset_log (asset_id) VALUES (new.id);
      DELETE FROM asset_log WHERE seq <= (SELECT seq FROM sqlite_sequence WHERE name = 'asset_log') - 20000;
    END IF;
    RETURN NULL;
  END $$;
CREATE FUNCTION main.max(bigint, bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $_$SELECT CASE WHEN $1 >= $2 THEN $1 WHEN $1 < $2 THEN $2 END$_$;
CREATE FUNCTION main.metric_delete_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.metric_insert_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.metric_update_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.min(bigint, bigint) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $_$SELECT CASE WHEN $1 <= $2 THEN $1 WHEN $1 > $2 THEN $2 END$_$;
CREATE FUNCTION main.min(bigint, bigint, VARIADIC bigint[]) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    AS $_$
    SELECT CASE WHEN array_position($3, NULL) IS NULL THEN min(min($1, $2), (SELECT min(v) FROM unnest($3) v)) END $_$;
CREATE FUNCTION main.percentile_of(double precision[], double precision) RETURNS double precision
    LANGUAGE sql IMMUTABLE
    AS $_$
    WITH value AS (SELECT array_agg(v ORDER BY v) AS sorted, count(v) AS n FROM unnest($1) v WHERE v IS NOT NULL),
      place AS (SELECT sorted, n, $2 * (n - 1) AS at, floor($2 * (n - 1))::bigint AS low FROM value)
    SELECT CASE WHEN n > 0 THEN sorted[low + 1]
      + (at - low) * (sorted[CASE WHEN low + 1 < n THEN low + 2 ELSE low + 1 END] - sorted[low + 1]) END FROM place $_$;
CREATE FUNCTION main.pragma_table_info(wanted text, of_schema text) RETURNS TABLE(name text)
    LANGUAGE sql
    AS $_$SELECT column_name::text FROM information_schema.columns WHERE table_name = $1 AND table_schema = $2 ORDER BY ordinal_position$_$;
CREATE FUNCTION main.scan_end_signals_watches() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE watch_signal SET scans = scans + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.sla_delete_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.sla_insert_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.sla_update_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.source_delete_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.source_deletion_signals_watches() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE watch_signal SET scans = scans + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.source_insert_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.source_update_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.take_finding_ids(n bigint) RETURNS SETOF bigint
    LANGUAGE plpgsql
    AS $$
    DECLARE newest bigint := (SELECT coalesce(max(id), 0) FROM main.finding);
    BEGIN
      IF newest > (SELECT last_value FROM finding_id) THEN
        PERFORM 1 FROM sqlite_sequence WHERE name = 'word' FOR UPDATE;
        PERFORM setval('finding_id', newest) FROM finding_id WHERE last_value < newest;
      END IF;
      RETURN QUERY SELECT nextval('finding_id') FROM generate_series(1, n);
    END $$;
CREATE FUNCTION main.take_log_number() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
    IF TG_TABLE_NAME = 'asset_log' THEN PERFORM 1 FROM sqlite_sequence WHERE name = 'facet_log' FOR UPDATE; END IF;
    UPDATE sqlite_sequence SET seq = seq + 1 WHERE name = TG_TABLE_NAME RETURNING seq INTO new.seq;
    RETURN new;
  END $$;
CREATE FUNCTION main.take_name_number() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN
    PERFORM 1 FROM sqlite_sequence WHERE name = 'word' FOR UPDATE;
    UPDATE sqlite_sequence SET seq = greatest(seq + 1, new.id) WHERE name = TG_TABLE_NAME AND new.id IS NULL
      RETURNING seq INTO new.id;
    RETURN new;
  END $$;
CREATE FUNCTION main.term_delete_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.term_insert_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.term_update_counts() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE definition_count SET n = n + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.total_changes() RETURNS bigint
    LANGUAGE sql
    AS $$SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::bigint + (SELECT sum(version)::bigint FROM main.write_scope) * 4294967296 FROM pg_stat_xact_user_tables$$;
CREATE FUNCTION main.watch_change_revises() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE watch_signal SET revision = revision + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.watch_delete_revises() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE watch_signal SET revision = revision + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.watch_insert_revises() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE watch_signal SET revision = revision + 1;  RETURN NULL; END $$;
CREATE FUNCTION main.watch_update_revises() RETURNS trigger
    LANGUAGE plpgsql
    AS $$ BEGIN  UPDATE watch_signal SET revision = revision + 1;  RETURN NULL; END $$;
CREATE OPERATOR main.->> (
    FUNCTION = main.json_member,
    LEFTARG = text,
    RIGHTARG = text
);
SET default_tablespace = '';
SET default_table_access_method = heap;
CREATE TABLE main.access_token (
    id text NOT NULL,
    name text NOT NULL,
    scopes text NOT NULL,
    lockdown bigint DEFAULT 0 NOT NULL,
    digest bytea NOT NULL,
    created_by text NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    revoked_at bigint,
    last_used_at bigint
);
CREATE TABLE main.asset (
    id bigint NOT NULL,
    uid text NOT NULL,
    source_id bigint NOT NULL,
    key text NOT NULL,
    kind_id bigint NOT NULL,
    container_id bigint NOT NULL,
    scope_key text DEFAULT ''::text NOT NULL,
    name text NOT NULL,
    url text DEFAULT ''::text NOT NULL,
    checksum text DEFAULT ''::text NOT NULL,
    detectors_hash text,
    status text NOT NULL,
    facts text,
    content_created_at bigint,
    content_updated_at bigint,
    first_seen_at bigint NOT NULL,
    last_seen_at bigint NOT NULL,
    last_scanned_at bigint,
    seen_scan_id bigint,
    missed bigint DEFAULT 0 NOT NULL,
    deleted_at bigint,
    missed_scan_id bigint,
    owner_id bigint DEFAULT 0 NOT NULL,
    labels_id bigint DEFAULT 0 NOT NULL,
    dataset_id bigint DEFAULT 0 NOT NULL,
    parent_container_id bigint DEFAULT 0 NOT NULL,
    CONSTRAINT asset_facts_check CHECK (((facts IS NULL) OR main.json_valid(facts))),
    CONSTRAINT asset_status_check CHECK ((status = ANY (ARRAY['ACTIVE'::text, 'DELETED'::text])))
);
CREATE TABLE main.asset_digest (
    asset_id bigint NOT NULL,
    detector_id bigint NOT NULL,
    whole bigint NOT NULL,
    data bytea NOT NULL,
    CONSTRAINT asset_digest_whole_check CHECK ((whole = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);
ALTER TABLE main.asset ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.asset_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.asset_link (
    asset_id bigint NOT NULL,
    ordinal bigint NOT NULL,
    type text NOT NULL,
    target_key text,
    url text,
    label text,
    detail text,
    CONSTRAINT asset_link_detail_check CHECK (((detail IS NULL) OR main.json_valid(detail)))
);
CREATE TABLE main.asset_log (
    seq bigint NOT NULL,
    asset_id bigint NOT NULL
);
ALTER TABLE main.asset_log ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.asset_log_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.audit (
    seq bigint NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    via text NOT NULL,
    action text NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    before text,
    after text,
    actor_id text,
    client text,
    CONSTRAINT audit_after_check CHECK (((after IS NULL) OR main.json_valid(after))),
    CONSTRAINT audit_before_check CHECK (((before IS NULL) OR main.json_valid(before)))
);
CREATE TABLE main.audit_chain (
    seq bigint NOT NULL,
    digest text NOT NULL
);
ALTER TABLE main.audit_chain ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.audit_chain_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
ALTER TABLE main.audit ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.audit_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.combo (
    id bigint NOT NULL,
    source_id bigint NOT NULL,
    detector_id bigint NOT NULL,
    type_id bigint NOT NULL,
    category_id bigint NOT NULL,
    custom_key_id bigint NOT NULL,
    severity bigint NOT NULL,
    status bigint NOT NULL,
    n bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    CONSTRAINT combo_severity_check CHECK (((severity >= 1) AND (severity <= 5))),
    CONSTRAINT combo_status_check CHECK (((status >= 0) AND (status <= 3)))
);
ALTER TABLE main.combo ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.combo_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.custom_detector (
    id bigint NOT NULL,
    uid text NOT NULL,
    key text NOT NULL,
    display_name text NOT NULL,
    description text NOT NULL,
    enabled bigint NOT NULL,
    definition text NOT NULL,
    version bigint DEFAULT 1 NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT custom_detector_definition_check CHECK (main.json_valid(definition)),
    CONSTRAINT custom_detector_enabled_check CHECK ((enabled = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);
ALTER TABLE main.custom_detector ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.custom_detector_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.dashboard (
    id bigint NOT NULL,
    name text NOT NULL,
    created_at bigint NOT NULL
);
ALTER TABLE main.dashboard ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.dashboard_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.data_key (
    id bigint NOT NULL,
    purpose text NOT NULL,
    wrapped text NOT NULL,
    created_at bigint NOT NULL,
    CONSTRAINT data_key_purpose_check CHECK ((purpose = ANY (ARRAY['credential'::text, 'fingerprint'::text])))
);
ALTER TABLE main.data_key ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.data_key_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.definition_count (
    n bigint NOT NULL
);
CREATE TABLE main.definition_digest (
    kind text NOT NULL,
    name text NOT NULL,
    digest text NOT NULL
);
CREATE TABLE main.earlier_asset (
    import_id bigint NOT NULL,
    asset_id bigint NOT NULL,
    kind_id bigint NOT NULL,
    container_id bigint NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    content_updated_at bigint,
    last_seen_at bigint NOT NULL,
    last_scanned_at bigint,
    owner_id bigint DEFAULT 0 NOT NULL,
    labels_id bigint DEFAULT 0 NOT NULL
);
CREATE TABLE main.earlier_finding (
    import_id bigint NOT NULL,
    finding_id bigint NOT NULL,
    combo_id bigint NOT NULL,
    conf_q bigint NOT NULL,
    last_detected_at bigint,
    resolved_at bigint,
    location text,
    excerpt text,
    value_fp bigint,
    last_seq bigint NOT NULL,
    last_at bigint,
    lines text DEFAULT '[]'::text NOT NULL,
    CONSTRAINT earlier_finding_lines_check CHECK (main.json_valid(lines))
);
CREATE TABLE main.engine_snapshot (
    mark text NOT NULL,
    digest text NOT NULL,
    seq bigint NOT NULL,
    asset_seq bigint NOT NULL
);
CREATE TABLE main.expiry (
    finding_id bigint NOT NULL,
    at bigint NOT NULL,
    to_status bigint DEFAULT 0 NOT NULL,
    CONSTRAINT expiry_to_status_check CHECK ((to_status = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);
CREATE TABLE main.facet_log (
    seq bigint NOT NULL,
    at bigint NOT NULL,
    n bigint NOT NULL,
    delta bytea NOT NULL
);
ALTER TABLE main.facet_log ALTER COLUMN seq ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.facet_log_seq_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.finding (
    asset_id bigint NOT NULL,
    fp bigint NOT NULL,
    id bigint NOT NULL,
    combo_id bigint NOT NULL,
    first_detected_at bigint NOT NULL,
    conf_q bigint NOT NULL,
    last_detected_at bigint,
    resolved_at bigint,
    location text,
    excerpt text,
    value_fp bigint,
    CONSTRAINT finding_conf_q_check CHECK (((conf_q >= 0) AND (conf_q <= 10000)))
);
CREATE SEQUENCE main.finding_id
    START WITH 0
    INCREMENT BY 1
    MINVALUE 0
    NO MAXVALUE
    CACHE 1;
CREATE TABLE main.finished_import (
    id bigint NOT NULL
);
ALTER TABLE main.finished_import ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.finished_import_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.import_block (
    uid text NOT NULL,
    ordinal bigint NOT NULL,
    size bigint NOT NULL,
    data bytea NOT NULL
);
CREATE TABLE main.import_file (
    uid text NOT NULL,
    created_at bigint NOT NULL,
    accepted bigint DEFAULT 0 NOT NULL,
    stored bigint DEFAULT 0 NOT NULL,
    earliest_at bigint
);
CREATE TABLE main.import_row (
    uid text NOT NULL,
    ordinal bigint NOT NULL,
    finding text NOT NULL
);
CREATE TABLE main.install (
    name text NOT NULL,
    value text NOT NULL
);
CREATE TABLE main.label_set (
    id bigint NOT NULL,
    words text NOT NULL,
    CONSTRAINT label_set_words_check CHECK (main.json_valid(words))
);
CREATE TABLE main.label_set_member (
    set_id bigint NOT NULL,
    word_id bigint NOT NULL
);
CREATE TABLE main.lease (
    name text NOT NULL,
    holder text NOT NULL,
    token bigint NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE main.link_check (
    url text NOT NULL,
    verdict text NOT NULL,
    checked_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    CONSTRAINT link_check_verdict_check CHECK (main.json_valid(verdict))
);
CREATE TABLE main.metric (
    id bigint NOT NULL,
    uid text NOT NULL,
    slug text NOT NULL,
    display_name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    type text NOT NULL,
    definition text NOT NULL,
    allowed_dimensions text DEFAULT '[]'::text NOT NULL,
    format text DEFAULT 'number'::text NOT NULL,
    unit text DEFAULT ''::text NOT NULL,
    status text NOT NULL,
    term_id bigint,
    owner text,
    color text,
    synonyms text DEFAULT '[]'::text NOT NULL,
    empty_as text,
    version bigint DEFAULT 1 NOT NULL,
    certified_by text,
    certified_at bigint,
    certified_version bigint,
    certified_via text,
    certified_digest text,
    deprecated_by text,
    deprecated_at bigint,
    deprecation_reason text,
    replaced_by text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    better text,
    CONSTRAINT metric_allowed_dimensions_check CHECK (main.json_valid(allowed_dimensions)),
    CONSTRAINT metric_better_check CHECK ((better = ANY (ARRAY['lower'::text, 'higher'::text]))),
    CONSTRAINT metric_certified_via_check CHECK ((certified_via = ANY (ARRAY['http'::text, 'mcp'::text, 'cli'::text]))),
    CONSTRAINT metric_definition_check CHECK (main.json_valid(definition)),
    CONSTRAINT metric_empty_as_check CHECK ((empty_as = ANY (ARRAY['zero'::text, 'null'::text]))),
    CONSTRAINT metric_status_check CHECK ((status = ANY (ARRAY['DRAFT'::text, 'ACTIVE'::text, 'DEPRECATED'::text]))),
    CONSTRAINT metric_synonyms_check CHECK (main.json_valid(synonyms)),
    CONSTRAINT metric_type_check CHECK ((type = ANY (ARRAY['SIMPLE'::text, 'RATIO'::text, 'DERIVED'::text, 'TREND'::text])))
);
ALTER TABLE main.metric ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.metric_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.metric_version (
    metric_id bigint NOT NULL,
    version bigint NOT NULL,
    at bigint NOT NULL,
    actor text NOT NULL,
    via text NOT NULL,
    snapshot text NOT NULL,
    CONSTRAINT metric_version_snapshot_check CHECK (main.json_valid(snapshot))
);
CREATE TABLE main.pending_change (
    import_id bigint NOT NULL,
    finding_id bigint NOT NULL,
    lines text NOT NULL,
    CONSTRAINT pending_change_lines_check CHECK (main.json_valid(lines))
);
CREATE TABLE main.pending_import (
    id bigint NOT NULL,
    source_id bigint NOT NULL,
    uid text NOT NULL,
    first_finding bigint NOT NULL,
    first_asset bigint NOT NULL,
    first_combo bigint NOT NULL,
    has_earlier bigint DEFAULT 0 NOT NULL,
    is_followed bigint NOT NULL,
    suppressions text NOT NULL,
    CONSTRAINT pending_import_suppressions_check CHECK (main.json_valid(suppressions))
);
ALTER TABLE main.pending_import ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.pending_import_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.pending_log (
    import_id bigint NOT NULL,
    ordinal bigint NOT NULL,
    n bigint NOT NULL,
    delta bytea NOT NULL
);
CREATE TABLE main.placement (
    dashboard_id bigint NOT NULL,
    metric_id bigint NOT NULL,
    pinned_filters text,
    size text DEFAULT 'md'::text NOT NULL,
    "position" bigint NOT NULL,
    chart_type text DEFAULT 'number'::text NOT NULL,
    CONSTRAINT placement_pinned_filters_check CHECK (((pinned_filters IS NULL) OR main.json_valid(pinned_filters)))
);
CREATE TABLE main.reading (
    source_id bigint NOT NULL,
    key text NOT NULL,
    mark text NOT NULL,
    read_at bigint NOT NULL,
    checked_at bigint NOT NULL
);
CREATE TABLE main.scan (
    id bigint NOT NULL,
    uid text NOT NULL,
    source_id bigint NOT NULL,
    status text NOT NULL,
    trigger text NOT NULL,
    requested_by text NOT NULL,
    config_hash text NOT NULL,
    detectors_hash text NOT NULL,
    seed bigint DEFAULT 0 NOT NULL,
    sampled bigint DEFAULT 0 NOT NULL,
    owner text,
    token bigint DEFAULT 0 NOT NULL,
    heartbeat_at bigint,
    cancel_requested bigint DEFAULT 0 NOT NULL,
    created_at bigint NOT NULL,
    started_at bigint,
    finished_at bigint,
    discovered bigint DEFAULT 0 NOT NULL,
    scanned bigint DEFAULT 0 NOT NULL,
    unchanged bigint DEFAULT 0 NOT NULL,
    findings_new bigint DEFAULT 0 NOT NULL,
    findings_again bigint DEFAULT 0 NOT NULL,
    findings_resolved bigint DEFAULT 0 NOT NULL,
    reason text,
    retry_at bigint,
    failures text DEFAULT '[]'::text NOT NULL,
    warnings text DEFAULT '[]'::text NOT NULL,
    estate_cursor bigint DEFAULT 0 NOT NULL,
    estate_step text DEFAULT ''::text NOT NULL,
    notebook text,
    scope_hash text,
    CONSTRAINT scan_failures_check CHECK (main.json_valid(failures)),
    CONSTRAINT scan_status_check CHECK ((status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text, 'COMPLETED'::text, 'PARTIAL'::text, 'FAILED'::text, 'CANCELLED'::text]))),
    CONSTRAINT scan_trigger_check CHECK ((trigger = ANY (ARRAY['MANUAL'::text, 'SCHEDULE'::text, 'IMPORT'::text, 'RESUME'::text]))),
    CONSTRAINT scan_warnings_check CHECK (main.json_valid(warnings))
);
ALTER TABLE main.scan ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.scan_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.scan_scope (
    scan_id bigint NOT NULL,
    key text NOT NULL,
    name text NOT NULL,
    state text NOT NULL,
    cursor text,
    discovered bigint DEFAULT 0 NOT NULL,
    scanned bigint DEFAULT 0 NOT NULL,
    unchanged bigint DEFAULT 0 NOT NULL,
    reason text,
    has_gap bigint DEFAULT 0 NOT NULL,
    CONSTRAINT scan_scope_state_check CHECK ((state = ANY (ARRAY['PENDING'::text, 'RUNNING'::text, 'COMPLETE'::text, 'PARTIAL'::text, 'FAILED'::text])))
);
CREATE TABLE main.schema_version (
    number bigint
);
CREATE TABLE main.sla_policy (
    id bigint NOT NULL,
    name text NOT NULL,
    term_id bigint,
    days text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT sla_policy_days_check CHECK (main.json_valid(days))
);
ALTER TABLE main.sla_policy ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.sla_policy_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.source (
    id bigint NOT NULL,
    uid text NOT NULL,
    name text NOT NULL,
    type text NOT NULL,
    config text NOT NULL,
    secrets text DEFAULT '{}'::text NOT NULL,
    tenant_id text,
    last_completed_scan_at bigint,
    schedule_enabled bigint DEFAULT 0 NOT NULL,
    next_run_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    deleted_at bigint,
    observed_from bigint,
    CONSTRAINT source_config_check CHECK (main.json_valid(config)),
    CONSTRAINT source_secrets_check CHECK (main.json_valid(secrets))
)
WITH (autovacuum_analyze_threshold='0');
ALTER TABLE main.source ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.source_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE VIEW main.sqlite_schema AS
 SELECT 'index'::text AS type,
    (pg_indexes.indexname)::text AS name
   FROM pg_indexes
  WHERE (pg_indexes.schemaname = 'main'::name);
CREATE TABLE main.sqlite_sequence (
    name text NOT NULL,
    seq bigint NOT NULL
)
WITH (fillfactor='50');
CREATE TABLE main.status_change (
    finding_id bigint NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL,
    from_status bigint NOT NULL,
    to_status bigint NOT NULL,
    actor text NOT NULL,
    reason text,
    scan_id bigint,
    via text,
    client text,
    until bigint,
    CONSTRAINT status_change_from_status_check CHECK (((from_status >= 0) AND (from_status <= 3))),
    CONSTRAINT status_change_to_status_check CHECK (((to_status >= 0) AND (to_status <= 3)))
);
CREATE TABLE main.suppression (
    id bigint NOT NULL,
    filters text NOT NULL,
    value_fp bigint,
    patterns text NOT NULL,
    status bigint NOT NULL,
    reason text NOT NULL,
    created_by text NOT NULL,
    created_at bigint NOT NULL,
    until bigint,
    CONSTRAINT suppression_filters_check CHECK (main.json_valid(filters)),
    CONSTRAINT suppression_patterns_check CHECK (main.json_valid(patterns)),
    CONSTRAINT suppression_status_check CHECK ((status = ANY (ARRAY[(2)::bigint, (3)::bigint])))
);
ALTER TABLE main.suppression ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.suppression_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.term (
    id bigint NOT NULL,
    uid text NOT NULL,
    slug text NOT NULL,
    display_name text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    category text DEFAULT ''::text NOT NULL,
    filter_mapping text NOT NULL,
    color text,
    icon text,
    synonyms text DEFAULT '[]'::text NOT NULL,
    is_active bigint DEFAULT 1 NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT term_filter_mapping_check CHECK (main.json_valid(filter_mapping)),
    CONSTRAINT term_synonyms_check CHECK (main.json_valid(synonyms))
);
ALTER TABLE main.term ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.term_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.unread_section (
    asset_id bigint NOT NULL,
    section text NOT NULL,
    reason text NOT NULL,
    detail text DEFAULT ''::text NOT NULL,
    was_read bigint NOT NULL,
    is_settled bigint DEFAULT 0 NOT NULL,
    scan_id bigint NOT NULL,
    CONSTRAINT unread_section_is_settled_check CHECK ((is_settled = ANY (ARRAY[(0)::bigint, (1)::bigint]))),
    CONSTRAINT unread_section_was_read_check CHECK ((was_read = ANY (ARRAY[(0)::bigint, (1)::bigint])))
);
CREATE TABLE main.unreviewed (
    kind text NOT NULL,
    name text NOT NULL,
    CONSTRAINT unreviewed_kind_check CHECK ((kind = ANY (ARRAY['term'::text, 'metric'::text])))
);
CREATE TABLE main.watch (
    id bigint NOT NULL,
    uid text NOT NULL,
    slug text NOT NULL,
    display_name text NOT NULL,
    metric_id bigint NOT NULL,
    term_id bigint,
    filters text,
    dimensions text DEFAULT '[]'::text NOT NULL,
    range_last text,
    cron text,
    condition text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    CONSTRAINT watch_condition_check CHECK (main.json_valid(condition)),
    CONSTRAINT watch_dimensions_check CHECK (main.json_valid(dimensions)),
    CONSTRAINT watch_filters_check CHECK (((filters IS NULL) OR main.json_valid(filters)))
);
CREATE TABLE main.watch_change (
    id bigint NOT NULL,
    uid text NOT NULL,
    watch_id bigint NOT NULL,
    group_key text NOT NULL,
    at bigint NOT NULL,
    from_state text NOT NULL,
    to_state text NOT NULL,
    value double precision,
    reason text,
    CONSTRAINT watch_change_from_state_check CHECK ((from_state = ANY (ARRAY['OK'::text, 'FIRING'::text, 'UNKNOWN'::text]))),
    CONSTRAINT watch_change_to_state_check CHECK ((to_state = ANY (ARRAY['OK'::text, 'FIRING'::text, 'UNKNOWN'::text])))
);
ALTER TABLE main.watch_change ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.watch_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.watch_delivery (
    receiver_id bigint NOT NULL,
    change_id bigint NOT NULL,
    tries bigint DEFAULT 0 NOT NULL,
    next_at bigint NOT NULL
);
ALTER TABLE main.watch ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.watch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.watch_receiver (
    id bigint NOT NULL,
    uid text NOT NULL,
    watch_id bigint NOT NULL,
    ordinal bigint NOT NULL,
    format text NOT NULL,
    address text NOT NULL,
    sealed text NOT NULL,
    has_secret bigint DEFAULT 0 NOT NULL,
    last_failure text,
    dropped bigint DEFAULT 0 NOT NULL,
    CONSTRAINT watch_receiver_format_check CHECK ((format = ANY (ARRAY['json'::text, 'slack'::text])))
);
ALTER TABLE main.watch_receiver ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (
    SEQUENCE NAME main.watch_receiver_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE main.watch_run (
    watch_id bigint NOT NULL,
    evaluations bigint DEFAULT 0 NOT NULL,
    evaluated_at bigint,
    seen_scans bigint DEFAULT 0 NOT NULL,
    due_at bigint,
    reason text,
    message text,
    total_groups bigint DEFAULT 0 NOT NULL
);
CREATE TABLE main.watch_signal (
    scans bigint NOT NULL,
    revision bigint NOT NULL
);
CREATE TABLE main.watch_state (
    watch_id bigint NOT NULL,
    group_key text NOT NULL,
    state text NOT NULL,
    since bigint NOT NULL,
    value double precision,
    streak bigint DEFAULT 0 NOT NULL,
    reason text,
    CONSTRAINT watch_state_state_check CHECK ((state = ANY (ARRAY['OK'::text, 'FIRING'::text, 'UNKNOWN'::text])))
);
CREATE TABLE main.word (
    id bigint NOT NULL,
    text text NOT NULL,
    folded text DEFAULT ''::text NOT NULL
);
CREATE TABLE main.write_scope (
    name text NOT NULL,
    version bigint DEFAULT 0 NOT NULL
)
WITH (fillfactor='50');
INSERT INTO main.audit VALUES (1, 1781481600000, 'assay', 'cli', 'create', 'term', 'security-threats', NULL, '{"id":"69d1b171-0289-48d5-b63e-0d78a22c7ab5","slug":"security-threats","displayName":"Security threats","description":"Credentials, keys and other secrets that lie in the open, and text that tries to take over an AI assistant.","category":"SECURITY","filterMapping":{"detectorTypes":["SECRETS","PROMPT_INJECTION"]},"synonyms":["security issues","security risks","leaked secrets"],"isActive":true,"color":"#d92d20","icon":"shield-alert","createdAt":"2026-06-15T00:00:00.000Z","updatedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (2, 1781481600000, 'assay', 'cli', 'create', 'term', 'pii-exposure', NULL, '{"id":"5fb8161e-64db-4b34-b0a7-03975c683d57","slug":"pii-exposure","displayName":"PII exposure","description":"Personal data, such as email addresses, phone numbers, payment cards and national ids, where more people can read it than should.","category":"PRIVACY","filterMapping":{"detectorTypes":["PII"]},"synonyms":["personal data","privacy issues","PII"],"isActive":true,"color":"#9333ea","icon":"user-lock","createdAt":"2026-06-15T00:00:00.000Z","updatedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (3, 1781481600000, 'assay', 'cli', 'create', 'term', 'broken-content', NULL, '{"id":"7144ff5c-383d-43a4-aa3b-87e0f653c1b7","slug":"broken-content","displayName":"Broken content","description":"Links and references that lead nowhere: pages, attachments, datasets and websites that are gone.","category":"CONTENT","filterMapping":{"detectorTypes":["BROKEN_LINKS"]},"synonyms":["broken links","dead links"],"isActive":true,"color":"#ea580c","icon":"link-off","createdAt":"2026-06-15T00:00:00.000Z","updatedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (4, 1781481600000, 'assay', 'cli', 'create', 'term', 'data-quality', NULL, '{"id":"b1503c92-9019-4af9-a319-e363bd42107a","slug":"data-quality","displayName":"Data quality","description":"Content that is stale, empty, undescribed, without an owner, or kept in several copies.","category":"QUALITY","filterMapping":{"detectorTypes":["DUPLICATE","CONTENT_QUALITY"]},"synonyms":["content quality","quality issues","stale content"],"isActive":true,"color":"#0d9488","icon":"clipboard-check","createdAt":"2026-06-15T00:00:00.000Z","updatedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (5, 1781481600000, 'assay', 'cli', 'create', 'term', 'critical-findings', NULL, '{"id":"3bd92121-adbe-425b-924a-2796d9c07190","slug":"critical-findings","displayName":"Critical findings","description":"Findings of the highest severity, whatever they are about.","category":"PRIORITY","filterMapping":{"severities":["CRITICAL"]},"synonyms":["critical issues","most severe findings"],"isActive":true,"color":"#b91c1c","icon":"alert-octagon","createdAt":"2026-06-15T00:00:00.000Z","updatedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (6, 1781481600000, 'assay', 'cli', 'create', 'term', 'unresolved-issues', NULL, '{"id":"2470dc55-5a4f-44d3-85a6-c105d5e8a12b","slug":"unresolved-issues","displayName":"Unresolved issues","description":"Findings that nobody has resolved, ignored or marked as a false positive yet.","category":"PRIORITY","filterMapping":{"statuses":["OPEN"]},"synonyms":["open issues","unresolved findings","backlog"],"isActive":true,"color":"#2563eb","icon":"inbox","createdAt":"2026-06-15T00:00:00.000Z","updatedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (7, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'total-findings', NULL, '{"displayName":"Total findings","description":"How many findings there are, whatever their status; in a time range, those first detected in it.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":null,"id":"62b300bb-294e-4d59-83f2-2e2e21af4a58","slug":"total-findings","status":"ACTIVE","version":1,"synonyms":["all findings","finding count","number of findings"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (8, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'open-findings', NULL, '{"displayName":"Open findings","description":"How many findings were open at the end of the time range; without one, how many are open now.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":null,"id":"ec6a66fa-01c0-4b15-8313-1ed0152c3314","slug":"open-findings","status":"ACTIVE","version":1,"synonyms":["current findings","outstanding findings"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (9, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'new-findings', NULL, '{"displayName":"New findings","description":"How many findings were detected for the first time in the time range.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding","timeField":"firstDetectedAt"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":null,"id":"d6fc36e9-2a52-4b1a-a261-b64f05c5914a","slug":"new-findings","status":"ACTIVE","version":1,"synonyms":["newly detected findings","incoming findings"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (10, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'critical-open-findings', NULL, '{"displayName":"Critical open findings","description":"How many findings of the term critical-findings were open at the end of the time range.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":"critical-findings","id":"5c31f223-26e8-499c-b7c6-594c1d66b00b","slug":"critical-open-findings","status":"ACTIVE","version":1,"synonyms":["open critical findings"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (11, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'false-positive-rate', NULL, '{"displayName":"False positive rate","description":"The share of all findings that people have marked as false positives.","type":"RATIO","definition":{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["FALSE_POSITIVE"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"percentage","unit":"%","emptyAs":null,"glossaryTermSlug":null,"id":"f1690a3c-0781-4421-8d91-6194cbb7ae7b","slug":"false-positive-rate","status":"ACTIVE","version":1,"synonyms":["false alarm rate","fp rate"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (12, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'resolution-rate', NULL, '{"displayName":"Resolution rate","description":"The share of all findings that are resolved.","type":"RATIO","definition":{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["RESOLVED"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"percentage","unit":"%","emptyAs":null,"glossaryTermSlug":null,"id":"d9bf5d28-44f5-48ff-bda9-3877d8c613dc","slug":"resolution-rate","status":"ACTIVE","version":1,"synonyms":["share resolved","fix rate"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (13, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'affected-assets', NULL, '{"displayName":"Affected assets","description":"How many pages, reports and other assets had at least one open finding at the end of the time range.","type":"SIMPLE","definition":{"aggregation":"COUNT_DISTINCT","entity":"finding","field":"assetId","filters":{"statuses":["OPEN"]},"mode":"stock"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"number","unit":"assets","emptyAs":null,"glossaryTermSlug":null,"id":"17047def-10ea-4d2d-8403-9946afd7cd35","slug":"affected-assets","status":"ACTIVE","version":1,"synonyms":["assets with findings","affected pages"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (14, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'scan-coverage', NULL, '{"displayName":"Scan coverage","description":"The share of the known assets that have been scanned at least once.","type":"RATIO","definition":{"numerator":{"aggregation":"COUNT","entity":"asset","filters":{"scanned":true}},"denominator":{"aggregation":"COUNT","entity":"asset"}},"allowedDimensions":["source","sourceType","assetKind","container"],"format":"percentage","unit":"%","emptyAs":null,"glossaryTermSlug":null,"id":"798c49fa-699e-46e9-af5f-35fbc8ffb183","slug":"scan-coverage","status":"ACTIVE","version":1,"synonyms":["coverage","scanned share"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (15, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'average-confidence', NULL, '{"displayName":"Average confidence","description":"How sure the detectors are of their findings on average, from 0 to 1.","type":"SIMPLE","definition":{"aggregation":"AVG","entity":"finding","field":"confidence"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"number","unit":"","emptyAs":null,"glossaryTermSlug":null,"id":"2aa127ee-f02f-4261-8c7b-86784b66ebe7","slug":"average-confidence","status":"ACTIVE","version":1,"synonyms":["mean confidence","detection confidence"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (16, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'mean-time-to-resolve', NULL, '{"displayName":"Mean time to resolve","description":"How many hours it took on average from the first detection of a finding to its resolution, for those resolved in the time range.","type":"SIMPLE","definition":{"aggregation":"AVG","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"duration","unit":"hours","emptyAs":null,"glossaryTermSlug":null,"id":"c4bade19-3eb0-4dcf-afee-eba8d216a669","slug":"mean-time-to-resolve","status":"ACTIVE","version":1,"synonyms":["MTTR","time to fix","resolution time"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (17, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'weekly-finding-trend', NULL, '{"displayName":"Weekly finding trend","description":"How the number of new findings of the last 7 days has changed against the 7 days before.","type":"TREND","definition":{"baseMetricSlug":"new-findings","currentWindow":"7d","compareWindow":"7d"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"],"format":"percentage","unit":"%","emptyAs":null,"glossaryTermSlug":null,"id":"f2af08a9-3d0e-4941-bf56-49800c5304e5","slug":"weekly-finding-trend","status":"ACTIVE","version":1,"synonyms":["weekly trend","week over week","finding trend"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (18, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/total-findings', NULL, '{"dashboard":"discovery","metricSlug":"total-findings","pinnedFilters":null,"size":"md","position":1,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (19, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/open-findings', NULL, '{"dashboard":"discovery","metricSlug":"open-findings","pinnedFilters":null,"size":"md","position":2,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (20, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/new-findings', NULL, '{"dashboard":"discovery","metricSlug":"new-findings","pinnedFilters":null,"size":"md","position":3,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (21, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/critical-open-findings', NULL, '{"dashboard":"discovery","metricSlug":"critical-open-findings","pinnedFilters":null,"size":"md","position":4,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (22, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/false-positive-rate', NULL, '{"dashboard":"discovery","metricSlug":"false-positive-rate","pinnedFilters":null,"size":"md","position":5,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (23, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/resolution-rate', NULL, '{"dashboard":"discovery","metricSlug":"resolution-rate","pinnedFilters":null,"size":"md","position":6,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (24, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/affected-assets', NULL, '{"dashboard":"discovery","metricSlug":"affected-assets","pinnedFilters":null,"size":"md","position":7,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (25, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/scan-coverage', NULL, '{"dashboard":"discovery","metricSlug":"scan-coverage","pinnedFilters":null,"size":"md","position":8,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (26, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/average-confidence', NULL, '{"dashboard":"discovery","metricSlug":"average-confidence","pinnedFilters":null,"size":"md","position":9,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (27, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/mean-time-to-resolve', NULL, '{"dashboard":"discovery","metricSlug":"mean-time-to-resolve","pinnedFilters":null,"size":"md","position":10,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (28, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/weekly-finding-trend', NULL, '{"dashboard":"discovery","metricSlug":"weekly-finding-trend","pinnedFilters":null,"size":"md","position":11,"chartType":"number"}', NULL, NULL);
INSERT INTO main.audit VALUES (29, 1781481600000, 'assay', 'cli', 'certify', 'metric', 'median-time-to-resolve', NULL, '{"displayName":"Median time to resolve","description":"How many hours it took in the middle case from the first detection of a finding to its resolution, for those resolved in the time range.","type":"SIMPLE","definition":{"aggregation":"MEDIAN","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"duration","unit":"hours","emptyAs":null,"glossaryTermSlug":null,"id":"7dec07ba-1393-49d5-98d8-430f178c6f38","slug":"median-time-to-resolve","status":"ACTIVE","version":1,"synonyms":["typical time to fix","median resolution time"],"certifiedBy":"assay","certifiedVersion":1,"certifiedVia":"cli","certifiedAt":"2026-06-15T00:00:00.000Z"}', NULL, NULL);
INSERT INTO main.audit VALUES (30, 1781481600000, 'assay', 'cli', 'create', 'placement', 'discovery/median-time-to-resolve', NULL, '{"dashboard":"discovery","metricSlug":"median-time-to-resolve","pinnedFilters":null,"size":"md","position":12,"chartType":"number"}', NULL, NULL);
INSERT INTO main.dashboard VALUES (1, 'discovery', 1781481600000);
INSERT INTO main.definition_count VALUES (26);
INSERT INTO main.install VALUES ('cursor_key', 'b250d31232ecb4b50e0911351a0080b45cb8bdcea89b3693fa940b690d4aad24');
INSERT INTO main.label_set VALUES (0, '[]');
INSERT INTO main.label_set_member VALUES (0, 0);
INSERT INTO main.metric VALUES (1, '62b300bb-294e-4d59-83f2-2e2e21af4a58', 'total-findings', 'Total findings', 'How many findings there are, whatever their status; in a time range, those first detected in it.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'number', 'findings', 'ACTIVE', NULL, NULL, NULL, '["all findings","finding count","number of findings"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"498350d39059789a"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (2, 'ec6a66fa-01c0-4b15-8313-1ed0152c3314', 'open-findings', 'Open findings', 'How many findings were open at the end of the time range; without one, how many are open now.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'number', 'findings', 'ACTIVE', NULL, NULL, NULL, '["current findings","outstanding findings"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"d351de1d46c8956a"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (3, 'd6fc36e9-2a52-4b1a-a261-b64f05c5914a', 'new-findings', 'New findings', 'How many findings were detected for the first time in the time range.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding","timeField":"firstDetectedAt"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'number', 'findings', 'ACTIVE', NULL, NULL, NULL, '["newly detected findings","incoming findings"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"e6de73ea2c7150f7"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (4, '5c31f223-26e8-499c-b7c6-594c1d66b00b', 'critical-open-findings', 'Critical open findings', 'How many findings of the term critical-findings were open at the end of the time range.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'number', 'findings', 'ACTIVE', 5, NULL, NULL, '["open critical findings"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"9b2d0d35b50febcc","term critical-findings":"d5ddaceeb5755722"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (5, 'f1690a3c-0781-4421-8d91-6194cbb7ae7b', 'false-positive-rate', 'False positive rate', 'The share of all findings that people have marked as false positives.', 'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["FALSE_POSITIVE"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'percentage', '%', 'ACTIVE', NULL, NULL, NULL, '["false alarm rate","fp rate"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"0ef471641964685d"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (6, 'd9bf5d28-44f5-48ff-bda9-3877d8c613dc', 'resolution-rate', 'Resolution rate', 'The share of all findings that are resolved.', 'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["RESOLVED"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'percentage', '%', 'ACTIVE', NULL, NULL, NULL, '["share resolved","fix rate"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"ecea7625228da6f3"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'higher');
INSERT INTO main.metric VALUES (7, '17047def-10ea-4d2d-8403-9946afd7cd35', 'affected-assets', 'Affected assets', 'How many pages, reports and other assets had at least one open finding at the end of the time range.', 'SIMPLE', '{"aggregation":"COUNT_DISTINCT","entity":"finding","field":"assetId","filters":{"statuses":["OPEN"]},"mode":"stock"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'number', 'assets', 'ACTIVE', NULL, NULL, NULL, '["assets with findings","affected pages"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"0a2775245fe28e9e"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (8, '798c49fa-699e-46e9-af5f-35fbc8ffb183', 'scan-coverage', 'Scan coverage', 'The share of the known assets that have been scanned at least once.', 'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"asset","filters":{"scanned":true}},"denominator":{"aggregation":"COUNT","entity":"asset"}}', '["source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'percentage', '%', 'ACTIVE', NULL, NULL, NULL, '["coverage","scanned share"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"92cf7504247cc675"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'higher');
INSERT INTO main.metric VALUES (9, '2aa127ee-f02f-4261-8c7b-86784b66ebe7', 'average-confidence', 'Average confidence', 'How sure the detectors are of their findings on average, from 0 to 1.', 'SIMPLE', '{"aggregation":"AVG","entity":"finding","field":"confidence"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'number', '', 'ACTIVE', NULL, NULL, NULL, '["mean confidence","detection confidence"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"c9ce443d062d3413"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, NULL);
INSERT INTO main.metric VALUES (10, 'c4bade19-3eb0-4dcf-afee-eba8d216a669', 'mean-time-to-resolve', 'Mean time to resolve', 'How many hours it took on average from the first detection of a finding to its resolution, for those resolved in the time range.', 'SIMPLE', '{"aggregation":"AVG","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'duration', 'hours', 'ACTIVE', NULL, NULL, NULL, '["MTTR","time to fix","resolution time"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"ea5ccade15e33926"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (11, 'f2af08a9-3d0e-4941-bf56-49800c5304e5', 'weekly-finding-trend', 'Weekly finding trend', 'How the number of new findings of the last 7 days has changed against the 7 days before.', 'TREND', '{"baseMetricSlug":"new-findings","currentWindow":"7d","compareWindow":"7d"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'percentage', '%', 'ACTIVE', NULL, NULL, NULL, '["weekly trend","week over week","finding trend"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"eb13789768ce8b94","metric new-findings":"e6de73ea2c7150f7"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (12, '7dec07ba-1393-49d5-98d8-430f178c6f38', 'median-time-to-resolve', 'Median time to resolve', 'How many hours it took in the middle case from the first detection of a finding to its resolution, for those resolved in the time range.', 'SIMPLE', '{"aggregation":"MEDIAN","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'duration', 'hours', 'ACTIVE', NULL, NULL, NULL, '["typical time to fix","median resolution time"]', NULL, 1, 'assay', 1781481600000, 1, 'cli', '{"definition":"1605fd291792e1ae"}', NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, 'lower');
INSERT INTO main.metric VALUES (13, '82da2e06-8991-4771-b312-7a5d348d5d14', 'overdue-findings', 'Overdue findings', 'Open findings whose due date has passed, at the end of the time range. It needs a policy of due dates.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"overdue":true},"mode":"stock"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'number', 'findings', 'DRAFT', NULL, NULL, NULL, '["past due findings","missed deadlines"]', NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, NULL);
INSERT INTO main.metric VALUES (14, '0746e883-6607-450a-96f1-f335b09e3ba3', 'sla-compliance', 'SLA compliance', 'Findings closed by their due date, among those that are closed or due. It needs a policy of due dates.', 'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"sla":["MET"]}},"denominator":{"aggregation":"COUNT","entity":"finding","filters":{"sla":["MET","MISSED"]}}}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"]', 'percentage', '', 'DRAFT', NULL, NULL, NULL, '["due date compliance","deadline compliance"]', NULL, 1, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, 1781481600000, 1781481600000, NULL);
INSERT INTO main.metric_version VALUES (1, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Total findings","description":"How many findings there are, whatever their status; in a time range, those first detected in it.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (2, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Open findings","description":"How many findings were open at the end of the time range; without one, how many are open now.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (3, 1, 1781481600000, 'assay', 'cli', '{"displayName":"New findings","description":"How many findings were detected for the first time in the time range.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding","timeField":"firstDetectedAt"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (4, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Critical open findings","description":"How many findings of the term critical-findings were open at the end of the time range.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":"critical-findings"}');
INSERT INTO main.metric_version VALUES (5, 1, 1781481600000, 'assay', 'cli', '{"displayName":"False positive rate","description":"The share of all findings that people have marked as false positives.","type":"RATIO","definition":{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["FALSE_POSITIVE"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"percentage","unit":"%","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (6, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Resolution rate","description":"The share of all findings that are resolved.","type":"RATIO","definition":{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["RESOLVED"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"percentage","unit":"%","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (7, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Affected assets","description":"How many pages, reports and other assets had at least one open finding at the end of the time range.","type":"SIMPLE","definition":{"aggregation":"COUNT_DISTINCT","entity":"finding","field":"assetId","filters":{"statuses":["OPEN"]},"mode":"stock"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"number","unit":"assets","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (8, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Scan coverage","description":"The share of the known assets that have been scanned at least once.","type":"RATIO","definition":{"numerator":{"aggregation":"COUNT","entity":"asset","filters":{"scanned":true}},"denominator":{"aggregation":"COUNT","entity":"asset"}},"allowedDimensions":["source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"percentage","unit":"%","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (9, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Average confidence","description":"How sure the detectors are of their findings on average, from 0 to 1.","type":"SIMPLE","definition":{"aggregation":"AVG","entity":"finding","field":"confidence"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"number","unit":"","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (10, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Mean time to resolve","description":"How many hours it took on average from the first detection of a finding to its resolution, for those resolved in the time range.","type":"SIMPLE","definition":{"aggregation":"AVG","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"duration","unit":"hours","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (11, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Weekly finding trend","description":"How the number of new findings of the last 7 days has changed against the 7 days before.","type":"TREND","definition":{"baseMetricSlug":"new-findings","currentWindow":"7d","compareWindow":"7d"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"percentage","unit":"%","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (12, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Median time to resolve","description":"How many hours it took in the middle case from the first detection of a finding to its resolution, for those resolved in the time range.","type":"SIMPLE","definition":{"aggregation":"MEDIAN","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"duration","unit":"hours","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (13, 1, 1781481600000, 'assay', 'cli', '{"displayName":"Overdue findings","description":"Open findings whose due date has passed, at the end of the time range. It needs a policy of due dates.","type":"SIMPLE","definition":{"aggregation":"COUNT","entity":"finding","filters":{"overdue":true},"mode":"stock"},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"number","unit":"findings","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.metric_version VALUES (14, 1, 1781481600000, 'assay', 'cli', '{"displayName":"SLA compliance","description":"Findings closed by their due date, among those that are closed or due. It needs a policy of due dates.","type":"RATIO","definition":{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"sla":["MET"]}},"denominator":{"aggregation":"COUNT","entity":"finding","filters":{"sla":["MET","MISSED"]}}},"allowedDimensions":["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container","asset","owner","label","dataset"],"format":"percentage","unit":"","emptyAs":null,"glossaryTermSlug":null}');
INSERT INTO main.placement VALUES (1, 1, NULL, 'md', 1, 'number');
INSERT INTO main.placement VALUES (1, 2, NULL, 'md', 2, 'number');
INSERT INTO main.placement VALUES (1, 3, NULL, 'md', 3, 'number');
INSERT INTO main.placement VALUES (1, 4, NULL, 'md', 4, 'number');
INSERT INTO main.placement VALUES (1, 5, NULL, 'md', 5, 'number');
INSERT INTO main.placement VALUES (1, 6, NULL, 'md', 6, 'number');
INSERT INTO main.placement VALUES (1, 7, NULL, 'md', 7, 'number');
INSERT INTO main.placement VALUES (1, 8, NULL, 'md', 8, 'number');
INSERT INTO main.placement VALUES (1, 9, NULL, 'md', 9, 'number');
INSERT INTO main.placement VALUES (1, 10, NULL, 'md', 10, 'number');
INSERT INTO main.placement VALUES (1, 11, NULL, 'md', 11, 'number');
INSERT INTO main.placement VALUES (1, 12, NULL, 'md', 12, 'number');
INSERT INTO main.schema_version VALUES (160);
INSERT INTO main.sqlite_sequence VALUES ('facet_log', 0);
INSERT INTO main.sqlite_sequence VALUES ('asset_log', 0);
INSERT INTO main.sqlite_sequence VALUES ('word', 0);
INSERT INTO main.sqlite_sequence VALUES ('label_set', 0);
INSERT INTO main.term VALUES (1, '69d1b171-0289-48d5-b63e-0d78a22c7ab5', 'security-threats', 'Security threats', 'Credentials, keys and other secrets that lie in the open, and text that tries to take over an AI assistant.', 'SECURITY', '{"detectorTypes":["SECRETS","PROMPT_INJECTION"]}', '#d92d20', 'shield-alert', '["security issues","security risks","leaked secrets"]', 1, 1781481600000, 1781481600000);
INSERT INTO main.term VALUES (2, '5fb8161e-64db-4b34-b0a7-03975c683d57', 'pii-exposure', 'PII exposure', 'Personal data, such as email addresses, phone numbers, payment cards and national ids, where more people can read it than should.', 'PRIVACY', '{"detectorTypes":["PII"]}', '#9333ea', 'user-lock', '["personal data","privacy issues","PII"]', 1, 1781481600000, 1781481600000);
INSERT INTO main.term VALUES (3, '7144ff5c-383d-43a4-aa3b-87e0f653c1b7', 'broken-content', 'Broken content', 'Links and references that lead nowhere: pages, attachments, datasets and websites that are gone.', 'CONTENT', '{"detectorTypes":["BROKEN_LINKS"]}', '#ea580c', 'link-off', '["broken links","dead links"]', 1, 1781481600000, 1781481600000);
INSERT INTO main.term VALUES (4, 'b1503c92-9019-4af9-a319-e363bd42107a', 'data-quality', 'Data quality', 'Content that is stale, empty, undescribed, without an owner, or kept in several copies.', 'QUALITY', '{"detectorTypes":["DUPLICATE","CONTENT_QUALITY"]}', '#0d9488', 'clipboard-check', '["content quality","quality issues","stale content"]', 1, 1781481600000, 1781481600000);
INSERT INTO main.term VALUES (5, '3bd92121-adbe-425b-924a-2796d9c07190', 'critical-findings', 'Critical findings', 'Findings of the highest severity, whatever they are about.', 'PRIORITY', '{"severities":["CRITICAL"]}', '#b91c1c', 'alert-octagon', '["critical issues","most severe findings"]', 1, 1781481600000, 1781481600000);
INSERT INTO main.term VALUES (6, '2470dc55-5a4f-44d3-85a6-c105d5e8a12b', 'unresolved-issues', 'Unresolved issues', 'Findings that nobody has resolved, ignored or marked as a false positive yet.', 'PRIORITY', '{"statuses":["OPEN"]}', '#2563eb', 'inbox', '["open issues","unresolved findings","backlog"]', 1, 1781481600000, 1781481600000);
INSERT INTO main.watch_signal VALUES (0, 0);
INSERT INTO main.word VALUES (0, '', '');
INSERT INTO main.write_scope VALUES ('access', 0);
INSERT INTO main.write_scope VALUES ('imports', 0);
INSERT INTO main.write_scope VALUES ('loop', 0);
SELECT pg_catalog.setval('main.asset_id_seq', 1, false);
SELECT pg_catalog.setval('main.asset_log_seq_seq', 1, false);
SELECT pg_catalog.setval('main.audit_chain_seq_seq', 1, false);
SELECT pg_catalog.setval('main.audit_seq_seq', 30, true);
SELECT pg_catalog.setval('main.combo_id_seq', 1, false);
SELECT pg_catalog.setval('main.custom_detector_id_seq', 1, false);
SELECT pg_catalog.setval('main.dashboard_id_seq', 1, true);
SELECT pg_catalog.setval('main.data_key_id_seq', 1, false);
SELECT pg_catalog.setval('main.facet_log_seq_seq', 1, false);
SELECT pg_catalog.setval('main.finding_id', 0, true);
SELECT pg_catalog.setval('main.finished_import_id_seq', 1, false);
SELECT pg_catalog.setval('main.metric_id_seq', 14, true);
SELECT pg_catalog.setval('main.pending_import_id_seq', 1, false);
SELECT pg_catalog.setval('main.scan_id_seq', 1, false);
SELECT pg_catalog.setval('main.sla_policy_id_seq', 1, false);
SELECT pg_catalog.setval('main.source_id_seq', 1, false);
SELECT pg_catalog.setval('main.suppression_id_seq', 1, false);
SELECT pg_catalog.setval('main.term_id_seq', 6, true);
SELECT pg_catalog.setval('main.watch_change_id_seq', 1, false);
SELECT pg_catalog.setval('main.watch_id_seq', 1, false);
SELECT pg_catalog.setval('main.watch_receiver_id_seq', 1, false);
ALTER TABLE ONLY main.access_token
    ADD CONSTRAINT access_token_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.asset_digest
    ADD CONSTRAINT asset_digest_pkey PRIMARY KEY (asset_id, detector_id);
ALTER TABLE ONLY main.asset_link
    ADD CONSTRAINT asset_link_pkey PRIMARY KEY (asset_id, ordinal);
ALTER TABLE ONLY main.asset_log
    ADD CONSTRAINT asset_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY main.asset
    ADD CONSTRAINT asset_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.asset
    ADD CONSTRAINT asset_source_id_key_key UNIQUE (source_id, key);
ALTER TABLE ONLY main.asset
    ADD CONSTRAINT asset_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.audit_chain
    ADD CONSTRAINT audit_chain_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY main.audit
    ADD CONSTRAINT audit_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY main.combo
    ADD CONSTRAINT combo_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.combo
    ADD CONSTRAINT combo_source_id_detector_id_type_id_category_id_custom_key__key UNIQUE (source_id, detector_id, type_id, category_id, custom_key_id, severity, status);
ALTER TABLE ONLY main.custom_detector
    ADD CONSTRAINT custom_detector_key_key UNIQUE (key);
ALTER TABLE ONLY main.custom_detector
    ADD CONSTRAINT custom_detector_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.custom_detector
    ADD CONSTRAINT custom_detector_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.dashboard
    ADD CONSTRAINT dashboard_name_key UNIQUE (name);
ALTER TABLE ONLY main.dashboard
    ADD CONSTRAINT dashboard_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.data_key
    ADD CONSTRAINT data_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.definition_digest
    ADD CONSTRAINT definition_digest_pkey PRIMARY KEY (kind, name);
ALTER TABLE ONLY main.earlier_asset
    ADD CONSTRAINT earlier_asset_pkey PRIMARY KEY (import_id, asset_id);
ALTER TABLE ONLY main.earlier_finding
    ADD CONSTRAINT earlier_finding_pkey PRIMARY KEY (import_id, finding_id);
ALTER TABLE ONLY main.engine_snapshot
    ADD CONSTRAINT engine_snapshot_pkey PRIMARY KEY (mark);
ALTER TABLE ONLY main.expiry
    ADD CONSTRAINT expiry_pkey PRIMARY KEY (finding_id);
ALTER TABLE ONLY main.facet_log
    ADD CONSTRAINT facet_log_pkey PRIMARY KEY (seq);
ALTER TABLE ONLY main.finding
    ADD CONSTRAINT finding_id_key UNIQUE (id);
ALTER TABLE ONLY main.finding
    ADD CONSTRAINT finding_pkey PRIMARY KEY (asset_id, fp);
ALTER TABLE ONLY main.finished_import
    ADD CONSTRAINT finished_import_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.import_block
    ADD CONSTRAINT import_block_pkey PRIMARY KEY (uid, ordinal);
ALTER TABLE ONLY main.import_file
    ADD CONSTRAINT import_file_pkey PRIMARY KEY (uid);
ALTER TABLE ONLY main.import_row
    ADD CONSTRAINT import_row_pkey PRIMARY KEY (uid, ordinal);
ALTER TABLE ONLY main.install
    ADD CONSTRAINT install_pkey PRIMARY KEY (name);
ALTER TABLE ONLY main.label_set_member
    ADD CONSTRAINT label_set_member_pkey PRIMARY KEY (set_id, word_id);
ALTER TABLE ONLY main.label_set
    ADD CONSTRAINT label_set_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.label_set
    ADD CONSTRAINT label_set_words_key UNIQUE (words);
ALTER TABLE ONLY main.lease
    ADD CONSTRAINT lease_pkey PRIMARY KEY (name);
ALTER TABLE ONLY main.link_check
    ADD CONSTRAINT link_check_pkey PRIMARY KEY (url);
ALTER TABLE ONLY main.metric
    ADD CONSTRAINT metric_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.metric
    ADD CONSTRAINT metric_slug_key UNIQUE (slug);
ALTER TABLE ONLY main.metric
    ADD CONSTRAINT metric_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.metric_version
    ADD CONSTRAINT metric_version_pkey PRIMARY KEY (metric_id, version);
ALTER TABLE ONLY main.pending_change
    ADD CONSTRAINT pending_change_pkey PRIMARY KEY (import_id, finding_id);
ALTER TABLE ONLY main.pending_import
    ADD CONSTRAINT pending_import_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.pending_import
    ADD CONSTRAINT pending_import_source_id_key UNIQUE (source_id);
ALTER TABLE ONLY main.pending_log
    ADD CONSTRAINT pending_log_pkey PRIMARY KEY (import_id, ordinal);
ALTER TABLE ONLY main.placement
    ADD CONSTRAINT placement_pkey PRIMARY KEY (dashboard_id, metric_id);
ALTER TABLE ONLY main.reading
    ADD CONSTRAINT reading_pkey PRIMARY KEY (source_id, key);
ALTER TABLE ONLY main.scan
    ADD CONSTRAINT scan_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.scan_scope
    ADD CONSTRAINT scan_scope_pkey PRIMARY KEY (scan_id, key);
ALTER TABLE ONLY main.scan
    ADD CONSTRAINT scan_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.sla_policy
    ADD CONSTRAINT sla_policy_name_key UNIQUE (name);
ALTER TABLE ONLY main.sla_policy
    ADD CONSTRAINT sla_policy_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.sla_policy
    ADD CONSTRAINT sla_policy_term_id_key UNIQUE (term_id);
ALTER TABLE ONLY main.source
    ADD CONSTRAINT source_name_key UNIQUE (name);
ALTER TABLE ONLY main.source
    ADD CONSTRAINT source_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.source
    ADD CONSTRAINT source_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.sqlite_sequence
    ADD CONSTRAINT sqlite_sequence_pkey PRIMARY KEY (name);
ALTER TABLE ONLY main.status_change
    ADD CONSTRAINT status_change_pkey PRIMARY KEY (finding_id, seq);
ALTER TABLE ONLY main.suppression
    ADD CONSTRAINT suppression_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.term
    ADD CONSTRAINT term_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.term
    ADD CONSTRAINT term_slug_key UNIQUE (slug);
ALTER TABLE ONLY main.term
    ADD CONSTRAINT term_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.unread_section
    ADD CONSTRAINT unread_section_pkey PRIMARY KEY (asset_id, section);
ALTER TABLE ONLY main.unreviewed
    ADD CONSTRAINT unreviewed_pkey PRIMARY KEY (kind, name);
ALTER TABLE ONLY main.watch_change
    ADD CONSTRAINT watch_change_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.watch_change
    ADD CONSTRAINT watch_change_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.watch_delivery
    ADD CONSTRAINT watch_delivery_pkey PRIMARY KEY (receiver_id, change_id);
ALTER TABLE ONLY main.watch
    ADD CONSTRAINT watch_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.watch_receiver
    ADD CONSTRAINT watch_receiver_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.watch_receiver
    ADD CONSTRAINT watch_receiver_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.watch_run
    ADD CONSTRAINT watch_run_pkey PRIMARY KEY (watch_id);
ALTER TABLE ONLY main.watch
    ADD CONSTRAINT watch_slug_key UNIQUE (slug);
ALTER TABLE ONLY main.watch_state
    ADD CONSTRAINT watch_state_pkey PRIMARY KEY (watch_id, group_key);
ALTER TABLE ONLY main.watch
    ADD CONSTRAINT watch_uid_key UNIQUE (uid);
ALTER TABLE ONLY main.word
    ADD CONSTRAINT word_pkey PRIMARY KEY (id);
ALTER TABLE ONLY main.word
    ADD CONSTRAINT word_text_key UNIQUE (text);
ALTER TABLE ONLY main.write_scope
    ADD CONSTRAINT write_scope_pkey PRIMARY KEY (name);
CREATE INDEX asset_by_name ON main.asset USING btree (source_id, lower(name));
CREATE INDEX asset_by_scope ON main.asset USING btree (source_id, scope_key, status);
CREATE INDEX asset_link_by_target ON main.asset_link USING btree (target_key) WHERE (target_key IS NOT NULL);
CREATE INDEX audit_by_kind ON main.audit USING btree (kind, at);
CREATE INDEX expiry_by_time ON main.expiry USING btree (at);
CREATE INDEX finding_by_resolution ON main.finding USING btree (resolved_at, combo_id, first_detected_at) WHERE (resolved_at IS NOT NULL);
CREATE INDEX finding_by_time ON main.finding USING btree (first_detected_at, combo_id, conf_q, asset_id, id);
CREATE INDEX label_set_member_by_word ON main.label_set_member USING btree (word_id);
CREATE INDEX metric_by_term ON main.metric USING btree (term_id);
CREATE INDEX scan_by_source ON main.scan USING btree (source_id, id);
CREATE UNIQUE INDEX scan_one_active ON main.scan USING btree (source_id) WHERE (status = ANY (ARRAY['QUEUED'::text, 'RUNNING'::text]));
CREATE INDEX status_change_by_time ON main.status_change USING btree (at, finding_id);
CREATE INDEX unread_section_by_scan ON main.unread_section USING btree (scan_id);
CREATE INDEX watch_by_metric ON main.watch USING btree (metric_id);
CREATE INDEX watch_by_term ON main.watch USING btree (term_id) WHERE (term_id IS NOT NULL);
CREATE INDEX watch_change_by_watch ON main.watch_change USING btree (watch_id, id);
CREATE INDEX watch_delivery_by_change ON main.watch_delivery USING btree (change_id);
CREATE INDEX watch_receiver_by_watch ON main.watch_receiver USING btree (watch_id, ordinal);
CREATE INDEX word_by_folded ON main.word USING btree (folded);
CREATE CONSTRAINT TRIGGER asset_log_dataset AFTER UPDATE OF dataset_id ON main.asset DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN ((old.dataset_id <> new.dataset_id)) EXECUTE FUNCTION main.asset_log_dataset();
CREATE CONSTRAINT TRIGGER asset_log_insert AFTER INSERT ON main.asset DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION main.log_new_asset();
CREATE TRIGGER asset_log_number BEFORE INSERT ON main.asset_log FOR EACH ROW EXECUTE FUNCTION main.take_log_number();
CREATE CONSTRAINT TRIGGER asset_log_update AFTER UPDATE ON main.asset DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (((old.kind_id <> new.kind_id) OR (old.container_id <> new.container_id) OR (old.source_id <> new.source_id) OR (old.owner_id <> new.owner_id) OR (old.labels_id <> new.labels_id) OR (old.status <> new.status) OR ((old.last_scanned_at IS NULL) <> (new.last_scanned_at IS NULL)))) EXECUTE FUNCTION main.asset_log_update();
CREATE TRIGGER audit_chain_is_append_only_delete BEFORE DELETE ON main.audit_chain FOR EACH ROW EXECUTE FUNCTION main.audit_chain_is_append_only_delete();
CREATE TRIGGER audit_chain_is_append_only_update BEFORE UPDATE ON main.audit_chain FOR EACH ROW EXECUTE FUNCTION main.audit_chain_is_append_only_update();
CREATE TRIGGER audit_is_append_only_delete BEFORE DELETE ON main.audit FOR EACH ROW EXECUTE FUNCTION main.audit_is_append_only_delete();
CREATE TRIGGER audit_is_append_only_update BEFORE UPDATE ON main.audit FOR EACH ROW EXECUTE FUNCTION main.audit_is_append_only_update();
CREATE TRIGGER custom_delete_counts AFTER DELETE ON main.custom_detector FOR EACH ROW EXECUTE FUNCTION main.custom_delete_counts();
CREATE TRIGGER custom_insert_counts AFTER INSERT ON main.custom_detector FOR EACH ROW EXECUTE FUNCTION main.custom_insert_counts();
CREATE TRIGGER custom_update_counts AFTER UPDATE ON main.custom_detector FOR EACH ROW EXECUTE FUNCTION main.custom_update_counts();
CREATE TRIGGER facet_log_number BEFORE INSERT ON main.facet_log FOR EACH ROW EXECUTE FUNCTION main.take_log_number();
CREATE TRIGGER label_set_number BEFORE INSERT ON main.label_set FOR EACH ROW EXECUTE FUNCTION main.take_name_number();
CREATE TRIGGER metric_delete_counts AFTER DELETE ON main.metric FOR EACH ROW EXECUTE FUNCTION main.metric_delete_counts();
CREATE TRIGGER metric_insert_counts AFTER INSERT ON main.metric FOR EACH ROW EXECUTE FUNCTION main.metric_insert_counts();
CREATE TRIGGER metric_update_counts AFTER UPDATE ON main.metric FOR EACH ROW EXECUTE FUNCTION main.metric_update_counts();
CREATE TRIGGER scan_end_signals_watches AFTER UPDATE OF status ON main.scan FOR EACH ROW WHEN (((new.status <> old.status) AND (new.status <> ALL (ARRAY['QUEUED'::text, 'RUNNING'::text])))) EXECUTE FUNCTION main.scan_end_signals_watches();
CREATE TRIGGER sla_delete_counts AFTER DELETE ON main.sla_policy FOR EACH ROW EXECUTE FUNCTION main.sla_delete_counts();
CREATE TRIGGER sla_insert_counts AFTER INSERT ON main.sla_policy FOR EACH ROW EXECUTE FUNCTION main.sla_insert_counts();
CREATE TRIGGER sla_update_counts AFTER UPDATE ON main.sla_policy FOR EACH ROW EXECUTE FUNCTION main.sla_update_counts();
CREATE TRIGGER source_delete_counts AFTER DELETE ON main.source FOR EACH ROW EXECUTE FUNCTION main.source_delete_counts();
CREATE TRIGGER source_deletion_signals_watches AFTER UPDATE OF deleted_at ON main.source FOR EACH ROW WHEN ((new.deleted_at IS DISTINCT FROM old.deleted_at)) EXECUTE FUNCTION main.source_deletion_signals_watches();
CREATE TRIGGER source_insert_counts AFTER INSERT ON main.source FOR EACH ROW EXECUTE FUNCTION main.source_insert_counts();
CREATE TRIGGER source_update_counts AFTER UPDATE ON main.source FOR EACH ROW EXECUTE FUNCTION main.source_update_counts();
CREATE TRIGGER source_write_scope AFTER INSERT ON main.source FOR EACH ROW EXECUTE FUNCTION main.add_write_scope();
CREATE TRIGGER term_delete_counts AFTER DELETE ON main.term FOR EACH ROW EXECUTE FUNCTION main.term_delete_counts();
CREATE TRIGGER term_insert_counts AFTER INSERT ON main.term FOR EACH ROW EXECUTE FUNCTION main.term_insert_counts();
CREATE TRIGGER term_update_counts AFTER UPDATE ON main.term FOR EACH ROW EXECUTE FUNCTION main.term_update_counts();
CREATE TRIGGER watch_change_revises AFTER INSERT ON main.watch_change FOR EACH ROW EXECUTE FUNCTION main.watch_change_revises();
CREATE TRIGGER watch_delete_revises AFTER DELETE ON main.watch FOR EACH ROW EXECUTE FUNCTION main.watch_delete_revises();
CREATE TRIGGER watch_insert_revises AFTER INSERT ON main.watch FOR EACH ROW EXECUTE FUNCTION main.watch_insert_revises();
CREATE TRIGGER watch_update_revises AFTER UPDATE ON main.watch FOR EACH ROW EXECUTE FUNCTION main.watch_update_revises();
CREATE TRIGGER word_number BEFORE INSERT ON main.word FOR EACH ROW EXECUTE FUNCTION main.take_name_number();
ALTER TABLE ONLY main.asset
    ADD CONSTRAINT asset_container_id_fkey FOREIGN KEY (container_id) REFERENCES main.word(id);
ALTER TABLE ONLY main.asset_digest
    ADD CONSTRAINT asset_digest_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES main.asset(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.asset_digest
    ADD CONSTRAINT asset_digest_detector_id_fkey FOREIGN KEY (detector_id) REFERENCES main.word(id);
ALTER TABLE ONLY main.asset
    ADD CONSTRAINT asset_kind_id_fkey FOREIGN KEY (kind_id) REFERENCES main.word(id);
ALTER TABLE ONLY main.asset_link
    ADD CONSTRAINT asset_link_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES main.asset(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.asset
    ADD CONSTRAINT asset_source_id_fkey FOREIGN KEY (source_id) REFERENCES main.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.combo
    ADD CONSTRAINT combo_category_id_fkey FOREIGN KEY (category_id) REFERENCES main.word(id);
ALTER TABLE ONLY main.combo
    ADD CONSTRAINT combo_custom_key_id_fkey FOREIGN KEY (custom_key_id) REFERENCES main.word(id);
ALTER TABLE ONLY main.combo
    ADD CONSTRAINT combo_detector_id_fkey FOREIGN KEY (detector_id) REFERENCES main.word(id);
ALTER TABLE ONLY main.combo
    ADD CONSTRAINT combo_source_id_fkey FOREIGN KEY (source_id) REFERENCES main.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.combo
    ADD CONSTRAINT combo_type_id_fkey FOREIGN KEY (type_id) REFERENCES main.word(id);
ALTER TABLE ONLY main.expiry
    ADD CONSTRAINT expiry_finding_id_fkey FOREIGN KEY (finding_id) REFERENCES main.finding(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.finding
    ADD CONSTRAINT finding_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES main.asset(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.finding
    ADD CONSTRAINT finding_combo_id_fkey FOREIGN KEY (combo_id) REFERENCES main.combo(id);
ALTER TABLE ONLY main.import_block
    ADD CONSTRAINT import_block_uid_fkey FOREIGN KEY (uid) REFERENCES main.import_file(uid) ON DELETE CASCADE;
ALTER TABLE ONLY main.import_row
    ADD CONSTRAINT import_row_uid_fkey FOREIGN KEY (uid) REFERENCES main.import_file(uid) ON DELETE CASCADE;
ALTER TABLE ONLY main.label_set_member
    ADD CONSTRAINT label_set_member_set_id_fkey FOREIGN KEY (set_id) REFERENCES main.label_set(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.label_set_member
    ADD CONSTRAINT label_set_member_word_id_fkey FOREIGN KEY (word_id) REFERENCES main.word(id);
ALTER TABLE ONLY main.metric
    ADD CONSTRAINT metric_term_id_fkey FOREIGN KEY (term_id) REFERENCES main.term(id);
ALTER TABLE ONLY main.metric_version
    ADD CONSTRAINT metric_version_metric_id_fkey FOREIGN KEY (metric_id) REFERENCES main.metric(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.pending_import
    ADD CONSTRAINT pending_import_source_id_fkey FOREIGN KEY (source_id) REFERENCES main.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.placement
    ADD CONSTRAINT placement_dashboard_id_fkey FOREIGN KEY (dashboard_id) REFERENCES main.dashboard(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.placement
    ADD CONSTRAINT placement_metric_id_fkey FOREIGN KEY (metric_id) REFERENCES main.metric(id);
ALTER TABLE ONLY main.reading
    ADD CONSTRAINT reading_source_id_fkey FOREIGN KEY (source_id) REFERENCES main.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.scan_scope
    ADD CONSTRAINT scan_scope_scan_id_fkey FOREIGN KEY (scan_id) REFERENCES main.scan(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.scan
    ADD CONSTRAINT scan_source_id_fkey FOREIGN KEY (source_id) REFERENCES main.source(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.sla_policy
    ADD CONSTRAINT sla_policy_term_id_fkey FOREIGN KEY (term_id) REFERENCES main.term(id);
ALTER TABLE ONLY main.status_change
    ADD CONSTRAINT status_change_finding_id_fkey FOREIGN KEY (finding_id) REFERENCES main.finding(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.unread_section
    ADD CONSTRAINT unread_section_asset_id_fkey FOREIGN KEY (asset_id) REFERENCES main.asset(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.watch_change
    ADD CONSTRAINT watch_change_watch_id_fkey FOREIGN KEY (watch_id) REFERENCES main.watch(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.watch_delivery
    ADD CONSTRAINT watch_delivery_change_id_fkey FOREIGN KEY (change_id) REFERENCES main.watch_change(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.watch_delivery
    ADD CONSTRAINT watch_delivery_receiver_id_fkey FOREIGN KEY (receiver_id) REFERENCES main.watch_receiver(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.watch
    ADD CONSTRAINT watch_metric_id_fkey FOREIGN KEY (metric_id) REFERENCES main.metric(id);
ALTER TABLE ONLY main.watch_receiver
    ADD CONSTRAINT watch_receiver_watch_id_fkey FOREIGN KEY (watch_id) REFERENCES main.watch(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.watch_run
    ADD CONSTRAINT watch_run_watch_id_fkey FOREIGN KEY (watch_id) REFERENCES main.watch(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.watch_state
    ADD CONSTRAINT watch_state_watch_id_fkey FOREIGN KEY (watch_id) REFERENCES main.watch(id) ON DELETE CASCADE;
ALTER TABLE ONLY main.watch
    ADD CONSTRAINT watch_term_id_fkey FOREIGN KEY (term_id) REFERENCES main.term(id);
