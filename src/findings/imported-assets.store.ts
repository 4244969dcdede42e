import { orderedUuid } from '../kernel/ordered-uuid.ts'
import { ownText, type SafeText } from '../kernel/safe-text.ts'
import type { Writer } from '../store/store.ts'
import type { FacetDictionary } from './facets.store.ts'
import { holdAsset, type PendingImport } from './pending-imports.store.ts'

/** Kind of an imported asset whose scanner names none. */
const DEFAULT_KIND = ownText('import.asset')
const NONE = ownText('')

/** An asset as another scanner tells of it; what it leaves out stays as it is. */
export interface ImportedAsset {
  key: SafeText
  kind?: SafeText | undefined
  name?: SafeText | undefined
  url?: SafeText | undefined
  container?: SafeText | undefined
  contentUpdatedAt?: number | undefined
}

interface ImportedAssetRow {
  id: number
  kind_id: number
  container_id: number
  name: SafeText
  url: SafeText
  content_updated_at: number | null
  first_seen_at: number
}

interface AssetUpdate {
  sourceId: number
  pending: PendingImport | undefined
  asset: ImportedAsset
  at: number
}

/** Adds an asset of an import, or brings it up to date; writes nothing when it is as it was. Returns its id. */
function saveImportedAsset(
  writer: Writer,
  dictionary: FacetDictionary,
  telling: AssetUpdate,
  isLikelyNew: boolean,
): { assetId: number; isNew: boolean; firstSeenAt: number } {
  const { sourceId, asset, at } = telling
  if (isLikelyNew) {
    const assetId = insertImportedAsset(writer, dictionary, telling)
    if (assetId !== undefined) return { assetId, isNew: true, firstSeenAt: at }
  }
  const stored = writer.prepare(findImported).get(sourceId, asset.key) as ImportedAssetRow | undefined
  if (stored !== undefined) {
    updateImportedAsset(writer, dictionary, stored, telling)
    return { assetId: stored.id, isNew: false, firstSeenAt: stored.first_seen_at }
  }
  const assetId = insertImportedAsset(writer, dictionary, telling)
  if (assetId === undefined) throw new RangeError('an asset is there and is not')
  return { assetId, isNew: true, firstSeenAt: at }
}

const findImported =
  'SELECT id, kind_id, container_id, name, url, content_updated_at, first_seen_at FROM asset WHERE source_id = ? AND key = ?'
const insertImported = `INSERT INTO main.asset (uid, source_id, key, kind_id, container_id, name, url, status, content_updated_at,
    first_seen_at, last_seen_at, last_scanned_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, 'ACTIVE', ?, ?, ?, ?) ON CONFLICT (source_id, key) DO NOTHING`

/** Undefined when the source has the asset already. */
function insertImportedAsset(
  writer: Writer,
  dictionary: FacetDictionary,
  { sourceId, asset, at }: AssetUpdate,
): number | undefined {
  const { key, kind = DEFAULT_KIND, container = NONE, name = key, url = NONE, contentUpdatedAt = null } = asset
  const { changes, lastInsertRowid } = writer
    .prepare(insertImported)
    .run(
      orderedUuid(at),
      sourceId,
      key,
      dictionary.wordId(kind),
      dictionary.wordId(container),
      name,
      url,
      contentUpdatedAt,
      at,
      at,
      at,
    )
  return changes === 0 ? undefined : Number(lastInsertRowid)
}

function updateImportedAsset(
  writer: Writer,
  dictionary: FacetDictionary,
  stored: ImportedAssetRow,
  { pending, asset, at }: AssetUpdate,
): void {
  const row = {
    kind_id: asset.kind === undefined ? stored.kind_id : dictionary.wordId(asset.kind),
    container_id: asset.container === undefined ? stored.container_id : dictionary.wordId(asset.container),
    name: asset.name ?? stored.name,
    url: asset.url ?? stored.url,
    content_updated_at: asset.contentUpdatedAt ?? stored.content_updated_at,
  }
  const keys = ['kind_id', 'container_id', 'name', 'url', 'content_updated_at'] as const
  if (keys.every((key) => row[key] === stored[key])) return
  if (pending !== undefined) holdAsset(writer, pending, stored.id)
  writer
    .prepare(
      `UPDATE main.asset SET kind_id = @kind_id, container_id = @container_id, name = @name, url = @url,
         content_updated_at = @content_updated_at, last_seen_at = @at, last_scanned_at = @at WHERE id = @id`,
    )
    .run({ ...row, at, id: stored.id })
}

/** The assets of one import. */
export interface ToldAssets {
  /** How many of them were told of. */
  readonly count: number
  /** As `saveToldAsset`; one that is told of again and again is looked for once. `isNew`: it came with this import. */
  save(
    writer: Writer,
    dictionary: FacetDictionary,
    asset: ImportedAsset,
    at: number,
  ): { assetId: number; isNew: boolean }
}

/** What an import that goes on has told before, all of it counted already. */
interface ToldBefore {
  pending: PendingImport
  /** Key of the asset that it told of last. */
  last: string | undefined
  /** When it began; assets that the source has since then came with it. */
  addedSince: number | undefined
}

/** Remembers what an import has told, for as long as nothing it wrote is rolled back. */
export function openToldAssets(sourceId: number, told?: ToldBefore): ToldAssets {
  const pending = told?.pending
  const addedSince = told?.addedSince ?? Number.POSITIVE_INFINITY
  const before = new Set<number>()
  let added = 0
  let firstAdded = Number.POSITIVE_INFINITY
  let isFirst: boolean | undefined
  let last: { asset: ImportedAsset; saved: { assetId: number; isNew: boolean } } | undefined
  return {
    get count() {
      return before.size + added
    },
    save(writer, dictionary, asset, at) {
      if (last !== undefined && isSame(last.asset, asset)) return last.saved
      // A source that had no assets before has most likely none of those that are told of.
      isFirst ??= writer.prepare('SELECT 1 FROM asset WHERE source_id = ? LIMIT 1').get(sourceId) === undefined
      const { assetId, isNew, firstSeenAt } = saveImportedAsset(
        writer,
        dictionary,
        { sourceId, pending, asset, at },
        isFirst,
      )
      if (isNew) {
        added++
        firstAdded = Math.min(firstAdded, assetId)
      } else if (assetId < firstAdded && asset.key !== told?.last && firstSeenAt < addedSince) {
        before.add(assetId)
      }
      last = { asset, saved: { assetId, isNew: assetId >= firstAdded } }
      return last.saved
    },
  }
}

const isSame = (one: ImportedAsset, other: ImportedAsset): boolean =>
  one === other || (one.key === other.key && hasSameFields(one, other))

/** What may be told of an asset besides its key; the time as a text or in milliseconds. */
type Told = { [Member in Exclude<keyof ImportedAsset, 'key'>]?: string | number | undefined }

/** Whether the same is told of what has one key. */
export const hasSameFields = (one: Told, other: Told): boolean =>
  one.name === other.name &&
  one.url === other.url &&
  one.kind === other.kind &&
  one.container === other.container &&
  one.contentUpdatedAt === other.contentUpdatedAt
