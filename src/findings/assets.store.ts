import { isDeepStrictEqual } from 'node:util'
import type { LinkDraft, LinkType } from '../connectors/connector.ts'
import type { SafeAsset } from '../connectors/safe-session.ts'
import { toSafeJson } from '../detectors/safe-text.ts'
import { internalText, ownText, type Safe, type SafeText } from '../kernel/safe-text.ts'
import { db, IN_NUMBERS } from '../store/builder.ts'
import type { Reader, RowStatement, Writer } from '../store/store.ts'
import type { FacetDictionary } from './facets.store.ts'
import { markLogReset } from './log.store.ts'

/** The columns of a stored asset that decide what has changed. */
export interface AssetRecord {
  id: number
  key: string
  checksum: string
  detectorsHash: string | null
  status: 'ACTIVE' | 'DELETED'
  lastScannedAt: number | null
  seenScanId: number | null
  name: string
  url: string
  containerId: number
  datasetId: number
  parentContainerId: number
  ownerId: number
  scopeKey: string
  /** Whether a section of it was not read. */
  hasUnread: boolean
  isArchived: boolean
}

export interface SeenAsset {
  sourceId: number
  scopeKey: SafeText
  draft: Omit<SafeAsset, 'document' | 'original' | 'values'>
  scanId: number
  at: number
  /**
   * Hash of the detectors that processed it, now or earlier at the same checksum; null if its content is still to be
   * read.
   */
  detectorsHash: string | null
  /** Whether everything readable was read, now or earlier. */
  scanned: boolean
}

export const findAsset = (reader: Reader, sourceId: number, key: string): AssetRecord | undefined =>
  findAssets(reader, sourceId, [key])[0]

/** The assets of a source with several keys. */
export function findAssets(reader: Reader, sourceId: number, keys: readonly string[]): (AssetRecord | undefined)[] {
  const rows = reader.firstOfEach<AssetSqlRow>(
    selectAsset,
    keys.map((key) => [sourceId, key]),
  )
  return rows.map((row) =>
    row === undefined
      ? undefined
      : {
          id: row[0],
          key: row[1],
          checksum: row[2],
          detectorsHash: row[3],
          status: row[4],
          lastScannedAt: row[5],
          seenScanId: row[6],
          name: row[7],
          url: row[8],
          containerId: row[9],
          ownerId: row[10],
          datasetId: row[11],
          parentContainerId: row[12],
          scopeKey: row[13],
          hasUnread: row[14] === 1,
          isArchived: row[15] === 1,
        },
  )
}

type AssetSqlRow = [
  id: number,
  key: string,
  checksum: string,
  detectorsHash: string | null,
  status: 'ACTIVE' | 'DELETED',
  lastScannedAt: number | null,
  seenScanId: number | null,
  name: string,
  url: string,
  containerId: number,
  ownerId: number,
  datasetId: number,
  parentContainerId: number,
  scopeKey: string,
  hasUnread: number,
  archived: number,
]

const selectAsset: RowStatement = {
  sql: `SELECT id, key, checksum, detectors_hash, status, last_scanned_at, seen_scan_id, name, url, container_id, owner_id,
      dataset_id, parent_container_id, scope_key, EXISTS (SELECT 1 FROM unread_section u WHERE u.asset_id = asset.id), archived
    FROM asset WHERE source_id = ? AND key = ?`,
  types: ['number', 'text'],
}

/**
 * Inserts or updates an asset; a deleted one becomes active again. Returns its id.
 * @param before the stored asset, or null if the source certainly has none with its key; absent: unknown
 */
export function saveAsset(
  writer: Writer,
  dictionary: FacetDictionary,
  seen: SeenAsset,
  before?: Pick<AssetRecord, 'id'> | null,
): number {
  const values = toAssetValues(dictionary, seen)
  // With a known id, nothing has to be returned.
  if (before) {
    writer.prepare(upsertAsset).run(values)
    return before.id
  }
  const id = before === null ? writer.takeAssetId?.() : undefined
  if (id === undefined) return (writer.prepare(upsertAssetForId).write(values) as { id: number }).id
  writer.prepare(upsertAssetWithId).run({ id, ...values })
  return id
}

function toAssetValues(dictionary: FacetDictionary, seen: SeenAsset) {
  const { draft, at } = seen
  const labels = readLabels(draft.facts)
  return {
    uid: internalText(crypto.randomUUID()),
    source_id: seen.sourceId,
    key: draft.key,
    kind_id: dictionary.wordId(ownText(draft.kind)),
    ...toContainerIds(dictionary, draft),
    scope_key: seen.scopeKey,
    name: draft.name,
    url: draft.url,
    owner_id: dictionary.wordId(draft.owner ?? ownText('')),
    labels_id: labels === undefined ? null : dictionary.wordSetId(labels),
    checksum: draft.checksum,
    detectors_hash: seen.detectorsHash === null ? null : internalText(seen.detectorsHash),
    facts: draft.facts === undefined ? null : toSafeJson(draft.facts),
    content_created_at: draft.contentCreatedAt ?? null,
    content_updated_at: draft.contentUpdatedAt ?? null,
    at,
    scanned_at: seen.scanned ? at : null,
    scan_id: seen.scanId,
    archived: Number(draft.presence === 'archived'),
  }
}

