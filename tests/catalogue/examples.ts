import type { EstateIds } from './estate.ts'
import { birdDetector, foundAddress, wikiConfig } from './estate.ts'

type Input = Record<string, unknown>

const counted = { aggregation: 'COUNT', entity: 'finding', filters: { severities: ['HIGH', 'CRITICAL'] } }
const metric = { slug: 'severe-findings', displayName: 'Severe findings', type: 'SIMPLE', definition: counted }

const drafted = { displayName: 'Drafted findings', type: 'SIMPLE', definition: counted }

/** Valid inputs of every operation, as full as they can be; the first of each is the one that shows most. */
export const examples: Readonly<Record<string, (ids: EstateIds) => readonly Input[]>> = {
  list_glossary_terms: () => [{ search: 'security', limit: 5, offset: 0 }, { category: 'PRIORITY' }, {}],
  create_glossary_term: () => [
    {
      slug: 'customer-data',
      displayName: 'Customer data',
      filterMapping: { detectorTypes: ['PII'], minConfidence: 0.5, exclude: { findingTypes: ['EMAIL'] } },
      description: 'Data of customers',
      category: 'PRIVACY',
      color: '#d33',
      icon: 'user',
      synonyms: ['client data'],
    },
  ],
  preview_glossary_term: () => [{ slug: 'security-threats' }],
  get_glossary_term: () => [{ slug: 'security-threats' }, { slug: 'Personal data' }],
  update_glossary_term: () => [
    {
      slug: 'pii-exposure',
      description: 'Other words',
      filterMapping: { detectorTypes: ['PII'], severities: ['HIGH'] },
    },
  ],
  delete_glossary_term: () => [{ slug: 'data-quality' }, { slug: 'critical-findings', detach: true }],
  list_metrics: () => [{ search: 'open', type: 'SIMPLE', limit: 3 }, { status: 'ACTIVE' }, {}],
  get_metric: () => [{ slug: 'critical-open-findings' }],
  create_metric: () => [
    { ...metric, allowedDimensions: ['severity', 'container'], unit: 'findings', glossaryTermSlug: 'pii-exposure' },
    {
      slug: 'noise-share',
      displayName: 'Noise share',
      type: 'RATIO',
      definition: { numerator: counted, denominator: { metricSlug: 'total-findings' } },
      format: 'percentage',
    },
    {
      slug: 'noise-sum',
      displayName: 'Noise sum',
      type: 'DERIVED',
      definition: { formula: '2 * open_findings + new_findings', inputs: ['open-findings', 'new-findings'] },
    },
    {
      slug: 'monthly-trend',
      displayName: 'Monthly trend',
      type: 'TREND',
      definition: { baseMetricSlug: 'new-findings', currentWindow: '1mo', compareWindow: '1mo' },
    },
  ],
  update_metric: () => [{ slug: 'open-findings', description: 'Other words', allowedDimensions: ['severity'] }],
  delete_metric: () => [{ slug: 'scratch' }],
  certify_metric: () => [{ slug: 'open-findings', certifiedBy: 'Grace' }],
  deprecate_metric: () => [
    { slug: 'new-findings', replacedBy: 'open-findings', reason: 'same', deprecatedBy: 'Grace' },
  ],
  list_metric_versions: () => [{ slug: 'open-findings' }],
  list_audit: () => [{ kind: 'metric', name: 'open-findings', limit: 5 }, { limit: 3 }],
  verify_audit: () => [{}],
  query_metric: () => [
    {
      metricSlug: 'total-findings',
      dimensions: ['container', 'severity'],
      glossaryTermSlug: 'unresolved-issues',
      filters: { severities: ['CRITICAL', 'HIGH', 'LOW'], exclude: { detectorTypes: ['PROMPT_INJECTION'] } },
      from: '2026-06-01',
      to: '2026-06-15T12:00:00Z',
      timeZone: 'Europe/Berlin',
      limit: 10,
      compare: 'previous_period',
    },
    { metricSlug: 'false-positive-rate', dimensions: ['detectorType'] },
    { metricSlug: 'weekly-finding-trend' },
    { metricSlug: 'scan-coverage' },
    { metricSlug: 'mean-time-to-resolve' },
  ],
  explore_metric: () => [{ metricSlug: 'open-findings', dimensions: ['container'], glossaryTermSlug: 'pii-exposure' }],
  query_metric_timeseries: () => [
    {
      metricSlug: 'new-findings',
      granularity: 'day',
      dimension: 'container',
      filters: { sourceTypes: ['WIKI', 'IMPORT'] },
      from: '2026-06-01',
      to: '2026-06-15',
      timeZone: 'America/New_York',
      weekStart: 'sunday',
    },
    { metricSlug: 'open-findings', granularity: 'week' },
  ],
  explore_by_glossary_term: () => [
    {
      glossaryTermSlug: 'security-threats',
      dimensions: ['container'],
      from: '2026-05-01',
      filters: { statuses: ['OPEN'] },
    },
    { glossaryTermSlug: 'personal data' },
  ],
  explore_view: () => [
    {
      metricSlug: 'false-positive-rate',
      alsoMetrics: ['new-findings', 'open-findings', 'no-such-metric'],
      dimensions: ['severity', 'container', 'asset'],
      filters: { severities: ['CRITICAL', 'HIGH', 'LOW'] },
      from: '2026-06-01',
      to: '2026-06-15T12:00:00Z',
      focus: { from: '2026-06-05', to: '2026-06-12' },
      granularity: 'day',
      compare: 'previous_period',
      limit: 2,
    },
    { metricSlug: 'open-findings' },
    {
      metricSlug: 'new-metric',
      draft: { type: 'SIMPLE', definition: counted, allowedDimensions: ['severity'], unit: 'findings' },
      dimensions: ['severity'],
    },
  ],
  get_metric_impact: () => [
    { slug: 'open-findings', glossaryTermSlug: 'pii-exposure' },
    {
      slug: 'critical-secrets',
      type: 'SIMPLE',
      definition: { aggregation: 'COUNT', entity: 'finding', filters: { detectorTypes: ['SECRETS'] } },
      allowedDimensions: ['container'],
    },
  ],
  get_term_impact: () => [
    { slug: 'pii-exposure', isActive: true },
    { slug: 'security-threats', filterMapping: { detectorTypes: ['PII'] }, dimension: 'container' },
  ],
  preview_metric_tests: () => [{}, { metrics: ['open-findings'] }],
  test_metrics: () => [{}],
  list_dimensions: () => [{}],
  get_session: () => [{}],
  list_tokens: () => [{}],
  create_token: () => [
    { name: 'grafana', scopes: ['read', 'triage'], lockdown: true, expires: '2026-12-31' },
    { name: 'reader', scopes: ['read'] },
  ],
  revoke_token: () => [{ id: 'old robot' }],
  list_dashboards: () => [{}],
  get_dashboard: () => [{ dashboard: 'discovery' }],
  set_placement: () => [
    {
      dashboard: 'team',
      slug: 'open-findings',
      pinnedFilters: { severities: ['HIGH'], containers: ['Quill'] },
      size: 'lg',
      position: 2,
      chartType: 'bar',
    },
  ],
  remove_placement: () => [{ dashboard: 'discovery', slug: 'scan-coverage' }],
  query_dashboard: () => [
    { dashboard: 'discovery', from: '2026-06-01', to: '2026-06-15', timeZone: 'UTC', weekStart: 'monday' },
    { dashboard: 'pinned' },
  ],
  get_sla: () => [{}],
  set_sla: () => [
    {
      policies: [
        { days: { CRITICAL: 3, HIGH: 7, MEDIUM: 30 } },
        { glossaryTermSlug: 'pii-exposure', days: { HIGH: 1, LOW: 90 } },
      ],
    },
  ],
  list_watches: () => [{}],
  get_watch: () => [{ slug: 'open-by-space' }],
  create_watch: () => [
    {
      slug: 'new-criticals',
      displayName: 'New criticals',
      metricSlug: 'new-findings',
      glossaryTermSlug: 'security-threats',
      filters: { severities: ['CRITICAL'] },
      dimensions: ['severity'],
      last: '7d',
      cron: '0 6 * * *',
      condition: { kind: 'above', value: 3, for: 2 },
    },
    {
      slug: 'told',
      displayName: 'Told',
      metricSlug: 'open-findings',
      condition: { kind: 'below', value: 1 },
      deliver: [
        { type: 'webhook', url: 'https://hooks.acme.com/assay', format: 'json', secret: 'signing-key-of-acme' },
      ],
    },
  ],
  update_watch: () => [{ slug: 'open-by-space', condition: { kind: 'above', value: 10 } }],
  delete_watch: () => [{ slug: 'open-by-space' }],
  preview_watch: () => [
    { slug: 'open-by-space' },
    { slug: 'open-by-space', change: { condition: { kind: 'below', value: 3 } }, weeks: 3 },
    {
      slug: 'new-watch',
      change: { metricSlug: 'new-findings', last: '7d', condition: { kind: 'changeAbove', value: 1 } },
    },
  ],
  check_watches: () => [{ watches: ['open-by-space'] }, {}],
  list_sources: () => [{}],
  get_source: () => [{ id: 'Company wiki' }],
  create_source: () => [
    {
      name: 'Second wiki',
      config: {
        ...wikiConfig,
        sampling: { strategy: 'LATEST', limit: 50, order_by_column: 'updated_at' },
        schedule: { enabled: true, preset: 'nightly', timezone: 'Europe/Berlin' },
        detectors: [{ type: 'SECRETS', enabled: true }],
      },
    },
  ],
  update_source: () => [
    { id: 'Company wiki', name: 'Company wiki', config: { schedule: { enabled: true, cron: '0 4 * * *' } } },
  ],
  test_source: () => [{ id: 'Nightly scanner' }],
  start_scan: () => [{ id: 'Quiet wiki' }],
  get_scan: ({ scan }) => [{ id: scan }],
  list_scans: () => [{ source: 'Company wiki', status: 'COMPLETED', limit: 5 }, {}],
  cancel_scan: ({ openScan }) => [{ id: openScan }],
  delete_source: () => [{ id: 'Nightly scanner' }],
  list_custom_detectors: () => [{}],
  get_custom_detector: () => [{ key: 'birds' }],
  create_custom_detector: () => [
    {
      key: 'customer-numbers',
      displayName: 'Customer numbers',
      description: 'Numbers of customers do not belong into the wiki.',
      enabled: true,
      definition: {
        findingType: 'CUSTOMER_NUMBER',
        category: 'PRIVACY',
        severity: 'HIGH',
        confidence: 0.9,
        sources: ['Company wiki'],
        sourceTypes: ['WIKI'],
        assetKinds: ['wiki.page'],
        containers: ['Engineering'],
        rule: {
          all: [{ type: 'REGEX', pattern: 'no\\. (?P<value>\\d{6})', flags: 'i' }],
          any: [
            { type: 'KEYWORDS', keywords: ['customer'], caseSensitive: false, wholeWords: true },
            { type: 'METADATA', field: 'name', operator: 'CONTAINS', values: ['customer'] },
          ],
          none: [{ type: 'COLUMN', keywords: ['order'], wholeWords: true }],
          within: 200,
        },
        examples: {
          match: ['customer no. 123456', { name: 'Customers', text: 'No. 123456', labels: ['old'] }],
          noMatch: ['invoice no. 123456'],
        },
      },
    },
  ],
  update_custom_detector: () => [
    { key: 'birds', displayName: 'All birds', definition: { ...birdDetector.definition, severity: 'LOW' } },
    { key: 'birds', enabled: false },
  ],
  delete_custom_detector: () => [{ key: 'birds' }],
  preview_custom_detector: () => [
    { key: 'birds', texts: ['a blue heron', { text: 'none', name: 'Page' }], limit: 5 },
    { definition: birdDetector.definition, texts: ['a blue heron'] },
  ],
  get_stats: () => [{}],
  search_findings: () => [
    {
      severities: ['LOW', 'HIGH'],
      detectorTypes: ['PII'],
      statuses: ['OPEN'],
      minConfidence: 0.5,
      search: 'wrote',
      limit: 5,
    },
    {},
  ],
  get_finding: () => [{ id: '1' }, { id: '2' }],
  update_finding: () => [{ id: '1', status: 'FALSE_POSITIVE', reason: 'a test key' }],
  find_value: () => [{ identifiers: [foundAddress, '+49 30 23125042', 'Mara Winkler'] }],
  preview_triage: () => [{ filters: { severities: ['LOW'] }, search: 'key' }],
  triage_findings: () => [
    { filters: { detectorTypes: ['SECRETS'] }, status: 'IGNORED', reason: 'test keys' },
    { ids: ['1', '2'], status: 'RESOLVED', expectedStatus: 'OPEN' },
  ],
  list_suppressions: () => [{}],
  create_suppression: () => [
    {
      filters: { detectorTypes: ['PII'], exclude: { severities: ['CRITICAL'] } },
      patterns: [{ field: 'path', pattern: '^body' }],
      status: 'FALSE_POSITIVE',
      reason: 'test data',
    },
    { filters: { findingTypes: ['EMAIL'] }, reason: 'ours' },
  ],
  delete_suppression: () => [{ id: '1' }],
  list_assets: () => [{ assetKinds: ['wiki.page'], search: 'page', status: 'ACTIVE', limit: 5 }, {}],
  get_asset: () => [{ id: 'wiki:page:1' }],
  list_proposals: () => [{ status: 'open', limit: 5 }, {}],
  get_proposal: () => [{ id: '1' }],
  propose_change: () => [
    { operation: 'delete_metric', input: { slug: 'scratch' } },
    { operation: 'create_metric', input: { slug: 'drafted', ...drafted } },
  ],
  approve_proposal: () => [{ id: '1', reason: 'as discussed' }],
  reject_proposal: () => [{ id: '1', reason: 'not yet' }],
}
