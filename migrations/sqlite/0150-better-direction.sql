-- Which direction of change of a metric is good; NULL: neither.
ALTER TABLE metric ADD COLUMN better TEXT CHECK (better IN ('lower', 'higher'));
UPDATE metric SET better = 'lower' WHERE certified_by = 'assay' AND slug IN ('total-findings', 'open-findings', 'new-findings',
  'critical-open-findings', 'false-positive-rate', 'affected-assets', 'mean-time-to-resolve', 'median-time-to-resolve',
  'weekly-finding-trend', 'overdue-findings');
UPDATE metric SET better = 'higher' WHERE certified_by = 'assay' AND slug IN ('resolution-rate', 'scan-coverage', 'sla-compliance');
