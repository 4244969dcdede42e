import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import { internalText, type SafeText, stringifySafe } from '../../kernel/safe-text.ts'
import type { Reader, StoredValue, Writer, WriteStatement } from '../../store/store.ts'
import type { ImportFacets, ImportRow } from '../read/import-row.ts'
import type { CompleteFile } from '../request.ts'
import type { ConvertedLines, DescribedAsset } from './convert.ts'

/** Maximum number of assets, and of combinations of facets, that are recognized when a file gives them again. */
const MAX_KNOWN = 200_000

export function openImportFile(writer: Writer, uid: string, at: number): void {
  writer.prepare('INSERT INTO import_file (uid, created_at) VALUES (?, ?)').run(internalText(uid), at)
}

/** Accepts a file: from now on it will be applied, even if this process dies. */
export function acceptImportFile(writer: Writer, uid: string, complete?: CompleteFile): void {
  writer
    .prepare('UPDATE import_file SET accepted = 1, complete_file = ? WHERE uid = ?')
    .run(complete === undefined ? null : internalText(JSON.stringify(complete)), internalText(uid))
}

/** Has a server count what is staged, because it would plan how to apply a large file by the size of an earlier one. */
export function analyzeStaged(writer: Writer): void {
  if (writer.time === undefined) return
  for (const table of ['import_finding', 'import_asset', 'import_facets']) writer.prepare(`ANALYZE main.${table}`).run()
}

/** What a complete file covers; undefined for one that is not complete. */
export function findCompleteFile(reader: Reader, uid: string): CompleteFile | undefined {
  const text = reader.prepare('SELECT complete_file FROM import_file WHERE uid = ?').pluck().get(uid)
  return typeof text === 'string' ? (JSON.parse(text) as CompleteFile) : undefined
}

/** Deletes a file with all that is staged of it. */
export function dropImportFile(writer: Writer, uid: string): void {
  writer.prepare('DELETE FROM import_file WHERE uid = ?').run(internalText(uid))
}

/** Files created before `before` that were never completely read, and accepted ones whose scan is over or gone. */
export function listStaleImports(reader: Reader, before: number): string[] {
  return reader
    .prepare(
      `SELECT uid FROM import_file WHERE accepted = 0 AND created_at < ? OR accepted = 1 AND uid NOT IN
         (SELECT uid FROM scan WHERE status IN ('QUEUED', 'RUNNING'))`,
    )
    .pluck()
    .all(before) as string[]
}

