import { countFindings } from '../findings/counts.store.ts'
import { decodeChanges, type FacetChange } from '../findings/facet-log.ts'
import { facetRows } from '../findings/facets.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import type { Reader } from '../store/store.ts'
import { Engine } from './columnar-index.ts'
import type { ComboFacetsRow } from './index/facets.ts'
import { buildHistory, followHistory, followInstants, followValues } from './index/history.store.ts'
import type { SourceName } from './index/names.ts'
import type { TimelineOptions } from './index/timeline.ts'
import { NEVER } from './index/times.ts'
import { readColumns } from './number-columns.store.ts'

type Numbers = readonly number[]

const comboColumns = facetRows.flatMap(({ table, column, slot }) =>
  table === 'combo' ? [`${column} AS "${slot}"`] : [],
)
/** The columns of a combination under the names of their slots. */
const comboFacetColumns = [...new Set(comboColumns)].join(', ')
const selectCombos = `SELECT id, ${comboFacetColumns} FROM combo`
const assetColumns = {
  columns: [
    'a.id',
    'a.kind_id',
    'a.container_id',
    'a.source_id',
    "CASE WHEN a.status = 'DELETED' THEN 1 ELSE 0 END",
    'CASE WHEN a.last_scanned_at IS NULL THEN 0 ELSE 1 END',
    'a.owner_id',
    'a.labels_id',
    'a.dataset_id',
    'a.audience',
  ],
  table: 'asset a',
}
const findingColumns = {
  columns: ['first_detected_at', 'combo_id', 'conf_q', 'asset_id', 'id', 'coalesce(value_id, 0)'],
  table: 'finding',
}
// The last sequence numbers assigned, even if their rows have been deleted since.
const selectSeqs = `SELECT coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'facet_log'), 0) AS seq,
  coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'asset_log'), 0) AS assetSeq,
  (SELECT coalesce(max(id), 0) FROM main.asset) AS newestAsset,
  (SELECT coalesce(max(id), 0) FROM word) AS newestWord,
  (SELECT coalesce(max(id), 0) FROM label_set) AS newestSet, (SELECT n FROM definition_count) AS definitions`

interface Seqs {
  seq: number
  assetSeq: number
  newestAsset: number
  newestWord: number
  newestSet: number
  definitions: number
}

/** Builds an engine from the tables, all in one snapshot. */
export function buildEngine(reader: Reader, options?: TimelineOptions): Engine {
  const engine = new Engine(options)
  const seqs = reader.prepare(selectSeqs).get() as Seqs
  addNames(reader, engine, seqs)
  for (const row of reader.prepare(selectCombos).all()) engine.facets.add(row as ComboFacetsRow)
  addAssets(reader, engine)
  engine.newestAsset = seqs.newestAsset
  const { facets, assets } = engine
  const { newestId } = reader.prepare('SELECT coalesce(max(id), 0) AS newestId FROM main.finding').get() as {
    newestId: number
  }
  engine.reserve(countFindings(reader), newestId)
  for (const columns of readColumns(reader, findingColumns, [-Number.MAX_SAFE_INTEGER, 0, 0, 0, 0])) {
    const [times = [], comboIds = [], confidences = [], assetIds = [], ids = [], values = []] = columns
    for (let row = 0; row < ids.length; row++) {
      const combo = facets.find(comboIds[row] as number) ?? 0
      const asset = assets.find(assetIds[row] as number) ?? 0
      engine.insert(ids[row] as number, times[row] as number, combo, confidences[row] as number, asset, values[row])
    }
    engine.findings.flush()
  }
  addInstants(reader, engine)
  buildHistory(reader, engine)
  engine.seq = seqs.seq
  engine.assetSeq = seqs.assetSeq
  return engine
}

const instantColumns = {
  columns: ['asset_id', 'fp', 'id', `coalesce(resolved_at, ${NEVER})`, `coalesce(last_detected_at, ${NEVER})`],
  table: 'finding',
}

function addInstants(reader: Reader, engine: Engine): void {
  const pages = readColumns(reader, instantColumns, [0, -Number.MAX_SAFE_INTEGER])
  for (const [, , ids = [], resolutions = [], detections = []] of pages) {
    for (const [row, id] of ids.entries()) {
      engine.setInstants(id, resolutions[row] as number, detections[row] as number)
    }
  }
}

const WORDS_AT_ONCE = 5_000

