import type { Generated } from 'kysely'
import type { SafeText } from '../kernel/safe-text.ts'

/** Row types of every table; times are milliseconds since the epoch, booleans are 0 and 1, JSON is text. */
export interface Tables {
  install: { name: string; value: string }
  data_key: { id: Generated<number>; purpose: 'credential' | 'fingerprint'; wrapped: string; created_at: number }
  /** `folded`: the text as `foldCase` returns it. */
  word: { id: Generated<number>; text: SafeText; folded: SafeText }
  source: SourceRow
  scan: ScanRow
  scan_scope: ScanScopeRow
  asset: AssetRow
  label_set: { id: Generated<number>; words: string }
  label_set_member: { set_id: number; word_id: number }
  asset_link: AssetLinkRow
  asset_digest: { asset_id: number; detector_id: number; whole: number; data: Uint8Array }
  custom_detector: CustomDetectorRow
  combo: ComboRow
  finding: FindingRow
  suppression: SuppressionRow
  status_change: StatusChangeRow
  finding_scope: { scope: number; finding_id: number }
  audience_change: {
    asset_id: number
    seq: number
    at: number
    was: number
    was_size: number | null
    now: number
    now_size: number | null
  }
  presence_change: { finding_id: number; seq: number; at: number; presence: number }
  expiry: { finding_id: number; at: number; to_status: Generated<number> }
  facet_log: { seq: Generated<number>; at: number; n: number; delta: Uint8Array }
  engine_snapshot: { mark: string; digest: string; seq: number; asset_seq: number }
  term: TermRow
  term_text: { rowid: number; term_text: string; rank: number }
  metric: MetricRow
  metric_text: { rowid: number; metric_text: string; rank: number }
  metric_version: { metric_id: number; version: number; at: number; actor: SafeText; via: string; snapshot: SafeText }
  dashboard: { id: Generated<number>; name: SafeText; created_at: number }
  placement: PlacementRow
  audit: AuditRow
  definition_digest: { kind: string; name: string; digest: string }
  unreviewed: { kind: 'term' | 'metric'; name: string }
  audit_chain: { seq: number; digest: string }
  link_check: { url: SafeText; verdict: SafeText; checked_at: number; expires_at: number }
  import_file: { uid: string; created_at: number; accepted: Generated<number>; complete_file: string | null }
  import_asset: ImportAssetRow
  import_facets: ImportFacetsRow
  import_finding: ImportFindingRow
  lease: { name: string; holder: string; token: number; expires_at: number }
  access_token: AccessTokenRow
  watch: WatchRow
  watch_receiver: WatchReceiverRow
  watch_run: WatchRunRow
  watch_state: WatchStateRow
  watch_change: WatchChangeRow
  watch_delivery: { receiver_id: number; change_id: number; tries: Generated<number>; next_at: number }
  watch_signal: { scans: number; revision: number }
  proposal: ProposalRow
}

export interface ProposalRow {
  id: Generated<number>
  operation: string
  input: SafeText
  summary: SafeText
  changes: SafeText
  proposer: SafeText
  proposer_id: SafeText | null
  via: string
  client: SafeText | null
  created_at: number
  expires_at: number
  status: Generated<'open' | 'approved' | 'rejected' | 'failed'>
  decider: SafeText | null
  decided_at: number | null
  reason: SafeText | null
}

type WatchStateName = 'OK' | 'FIRING' | 'UNKNOWN'

export interface WatchRow {
  id: Generated<number>
  uid: string
  slug: string
  display_name: SafeText
  metric_id: number
  term_id: number | null
  filters: SafeText | null
  dimensions: string
  range_last: string | null
  cron: string | null
  condition: string
  created_at: number
  updated_at: number
}

export interface WatchReceiverRow {
  id: Generated<number>
  uid: string
  watch_id: number
  ordinal: number
  format: 'json' | 'slack'
  address: SafeText
  sealed: string
  has_secret: Generated<number>
  last_failure: SafeText | null
  dropped: Generated<number>
}

export interface WatchRunRow {
  watch_id: number
  evaluations: Generated<number>
  evaluated_at: number | null
  seen_scans: Generated<number>
  due_at: number | null
  reason: string | null
  message: SafeText | null
  total_groups: Generated<number>
}

export interface WatchStateRow {
  watch_id: number
  group_key: SafeText
  state: WatchStateName
  since: number
  value: number | null
  streak: Generated<number>
  reason: string | null
}

