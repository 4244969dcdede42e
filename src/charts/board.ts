/** The length of a bar as a share of the longest, from 0 to 1; of a missing value 0. */
export function toShare(value: number | null, values: readonly (number | null)[]): number {
  const longest = Math.max(...values.map((each) => Math.abs(each ?? 0)))
  return value === null || longest === 0 || !Number.isFinite(longest) ? 0 : Math.abs(value) / longest
}

/** Entries of a dimension with fixed values in the order of these, all others as they are. */
export function inOwnOrder<Entry extends { dimensionValue: string }>(
  entries: readonly Entry[],
  values: readonly string[] | undefined,
): readonly Entry[] {
  if (values === undefined) return entries
  const rank = ({ dimensionValue }: Entry) => {
    const index = values.indexOf(dimensionValue)
    return index === -1 ? values.length : index
  }
  return entries.toSorted((a, b) => rank(a) - rank(b))
}