const toUpsertAsset = (id?: 'id') => `
  INSERT INTO main.asset (${id === undefined ? '' : 'id, '}uid, source_id, key, kind_id, container_id, dataset_id, parent_container_id, scope_key, name, url,
    owner_id, labels_id, checksum, detectors_hash, status, facts, content_created_at, content_updated_at, first_seen_at,
    last_seen_at, last_scanned_at, seen_scan_id, archived)
  VALUES (${id === undefined ? '' : '@id, '}@uid, @source_id, @key, @kind_id, @container_id, @dataset_id, @parent_container_id, @scope_key, @name, @url,
    @owner_id, coalesce(@labels_id, 0), @checksum, @detectors_hash, 'ACTIVE', @facts, @content_created_at,
    @content_updated_at, @at, @at, @scanned_at, @scan_id, @archived)
  ON CONFLICT (source_id, key) DO UPDATE SET
    kind_id = excluded.kind_id, container_id = excluded.container_id, dataset_id = excluded.dataset_id,
    parent_container_id = excluded.parent_container_id, scope_key = excluded.scope_key,
    name = excluded.name, url = excluded.url, owner_id = excluded.owner_id,
    labels_id = coalesce(@labels_id, asset.labels_id), checksum = excluded.checksum,
    detectors_hash = excluded.detectors_hash, status = 'ACTIVE', facts = excluded.facts,
    content_created_at = coalesce(excluded.content_created_at, asset.content_created_at),
    content_updated_at = excluded.content_updated_at, last_seen_at = excluded.last_seen_at,
    last_scanned_at = coalesce(excluded.last_scanned_at, asset.last_scanned_at),
    seen_scan_id = excluded.seen_scan_id, missed = 0, deleted_at = NULL,
    archived = excluded.archived, history_read_at = NULL`
const upsertAsset = toUpsertAsset()
const upsertAssetWithId = toUpsertAsset('id')
const upsertAssetForId = `${upsertAsset} RETURNING id`

/** The labels among the facts of an asset; undefined where they were not read. */
function readLabels(facts: SafeAsset['facts']): readonly SafeText[] | undefined {
  const labels = facts?.labels
  return Array.isArray(labels) ? labels.filter((label): label is SafeText => typeof label === 'string') : undefined
}

/** The words of a draft, which `FacetDictionary.learnWords` can read at once. */
export const wordsOf = ({ kind, container, dataset, parentContainer, owner, facts }: SeenAsset['draft']): SafeText[] =>
  [ownText(kind), container, dataset, parentContainer, owner, ...(readLabels(facts) ?? [])].filter(
    (text) => text !== undefined,
  )

const toContainerIds = (dictionary: FacetDictionary, { container, dataset, parentContainer }: Containers) => ({
  container_id: dictionary.wordId(container ?? ownText('')),
  dataset_id: dictionary.wordId(dataset ?? ownText('')),
  parent_container_id: dictionary.wordId(parentContainer ?? ownText('')),
})

/** Marks a listed asset as unchanged; its name, address, containers, owner or scope may still differ. */
export function markUnchanged(
  writer: Writer,
  dictionary: FacetDictionary,
  before: AssetRecord,
  { draft, ...seen }: SeenPlace,
): void {
  const place = {
    name: draft.name,
    url: draft.url,
    ...toContainerIds(dictionary, draft),
    owner_id: draft.owner === undefined ? before.ownerId : dictionary.wordId(draft.owner),
    scope_key: seen.scopeKey,
    archived: Number(draft.presence === 'archived'),
  }
  const { name, url, containerId: container_id, datasetId: dataset_id, parentContainerId: parent_container_id } = before
  const { ownerId: owner_id, scopeKey: scope_key, isArchived } = before
  const known = {
    name,
    url,
    container_id,
    dataset_id,
    parent_container_id,
    owner_id,
    scope_key,
    archived: Number(isArchived),
  }
  if (!isDeepStrictEqual(place, known)) writer.prepare(updatePlace).run({ ...place, id: before.id })
  writer
    .prepare(
      `UPDATE main.asset SET last_seen_at = @at, seen_scan_id = @scan_id, missed = 0,
         last_scanned_at = CASE WHEN last_scanned_at IS NOT NULL THEN CAST(@at AS BIGINT) END
       WHERE id = @id`,
    )
    .run({ at: seen.at, scan_id: seen.scanId, id: before.id })
}

const updatePlace = `UPDATE main.asset SET name = @name, url = @url, container_id = @container_id,
  dataset_id = @dataset_id, parent_container_id = @parent_container_id, owner_id = @owner_id, scope_key = @scope_key,
  archived = @archived WHERE id = @id`

type Containers = Pick<SafeAsset, 'container' | 'dataset' | 'parentContainer'>

