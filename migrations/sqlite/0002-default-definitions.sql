-- The terms, metrics and the dashboard that every installation starts with: ordinary rows, to be changed or deleted.

INSERT INTO term (uid, slug, display_name, description, category, filter_mapping, color, icon, synonyms, created_at, updated_at)
SELECT new_uid(), slug, display_name, description, category, filter_mapping, color, icon, synonyms, at, at
FROM (SELECT column1 AS slug, column2 AS display_name, column3 AS description, column4 AS category, column5 AS filter_mapping, column6 AS color, column7 AS icon, column8 AS synonyms FROM (VALUES
  ('security-threats', 'Security threats', 'Credentials, keys and other secrets that lie in the open, and text that tries to take over an AI assistant.', 'SECURITY', '{"detectorTypes":["SECRETS","PROMPT_INJECTION"]}', '#d92d20', 'shield-alert', '["security issues","security risks","leaked secrets"]'),
  ('pii-exposure', 'PII exposure', 'Personal data, such as email addresses, phone numbers, payment cards and national ids, where more people can read it than should.', 'PRIVACY', '{"detectorTypes":["PII"]}', '#9333ea', 'user-lock', '["personal data","privacy issues","PII"]'),
  ('broken-content', 'Broken content', 'Links and references that lead nowhere: pages, attachments, datasets and websites that are gone.', 'CONTENT', '{"detectorTypes":["BROKEN_LINKS"]}', '#ea580c', 'link-off', '["broken links","dead links"]'),
  ('data-quality', 'Data quality', 'Content that is stale, empty, undescribed, without an owner, or kept in several copies.', 'QUALITY', '{"detectorTypes":["DUPLICATE","CONTENT_QUALITY"]}', '#0d9488', 'clipboard-check', '["content quality","quality issues","stale content"]'),
  ('critical-findings', 'Critical findings', 'Findings of the highest severity, whatever they are about.', 'PRIORITY', '{"severities":["CRITICAL"]}', '#b91c1c', 'alert-octagon', '["critical issues","most severe findings"]'),
  ('unresolved-issues', 'Unresolved issues', 'Findings that nobody has resolved, ignored or marked as a false positive yet.', 'PRIORITY', '{"statuses":["OPEN"]}', '#2563eb', 'inbox', '["open issues","unresolved findings","backlog"]')
)), (SELECT now_ms() AS at);

-- certified_digest is what the code computes for these very definitions.
INSERT INTO metric (uid, slug, display_name, description, type, definition, allowed_dimensions, format, unit, term_id, synonyms, certified_digest,
  status, version, certified_by, certified_version, certified_via, certified_at, created_at, updated_at)
SELECT new_uid(), slug, display_name, description, type, definition, allowed_dimensions, format, unit, (SELECT id FROM term WHERE term.slug = term_slug), synonyms, digest,
  'ACTIVE', 1, 'assay', 1, 'cli', at, at, at
