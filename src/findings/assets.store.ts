import type { AssetDraft, LinkDraft, LinkType } from '../connectors/connector.ts'
import { scrub } from '../kernel/redaction.ts'
import { db } from '../store/builder.ts'
import type { Reader, Writer } from '../store/store.ts'
import type { FacetDictionary } from './facets.store.ts'
import { markLogReset } from './ledger.store.ts'

const LONGEST_NAME = 1000
const LONGEST_LABEL = 200
const LONGEST_URL = 4096
/** Kind of an imported asset whose scanner names none. */
const DEFAULT_KIND = 'import.asset'

/** The members of a stored asset that decide what of it is new. */
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
  scopeKey: string
}

export interface SeenAsset {
  sourceId: number
  scopeKey: string
  draft: Omit<AssetDraft, 'document'>
  scanId: number
  at: number
  /** Hash of the detectors that looked at it, now or when it had this checksum; null: its content is still to be read. */
  detectorsHash: string | null
  /** True: everything there is to read of it was read, now or before. */
  scanned: boolean
}

export function findAsset(reader: Reader, sourceId: number, key: string): AssetRecord | undefined {
  return reader
    .prepare(
      `SELECT id, key, checksum, detectors_hash AS detectorsHash, status, last_scanned_at AS lastScannedAt,
         seen_scan_id AS seenScanId, name, url, container_id AS containerId, scope_key AS scopeKey
       FROM asset WHERE source_id = ? AND key = ?`,
    )
    .get(sourceId, key) as AssetRecord | undefined
}

/** Adds an asset or brings its row up to date; a deleted one that is back is active again. Returns its id. */
export function saveAsset(writer: Writer, dictionary: FacetDictionary, seen: SeenAsset): number {
  const { draft, at } = seen
  const row = writer.prepare(upsertAsset).get({
    uid: crypto.randomUUID(),
    source_id: seen.sourceId,
    key: draft.key,
    kind_id: dictionary.wordId(draft.kind),
    container_id: dictionary.wordId(scrub(draft.container ?? '').slice(0, LONGEST_NAME)),
    scope_key: seen.scopeKey,
    name: scrub(draft.name).slice(0, LONGEST_NAME),
    url: scrub(draft.url).slice(0, LONGEST_URL),
    owner: draft.owner ?? null,
    checksum: draft.checksum,
    detectors_hash: seen.detectorsHash,
    facts: draft.facts === undefined ? null : scrub(JSON.stringify(draft.facts)),
    content_created_at: draft.contentCreatedAt ?? null,
    content_updated_at: draft.contentUpdatedAt ?? null,
    at,
    scanned_at: seen.scanned ? at : null,
    scan_id: seen.scanId,
  }) as { id: number }
  return row.id
}

const upsertAsset = `
  INSERT INTO asset (uid, source_id, key, kind_id, container_id, scope_key, name, url, owner, checksum, detectors_hash,
    status, facts, content_created_at, content_updated_at, first_seen_at, last_seen_at, last_scanned_at, seen_scan_id)
  VALUES (@uid, @source_id, @key, @kind_id, @container_id, @scope_key, @name, @url, @owner, @checksum, @detectors_hash,
    'ACTIVE', @facts, @content_created_at, @content_updated_at, @at, @at, @scanned_at, @scan_id)
  ON CONFLICT (source_id, key) DO UPDATE SET
    kind_id = excluded.kind_id, container_id = excluded.container_id, scope_key = excluded.scope_key,
    name = excluded.name, url = excluded.url, owner = excluded.owner, checksum = excluded.checksum,
    detectors_hash = excluded.detectors_hash, status = 'ACTIVE', facts = excluded.facts,
    content_created_at = coalesce(excluded.content_created_at, content_created_at),
    content_updated_at = excluded.content_updated_at, last_seen_at = excluded.last_seen_at,
    last_scanned_at = coalesce(excluded.last_scanned_at, last_scanned_at),
    seen_scan_id = excluded.seen_scan_id, missed = 0, deleted_at = NULL
  RETURNING id`