export interface WatchChangeRow {
  id: Generated<number>
  uid: string
  watch_id: number
  group_key: SafeText
  at: number
  from_state: WatchStateName
  to_state: WatchStateName
  value: number | null
  reason: string | null
}

export interface ImportAssetRow {
  uid: string
  number: number
  key: SafeText
  kind: SafeText | null
  name: SafeText | null
  url: SafeText | null
  container: SafeText | null
  owner: SafeText | null
  labels: SafeText | null
  content_updated_at: number | null
  asset_id: number | null
}

export interface ImportFacetsRow {
  uid: string
  number: number
  detector_type: SafeText
  finding_type: SafeText
  category: SafeText
  custom_detector_key: SafeText
  severity: string
  status: string
  scope: number | null
  presence: string
  combo_id: number | null
}

export interface ImportFindingRow {
  uid: string
  ordinal: number
  asset: number
  facets: number
  fp: number
  first_detected_at: number
  last_detected_at: number | null
  resolved_at: number | null
  conf_q: number
  undated: number
  excerpt: SafeText | null
  location: SafeText | null
  value_id: number | null
}

export interface AccessTokenRow {
  id: string
  name: SafeText
  scopes: string
  lockdown: Generated<number>
  digest: Uint8Array
  created_by: SafeText
  created_at: number
  expires_at: number
  revoked_at: number | null
  last_used_at: number | null
}

export interface SourceRow {
  id: Generated<number>
  uid: string
  name: SafeText
  type: SafeText
  config: SafeText
  secrets: Generated<string>
  tenant_id: string | null
  last_completed_scan_at: number | null
  observed_from: Generated<number | null>
  history: Generated<'off' | 'vanished' | 'all'>
  coverage: Generated<SafeText | null>
  schedule_enabled: Generated<number>
  next_run_at: number | null
  created_at: number
  updated_at: number
  deleted_at: Generated<number | null>
}

export interface ScanRow {
  id: Generated<number>
  uid: string
  source_id: number
  status: 'QUEUED' | 'RUNNING' | 'COMPLETED' | 'PARTIAL' | 'FAILED' | 'CANCELLED'
  trigger: 'MANUAL' | 'SCHEDULE' | 'IMPORT' | 'RESUME'
  requested_by: SafeText
  config_hash: string
  scope_hash: string | null
  detectors_hash: string
  seed: Generated<number>
  sampled: Generated<number>
  owner: string | null
  token: Generated<number>
  heartbeat_at: number | null
  cancel_requested: Generated<number>
  created_at: number
  started_at: number | null
  finished_at: number | null
  discovered: Generated<number>
  scanned: Generated<number>
  unchanged: Generated<number>
  findings_new: Generated<number>
  findings_again: Generated<number>
  findings_resolved: Generated<number>
  reason: SafeText | null
  retry_at: number | null
  estate_cursor: Generated<number>
  estate_step: Generated<string>
  failures: Generated<SafeText>
  warnings: Generated<SafeText>
}

export interface ScanScopeRow {
  scan_id: number
  key: SafeText
  name: SafeText
  state: 'PENDING' | 'RUNNING' | 'COMPLETE' | 'PARTIAL' | 'FAILED'
  cursor: SafeText | null
  discovered: Generated<number>
  scanned: Generated<number>
  unchanged: Generated<number>
  reason: SafeText | null
  has_gap: Generated<number>
}

export interface AssetRow {
  id: Generated<number>
  uid: string
  source_id: number
  key: SafeText
  kind_id: number
  container_id: number
  dataset_id: Generated<number>
  parent_container_id: Generated<number>
  archived: Generated<number>
  history_read_at: Generated<number | null>
  history_version: Generated<number>
  audience: Generated<number>
  audience_size: number | null
  scope_key: Generated<SafeText>
  name: SafeText
  url: Generated<SafeText>
  owner_id: Generated<number>
  /** Id of a `label_set`. */
  labels_id: Generated<number>
  checksum: Generated<SafeText>
  detectors_hash: string | null
  status: 'ACTIVE' | 'DELETED'
  facts: SafeText | null
  content_created_at: number | null
  content_updated_at: number | null
  first_seen_at: number
  last_seen_at: number
  last_scanned_at: number | null
  seen_scan_id: number | null
  missed: Generated<number>
  missed_scan_id: Generated<number | null>
  deleted_at: number | null
}

