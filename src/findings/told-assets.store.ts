import type { Writer } from '../store/store.ts'
import type { FacetDictionary } from './facets.store.ts'

/** Kind of an imported asset whose scanner names none. */
const DEFAULT_KIND = 'import.asset'

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