/** An asset as another scanner tells of it; what it leaves out stays as it is. */
export interface ToldAsset {
  key: string
  kind?: string | undefined
  name?: string | undefined
  url?: string | undefined
  container?: string | undefined
  contentUpdatedAt?: number | undefined
}

interface ToldSqlRow {
  id: number
  kind_id: number
  container_id: number
  name: string
  url: string
  content_updated_at: number | null
}

/** Adds an asset of an import, or brings it up to date; writes nothing when it is as it was. Returns its id. */
export function saveToldAsset(
  writer: Writer,
  dictionary: FacetDictionary,
  { sourceId, asset, at }: { sourceId: number; asset: ToldAsset; at: number },
): number {
  const stored = writer
    .prepare(
      'SELECT id, kind_id, container_id, name, url, content_updated_at FROM asset WHERE source_id = ? AND key = ?',
    )
    .get(sourceId, asset.key) as ToldSqlRow | undefined
  const told = {
    kind_id: asset.kind === undefined ? stored?.kind_id : dictionary.wordId(asset.kind),
    container_id: asset.container === undefined ? stored?.container_id : dictionary.wordId(asset.container),
    name: asset.name ?? stored?.name ?? asset.key,
    url: asset.url ?? stored?.url ?? '',
    content_updated_at: asset.contentUpdatedAt ?? stored?.content_updated_at ?? null,
  }
  const row = {
    ...told,
    kind_id: told.kind_id ?? dictionary.wordId(DEFAULT_KIND),
    container_id: told.container_id ?? 0,
  }
  if (stored === undefined) {
    const { lastInsertRowid } = writer
      .prepare(
        `INSERT INTO asset (uid, source_id, key, kind_id, container_id, name, url, status, content_updated_at,
           first_seen_at, last_seen_at, last_scanned_at)
         VALUES (@uid, @source_id, @key, @kind_id, @container_id, @name, @url, 'ACTIVE', @content_updated_at, @at, @at, @at)`,
      )
      .run({ ...row, uid: crypto.randomUUID(), source_id: sourceId, key: asset.key, at })
    return Number(lastInsertRowid)
  }
  const keys = ['kind_id', 'container_id', 'name', 'url', 'content_updated_at'] as const
  if (keys.some((key) => row[key] !== stored[key])) {
    writer
      .prepare(
        `UPDATE asset SET kind_id = @kind_id, container_id = @container_id, name = @name, url = @url,
           content_updated_at = @content_updated_at, last_seen_at = @at, last_scanned_at = @at WHERE id = @id`,
      )
      .run({ ...row, at, id: stored.id })
  }
  return stored.id
}

/** An asset that was listed and is as it was; what its place is called may have changed. */
export function markUnchanged(
  writer: Writer,
  dictionary: FacetDictionary,
  before: AssetRecord,
  { draft, ...seen }: SeenPlace,
): void {
  const place = {
    name: scrub(draft.name).slice(0, LONGEST_NAME),
    url: scrub(draft.url).slice(0, LONGEST_URL),
    container_id: dictionary.wordId(scrub(draft.container ?? '').slice(0, LONGEST_NAME)),
    scope_key: seen.scopeKey,
    id: before.id,
  }
  const { name, url, containerId, scopeKey } = before
  if (name !== place.name || url !== place.url || containerId !== place.container_id || scopeKey !== place.scope_key) {
    writer
      .prepare(
        `UPDATE asset SET name = @name, url = @url, container_id = @container_id, scope_key = @scope_key WHERE id = @id`,
      )
      .run(place)
  }
  writer
    .prepare(
      `UPDATE asset SET last_seen_at = @at, seen_scan_id = @scan_id, missed = 0,
         last_scanned_at = CASE WHEN last_scanned_at IS NULL THEN NULL ELSE @at END
       WHERE id = @id`,
    )
    .run({ at: seen.at, scan_id: seen.scanId, id: before.id })
}