/** Adds some of the words that a restored engine does not have yet; returns whether there may be more. */
export function addSomeWords(reader: Reader, { names }: Engine): boolean {
  const rows = reader
    .prepare('SELECT id, text FROM word WHERE id > ? ORDER BY id LIMIT ?')
    .all(names.newestWord, WORDS_AT_ONCE) as { id: number; text: SafeText }[]
  names.addWords(rows)
  return rows.length === WORDS_AT_ONCE
}

function addNames(reader: Reader, { names }: Engine, { newestWord, newestSet, definitions }: Seqs): void {
  if (newestWord !== names.newestWord) {
    const rows = reader.prepare('SELECT id, text FROM word WHERE id > ? ORDER BY id').all(names.newestWord)
    names.addWords(rows as { id: number; text: SafeText }[])
  }
  if (newestSet !== names.newestSet) {
    const rows = reader.prepare('SELECT set_id, word_id FROM label_set_member WHERE set_id > ?').raw()
    names.addLabelSets(rows.all(names.newestSet) as [set: number, word: number][], newestSet)
  }
  if (definitions !== names.definitions) names.setSources(readSources(reader), definitions)
}

const readSources = (reader: Reader) =>
  reader.prepare('SELECT id, uid, name, type FROM source ORDER BY id').all() as SourceName[]

/** Adds the combinations of changes that the engine does not have yet. */
function addCombos(reader: Reader, { facets }: Engine, changes: readonly FacetChange[]): void {
  const select = reader.prepare(`${selectCombos} WHERE id = ?`)
  for (const { toCombo } of changes) {
    if (facets.find(toCombo) !== undefined) continue
    const row = select.get(toCombo) as ComboFacetsRow | undefined
    if (row !== undefined) facets.add(row)
  }
}

/** Adds the assets that are newer than those of the engine. */
function addAssets(reader: Reader, engine: Engine): void {
  for (const columns of readColumns(reader, assetColumns, [engine.newestAsset])) {
    for (const row of columns[0]?.keys() ?? [])
      putAsset(
        engine,
        columns.map((column) => column[row] as number),
      )
  }
}

/**
 * Updates an engine to the snapshot of a reader. Returns false when the engine must be rebuilt: the change log does not
 * reach back to its sequence number or requires a restart.
 */
export function catchUp(reader: Reader, engine: Engine): boolean {
  const seqs = reader.prepare(selectSeqs).get() as Seqs
  const { seq, assetSeq, newestAsset } = seqs
  addNames(reader, engine, seqs)
  if (seq === engine.seq && assetSeq === engine.assetSeq && newestAsset === engine.newestAsset) return true
  if (seq < engine.seq || assetSeq < engine.assetSeq || newestAsset < engine.newestAsset) return false
  if (engine.newestAsset < newestAsset) addAssets(reader, engine)
  engine.newestAsset = newestAsset
  if (assetSeq > engine.assetSeq && !moveAssets(reader, engine)) return false
  if (seq > engine.seq && !applyLog(reader, engine)) return false
  engine.seq = seq
  engine.assetSeq = assetSeq
  return true
}

function putAsset(
  { assets }: Engine,
  [
    id = 0,
    kind = 0,
    container = 0,
    source = 0,
    deleted = 0,
    scanned = 0,
    owner = 0,
    labels = 0,
    dataset = 0,
    audience = 0,
  ]: Numbers,
) {
  assets.put(id, { kind, container, source, audience, deleted, scanned }, { owner, labels, dataset })
}

function moveAssets(reader: Reader, engine: Engine): boolean {
  const rows = reader
    .prepare(
      `SELECT l.seq, a.id IS NOT NULL, ${assetColumns.columns.join(', ')}
       FROM asset_log l LEFT JOIN asset a ON a.id = l.asset_id WHERE l.seq > ? ORDER BY l.seq`,
    )
    .raw()
    .all(engine.assetSeq) as Numbers[]
  if (rows[0]?.[0] !== engine.assetSeq + 1) return false
  for (const [, isThere, ...row] of rows) {
    if (isThere === 0) return false
    if (row[0] !== null) putAsset(engine, row)
  }
  return true
}

function applyLog(reader: Reader, engine: Engine): boolean {
  const rows = reader.prepare('SELECT seq, n, delta FROM facet_log WHERE seq > ? ORDER BY seq').all(engine.seq) as {
    seq: number
    n: number
    delta: Uint8Array
  }[]
  if (rows[0]?.seq !== engine.seq + 1 || rows.some(({ n }) => n === 0)) return false
  try {
    for (const { delta } of rows) {
      const changes = decodeChanges(delta)
      addCombos(reader, engine, changes)
      engine.apply(changes)
    }
    engine.flush()
    followInstants(reader, engine)
    followValues(reader, engine)
    followHistory(reader, engine)
    return true
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}