export interface AssetLinkRow {
  asset_id: number
  ordinal: number
  type: string
  target_key: SafeText | null
  url: SafeText | null
  label: SafeText | null
  detail: SafeText | null
}

export interface CustomDetectorRow {
  id: Generated<number>
  uid: string
  key: string
  display_name: SafeText
  description: SafeText
  enabled: number
  definition: SafeText
  version: Generated<number>
  created_at: number
  updated_at: number
}

export interface ComboRow {
  id: Generated<number>
  source_id: number
  detector_id: number
  type_id: number
  category_id: number
  custom_key_id: number
  severity: number
  status: number
  presence: Generated<number>
  /** Number of findings with this combination. */
  n: Generated<number>
}

export interface FindingRow {
  asset_id: number
  fp: number
  id: number
  combo_id: number
  first_detected_at: number
  conf_q: number
  last_detected_at: number | null
  resolved_at: number | null
  location: SafeText | null
  excerpt: SafeText | null
  value_fp: number | null
  value_id: number | null
}

export interface SuppressionRow {
  id: Generated<number>
  filters: SafeText
  value_fp: number | null
  patterns: SafeText
  status: number
  reason: SafeText
  created_by: SafeText
  created_at: number
  until: number | null
}

export interface StatusChangeRow {
  finding_id: number
  seq: number
  at: number
  from_status: number
  to_status: number
  actor: SafeText
  reason: SafeText | null
  scan_id: number | null
  via: string | null
  client: SafeText | null
  until: number | null
  resolved_at: number | null
}

export interface TermRow {
  id: Generated<number>
  uid: string
  slug: string
  display_name: SafeText
  description: Generated<SafeText>
  category: Generated<SafeText>
  filter_mapping: SafeText
  color: string | null
  icon: SafeText | null
  synonyms: Generated<SafeText>
  is_active: Generated<number>
  created_at: number
  updated_at: number
}

export interface MetricRow {
  id: Generated<number>
  uid: string
  slug: string
  display_name: SafeText
  description: Generated<SafeText>
  type: 'SIMPLE' | 'RATIO' | 'DERIVED' | 'TREND'
  definition: SafeText
  allowed_dimensions: Generated<string>
  format: Generated<string>
  unit: Generated<SafeText>
  status: 'DRAFT' | 'ACTIVE' | 'DEPRECATED'
  term_id: number | null
  owner: SafeText | null
  color: string | null
  synonyms: Generated<SafeText>
  empty_as: 'zero' | 'null' | null
  better: 'lower' | 'higher' | null
  tests: Generated<SafeText>
  failing: SafeText | null
  tested_scans: Generated<number>
  version: Generated<number>
  certified_by: SafeText | null
  certified_at: number | null
  certified_version: number | null
  certified_via: 'http' | 'mcp' | 'cli' | null
  certified_digest: string | null
  deprecated_by: SafeText | null
  deprecated_at: number | null
  deprecation_reason: SafeText | null
  replaced_by: string | null
  created_at: number
  updated_at: number
}

export interface PlacementRow {
  dashboard_id: number
  metric_id: number
  pinned_filters: SafeText | null
  size: Generated<SafeText>
  position: number
  chart_type: Generated<SafeText>
}

export interface AuditRow {
  seq: Generated<number>
  at: number
  actor: SafeText
  actor_id: SafeText | null
  via: string
  client: SafeText | null
  proposal: SafeText | null
  action: string
  kind: string
  name: SafeText
  before: SafeText | null
  after: SafeText | null
}

/** Integer codes of facets of a finding; severities are ordered by rank. */
export const severityCodes = { INFO: 1, LOW: 2, MEDIUM: 3, HIGH: 4, CRITICAL: 5 } as const
export const statusCodes = { OPEN: 0, RESOLVED: 1, FALSE_POSITIVE: 2, IGNORED: 3 } as const
export const presenceCodes = { current: 0, archived: 1, history: 2, trash: 3, unknown: 4 } as const
/** Who can read an asset, in the order of how many that are. */
export const audienceCodes = { unknown: 0, people: 1, group: 2, everyone: 3, anonymous: 4 } as const
/** Confidence is stored in ten-thousandths, so that sums and averages are exact. */
export const CONFIDENCE_SCALE = 10_000
