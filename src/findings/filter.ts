import { z } from 'zod'
import { assetKinds } from '../connectors/connector.ts'
import { severities } from '../detectors/detector.ts'
import { codeText, ownText } from '../operation/lockdown/disclosure.ts'
import { findingStatuses } from './model.ts'

/** Names of detectors, built in or not: a term may name one that only imported findings have. */
export const DetectorTypeName = codeText()
  .max(64)
  .regex(/^[A-Z][A-Z0-9_]*$/, 'must be a detector type such as SECRETS: capitals, digits and underscores.')

const someOf = <Item extends z.ZodType<string>>(item: Item, description: string) =>
  z
    .array(item)
    .min(1, 'must name at least one value; leave the key out to not restrict by it.')
    .max(500)
    .describe(description)
const nameOf = (text: z.ZodString) => text.min(1).max(500)
const freeCode = nameOf(codeText())

const keys = {
  detectorTypes: someOf(DetectorTypeName, 'Detector types, such as SECRETS or PII.').optional(),
  severities: someOf(z.enum(severities), 'Severities: CRITICAL, HIGH, MEDIUM, LOW, INFO.').optional(),
  statuses: someOf(z.enum(findingStatuses), 'Statuses: OPEN, RESOLVED, FALSE_POSITIVE, IGNORED.').optional(),
  findingTypes: someOf(freeCode, 'Finding types, such as EMAIL or AWS_ACCESS_KEY.').optional(),
  categories: someOf(freeCode, 'Categories of findings, such as SECURITY.').optional(),
  customDetectorKeys: someOf(freeCode, 'Keys of custom detectors.').optional(),
  sources: someOf(nameOf(ownText()), 'Sources, by name or id.').optional(),
  sourceTypes: someOf(nameOf(ownText()), 'Source types: WIKI, BI_PLATFORM, IMPORT.').optional(),
  assetKinds: someOf(freeCode, `Kinds of assets, such as ${assetKinds[1]}.`).optional(),
  containers: someOf(nameOf(z.string()), 'Names of spaces or workspaces.').optional(),
}

export const filterKeys = Object.keys(keys) as FilterKey[]
export type FilterKey = keyof typeof keys

const FilterExclude = z.strictObject(keys).describe('Takes away whatever matches any of its keys.')

/**
 * Which findings count: AND across keys, OR inside one, `exclude` subtracts. The one shape of a term's mapping, of a
 * metric's filters, of a caller's filters and of pinned filters.
 */
export const FilterMapping = z
  .strictObject({
    ...keys,
    minConfidence: z.number().min(0).max(1).describe('Only findings at least this sure, 0 to 1.').optional(),
    exclude: FilterExclude.optional(),
  })
  .describe('Which findings count: AND across keys, OR inside one, exclude subtracts.')
export type FilterMapping = z.infer<typeof FilterMapping>

/** True when the mapping leaves every finding in. */
export function restrictsNothing(mapping: FilterMapping): boolean {
  const { exclude, ...own } = mapping
  const given = [...Object.values(own), ...Object.values(exclude ?? {})].filter((value) => value !== undefined)
  return given.length === 0
}

/** How a missing category, custom detector key or container is written, in answers and in filters. */
export const NONE = '(none)'

/** One condition of a population; all conditions of a list hold together. */
export interface FilterCondition {
  key: FilterKey | 'minConfidence'
  values: readonly (string | number)[]
  /** The rows that match are taken away. */
  exclude: boolean
}

/** The conditions that a mapping stands for: one for each key, and one for each key of `exclude`. */
export function toConditions({ exclude = {}, minConfidence, ...keys }: FilterMapping): FilterCondition[] {
  const listed = (mapping: { [Key in FilterKey]?: string[] | undefined }, taken: boolean) =>
    (Object.entries(mapping) as [FilterKey, string[] | undefined][]).flatMap(([key, values]) =>
      values === undefined ? [] : { key, values, exclude: taken },
    )
  const confident = minConfidence === undefined ? [] : [{ key: 'minConfidence', values: [minConfidence] } as const]
  return [
    ...listed(keys, false),
    ...confident.map((condition) => ({ ...condition, exclude: false })),
    ...listed(exclude, true),
  ]
}