FROM (SELECT column1 AS slug, column2 AS display_name, column3 AS description, column4 AS type, column5 AS definition, column6 AS allowed_dimensions, column7 AS format, column8 AS unit, column9 AS term_slug, column10 AS synonyms, column11 AS digest FROM (VALUES
  ('total-findings', 'Total findings', 'How many findings there are, whatever their status; in a time range, those first detected in it.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'number', 'findings', NULL, '["all findings","finding count","number of findings"]', '{"definition":"498350d39059789a"}'),
  ('open-findings', 'Open findings', 'How many findings were open at the end of the time range; without one, how many are open now.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'number', 'findings', NULL, '["current findings","outstanding findings"]', '{"definition":"d351de1d46c8956a"}'),
  ('new-findings', 'New findings', 'How many findings were detected for the first time in the time range.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding","timeField":"firstDetectedAt"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'number', 'findings', NULL, '["newly detected findings","incoming findings"]', '{"definition":"e6de73ea2c7150f7"}'),
  ('critical-open-findings', 'Critical open findings', 'How many findings of the term critical-findings were open at the end of the time range.', 'SIMPLE', '{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["OPEN"]},"mode":"stock"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'number', 'findings', 'critical-findings', '["open critical findings"]', '{"definition":"9b2d0d35b50febcc","term critical-findings":"d5ddaceeb5755722"}'),
  ('false-positive-rate', 'False positive rate', 'The share of all findings that people have marked as false positives.', 'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["FALSE_POSITIVE"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'percentage', '%', NULL, '["false alarm rate","fp rate"]', '{"definition":"0ef471641964685d"}'),
  ('resolution-rate', 'Resolution rate', 'The share of all findings that are resolved.', 'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"finding","filters":{"statuses":["RESOLVED"]}},"denominator":{"aggregation":"COUNT","entity":"finding"}}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'percentage', '%', NULL, '["share resolved","fix rate"]', '{"definition":"ecea7625228da6f3"}'),
  ('affected-assets', 'Affected assets', 'How many pages, reports and other assets had at least one open finding at the end of the time range.', 'SIMPLE', '{"aggregation":"COUNT_DISTINCT","entity":"finding","field":"assetId","filters":{"statuses":["OPEN"]},"mode":"stock"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'number', 'assets', NULL, '["assets with findings","affected pages"]', '{"definition":"0a2775245fe28e9e"}'),
  ('scan-coverage', 'Scan coverage', 'The share of the known assets that have been scanned at least once.', 'RATIO', '{"numerator":{"aggregation":"COUNT","entity":"asset","filters":{"scanned":true}},"denominator":{"aggregation":"COUNT","entity":"asset"}}', '["source","sourceType","assetKind","container"]', 'percentage', '%', NULL, '["coverage","scanned share"]', '{"definition":"92cf7504247cc675"}'),
  ('average-confidence', 'Average confidence', 'How sure the detectors are of their findings on average, from 0 to 1.', 'SIMPLE', '{"aggregation":"AVG","entity":"finding","field":"confidence"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'number', '', NULL, '["mean confidence","detection confidence"]', '{"definition":"c9ce443d062d3413"}'),
  ('mean-time-to-resolve', 'Mean time to resolve', 'How many hours it took on average from the first detection of a finding to its resolution, for those resolved in the time range.', 'SIMPLE', '{"aggregation":"AVG","entity":"finding","field":"resolutionHours","filters":{"statuses":["RESOLVED"]},"timeField":"resolvedAt"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'duration', 'hours', NULL, '["MTTR","time to fix","resolution time"]', '{"definition":"ea5ccade15e33926"}'),
  ('weekly-finding-trend', 'Weekly finding trend', 'How the number of new findings of the last 7 days has changed against the 7 days before.', 'TREND', '{"baseMetricSlug":"new-findings","currentWindow":"7d","compareWindow":"7d"}', '["severity","detectorType","status","findingType","category","customDetectorKey","source","sourceType","assetKind","container"]', 'percentage', '%', NULL, '["weekly trend","week over week","finding trend"]', '{"definition":"eb13789768ce8b94","metric new-findings":"e6de73ea2c7150f7"}')
)), (SELECT now_ms() AS at);

INSERT INTO metric_version (metric_id, version, at, actor, via, snapshot)
SELECT metric.id, 1, metric.created_at, 'assay', 'cli', json_object(
  'displayName', metric.display_name, 'description', metric.description, 'type', type, 'definition', json(definition),
  'allowedDimensions', json(allowed_dimensions), 'format', format, 'unit', unit, 'emptyAs', empty_as,
  'glossaryTermSlug', (SELECT term.slug FROM term WHERE term.id = term_id))
FROM metric ORDER BY metric.id;

INSERT INTO dashboard (name, created_at) VALUES ('discovery', now_ms());
INSERT INTO placement (dashboard_id, metric_id, position, size, chart_type)
SELECT dashboard.id, metric.id, row_number() OVER (ORDER BY metric.id), 'md', 'number' FROM metric, dashboard;

INSERT INTO audit (at, actor, via, action, kind, name, after)
SELECT created_at, 'assay', 'cli', 'create', 'term', slug, json_object(
  'id', uid, 'slug', slug, 'displayName', display_name, 'description', description, 'category', category,
  'filterMapping', json(filter_mapping), 'synonyms', json(synonyms), 'isActive', json('true'), 'color', color, 'icon', icon,
  'createdAt', strftime('%Y-%m-%dT%H:%M:%fZ', created_at / 1000.0, 'unixepoch'),
  'updatedAt', strftime('%Y-%m-%dT%H:%M:%fZ', updated_at / 1000.0, 'unixepoch'))
FROM term ORDER BY id;
INSERT INTO audit (at, actor, via, action, kind, name, after)
SELECT metric.created_at, 'assay', 'cli', 'certify', 'metric', metric.slug, json_patch(metric_version.snapshot, json_object(
  'id', metric.uid, 'slug', metric.slug, 'status', status, 'version', metric.version, 'synonyms', json(synonyms),
  'certifiedBy', certified_by, 'certifiedVersion', certified_version, 'certifiedVia', certified_via,
  'certifiedAt', strftime('%Y-%m-%dT%H:%M:%fZ', certified_at / 1000.0, 'unixepoch')))
FROM metric JOIN metric_version ON metric_version.metric_id = metric.id ORDER BY metric.id;
INSERT INTO audit (at, actor, via, action, kind, name, after)
SELECT dashboard.created_at, 'assay', 'cli', 'create', 'placement', dashboard.name || '/' || metric.slug, json_object(
  'dashboard', dashboard.name, 'metricSlug', metric.slug, 'pinnedFilters', NULL, 'size', size, 'position', position, 'chartType', chart_type)
FROM placement JOIN dashboard ON dashboard.id = dashboard_id JOIN metric ON metric.id = metric_id ORDER BY position;
