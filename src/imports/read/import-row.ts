import type { ReportedValues } from '../../detectors/reported-values.ts'
import { MAX_NAME, toSafeAddress, toSafeKey, toSafeText, toSafeTextOnce } from '../../detectors/safe-text.ts'
import { FINGERPRINT_NAME } from '../../findings/export/model.ts'
import type { Facets } from '../../findings/facets.store.ts'
import { toFp, toStoredConfidence } from '../../findings/finding-record.ts'
import type { ImportedAsset } from '../../findings/imported-assets.store.ts'
import type { SafeText } from '../../kernel/safe-text.ts'
import type { ImportLine } from './import-line.ts'
import { toMs } from './instant.ts'

/** Hashes a canonical string with the key of the data folder. */
export type Identify = (canonical: string) => number

/** A line of which `resolvedAt` may only be the time of reading, so that it does not correct a stored one. */
export type DatedLine = ImportLine & { undated?: boolean }

type NumberArray =
  | Float64Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>

interface NumberColumn {
  array: { new (buffer: ArrayBuffer, offset: number, size: number): NumberArray; readonly BYTES_PER_ELEMENT: number }
  /** Its value for a line, null if it has none, which is packed as NaN; absent for indexes of the names in a block. */
  of?: (line: DatedLine, identify: Identify) => number | null
}

const toTime = (instant: string | undefined) => (instant === undefined ? null : toMs(instant))

/**
 * The numbers of a row: how each is made from a line, and how it is packed. In the order of a stored block, in which
 * each column is aligned.
 */
export const numberColumns = {
  fp: { array: Float64Array, of: toFingerprint },
  firstDetectedAt: { array: Float64Array, of: (line) => toMs(line.firstDetectedAt) },
  /** Null: a known finding keeps its value. */
  lastDetectedAt: { array: Float64Array, of: (line) => toTime(line.lastDetectedAt) },
  resolvedAt: { array: Float64Array, of: (line) => toTime(line.resolvedAt) },
  asset: { array: Uint32Array },
  facets: { array: Uint32Array },
  /** In ten-thousandths. */
  confidence: { array: Uint16Array, of: ({ confidence = 1 }) => toStoredConfidence(confidence) },
  undated: { array: Uint8Array, of: ({ undated = false }) => Number(undated) },
} as const satisfies Record<string, NumberColumn>

/** The fingerprint of a finding in an export, which stays what it is. */
const exported = new RegExp(`^${FINGERPRINT_NAME}:([0-9a-f]{12})$`)

export const EXPORTED_FP_LENGTH = FINGERPRINT_NAME.length + 13

function findExportedFp(fingerprint: string): number | undefined {
  const own = fingerprint.length === EXPORTED_FP_LENGTH ? exported.exec(fingerprint)?.[1] : undefined
  return own === undefined ? undefined : toFp(own)
}

/** What a fingerprint depends on. */
type FingerprintedLine = Pick<
  ImportLine,
  'detectorType' | 'fingerprint' | 'findingType' | 'customDetectorKey' | 'excerpt' | 'firstDetectedAt'
> & { asset: Pick<ImportLine['asset'], 'key'> }

export function toFingerprint(line: FingerprintedLine, identify: Identify): number {
  const own = line.fingerprint === undefined ? undefined : findExportedFp(line.fingerprint)
  if (own !== undefined) return own
  const { asset, detectorType, fingerprint, findingType, customDetectorKey = '', excerpt } = line
  const identity =
    fingerprint === undefined
      ? `${quote(findingType)},${quote(customDetectorKey)},${excerpt === undefined ? null : quote(excerpt)},${toMs(line.firstDetectedAt)}`
      : quote(fingerprint)
  return identify(`${toIdentityStart(asset.key)}${quote(detectorType)},${identity}]`)
}

/** The beginning of the string that is hashed for findings of an asset. */
export const toIdentityStart = (key: string): string => `["import",${quote(key)},`

/** Quotes members of the hashed list one by one, which takes V8 half as long as the whole list. */
const quote = (text: string): string => JSON.stringify(text)

/** The facets of a row in the order of a stored block, with the value of a line that has none if it may. */
export const facetDefaults = {
  detectorType: undefined,
  findingType: undefined,
  category: '',
  customDetectorKey: '',
  severity: undefined,
  status: 'OPEN',
} as const satisfies Record<keyof ImportFacets, string | undefined>

interface AssetColumn {
  /** Adds what it masks to `values`, and masks these. */
  toSafe: (value: never, values: ReportedValues, identify: Identify) => SafeText | readonly SafeText[] | number
  /** Repeated words are stored once in a block. */
  isWord?: boolean
}

const toProse = (text: string, values: ReportedValues) => values.hide(toSafeText(text, 'prose', MAX_NAME, values))

