import { z } from 'zod'
import { audiences } from '../connectors/audience.ts'
import { assetKinds } from '../connectors/connector.ts'
import { detectorTypes, severities } from '../detectors/detector.ts'
import { internalText, type SafeText } from '../kernel/safe-text.ts'
import { definitionText, type Origin, ownText } from '../operation/lockdown/disclosure.ts'
import { audienceCodes, presenceCodes, severityCodes, statusCodes } from '../store/schema.ts'
import { findingStatuses, presences } from './model.ts'

/** A detector type, built in or not: a term may name one that only imported findings have. */
export const DetectorTypeName = definitionText('code')
  .max(64)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be a detector type such as SECRETS: upper-case letters, digits and underscores.')

const nameOf = (text: z.ZodString) => text.min(1).max(500)
const freeCode = nameOf(definitionText('code'))

/**
 * How the values of a facet are stored: as a number of `codes`, the id of a word, the id of a set of words, the id of an
 * asset, the id of a source, or the number of a value.
 */
type FacetStorage =
  | { stores: 'code'; codes: Readonly<Record<string, number>> }
  | { stores: 'word' }
  | { stores: 'wordSet' }
  | { stores: 'asset' }
  | { stores: 'value' }
  | { stores: 'source'; sourceColumn: 'name' | 'type' }

interface FacetDeclaration {
  /** Its name for people. */
  label: string
  /** Its key in filters. */
  filterKey: string
  /** Its name where its distinct values are counted. */
  field: string
  /** The table of its column, for findings; assets have a column of the same name for their own facets. */
  table: 'combo' | 'asset' | 'finding'
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
  /** Other names that are read as this dimension, in any letter case. */
  synonyms: readonly string[]
  /** Names that may mean it, and only lead to a suggestion; several facets may share one. */
  related: readonly string[]
}

/**
 * The facets by which findings and assets are filtered and counted, each under the name of its dimension. Filters,
 * dimensions, plans, SQL, the columnar index and its verification all iterate over this table.
 */
