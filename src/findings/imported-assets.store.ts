import type { AudienceName } from '../connectors/audience.ts'
import { orderedUuid } from '../kernel/ordered-uuid.ts'
import { internalText, ownText, type SafeText } from '../kernel/safe-text.ts'
import { audienceCodes } from '../store/schema.ts'
import type { RowStatement, Writer } from '../store/store.ts'
import { saveAudience, toAudienceName } from './audience.store.ts'
import type { FacetDictionary } from './facets.store.ts'

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
  audience?: AudienceName | undefined
  audienceSize?: number | undefined
}

interface ImportedAssetRow {
  id: number
  kind_id: number
  container_id: number
  owner_id: number
  labels_id: number
  name: SafeText
  url: SafeText
  content_updated_at: number | null
  audience: number
  audience_size: number | null
}

const columns = [
  ...(['id', 'kind_id', 'container_id', 'owner_id', 'labels_id', 'name', 'url', 'content_updated_at'] as const),
  ...(['audience', 'audience_size'] as const),
]
const findImported: RowStatement = {
  sql: `SELECT ${columns.join(', ')} FROM main.asset WHERE source_id = ? AND key = ?`,
  types: ['number', 'text'],
}
const insertImported: RowStatement = {
  sql: `INSERT INTO main.asset (uid, source_id, key, kind_id, container_id, owner_id, labels_id, name, url,
      status, content_updated_at, audience, audience_size, first_seen_at, last_seen_at, last_scanned_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'ACTIVE', ?, ?, ?, ?, ?, ?)`,
  types: [
    ...(['text', 'number', 'text', 'number', 'number', 'number', 'number', 'text', 'text'] as const),
    ...(['number', 'number', 'number', 'number', 'number', 'number'] as const),
  ],
}

interface Saving {
  writer: Writer
  dictionary: FacetDictionary
  sourceId: number
  at: number
}

/**
 * Inserts or updates the assets of an import, and returns the id of each; of an asset that is described more than once,
 * later members replace earlier ones. Writes nothing of one that is unchanged.
 */
export function saveImportedAssets(saving: Saving, assets: readonly ImportedAsset[]): number[] {
  const { writer, dictionary, sourceId } = saving
  const described = new Map<string, ImportedAsset>()
  for (const asset of assets) {
    // A number of people belongs to the audience that it is given with.
    const ofAudience = asset.audience === undefined ? {} : { audienceSize: undefined }
    described.set(asset.key, { ...described.get(asset.key), ...ofAudience, ...asset })
  }
  dictionary.learnWords(
    [...described.values()].flatMap(({ kind = DEFAULT_KIND, container = NONE, owner = NONE, labels = [] }) => [
      ...[kind, container, owner],
      ...labels,
    ]),
  )
  const keys = [...described.values()].map(({ key }) => [sourceId, key])
  const found = writer.firstOfEach<unknown[]>(findImported, keys)
  const ids = new Map<string, number>()
  for (const [index, asset] of [...described.values()].entries()) {
    const row = found[index]
    if (row === undefined) continue
    const stored = Object.fromEntries(columns.map((name, at) => [name, row[at]])) as unknown as ImportedAssetRow
    updateImported(saving, stored, asset)
    ids.set(asset.key, stored.id)
  }
  const missing = [...described.values()].filter(({ key }) => !ids.has(key))
  const inserted = writer.insertRows(
    insertImported,
    missing.map((asset) => toRow(saving, asset)),
  )
  for (const [index, { key }] of missing.entries()) ids.set(key, inserted[index] as number)
  return assets.map(({ key }) => ids.get(key) as number)
}

function toRow({ dictionary, sourceId, at }: Saving, asset: ImportedAsset) {
  const { key, kind = DEFAULT_KIND, container = NONE, name = key, url = NONE, owner = NONE, labels = [] } = asset
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
    asset.contentUpdatedAt ?? null,
    audienceCodes[asset.audience ?? 'unknown'],
    asset.audienceSize ?? null,
    at,
    at,
    at,
  ]
}

function updateImported({ writer, dictionary, at }: Saving, stored: ImportedAssetRow, asset: ImportedAsset): void {
  const row = {
    kind_id: asset.kind === undefined ? stored.kind_id : dictionary.wordId(asset.kind),
    container_id: asset.container === undefined ? stored.container_id : dictionary.wordId(asset.container),
    owner_id: asset.owner === undefined ? stored.owner_id : dictionary.wordId(asset.owner),
    labels_id: asset.labels === undefined ? stored.labels_id : dictionary.wordSetId(asset.labels),
    name: asset.name ?? stored.name,
    url: asset.url ?? stored.url,
    content_updated_at: asset.contentUpdatedAt ?? stored.content_updated_at,
  }
  const { id, audience: code, audience_size: size } = stored
  const { audience: name = toAudienceName(code), audienceSize = asset.audience === undefined ? size : null } = asset
  saveAudience(writer, { id, code, size }, { name, size: audienceSize }, at)
  const keys = ['kind_id', 'container_id', 'owner_id', 'labels_id', 'name', 'url', 'content_updated_at'] as const
  if (keys.every((key) => row[key] === stored[key])) return
  writer
    .prepare(
      `UPDATE main.asset SET kind_id = @kind_id, container_id = @container_id, owner_id = @owner_id,
         labels_id = @labels_id, name = @name, url = @url, content_updated_at = @content_updated_at,
         last_seen_at = @at, last_scanned_at = @at
       WHERE id = @id`,
    )
    .run({ ...row, at, id })
}