export type SeenPlace = Pick<SeenAsset, 'scanId' | 'at' | 'scopeKey'> & {
  draft: Pick<AssetDraft, 'name' | 'url' | 'container'>
}

/** Assets that could not be listed in a scan, though they may be there: their absence counts for nothing. */
export function excuseAssets(writer: Writer, sourceId: number, keys: readonly string[], scanId: number): void {
  const update = writer.prepare('UPDATE asset SET seen_scan_id = ? WHERE source_id = ? AND key = ?')
  for (const key of keys) update.run(scanId, sourceId, key)
}

/**
 * Assets that are known only from the content of another which is as it was: they are still there. Returns the keys
 * of those that this scan had not seen before.
 */
export function keepLinkedAssets(
  writer: Writer,
  assetId: number,
  seen: { sourceId: number; scanId: number; at: number },
): string[] {
  const rows = writer
    .prepare(
      `UPDATE asset SET seen_scan_id = @scan_id, last_seen_at = @at, missed = 0,
         last_scanned_at = CASE WHEN last_scanned_at IS NULL THEN NULL ELSE @at END
       WHERE source_id = @source_id AND status = 'ACTIVE' AND (seen_scan_id IS NULL OR seen_scan_id <> @scan_id)
         AND key IN (SELECT target_key FROM asset_link
           WHERE asset_id = @id AND type = 'links_to' AND target_key IS NOT NULL)
       RETURNING key`,
    )
    .all({ id: assetId, source_id: seen.sourceId, scan_id: seen.scanId, at: seen.at }) as { key: string }[]
  return rows.map((row) => row.key)
}

/** Replaces the links of an asset. */
export function saveLinks(writer: Writer, assetId: number, links: readonly LinkDraft[]): void {
  writer.prepare('DELETE FROM asset_link WHERE asset_id = ?').run(assetId)
  const insert = writer.prepare(
    'INSERT INTO asset_link (asset_id, ordinal, type, target_key, url, label, detail) VALUES (?, ?, ?, ?, ?, ?, ?)',
  )
  links.forEach((link, ordinal) => {
    const { path, line, column, reference } = link
    const detail = { path, line, column, reference }
    const hasDetail = Object.values(detail).some((value) => value !== undefined)
    insert.run(
      assetId,
      ordinal,
      link.type,
      link.targetKey ?? null,
      link.url === undefined ? null : scrub(link.url).slice(0, LONGEST_URL),
      link.label === undefined ? null : scrub(link.label).slice(0, LONGEST_LABEL),
      hasDetail ? scrub(JSON.stringify(detail)) : null,
    )
  })
}

/** A stored link, in the shape a connector gave it. */
export interface StoredLink extends LinkDraft {
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
    target_key: string | null
    url: string | null
    label: string | null
    detail: string | null
  }[]
  return rows.map((row) => ({
    ordinal: row.ordinal,
    type: row.type as LinkType,
    ...(row.target_key === null ? {} : { targetKey: row.target_key }),
    ...(row.url === null ? {} : { url: row.url }),
    ...(row.label === null ? {} : { label: row.label }),
    ...(row.detail === null ? {} : (JSON.parse(row.detail) as Partial<LinkDraft>)),
  }))
}

/** Checksums of the assets among `keys` that these detectors have seen as they are. */
export function listKnownChecksums(
  reader: Reader,
  sourceId: number,
  detectorsHash: string,
  keys: readonly string[],
): Map<string, string> {
  const find = reader.prepare(
    `SELECT checksum FROM asset WHERE source_id = ? AND key = ? AND detectors_hash = ? AND status = 'ACTIVE'`,
  )
  const known = new Map<string, string>()
  for (const key of keys) {
    const row = find.get(sourceId, key, detectorsHash) as { checksum: string } | undefined
    if (row !== undefined) known.set(key, row.checksum)
  }
  return known
}

