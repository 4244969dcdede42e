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

/** The labels of dimensions, with commas between them. */
export const toLabels = (names: readonly string[]): string => names.map(toLabel).join(', ')
