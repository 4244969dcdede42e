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
function saveToldAsset(
  writer: Writer,
  dictionary: FacetDictionary,
  { sourceId, asset, at }: { sourceId: number; asset: ToldAsset; at: number },
): { assetId: number; isNew: boolean } {
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
         VALUES (?, ?, ?, ?, ?, ?, ?, 'ACTIVE', ?, ?, ?, ?)`,
      )
      .run(
        crypto.randomUUID(),
        sourceId,
        asset.key,
        row.kind_id,
        row.container_id,
        row.name,
        row.url,
        row.content_updated_at,
        at,
        at,
        at,
      )
    return { assetId: Number(lastInsertRowid), isNew: true }
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
  return { assetId: stored.id, isNew: false }
}

/** The assets of one import. */
export interface ToldAssets {
  /** Ids of all that were told of. */
  readonly seen: ReadonlySet<number>
  /** As `saveToldAsset`; what was told before is not looked for again. `isNew`: it came with this import. */
  save(writer: Writer, dictionary: FacetDictionary, asset: ToldAsset, at: number): { assetId: number; isNew: boolean }
}

/** Assets that are remembered at most. */
const KEPT_ASSETS = 200_000

/** Remembers what an import has told, for as long as nothing it wrote is rolled back. */
export function openToldAssets(sourceId: number): ToldAssets {
  const seen = new Set<number>()
  const added = new Set<number>()
  const told = new Map<string, { asset: ToldAsset; assetId: number }>()
  return {
    seen,
    save(writer, dictionary, asset, at) {
      const known = told.get(asset.key)
      if (known !== undefined && isSame(known.asset, asset)) {
        return { assetId: known.assetId, isNew: added.has(known.assetId) }
      }
      const { assetId, isNew } = saveToldAsset(writer, dictionary, { sourceId, asset, at })
      seen.add(assetId)
      if (isNew) added.add(assetId)
      if (told.size >= KEPT_ASSETS) told.clear()
      told.set(asset.key, { asset, assetId })
      return { assetId, isNew: added.has(assetId) }
    },
  }
}

const isSame = (one: ToldAsset, other: ToldAsset): boolean =>
  one === other ||
  (one.name === other.name &&
    one.kind === other.kind &&
    one.url === other.url &&
    one.container === other.container &&
    one.contentUpdatedAt === other.contentUpdatedAt)