const insertAsset: WriteStatement = {
  sql: `INSERT INTO import_asset (uid, number, key, kind, name, url, container, owner, labels, content_updated_at, audience, audience_size)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  types: ['text', 'number', 'text', 'text', 'text', 'text', 'text', 'text', 'text', 'number', 'text', 'number'],
  order: 0,
}
const insertFacets: WriteStatement = {
  sql: `INSERT INTO import_facets (uid, number, detector_type, finding_type, category, custom_detector_key, severity, status,
      presence, scope) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  types: ['text', 'number', ...Array<'text'>(7).fill('text'), 'number'],
  order: 1,
}
const insertFinding: WriteStatement = {
  sql: `INSERT INTO import_finding (uid, ordinal, asset, facets, fp, first_detected_at, last_detected_at, resolved_at, conf_q,
      undated, value_id, excerpt, location) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  types: ['text', ...Array<'number'>(10).fill('number'), 'text', 'text'],
  order: 2,
}

const setKey: WriteStatement = {
  sql: 'UPDATE import_asset SET key = ? WHERE uid = ? AND number = ?',
  types: ['text', 'text', 'number'],
  order: 3,
  key: [1, 2],
}

type StagedRow = [statement: WriteStatement, values: StoredValue[]]

/** An asset with its last description. */
interface NumberedAsset {
  given: string
  number: number
  key: SafeText
  /** The numbers of all its descriptions, which have its key. */
  numbers: number[]
  isHidden: boolean
}

/** Numbers what is staged of a file. */
export class StagedFile {
  readonly #uid: SafeText
  readonly #assets = new Map<string, NumberedAsset>()
  readonly #facets = new Map<string, number>()
  #lastAsset = 0
  #lastFacets = 0
  #findings = 0
  /** The scope that reports the findings that follow. */
  scope: number | null = null

  constructor(uid: string) {
    this.#uid = internalText(uid)
  }

  get findings(): number {
    return this.#findings
  }

  /** The rows of some lines, which follow those before. */
  toRows({ assets, facets, findings }: ConvertedLines): StagedRow[] {
    const uid = this.#uid
    const rows: StagedRow[] = []
    const facetNumbers = facets.map((each) => this.#numberFacets(each, rows))
    for (const finding of findings) {
      const { fp, firstDetectedAt, lastDetectedAt, resolvedAt, confidence, undated, valueId } = finding
      const described = assets[finding.asset]
      if (described === undefined) throw new RangeError('a finding refers to a missing asset')
      const asset = this.#numberAsset(described, rows)
      const numbers = [fp, firstDetectedAt, lastDetectedAt, resolvedAt, confidence, undated, valueId]
      const facetsNumber = facetNumbers[finding.facets] ?? 0
      rows.push([
        insertFinding,
        [uid, ++this.#findings, asset, facetsNumber, ...numbers, finding.excerpt, finding.location],
      ])
    }
    return rows
  }

  /** What an excerpt reports is masked in the asset in the whole file: a description that masks less is not used. */
  #numberAsset({ givenKey, given, asset, isHidden }: DescribedAsset, rows: StagedRow[]): number {
    const known = this.#assets.get(givenKey)
    if (known?.given === given && (known.isHidden || !isHidden)) return known.number
    if (this.#assets.size >= MAX_KNOWN) this.#assets.clear()
    const number = ++this.#lastAsset
    const wasHidden = known?.isHidden === true
    const key = known === undefined || (isHidden && !wasHidden) ? asset.key : known.key
    const { name, url, container, labels, ...rest } = asset
    rows.push([insertAsset, [this.#uid, number, ...toAssetValues({ ...(wasHidden && !isHidden ? rest : asset), key })]])
    const numbers = known?.numbers ?? []
    if (key !== known?.key) for (const earlier of numbers) rows.push([setKey, [key, this.#uid, earlier]])
    numbers.push(number)
    this.#assets.set(givenKey, { given, number, key, numbers, isHidden: isHidden || wasHidden })
    return number
  }

  #numberFacets(facets: ImportFacets, rows: StagedRow[]): number {
    const text = JSON.stringify([facets, this.scope])
    const known = this.#facets.get(text)
    if (known !== undefined) return known
    if (this.#facets.size >= MAX_KNOWN) this.#facets.clear()
    const number = ++this.#lastFacets
    this.#facets.set(text, number)
    rows.push([insertFacets, [this.#uid, number, ...toValues(facets), this.scope]])
    return number
  }
}

const toAssetValues = ({ key, labels, ...asset }: ImportedAsset) => [
  key,
  ...[asset.kind, asset.name, asset.url, asset.container, asset.owner].map((text) => text ?? null),
  labels === undefined ? null : stringifySafe(labels),
  asset.contentUpdatedAt ?? null,
  asset.audience === undefined ? null : internalText(asset.audience),
  asset.audienceSize ?? null,
]

const toValues = ({
  detectorType,
  findingType,
  category,
  customDetectorKey,
  severity,
  status,
  presence,
}: ImportFacets) => [
  ...[detectorType, findingType, category, customDetectorKey],
  ...[internalText(severity), internalText(status), internalText(presence)],
]

export function addRows(writer: Writer, rows: readonly StagedRow[]): void {
  for (const [statement, values] of rows) writer.runRow(statement, values)
}

/** The number of findings of a file, and when the earliest of them was detected first. */
export function countStaged(reader: Reader, uid: string): { findings: number; earliest: number | null } {
  return reader
    .prepare('SELECT count(*) AS findings, min(first_detected_at) AS earliest FROM import_finding WHERE uid = ?')
    .get(uid) as { findings: number; earliest: number | null }
}

/** The assets that a file describes, with their numbers: a page after a number. */
export function listAssets(
  reader: Reader,
  uid: string,
  { after, limit }: { after: number; limit: number },
): { number: number; asset: ImportedAsset }[] {
  const rows = reader
    .prepare(
      `SELECT number, key, kind, name, url, container, owner, labels, content_updated_at AS contentUpdatedAt, audience,
         audience_size AS audienceSize
       FROM import_asset WHERE uid = ? AND number > ? ORDER BY number LIMIT ?`,
    )
    .all(uid, after, limit) as ({ number: number; labels: string | null } & Record<string, unknown>)[]
  return rows.map(({ number, labels, ...members }) => {
    const given = Object.entries(members).filter(([, value]) => value !== null)
    const asset = { ...Object.fromEntries(given), ...(labels === null ? {} : { labels: JSON.parse(labels) }) }
    return { number, asset: asset as ImportedAsset }
  })
}

/** A finding of a file as it was understood, masked. */
export interface PreviewLine extends Pick<ImportFacets, 'detectorType' | 'findingType' | 'severity' | 'status'> {
  asset: string
  firstDetectedAt: string
  excerpt: string | null
}

/** The first findings of a file. */
export function listFirst(reader: Reader, uid: string, limit = 3): PreviewLine[] {
  const rows = reader
    .prepare(
      `SELECT a.key AS asset, k.detector_type AS detectorType, k.finding_type AS findingType, k.severity, k.status,
         s.first_detected_at AS firstDetectedAt, s.excerpt
       FROM import_finding s JOIN import_facets k ON k.uid = s.uid AND k.number = s.facets
         JOIN import_asset a ON a.uid = s.uid AND a.number = s.asset
       WHERE s.uid = ? ORDER BY s.ordinal LIMIT ?`,
    )
    .all(uid, limit) as (Omit<PreviewLine, 'firstDetectedAt'> & { firstDetectedAt: number })[]
  return rows.map((row) => ({ ...row, firstDetectedAt: new Date(row.firstDetectedAt).toISOString() }))
}

const setAsset: WriteStatement = {
  sql: 'UPDATE import_asset SET asset_id = ? WHERE uid = ? AND number = ?',
  types: ['number', 'text', 'number'],
  order: 0,
  key: [1, 2],
}
const setCombo: WriteStatement = {
  sql: 'UPDATE import_facets SET combo_id = ? WHERE uid = ? AND number = ?',
  types: ['number', 'text', 'number'],
  order: 0,
  key: [1, 2],
}

export const saveAssetId = (writer: Writer, uid: string, number: number, assetId: number): void =>
  writer.runRow(setAsset, [assetId, internalText(uid), number])

export const saveComboId = (writer: Writer, uid: string, number: number, comboId: number): void =>
  writer.runRow(setCombo, [comboId, internalText(uid), number])

/** The number of different assets once their ids are saved. */
export const countAssets = (reader: Reader, uid: string): number =>
  reader.prepare('SELECT count(DISTINCT asset_id) FROM import_asset WHERE uid = ?').pluck().get(uid) as number

/** The combinations of facets of a file by their numbers. */
export function listFacets(reader: Reader, uid: string): Map<number, ImportFacets> {
  const rows = reader
    .prepare(
      `SELECT number, detector_type AS detectorType, finding_type AS findingType, category,
         custom_detector_key AS customDetectorKey, severity, status, presence
       FROM import_facets WHERE uid = ? ORDER BY number`,
    )
    .all(uid) as ({ number: number } & ImportFacets)[]
  return new Map(rows.map(({ number, ...facets }) => [number, facets]))
}

export interface StagedFinding extends ImportRow {
  assetId: number
  /** The number of its combination of facets. */
  facets: number
}

/** Findings of a file by their places in it, in its order. */
export function listStagedFindings(reader: Reader, uid: string, ordinals: readonly number[]): StagedFinding[] {
  return reader
    .prepare(
      `SELECT (SELECT a.asset_id FROM import_asset a WHERE a.uid = s.uid AND a.number = s.asset) AS assetId, s.facets, s.fp, s.first_detected_at AS firstDetectedAt,
         s.last_detected_at AS lastDetectedAt, s.resolved_at AS resolvedAt, s.conf_q AS confidence, s.undated, s.value_id AS valueId, s.excerpt, s.location
       FROM import_finding s WHERE s.uid = ? AND s.ordinal IN (SELECT CAST(value AS BIGINT) FROM json_each(?)) ORDER BY s.ordinal`,
    )
    .all(uid, JSON.stringify(ordinals)) as StagedFinding[]
}
