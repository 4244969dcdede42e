-- A default metric like those of 0002, unless its name is taken.
INSERT INTO metric (uid, slug, display_name, description, type, definition, allowed_dimensions, format, unit, synonyms, certified_digest,
  status, version, certified_by, certified_version, certified_via, certified_at, created_at, updated_at)
SELECT new_uid(), 'median-time-to-resolve', 'Median time to resolve',
  'How many hours it took in the middle case from the first detection of a finding to its resolution, for those resolved in the time range.',
  'SIMPLE',
  '{"aggregation":"MEDIAN","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"}',
  coalesce((SELECT allowed_dimensions FROM metric WHERE slug = 'mean-time-to-resolve' AND certified_by = 'assay'),
    '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]'),
  'duration', 'hours', '["typical time to fix","median resolution time"]', '{"definition":"1605fd291792e1ae"}',
  'ACTIVE', 1, 'assay', 1, 'cli', at, at, at
FROM (SELECT now_ms() AS at) WHERE NOT EXISTS (SELECT 1 FROM metric WHERE slug = 'median-time-to-resolve');

INSERT INTO metric_version (metric_id, version, at, actor, via, snapshot)
SELECT metric.id, 1, metric.created_at, 'assay', 'cli', json_object(
  'displayName', metric.display_name, 'description', metric.description, 'type', type, 'definition', json(definition),
  'allowedDimensions', json(allowed_dimensions), 'format', format, 'unit', unit, 'emptyAs', empty_as, 'glossaryTermSlug', NULL)
FROM metric WHERE slug = 'median-time-to-resolve' AND NOT EXISTS (SELECT 1 FROM metric_version WHERE metric_id = metric.id);

INSERT INTO placement (dashboard_id, metric_id, position, size, chart_type)
SELECT dashboard.id, metric.id, coalesce((SELECT max(position) FROM placement WHERE dashboard_id = dashboard.id), 0) + 1, 'md', 'number'
FROM metric, dashboard WHERE dashboard.name = 'discovery' AND slug = 'median-time-to-resolve' AND certified_by = 'assay'
  AND NOT EXISTS (SELECT 1 FROM placement WHERE dashboard_id = dashboard.id AND metric_id = metric.id);

INSERT INTO audit (at, actor, via, action, kind, name, after)
SELECT metric.created_at, 'assay', 'cli', 'certify', 'metric', metric.slug, json_patch(metric_version.snapshot, json_object(
  'id', metric.uid, 'slug', metric.slug, 'status', status, 'version', metric.version, 'synonyms', json(synonyms),
  'certifiedBy', certified_by, 'certifiedVersion', certified_version, 'certifiedVia', certified_via,
  'certifiedAt', strftime('%Y-%m-%dT%H:%M:%fZ', certified_at / 1000.0, 'unixepoch')))
FROM metric JOIN metric_version ON metric_version.metric_id = metric.id AND metric_version.version = 1
WHERE metric.slug = 'median-time-to-resolve' AND certified_by = 'assay';
INSERT INTO audit (at, actor, via, action, kind, name, after)
SELECT now_ms(), 'assay', 'cli', 'create', 'placement', dashboard.name || '/' || metric.slug, json_object(
  'dashboard', dashboard.name, 'metricSlug', metric.slug, 'pinnedFilters', NULL, 'size', size, 'position', position, 'chartType', chart_type)
FROM placement JOIN dashboard ON dashboard.id = dashboard_id JOIN metric ON metric.id = metric_id
WHERE metric.slug = 'median-time-to-resolve' AND certified_by = 'assay' AND dashboard.name = 'discovery';
