import { z } from 'zod'
import { assetKinds } from '../connectors/connector.ts'
import { detectorTypes, severities } from '../detectors/detector.ts'
import type { SafeText } from '../kernel/safe-text.ts'
import { definitionText, type Origin, ownText } from '../operation/lockdown/disclosure.ts'
import { severityCodes, statusCodes } from '../store/schema.ts'
import { findingStatuses } from './model.ts'

/** A detector type, built in or not: a term may name one that only imported findings have. */
export const DetectorTypeName = definitionText('code')
  .max(64)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be a detector type such as SECRETS: capitals, digits and underscores.')

const nameOf = (text: z.ZodString) => text.min(1).max(500)
const freeCode = nameOf(definitionText('code'))

/** How the values of a facet are stored: as a number of `codes`, the id of a word, or the id of a source. */
type FacetStorage =
  | { stores: 'code'; codes: Readonly<Record<string, number>> }
  | { stores: 'word' }
  | { stores: 'source'; sourceColumn: 'name' | 'type' }

interface FacetDeclaration {
  /** Its key in filters. */
  filterKey: string
  /** Its name where its distinct values are counted. */
  field: string
  /** The table of its column, for findings; assets have a column of the same name for their own facets. */
  table: 'combo' | 'asset'
  column: string
  storage: FacetStorage
  /** The column of the columnar index. */
  slot: string
  /** Whether assets have this facet themselves. */
  isOfAsset: boolean
  /** Whether a finding may have no value, which is written `(none)`. */
  isOptional: boolean
  /** The origin of its values, see `Origin`. */
  origin: Origin
  /** The schema of a value in a filter. */
  value: z.ZodType<string>
  description: string
  /** Values that may occur although nothing has them yet. */
  possible: readonly string[]
  /** Other names that people use; several facets may share one. */
  synonyms: readonly string[]
}

/**
 * The facets by which findings and assets are filtered and counted, each under the name of its dimension. Filters,
 * dimensions, plans, SQL, the columnar index and its verification all iterate over this table.
 */
export const facets = {
  severity: {
    filterKey: 'severities',
    field: 'severity',
    table: 'combo',
    column: 'severity',
    storage: { stores: 'code', codes: severityCodes },
    slot: 'severity',
    isOfAsset: false,
    isOptional: false,
    origin: 'own',
    value: z.enum(severities),
    description: 'Severities: CRITICAL, HIGH, MEDIUM, LOW, INFO.',
    possible: severities,
    synonyms: ['priority', 'risk', 'criticality', 'level'],
  },
  detectorType: {
    filterKey: 'detectorTypes',
    field: 'detectorType',
    table: 'combo',
    column: 'detector_id',
    storage: { stores: 'word' },
    slot: 'detector',
    isOfAsset: false,
    isOptional: false,
    origin: 'code',
    value: DetectorTypeName,
    description: 'Detector types, such as SECRETS or PII.',
    possible: detectorTypes,
    synonyms: ['detector', 'scanner', 'check'],
  },
  status: {
    filterKey: 'statuses',
    field: 'status',
    table: 'combo',
    column: 'status',
    storage: { stores: 'code', codes: statusCodes },
    slot: 'status',
    isOfAsset: false,
    isOptional: false,
    origin: 'own',
    value: z.enum(findingStatuses),
    description: 'Statuses: OPEN, RESOLVED, FALSE_POSITIVE, IGNORED.',
    possible: findingStatuses,
    synonyms: ['state', 'resolution'],
  },
  findingType: {
    filterKey: 'findingTypes',
    field: 'findingType',
    table: 'combo',
    column: 'type_id',
    storage: { stores: 'word' },
    slot: 'type',
    isOfAsset: false,
    isOptional: false,
    origin: 'code',
    value: freeCode,
    description: 'Finding types, such as EMAIL or AWS_ACCESS_KEY.',
    possible: [],
    synonyms: ['type', 'rule', 'kind of finding'],
  },
  category: {
    filterKey: 'categories',
    field: 'category',
    table: 'combo',
    column: 'category_id',
    storage: { stores: 'word' },
    slot: 'category',
    isOfAsset: false,
    isOptional: true,
    origin: 'code',
    value: freeCode,
    description: 'Categories of findings, such as SECURITY.',
    possible: [],
    synonyms: ['class', 'area'],
  },
  customDetectorKey: {
    filterKey: 'customDetectorKeys',
    field: 'customDetectorKey',
    table: 'combo',
    column: 'custom_key_id',
    storage: { stores: 'word' },
    slot: 'customKey',
    isOfAsset: false,
    isOptional: true,
    origin: 'code',
    value: freeCode,
    description: 'Keys of custom detectors.',
    possible: [],
    synonyms: [],
  },
  source: {
    filterKey: 'sources',
    field: 'sourceId',
    table: 'combo',
    column: 'source_id',
    storage: { stores: 'source', sourceColumn: 'name' },
    slot: 'source',
    isOfAsset: true,
    isOptional: false,
    origin: 'own',
    value: nameOf(ownText()),
    description: 'Sources, by name or id.',
    possible: [],
    synonyms: ['tenant', 'system', 'site', 'connection'],
  },
  sourceType: {
    filterKey: 'sourceTypes',
    field: 'sourceType',
    table: 'combo',
    column: 'source_id',
    storage: { stores: 'source', sourceColumn: 'type' },
    slot: 'source',
    isOfAsset: true,
    isOptional: false,
    origin: 'own',
    value: nameOf(ownText()),
    description: 'Source types: WIKI, BI_PLATFORM, IMPORT.',
    possible: [],
    synonyms: ['platform'],
  },
  assetKind: {
    filterKey: 'assetKinds',
    field: 'assetKind',
    table: 'asset',
    column: 'kind_id',
    storage: { stores: 'word' },
    slot: 'kind',
    isOfAsset: true,
    isOptional: true,
    origin: 'code',
    value: freeCode,
    description: `Kinds of assets, such as ${assetKinds[1]}.`,
    possible: assetKinds,
    synonyms: ['kind', 'asset type', 'page type'],
  },
  container: {
    filterKey: 'containers',
    field: 'container',
    table: 'asset',
    column: 'container_id',
    storage: { stores: 'word' },
    slot: 'container',
    isOfAsset: true,
    isOptional: true,
    origin: 'withheld',
    value: nameOf(definitionText('withheld')),
    description: 'Names of spaces or workspaces.',
    possible: [],
    synonyms: ['space', 'workspace', 'project', 'folder', 'team'],
  },
} as const satisfies Record<string, FacetDeclaration>

