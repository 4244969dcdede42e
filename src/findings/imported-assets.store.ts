import { orderedUuid } from '../kernel/ordered-uuid.ts'
import { internalText, ownText, type SafeText } from '../kernel/safe-text.ts'
import type { RowStatement, Writer } from '../store/store.ts'
import type { FacetDictionary } from './facets.store.ts'
import { type PendingImport, saveEarlierAsset } from './pending-imports.store.ts'

/** Kind of an imported asset whose scanner gives none. */
const DEFAULT_KIND = ownText('import.asset')
const NONE = ownText('')

/** An asset as another scanner describes it; members that are absent keep their stored values. */
export interface ImportedAsset {
  key: SafeText
  kind?: SafeText | undefined
  name?: SafeText | undefined
  url?: SafeText | undefined
  container?: SafeText | undefined
  owner?: SafeText | undefined
  labels?: readonly SafeText[] | undefined
  contentUpdatedAt?: number | undefined
}

interface ImportedAssetRow {
  id: number
  key: string
  kind_id: number
  container_id: number
  owner_id: number
  labels_id: number
  name: SafeText
  url: SafeText
  content_updated_at: number | null
}

interface AssetUpdate {
  sourceId: number
  pending: PendingImport | undefined
  asset: ImportedAsset
  at: number
  /** Its row, if that was read already. */
  stored?: ImportedAssetRow | undefined
}

/** Inserts or updates an asset of an import; writes nothing if it is unchanged. */
function saveImportedAsset(
  writer: Writer,
  dictionary: FacetDictionary,
  telling: AssetUpdate,
): { assetId: number; isNew: boolean } {
  const { sourceId, asset } = telling
  const stored =
    telling.stored ?? (writer.prepare(findImported).get(sourceId, asset.key) as ImportedAssetRow | undefined)
  if (stored !== undefined) {
    updateImportedAsset(writer, dictionary, stored, telling)
    return { assetId: stored.id, isNew: false }
  }
  const assetId = insertImportedAsset(writer, dictionary, telling)
  if (assetId === undefined) throw new RangeError('an asset exists but was not found by its key')
  return { assetId, isNew: true }
}

const columns = 'id, key, kind_id, container_id, owner_id, labels_id, name, url, content_updated_at'
const findImported = `SELECT ${columns} FROM asset WHERE source_id = ? AND key = ?`
const findAllImported = `SELECT ${columns} FROM asset
  WHERE source_id = ? AND key IN (SELECT CAST(value AS TEXT) FROM json_each(?))`
const insertImported: RowStatement = {
  sql: `INSERT INTO main.asset (uid, source_id, key, kind_id, container_id, owner_id, labels_id, name, url,
      status, content_updated_at, first_seen_at, last_seen_at, last_scanned_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'ACTIVE', ?, ?, ?, ?) ON CONFLICT (source_id, key) DO NOTHING`,
  types: [
    ...(['text', 'number', 'text', 'number', 'number', 'number', 'number', 'text', 'text'] as const),
    ...(['number', 'number', 'number', 'number'] as const),
  ],
}

/** Undefined if the source has the asset already. */
const insertImportedAsset = (writer: Writer, dictionary: FacetDictionary, update: AssetUpdate): number | undefined =>
  writer.prepare(insertImported.sql).insert(...toRow(dictionary, update))

function toRow(dictionary: FacetDictionary, { sourceId, asset, at }: Pick<AssetUpdate, 'sourceId' | 'asset' | 'at'>) {
  const { key, kind = DEFAULT_KIND, container = NONE, name = key, url = NONE, owner = NONE, labels = [] } = asset
  const { contentUpdatedAt = null } = asset
  return [
    internalText(orderedUuid(at)),
    sourceId,
    key,
    dictionary.wordId(kind),
    dictionary.wordId(container),
    dictionary.wordId(owner),
    dictionary.wordSetId(labels),
    name,
    url,
    contentUpdatedAt,
    at,
    at,
    at,
  ]
}

const wordsOf = ({ kind = DEFAULT_KIND, container, owner, labels = [] }: ImportedAsset): SafeText[] =>
  [kind, container, owner, ...labels].filter((text) => text !== undefined)

function updateImportedAsset(
  writer: Writer,
  dictionary: FacetDictionary,
  stored: ImportedAssetRow,
  { pending, asset, at }: AssetUpdate,
): void {
  const row = {
    kind_id: asset.kind === undefined ? stored.kind_id : dictionary.wordId(asset.kind),
    container_id: asset.container === undefined ? stored.container_id : dictionary.wordId(asset.container),
    owner_id: asset.owner === undefined ? stored.owner_id : dictionary.wordId(asset.owner),
    labels_id: asset.labels === undefined ? stored.labels_id : dictionary.wordSetId(asset.labels),
    name: asset.name ?? stored.name,
    url: asset.url ?? stored.url,
    content_updated_at: asset.contentUpdatedAt ?? stored.content_updated_at,
  }
  const keys = ['kind_id', 'container_id', 'owner_id', 'labels_id', 'name', 'url', 'content_updated_at'] as const
  if (keys.every((key) => row[key] === stored[key])) return
  if (pending !== undefined) saveEarlierAsset(writer, pending, stored.id)
  writer
    .prepare(
      `UPDATE main.asset SET kind_id = @kind_id, container_id = @container_id, owner_id = @owner_id,
         labels_id = @labels_id, name = @name, url = @url, content_updated_at = @content_updated_at, last_seen_at = @at, last_scanned_at = @at WHERE id = @id`,
    )
    .run({ ...row, at, id: stored.id })
}