/** The members of an asset: how each is made from a line, and how it is packed. */
export const assetColumns = {
  key: { toSafe: (key: string, values, identify) => toSafeKey(key, identify, values) },
  name: { toSafe: (name: string, values) => values.hide(toSafeTextOnce(name, 'prose', MAX_NAME, values)) },
  url: { toSafe: (url: string, values) => values.hideInAddress(toSafeAddress(url, values)) },
  kind: { toSafe: toProse, isWord: true },
  container: { toSafe: toProse, isWord: true },
  owner: { toSafe: toProse, isWord: true },
  labels: {
    toSafe: (labels: readonly string[], values) => labels.map((label) => toProse(label, values)),
    isWord: true,
  },
  contentUpdatedAt: { toSafe: (instant: string) => toMs(instant) },
} as const satisfies Record<keyof ImportedAsset, AssetColumn>

/** The facets of an imported finding, except its source. */
export type ImportFacets = Omit<Facets, 'sourceId'>

type NumberName = {
  [Name in keyof typeof numberColumns]: (typeof numberColumns)[Name] extends { of: unknown } ? Name : never
}[keyof typeof numberColumns]

/** The numbers of a row by name. */
export type RowNumbers = { [Name in NumberName]: ReturnType<(typeof numberColumns)[Name]['of']> }

/** A validated line as it is staged; times in milliseconds, the excerpt masked. */
export interface ImportRow extends RowNumbers {
  asset: ImportedAsset
  facets: ImportFacets
  excerpt: SafeText | null
}

export type NumberColumns = {
  [Name in keyof typeof numberColumns]: InstanceType<(typeof numberColumns)[Name]['array']>
}

export const facetNames = Object.keys(facetDefaults) as (keyof ImportFacets)[]
export const assetNames = Object.keys(assetColumns) as (keyof ImportedAsset)[]
const columns = Object.entries<NumberColumn>(numberColumns) as [keyof NumberColumns, NumberColumn][]
export const numberNames = columns.flatMap(([name, { of }]) => (of === undefined ? [] : [name as NumberName]))

/** The bytes of the numbers of one row. */
export const ROW_BYTES = columns.reduce((sum, [, { array }]) => sum + array.BYTES_PER_ELEMENT, 0)

/** The columns of `size` rows in a buffer. */
export function viewColumns(buffer: ArrayBuffer, start: number, size: number): NumberColumns {
  let offset = start
  const views = columns.map(([name, { array }]) => {
    const view = new array(buffer, offset, size)
    offset += view.byteLength
    return [name, view]
  })
  return Object.fromEntries(views)
}

/** The numbers of a line, as one literal: V8 takes several times as long for a loop over their names. */
export const toRowNumbers = (line: DatedLine, identify: Identify): RowNumbers => ({
  fp: numberColumns.fp.of(line, identify),
  firstDetectedAt: numberColumns.firstDetectedAt.of(line),
  lastDetectedAt: numberColumns.lastDetectedAt.of(line),
  resolvedAt: numberColumns.resolvedAt.of(line),
  confidence: numberColumns.confidence.of(line),
  undated: numberColumns.undated.of(line),
})

/** Writes the numbers of a row to its place in the columns, NaN for null. */
export function writeRowNumbers(columns: NumberColumns, index: number, row: Readonly<RowNumbers>): void {
  columns.fp[index] = row.fp
  columns.firstDetectedAt[index] = row.firstDetectedAt
  columns.lastDetectedAt[index] = row.lastDetectedAt ?? Number.NaN
  columns.resolvedAt[index] = row.resolvedAt ?? Number.NaN
  columns.confidence[index] = row.confidence
  columns.undated[index] = row.undated
}

const orNull = (value = Number.NaN): number | null => (Number.isNaN(value) ? null : value)

/** What a line states about a finding. */
export interface FindingLine extends RowNumbers {
  excerpt: ImportRow['excerpt']
  /** The facets of the row with the source of the import. */
  facets: Facets
  scanId: number
  at: number
}

/** A line from its place in the columns, as one literal: V8 takes ten times as long for a spread or a loop. */
export const readLine = (
  columns: NumberColumns,
  index: number,
  { facets, excerpt, scanId, at }: Omit<FindingLine, keyof RowNumbers>,
): FindingLine => ({
  facets,
  excerpt,
  scanId,
  at,
  fp: columns.fp[index] ?? 0,
  firstDetectedAt: columns.firstDetectedAt[index] ?? 0,
  lastDetectedAt: orNull(columns.lastDetectedAt[index]),
  resolvedAt: orNull(columns.resolvedAt[index]),
  confidence: columns.confidence[index] ?? 0,
  undated: columns.undated[index] ?? 0,
})

/** Its copies have the same hidden class, which makes reading them faster. */
const noMembers = Object.fromEntries(assetNames.map((name) => [name, undefined]))

/** An asset as it may be stored. What was masked in any of its texts is masked in all, and added to `values`. */
export function sanitizeAsset(asset: ImportLine['asset'], identify: Identify, values: ReportedValues): ImportedAsset {
  const safe: Record<string, SafeText | readonly SafeText[] | number | undefined> = { ...noMembers }
  for (let known = -1; known < values.size; ) {
    known = values.size
    for (const name of assetNames) {
      const value = asset[name]
      if (value !== undefined) safe[name] = (assetColumns[name] as AssetColumn).toSafe(value as never, values, identify)
    }
  }
  return safe as unknown as ImportedAsset
}
