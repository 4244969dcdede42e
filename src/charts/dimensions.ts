export interface DimensionItem {
  name: string
  label: string
  filterKey: string
  values?: readonly string[]
  ofAssets: boolean
  overlapping: boolean
}

declare const DIMENSIONS: readonly DimensionItem[]

/** The dimensions of this version, which the build writes into the script so that no page waits for them. */
export const dimensions = DIMENSIONS

const toLabel = (name: string): string => dimensions.find((each) => each.name === name)?.label ?? name

/** The values of filters by the names of dimensions; undefined if a filter is not by a dimension. */
export function toDimensionValues(
  filters: readonly (readonly [filterKey: string, values: unknown])[],
): Readonly<Record<string, readonly string[]>> | undefined {
  const found: Record<string, string[]> = {}
  for (const [key, values] of filters) {
    const name = dimensions.find(({ filterKey }) => filterKey === key)?.name
    if (name === undefined) return undefined
    found[name] = [...(found[name] ?? []), ...[values].flat().map(String)]
  }
  return found
}

/** The labels of dimensions, with commas between them. */
export const toLabels = (names: readonly string[]): string => names.map(toLabel).join(', ')
