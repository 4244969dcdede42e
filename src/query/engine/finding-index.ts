import type { Engine } from '../../engine/columnar-index.ts'
import {
  countSelected,
  listPage,
  markAssets,
  type RowOrder,
  type RowPlace,
  type Selection,
} from '../../engine/scan/selection.ts'
import type { FilterCondition } from '../../findings/conditions.ts'
import type { FindingIndex, IndexedPage } from '../../findings/finding-index.ts'
import { listDeletedSources } from '../../findings/source-names.store.ts'
import { statusCodes } from '../../store/schema.ts'
import type { Reader } from '../../store/store.ts'
import { openColumns } from './columns.ts'
import { openLookups } from './lookups.store.ts'
import { type IndexLookups, toAssetMask, toSelection, toValue } from './selection.ts'

/** The lists that an engine finds for a reader; `isCurrent` updates it to the snapshot of the reader. */
export function openFindingIndex(reader: Reader, engine: Engine, isCurrent: () => boolean): FindingIndex {
  const lookups = openLookups(reader)
  const withoutDeleted = (conditions: readonly FilterCondition[]): FilterCondition[] => [
    ...conditions,
    { key: 'sources', values: listDeletedSources(reader), exclude: true },
  ]
  const selectFindings = (asked: Pick<IndexedPage, 'conditions' | 'assets'>): Selection | undefined => {
    if (!isCurrent()) return undefined
    const selection = toSelection(engine, withoutDeleted(asked.conditions), lookups)
    if (selection === undefined || asked.assets === undefined) return selection
    const own = new Uint8Array(engine.assets.count)
    for (const id of asked.assets) {
      const asset = engine.assets.find(id)
      if (asset !== undefined) own[asset] = selection.assets?.[asset] ?? 1
    }
    return { ...selection, assets: own }
  }
  return {
    listIds(asked) {
      const selection = selectFindings(asked)
      if (selection === undefined) return undefined
      const { limit, upTo } = asked
      const order = toOrder(engine, asked, lookups)
      return listPage(engine, selection, { order, limit, after: toPlace(asked), upTo })
    },
    count(asked) {
      const selection = selectFindings(asked)
      return selection && countSelected(engine, selection)
    },
    listAssets({ own, ofFindings, status, limit, after }) {
      if (!isCurrent()) return undefined
      const selection = toSelection(engine, ofFindings, lookups)
      if (selection === undefined) return undefined
      const matching = toAssetMask(engine, withoutDeleted(own), lookups)
      const marks = ofFindings.length === 0 ? undefined : markAssets(engine, selection)
      const { column, values } = openColumns(engine, { isByAsset: true, ofFindings: true })('deleted')
      const isWanted = (asset: number) =>
        matching[asset] === 1 &&
        marks?.[asset] !== 0 &&
        (status === undefined || (values[column[asset] as number] === 1) === (status === 'DELETED'))
      return listAssetIds(engine, isWanted, { limit, after })
    },
  }
}

function toOrder(engine: Engine, { sort }: IndexedPage, lookups: IndexLookups): RowOrder {
  const { severity, status } = engine.facets.facets
  switch (sort) {
    case 'newest':
      return {}
    case 'severity':
      return { rankOf: (combo) => severity.valueOf(combo) }
    case 'lastDetectedAt':
      return { keyOf: toValue('lastDetectedAt', { engine, lookups }) }
    case 'examples':
      return {
        rankOf: (combo) => (status.valueOf(combo) === statusCodes.OPEN ? 10 : 0) + severity.valueOf(combo),
        keyOf: toValue('confidence', { engine, lookups }),
        isByAscendingId: true,
      }
  }
}

function toPlace({ sort, after }: IndexedPage): RowPlace | undefined {
  if (after === undefined) return undefined
  const [id = 0, time = 0, first = 0] = after.toReversed()
  return { rank: sort === 'severity' ? first : 0, key: sort === 'lastDetectedAt' ? first : 0, time, id }
}

/** The least ids above `after` of the assets that are wanted. */
function listAssetIds(
  { assets }: Engine,
  isWanted: (asset: number) => boolean,
  { limit, after }: { limit: number; after: number },
): number[] {
  let ids: number[] = []
  const keepLeast = () => {
    ids = ids.sort((a, b) => a - b).slice(0, limit)
  }
  for (let asset = 0; asset < assets.count; asset++) {
    const id = assets.ids[asset] as number
    if (id <= after || !isWanted(asset)) continue
    ids.push(id)
    // Assets are nearly in the order of their ids.
    if (ids.length >= 2 * limit + 1000) keepLeast()
  }
  keepLeast()
  return ids
}