type Facets = typeof facets
export type FacetName = keyof Facets
export type AssetFacetName = { [Name in FacetName]: Facets[Name]['isOfAsset'] extends true ? Name : never }[FacetName]
export type FilterKey = Facets[FacetName]['filterKey']
export type FacetField = Facets[FacetName]['field']
export type FacetSlot = Facets[FacetName]['slot']
export type ComboSlot = Extract<Facets[FacetName], { table: 'combo' }>['slot']

/** A row of the table, without the literal types of its members. */
export type FacetRow = FacetDeclaration & { name: FacetName; filterKey: FilterKey; field: FacetField; slot: FacetSlot }

export const facetNames = Object.keys(facets) as FacetName[]
export const facetRows: readonly FacetRow[] = facetNames.map((name) => ({ name, ...facets[name] }))
export const assetFacetNames = facetNames.filter((name): name is AssetFacetName => facets[name].isOfAsset)
/** The columns of the columnar index that a combination of facets determines. */
export const comboSlots = [
  ...new Set(facetRows.flatMap(({ table, slot }) => (table === 'combo' ? [slot] : []))),
] as readonly ComboSlot[]

const byName = new Map<string, FacetRow>(facetRows.map((row) => [row.name, row]))
const byFilterKey = new Map<string, FacetRow>(facetRows.map((row) => [row.filterKey, row]))
const byField = new Map<string, FacetRow>(facetRows.map((row) => [row.field, row]))

export const facetOf = (name: FacetName): FacetRow => byName.get(name) as FacetRow

/** The facet that a filter key restricts; undefined for a key without a facet. */
export const findFacetByFilterKey = (key: string): FacetRow | undefined => byFilterKey.get(key)

/** The facet of a dimension, or of a field whose distinct values are counted; undefined for any other name. */
export const findFacet = (name: string): FacetRow | undefined => byName.get(name) ?? byField.get(name)

/** The names of a facet's codes; undefined if it does not store codes. */
export function codeNamesOf({ storage }: FacetRow): ReadonlyMap<number | string | null, SafeText> | undefined {
  if (storage.stores !== 'code') return undefined
  // The names are literals of the table above.
  return new Map(Object.entries(storage.codes).map(([name, code]) => [code, name as SafeText]))
}

/** How a missing value is written, in answers and in filters. */
export const NONE = '(none)'