export interface MissingAsset {
  id: number
  key: string
  /** In how many complete scans before this one it was absent. */
  missedBefore: number
  lastScannedAt: number | null
}

/** The active assets of a scope that a scan did not list. */
export function listMissing(reader: Reader, sourceId: number, scopeKey: string, scanId: number): MissingAsset[] {
  return reader
    .prepare(
      `SELECT id, key, last_scanned_at AS lastScannedAt,
         missed - CASE WHEN missed_scan_id = @scan_id THEN 1 ELSE 0 END AS missedBefore
       FROM asset
       WHERE source_id = @source_id AND scope_key = @scope_key AND status = 'ACTIVE'
         AND (seen_scan_id IS NULL OR seen_scan_id <> @scan_id)
       ORDER BY id`,
    )
    .all({ source_id: sourceId, scope_key: scopeKey, scan_id: scanId }) as MissingAsset[]
}

export function countActive(reader: Reader, sourceId: number, scopeKey: string): number {
  const row = reader
    .prepare(`SELECT count(*) AS n FROM asset WHERE source_id = ? AND scope_key = ? AND status = 'ACTIVE'`)
    .get(sourceId, scopeKey) as { n: number }
  return row.n
}

/** Scopes that hold active assets of a source. */
export function listAssetScopes(reader: Reader, sourceId: number): string[] {
  return reader
    .all(
      db
        .selectFrom('asset')
        .select('scope_key')
        .distinct()
        .where('source_id', '=', sourceId)
        .where('status', '=', 'ACTIVE'),
    )
    .map((row) => row.scope_key)
}

/** Counts an asset as absent from a complete scan, once for each scan. */
export function markMissed(writer: Writer, assetId: number, scanId: number): void {
  writer
    .prepare(
      `UPDATE asset SET missed = missed + 1, missed_scan_id = @scan_id
       WHERE id = @id AND (missed_scan_id IS NULL OR missed_scan_id <> @scan_id)`,
    )
    .run({ id: assetId, scan_id: scanId })
}

export function markDeleted(writer: Writer, assetId: number, at: number): void {
  writer
    .prepare(`UPDATE asset SET status = 'DELETED', deleted_at = ?, missed = 0, detectors_hash = NULL WHERE id = ?`)
    .run(at, assetId)
}

/** Keys of what is listed through an asset: its comments, its attachments, what it contains or links to. */
export function listDependants(reader: Reader, sourceId: number, key: string): string[] {
  const rows = reader
    .prepare(
      `SELECT a.key FROM asset_link l JOIN asset a ON a.id = l.asset_id
       WHERE l.target_key = @key AND l.type IN ('attached_to', 'comments_on') AND a.source_id = @source_id
       UNION
       SELECT l.target_key FROM asset p JOIN asset_link l ON l.asset_id = p.id
       WHERE p.source_id = @source_id AND p.key = @key AND l.target_key IS NOT NULL`,
    )
    .all({ key, source_id: sourceId }) as { key: string }[]
  return rows.map((row) => row.key)
}

/**
 * Removes up to `limit` assets of a source with their findings, in one go that other writers can wait for; says
 * whether more are left.
 */
export function removeAssets(writer: Writer, sourceId: number, limit: number, at: number): boolean {
  const ids = writer.all(
    db.selectFrom('asset').select('id').where('source_id', '=', sourceId).orderBy('id').limit(limit),
  )
  const count = writer.prepare('SELECT combo_id, count(*) AS n FROM finding WHERE asset_id = ? GROUP BY combo_id')
  const lower = writer.prepare('UPDATE combo SET n = n - ? WHERE id = ?')
  const remove = writer.prepare('DELETE FROM asset WHERE id = ?')
  for (const { id } of ids) {
    for (const row of count.all(id) as { combo_id: number; n: number }[]) lower.run(row.n, row.combo_id)
    remove.run(id)
  }
  markLogReset(writer, at)
  return ids.length === limit
}