export type SeenPlace = Pick<SeenAsset, 'scanId' | 'at' | 'scopeKey'> & {
  draft: Pick<SafeAsset, 'name' | 'url' | 'owner' | 'presence'> & Containers
}

/** Those of the assets that are archived. */
export function listArchived(reader: Reader, ids: readonly number[]): Set<number> {
  const rows = reader.prepare(`SELECT id FROM asset WHERE archived = 1 AND id ${IN_NUMBERS}`).pluck()
  return new Set(rows.all(JSON.stringify(ids)) as number[])
}

/** What the platform reported about an asset besides its text. */
export function findStoredFacts(
  reader: Reader,
  assetId: number,
): { facts: Record<string, unknown>; owner: SafeText | null; contentUpdatedAt: number | null } {
  const row = reader
    .prepare(
      `SELECT a.facts, nullif(owner.text, '') AS owner, a.content_updated_at AS contentUpdatedAt
       FROM asset a JOIN word owner ON owner.id = a.owner_id WHERE a.id = ?`,
    )
    .get(assetId) as { facts: string | null; owner: SafeText | null; contentUpdatedAt: number | null }
  return { ...row, facts: row.facts === null ? {} : (JSON.parse(row.facts) as Record<string, unknown>) }
}

/** Replaces the links of an asset. */
export function saveLinks(writer: Writer, assetId: number, links: readonly Safe<LinkDraft>[]): void {
  writer.prepare('DELETE FROM asset_link WHERE asset_id = ?').run(assetId)
  const insert = writer.prepare(
    'INSERT INTO asset_link (asset_id, ordinal, type, target_key, url, label, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  links.forEach((link, ordinal) => {
    const { path, section, line, column, reference } = link
    const detail = { path, section, line, column, reference }
    const hasDetail = Object.values(detail).some((value) => value !== undefined)
    insert.run(
      assetId,
      ordinal,
      link.type,
      link.targetKey ?? null,
      link.url ?? null,
      link.label ?? null,
      hasDetail ? toSafeJson(detail) : null,
    )
  })
}

/** A stored link, in the form in which a connector gave it. */
export interface StoredLink extends Safe<LinkDraft> {
  ordinal: number
}

export function listLinks(reader: Reader, assetId: number, limit = 10_000): StoredLink[] {
  const rows = reader
    .prepare(
      'SELECT ordinal, type, target_key, url, label, detail FROM asset_link WHERE asset_id = ? ORDER BY ordinal LIMIT ?',
    )
    .all(assetId, limit) as {
    ordinal: number
    type: string
    target_key: SafeText | null
    url: SafeText | null
    label: SafeText | null
    detail: string | null
  }[]
  return rows.map((row) => ({
    ordinal: row.ordinal,
    type: row.type as LinkType,
    ...(row.target_key === null ? {} : { targetKey: row.target_key }),
    ...(row.url === null ? {} : { url: row.url }),
    ...(row.label === null ? {} : { label: row.label }),
    ...(row.detail === null ? {} : (JSON.parse(row.detail) as Partial<Safe<LinkDraft>>)),
  }))
}

/** The labels of a set, sorted. */
export function listLabels(reader: Reader, setId: number): SafeText[] {
  return reader
    .prepare(
      `SELECT w.text FROM label_set_member m JOIN word w ON w.id = m.word_id
       WHERE m.set_id = ? AND w.id > 0 ORDER BY w.text`,
    )
    .pluck()
    .all(setId) as SafeText[]
}

/** Checksums of the assets among `keys` that these detectors have processed completely. */
export function listKnownChecksums(
  reader: Reader,
  sourceId: number,
  detectorsHash: string,
  keys: readonly string[],
): Map<string, string> {
  const find = reader.prepare(
    `SELECT checksum FROM asset WHERE source_id = ? AND key = ? AND detectors_hash = ? AND status = 'ACTIVE'
       AND NOT EXISTS (SELECT 1 FROM unread_section u WHERE u.asset_id = asset.id)`,
  )
  const known = new Map<string, string>()
  for (const key of keys) {
    const row = find.get(sourceId, key, detectorsHash) as { checksum: string } | undefined
    if (row !== undefined) known.set(key, row.checksum)
  }
  return known
}

/**
 * Removes up to `limit` assets of a source with their findings in one transaction, short enough for other writers to
 * wait; returns whether more may remain.
 */
export function removeAssets(writer: Writer, sourceId: number, limit: number, at: number): boolean {
  const ids = writer.all(
    db.selectFrom('asset').select('id').where('source_id', '=', sourceId).orderBy('id').limit(limit),
  )
  const count = writer.prepare('SELECT combo_id, count(*) AS n FROM finding WHERE asset_id = ? GROUP BY combo_id')
  const lower = writer.prepare('UPDATE main.combo SET n = n - ? WHERE id = ?')
  const remove = writer.prepare('DELETE FROM main.asset WHERE id = ?')
  for (const { id } of ids) {
    for (const row of count.all(id) as { combo_id: number; n: number }[]) lower.run(row.n, row.combo_id)
    remove.run(id)
  }
  markLogReset(writer, at)
  return ids.length === limit
}
