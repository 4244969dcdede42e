import { type AuditTexts, toSafeActorId } from '../audit/audit.store.ts'
import {
  MAX_ADDRESS,
  MAX_CHECKPOINT,
  MAX_LINK_LABEL,
  type TextKind,
  toSafeAddress,
  toSafeJson,
  toSafeKey,
  toSafeText,
} from '../detectors/safe-text.ts'
import { MASK, maskPath } from '../kernel/redaction.ts'
import type { SafeText } from '../kernel/safe-text.ts'

/** Masks a stored text as it would be stored today; null if it cannot be kept. */
export type ToSafe = (text: string, row: Record<string, unknown>) => SafeText | null

export interface StoredTextTable {
  name: string
  /** The primary key. */
  key: readonly string[]
  columns: Readonly<Record<string, ToSafe>>
  /** Other columns that `ToSafe` needs. */
  also?: readonly string[]
  /** A row whose key would equal another's, or whose text would be null, is deleted instead of renamed. */
  isCache?: boolean
}

const MAX_EXCERPT = 2000

const text =
  (kind: TextKind, maxLength?: number): ToSafe =>
  (stored) =>
    toSafeText(stored, kind, maxLength)
const name = text('prose')
const typed = text('definition')
const receiver: ToSafe = (stored) => toSafeText(maskPath(stored), 'definition')
const description = text('definition', MAX_ADDRESS)
const mark = text('key')
const address: ToSafe = (stored) => toSafeAddress(stored)
/**
 * A position that contains something to mask is dropped, so that the work restarts instead of continuing from a masked
 * position.
 */
const position =
  (maxLength: number): ToSafe =>
  (stored) => {
    const safe = toSafeText(stored, 'key', maxLength)
    return safe === stored ? safe : null
  }
const json =
  (kind: TextKind): ToSafe =>
  (stored) =>
    toSafeStored(stored, kind)
const proseJson = json('prose')
const definition = json('definition')
const reason: ToSafe = (stored, { scan_id }) => toSafeText(stored, scan_id === null ? 'definition' : 'prose')

/** Masks stored JSON; the text is returned unchanged if nothing in it is masked. */
function toSafeStored(stored: string, kind: TextKind): SafeText {
  const value: unknown = JSON.parse(stored)
  const safe = toSafeJson(value, kind)
  return safe === JSON.stringify(value) ? (stored as SafeText) : safe
}

const suffixed = /^(.*)#([0-9a-f]{6,12})$/s

/** A key as it would be stored today; a key that was masked earlier keeps the hash of its original. */
export function toStoredKey(key: string, identify: (canonical: string) => number): SafeText {
  const [, masked = '', hash = ''] = suffixed.exec(key) ?? []
  if (!masked.includes(MASK)) return toSafeKey(key, identify)
  return `${toSafeText(masked, 'key')}#${hash}` as SafeText
}

/** Every column that may hold external text, with the kind of its texts. */
export function listTextTables(identify: (canonical: string) => number): StoredTextTable[] {
  const key: ToSafe = (stored) => toStoredKey(stored, identify)
  return [
    { name: 'source', key: ['id'], columns: { name: typed, config: definition, tenant_id: mark } },
    {
      name: 'scan',
      key: ['id'],
      columns: {
        requested_by: name,
        reason: name,
        failures: proseJson,
        warnings: proseJson,
        notebook: position(MAX_CHECKPOINT),
      },
    },
    {
      name: 'scan_scope',
      key: ['scan_id', 'key'],
      columns: { key, name, cursor: position(MAX_ADDRESS), reason: name },
    },
    {
      name: 'asset',
      key: ['id'],
      columns: { key, scope_key: key, name, url: address, checksum: mark, facts: proseJson },
    },
    {
      name: 'asset_link',
      key: ['asset_id', 'ordinal'],
      columns: {
        target_key: key,
        url: text('key', MAX_ADDRESS),
        label: text('prose', MAX_LINK_LABEL),
        detail: proseJson,
      },
    },
    { name: 'reading', key: ['source_id', 'key'], columns: { key, mark }, isCache: true },
    { name: 'unread_section', key: ['asset_id', 'section'], columns: { section: mark, detail: name }, isCache: true },
    {
      name: 'link_check',
      key: ['url'],
      columns: { url: text('key', MAX_ADDRESS), verdict: proseJson },
      isCache: true,
    },
    {
      name: 'finding',
      key: ['asset_id', 'fp'],
      columns: { location: proseJson, excerpt: text('prose', MAX_EXCERPT) },
    },
    {
      name: 'status_change',
      key: ['finding_id', 'seq'],
      columns: { actor: name, reason, client: name },
      also: ['scan_id'],
    },
    {
      name: 'suppression',
      key: ['id'],
      columns: { filters: definition, patterns: definition, reason: typed, created_by: name },
    },
    {
      name: 'custom_detector',
      key: ['id'],
      columns: { display_name: typed, description, definition },
    },
    {
      name: 'term',
      key: ['id'],
      columns: {
        display_name: typed,
        description,
        category: typed,
        filter_mapping: definition,
        icon: typed,
        synonyms: definition,
      },
    },
    {
      name: 'metric',
      key: ['id'],
      columns: {
        display_name: typed,
        description,
        definition,
        unit: typed,
        owner: typed,
        synonyms: definition,
        certified_by: name,
        deprecated_by: name,
        deprecation_reason: typed,
      },
    },
    { name: 'metric_version', key: ['metric_id', 'version'], columns: { actor: name, snapshot: definition } },
    { name: 'dashboard', key: ['id'], columns: { name: typed } },
    { name: 'placement', key: ['dashboard_id', 'metric_id'], columns: { pinned_filters: definition } },
    {
      name: 'watch',
      key: ['id'],
      columns: { display_name: typed, filters: definition },
    },
    { name: 'watch_receiver', key: ['id'], columns: { address: receiver, last_failure: typed } },
    { name: 'watch_run', key: ['watch_id'], columns: { message: typed } },
    { name: 'watch_state', key: ['watch_id', 'group_key'], columns: { group_key: proseJson }, isCache: true },
    { name: 'watch_change', key: ['id'], columns: { group_key: proseJson } },
    // A damaged definition keeps its digest, and therefore also the name in it.
    { name: 'definition_digest', key: ['kind', 'name'], columns: { name: typed }, isCache: true },
    { name: 'access_token', key: ['id'], columns: { name: typed, created_by: name } },
  ]
}

/** Masks the texts of an audit trail entry. */
export function toSafeEntry(
  { actor, actor_id, client, name: named, before, after }: AuditTexts,
  kind: string,
): AuditTexts {
  const toSafe = (stored: string) => toSafeStored(kind === 'watch' ? hideReceivers(stored) : stored, 'definition')
  return {
    actor: toSafeText(actor, 'prose'),
    actor_id: actor_id === null ? null : toSafeActorId(actor_id),
    client: client === null ? null : toSafeText(client, 'prose'),
    name: toSafeText(named, 'definition'),
    before: before === null ? null : toSafe(before),
    after: after === null ? null : toSafe(after),
  }
}

/** A stored watch without the paths of its webhooks; unchanged if there are none. */
function hideReceivers(stored: string): string {
  const watch = JSON.parse(stored) as { deliver?: { url: string }[]; newSecrets?: string[] }
  const { deliver = [], newSecrets } = watch
  if (deliver.length === 0) return stored
  const shown = deliver.map((each) => ({ ...each, url: maskPath(each.url) }))
  return JSON.stringify({ ...watch, deliver: shown, ...(newSecrets && { newSecrets: newSecrets.map(maskPath) }) })
}
