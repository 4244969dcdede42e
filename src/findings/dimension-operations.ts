import { z } from 'zod'
import { type Operation, operation } from '../operation/operation.ts'
import { facetNames, facetRows, isManyValued } from './facets.ts'

/** What callers may know about each dimension; the same in every data folder. */
export const createDimensionItems = () =>
  facetRows.map(({ name, label, filterKey, storage, possible, isOfAsset }) => ({
    name,
    label,
    filterKey,
    ...(storage.stores === 'code' ? { values: [...possible] } : {}),
    ofAssets: isOfAsset,
    overlapping: isManyValued(name),
  }))

const listDimensions = operation({
  name: 'list_dimensions',
  title: 'List dimensions',
  summary: 'List the dimensions with their labels, the filter key of each, and its fixed values in their own order.',
  effect: 'read',
  isRevalidated: true,
  scope: 'read',
  route: 'GET /semantic/dimensions',
  texts: 'own',
  input: z.strictObject({}),
  output: z.object({
    items: z
      .array(
        z.object({
          name: z.enum(facetNames).describe('Name in queries.'),
          label: z.string().describe('Name for people.'),
          filterKey: z.string().describe('Key that filters by it.'),
          values: z.array(z.string()).describe('Its only values, in their order; absent: any text.').optional(),
          ofAssets: z.boolean().describe('Whether assets have it themselves.'),
          overlapping: z.boolean().describe('Whether one asset may have several values.'),
        }),
      )
      .describe('All dimensions.'),
  }),
  run: () => ({ items: createDimensionItems() }),
})

export const dimensionOperations: readonly Operation[] = [listDimensions]
