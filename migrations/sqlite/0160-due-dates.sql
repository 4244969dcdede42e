-- In how many days findings are due, by severity: one policy for all findings, and one for those of each of some terms.
CREATE TABLE sla_policy (
  id INTEGER PRIMARY KEY,
  -- The slug of its term; _all for the policy of all findings.
  name TEXT NOT NULL UNIQUE,
  term_id INTEGER UNIQUE REFERENCES term (id),
  days TEXT NOT NULL CHECK (json_valid(days)),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE TRIGGER sla_insert_counts AFTER INSERT ON sla_policy BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER sla_update_counts AFTER UPDATE ON sla_policy BEGIN UPDATE definition_count SET n = n + 1; END;
CREATE TRIGGER sla_delete_counts AFTER DELETE ON sla_policy BEGIN UPDATE definition_count SET n = n + 1; END;

-- Two default metrics, unless their names are taken. People certify them once there is a policy.
INSERT INTO metric (uid, slug, display_name, description, type, definition, allowed_dimensions, format, unit, synonyms,
  status, version, created_at, updated_at)
SELECT new_uid(), slug, display_name, description, type, definition,
  coalesce((SELECT allowed_dimensions FROM metric WHERE slug = 'open-findings' AND certified_by = 'assay'),
    '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]'),
  format, unit, synonyms, 'DRAFT', 1, at, at
FROM (
  SELECT 'overdue-findings' AS slug, 'Overdue findings' AS display_name,
    'Open findings whose due date has passed, at the end of the time range. It needs a policy of due dates.' AS description,
    'SIMPLE' AS type, '{"aggregation":"COUNT","entity":"finding","filters":{"overdue":true},"mode":"stock"}' AS definition,
    'number' AS format, 'findings' AS unit, '["past due findings","missed deadlines"]' AS synonyms, now_ms() AS at
  UNION ALL
  SELECT 'sla-compliance', 'SLA compliance',
    'Findings closed by their due date, among those that are closed or due. It needs a policy of due dates.',
    'RATIO',
    '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"sla":["MET"]}},"denominator":{"aggregation":"COUNT","entity":"finding","filters":{"sla":["MET","MISSED"]}}}',
    'percentage', '', '["due date compliance","deadline compliance"]', now_ms())
WHERE slug NOT IN (SELECT slug FROM metric);

INSERT INTO metric_version (metric_id, version, at, actor, via, snapshot)
SELECT metric.id, 1, metric.created_at, 'assay', 'cli', json_object(
  'displayName', metric.display_name, 'description', metric.description, 'type', type, 'definition', json(definition),
  'allowedDimensions', json(allowed_dimensions), 'format', format, 'unit', unit, 'emptyAs', empty_as, 'glossaryTermSlug', NULL)
FROM metric WHERE slug IN ('overdue-findings', 'sla-compliance')
  AND NOT EXISTS (SELECT 1 FROM metric_version WHERE metric_id = metric.id);
