import { type Origin, safeText } from '../operation/lockdown/disclosure.ts'
import { isDueKey } from './due-conditions.ts'
import { findFacet, findFacetByFilterKey } from './facets.ts'
import { isRangeKey } from './ranges.ts'

/** The origin of the values of a dimension or filter key; values of any other name are a tenant's own. */
function originOf(name: unknown): Origin {
  const key = String(name).replace(/^exclude\./, '')
  if (key === 'minConfidence' || key === 'terms' || isDueKey(key) || isRangeKey(key)) return 'own'
  return (findFacet(key) ?? findFacetByFilterKey(key))?.origin ?? 'withheld'
}

/** A value of the filter key in the member `key` beside it. */
export const filterValueText = () => safeText((value, { around: [filter] }, show) => show(value, originOf(filter?.key)))

/** A value of the dimension that its member is named after. */
export const dimensionText = () => safeText((value, { member }, show) => show(value, originOf(member)))

/** The name of a group: its values of the `dimensions` beside it, else of the nearest `dimension`. */
export const groupText = () =>
  safeText((name, { around }, show) => {
    const dimensions = around[0]?.dimensions
    if (typeof dimensions === 'object' && dimensions !== null) {
      return Object.entries(dimensions)
        .map(([dimension, value]) => show(String(value), originOf(dimension)))
        .join(' / ')
    }
    return show(name, originOf(around.find(({ dimension }) => typeof dimension === 'string')?.dimension))
  })