export const facets = {
  severity: {
    label: 'Severity',
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
    description: 'Severities.',
    possible: severities,
    synonyms: [],
    related: ['priority', 'risk', 'criticality', 'level'],
  },
  detectorType: {
    label: 'Detector',
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
    description: 'Such as SECRETS or PII.',
    possible: detectorTypes,
    synonyms: ['detector'],
    related: ['scanner', 'check'],
  },
  status: {
    label: 'Status',
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
    description: 'Statuses.',
    possible: findingStatuses,
    synonyms: [],
    related: ['state', 'resolution'],
  },
  presence: {
    label: 'Presence',
    filterKey: 'presences',
    field: 'presence',
    table: 'combo',
    column: 'presence',
    storage: { stores: 'code', codes: presenceCodes },
    slot: 'presence',
    isOfAsset: false,
    isOptional: false,
    origin: 'own',
    value: z.enum(presences),
    description: 'Where it can be read.',
    possible: presences,
    synonyms: [],
    related: ['history', 'archived', 'trash', 'version'],
  },
  findingType: {
    label: 'Finding type',
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
    description: 'Such as EMAIL.',
    possible: [],
    synonyms: ['type'],
    related: ['rule', 'kind of finding'],
  },
  category: {
    label: 'Category',
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
    description: 'Such as SECURITY.',
    possible: [],
    synonyms: [],
    related: ['class', 'area'],
  },
  customDetectorKey: {
    label: 'Custom detector',
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
    description: 'Custom detectors.',
    possible: [],
    synonyms: [],
    related: [],
  },
  value: {
    label: 'Value',
    filterKey: 'values',
    field: 'value',
    table: 'finding',
    column: 'value_id',
    storage: { stores: 'value' },
    slot: 'value',
    isOfAsset: false,
    isOptional: true,
    origin: 'withheld',
    value: definitionText('withheld').min(1).max(40),
    description: 'Value ids.',
    possible: [],
    synonyms: [],
    related: ['secret', 'credential', 'datum', 'person'],
  },
  source: {
    label: 'Source',
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
    synonyms: [],
    related: ['tenant', 'system', 'site', 'connection'],
  },
  sourceType: {
    label: 'Source type',
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
    description: 'WIKI, BI_PLATFORM, IMPORT.',
    possible: [],
    synonyms: [],
    related: ['platform'],
  },
  assetKind: {
    label: 'Kind of asset',
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
    description: `Such as ${assetKinds[1]}.`,
    possible: assetKinds,
    synonyms: ['kind'],
    related: ['asset type', 'page type'],
  },
  container: {
    label: 'Space or workspace',
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
    description: 'Spaces or workspaces.',
    possible: [],
    synonyms: ['space', 'workspace', 'repository'],
    related: ['project', 'folder', 'team'],
  },
  asset: {
    label: 'Asset',
    filterKey: 'assets',
    field: 'assetId',
    table: 'asset',
    column: 'id',
    storage: { stores: 'asset' },
    slot: 'asset',
    isOfAsset: true,
    isOptional: false,
    origin: 'withheld',
    value: definitionText('withheld').min(1).max(1000),
    description: 'Keys of assets.',
    possible: [],
    synonyms: ['item', 'page', 'report'],
    related: ['document', 'file', 'dashboard'],
  },
  owner: {
    label: 'Owner',
    filterKey: 'owners',
    field: 'owner',
    table: 'asset',
    column: 'owner_id',
    storage: { stores: 'word' },
    slot: 'owner',
    isOfAsset: true,
    isOptional: true,
    origin: 'withheld',
    value: nameOf(definitionText('withheld')),
    description: 'Owners of assets.',
    possible: [],
    synonyms: [],
    related: ['author', 'responsible', 'team'],
  },
  label: {
    label: 'Label',
    filterKey: 'labels',
    field: 'label',
    table: 'asset',
    column: 'labels_id',
    storage: { stores: 'wordSet' },
    slot: 'labels',
    isOfAsset: true,
    isOptional: true,
    origin: 'withheld',
    value: nameOf(definitionText('withheld')),
    description: 'Labels of assets.',
    possible: [],
    synonyms: [],
    related: ['tag', 'topic'],
  },
  dataset: {
    label: 'Dataset',
    filterKey: 'datasets',
    field: 'dataset',
    table: 'asset',
    column: 'dataset_id',
    storage: { stores: 'word' },
    slot: 'dataset',
    isOfAsset: true,
    isOptional: true,
    origin: 'withheld',
    value: nameOf(definitionText('withheld')),
    description: 'BI datasets.',
    possible: [],
    synonyms: [],
    related: ['semantic model', 'model'],
  },
  audience: {
    label: 'Audience',
    filterKey: 'audiences',
    field: 'audience',
    table: 'asset',
    column: 'audience',
    storage: { stores: 'code', codes: audienceCodes },
    slot: 'audience',
    isOfAsset: true,
    isOptional: false,
    origin: 'own',
    value: z.enum(audiences),
    description: 'Who can read it.',
    possible: audiences,
    synonyms: [],
    related: ['visibility', 'access', 'readers', 'permissions', 'public'],
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
/** Facets of which one asset may have several values: groups by them overlap. */
export const isManyValued = (name: FacetName): boolean => facets[name].storage.stores === 'wordSet'
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

const toWord = (name: string) => name.trim().toLowerCase()
const bySynonym = new Map(
  facetRows.flatMap((row) => [row.name, ...row.synonyms].map((name): [string, FacetName] => [toWord(name), row.name])),
)

/** The dimension of a name or synonym in any letter case; undefined for any other name. */
export const findDimensionByName = (name: string): FacetName | undefined => bySynonym.get(toWord(name))

/** Other spellings of dimensions, for schemas that list them. */
export const dimensionSynonyms: Readonly<Record<string, FacetName>> = Object.fromEntries(
  facetRows.flatMap(({ name, synonyms }) => synonyms.map((synonym) => [synonym, name])),
)

type CodeNames = ReadonlyMap<number | string | null, SafeText>

// The names are literals of the table above.
const toCodeNames = (codes: Readonly<Record<string, number>>): CodeNames =>
  new Map(Object.entries(codes).map(([name, code]) => [code, name as SafeText]))
const codeNames: ReadonlyMap<FacetName, CodeNames> = new Map(
  facetRows.flatMap(({ name, storage }) => (storage.stores === 'code' ? [[name, toCodeNames(storage.codes)]] : [])),
)

/** The names of a facet's codes; undefined if it does not store codes. */
export const codeNamesOf = ({ name }: FacetRow): CodeNames | undefined => codeNames.get(name)

const valueForm = /^v_([0-9a-f]{12})$/

/** The id by which a value is shown. Among 100,000 values, two have the same 47 bits in one of 28,000 folders. */
export const toValueId = (stored: number): SafeText => internalText(`v_${stored.toString(16).padStart(12, '0')}`)

/** The number of a value id; undefined for any other text. */
export function readValueId(id: string): number | undefined {
  const [, digits] = valueForm.exec(id.trim().toLowerCase()) ?? []
  return digits === undefined ? undefined : Number.parseInt(digits, 16)
}