/** Stores the assets of one import, and counts them. */
export interface ImportedAssetWriter {
  /** Number of distinct assets so far. */
  readonly count: number
  /** Reads assets at once and inserts those that are missing, for later calls of `save`. */
  saveAhead(writer: Writer, dictionary: FacetDictionary, assets: readonly ImportedAsset[], at: number): void
  /**
   * As `saveImportedAsset`; repeated calls for the same asset look it up once. `isNew`: this import inserted it,
   * `isInserted`: this call did.
   */
  save(writer: Writer, dictionary: FacetDictionary, asset: ImportedAsset, at: number): StoredAsset
}

interface StoredAsset {
  assetId: number
  isNew: boolean
  isInserted: boolean
}

/** An asset that was read or inserted ahead, and since it was saved, how. */
interface AheadAsset {
  stored?: ImportedAssetRow
  insertedId?: number
  last?: { asset: ImportedAsset; saved: StoredAsset }
}

/** The state of a resumed import, whose assets so far are already counted. */
interface ResumedAssets {
  pending: PendingImport
  /** Key of the last asset that it processed. */
  last: string | undefined
}

/** Caches the assets of an import; valid only as long as none of its writes is rolled back. */
export function openImportedAssets(sourceId: number, resumed?: ResumedAssets): ImportedAssetWriter {
  const pending = resumed?.pending
  const firstOfImport = pending?.firstAsset ?? Number.POSITIVE_INFINITY
  /** What is known of assets by their keys since `saveAhead`. */
  const ahead = new Map<string, AheadAsset>()
  const before = new Set<number>()
  let added = 0
  let firstAdded = Number.POSITIVE_INFINITY
  /** Whether assets are inserted without a lookup, because the source most likely has none of them. */
  let areNew: boolean | undefined
  let last: { asset: ImportedAsset; saved: StoredAsset } | undefined
  return {
    get count() {
      return before.size + added
    },
    saveAhead(writer, dictionary, assets, at) {
      ahead.clear()
      // Of an asset that is described twice, the second description is an update.
      const byKey = new Map<string, ImportedAsset>()
      for (const asset of assets) {
        if (asset.key !== last?.asset.key && !byKey.has(asset.key)) byKey.set(asset.key, asset)
      }
      areNew ??= writer.prepare('SELECT 1 FROM asset WHERE source_id = ? LIMIT 1').get(sourceId) === undefined
      if (!areNew) {
        const keys = JSON.stringify([...byKey.keys()])
        for (const stored of writer.prepare(findAllImported).all(sourceId, keys) as ImportedAssetRow[]) {
          ahead.set(stored.key, { stored })
        }
      }
      dictionary.learnWords(assets.flatMap(wordsOf))
      const missing = [...byKey.values()].filter(({ key }) => !ahead.has(key))
      const rows = missing.map((asset) => toRow(dictionary, { sourceId, asset, at }))
      for (const [index, id] of writer.insertRows(insertImported, rows).entries()) {
        const key = missing[index]?.key
        if (id === undefined) areNew = false
        else if (key !== undefined) ahead.set(key, { insertedId: id })
      }
    },
    save(writer, dictionary, asset, at) {
      if (last !== undefined && isSame(last.asset, asset)) return last.saved
      const known = ahead.get(asset.key)
      if (known?.last !== undefined && isSame(known.last.asset, asset)) return known.last.saved
      const telling = { sourceId, pending, asset, at, stored: known?.stored }
      const { assetId, isNew } =
        known?.insertedId === undefined
          ? saveImportedAsset(writer, dictionary, telling)
          : { assetId: known.insertedId, isNew: true }
      if (isNew) {
        added++
        firstAdded = Math.min(firstAdded, assetId)
      } else if (assetId < Math.min(firstAdded, firstOfImport) && asset.key !== resumed?.last) {
        before.add(assetId)
      }
      const saved = { assetId, isNew: assetId >= firstAdded, isInserted: false }
      last = { asset, saved }
      if (known !== undefined) ahead.set(asset.key, { last })
      return isNew ? { ...saved, isInserted: true } : saved
    },
  }
}

const isSame = (one: ImportedAsset, other: ImportedAsset): boolean =>
  one === other || (one.key === other.key && hasSameFields(one, other))

/** The members of an asset besides its key; the time as a text or in milliseconds. */
type AssetFields = { [Member in Exclude<keyof ImportedAsset, 'key' | 'labels'>]?: string | number | undefined } & {
  labels?: readonly string[] | undefined
}

/** Whether two descriptions of assets with the same key are equal. */
export const hasSameFields = (one: AssetFields, other: AssetFields): boolean =>
  one.name === other.name &&
  one.url === other.url &&
  one.kind === other.kind &&
  one.container === other.container &&
  one.owner === other.owner &&
  hasSameLabels(one.labels, other.labels) &&
  one.contentUpdatedAt === other.contentUpdatedAt

const hasSameLabels = (one: AssetFields['labels'], other: AssetFields['labels']): boolean =>
  one === other ||
  (one !== undefined && one.length === other?.length && one.every((label, index) => label === other[index]))
