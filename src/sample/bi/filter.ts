const comparison = /^\s*(\w+)\s+eq\s+'((?:[^']|'')*)'\s*$/i

/** Whether a row matches an OData filter of `eq` terms joined by `or`; undefined where it cannot be parsed. */
export function matchesFilter(filter: string, row: Record<string, unknown>): boolean | undefined {
  let isMatch = false
  for (const term of filter.split(/\s+or\s+/i)) {
    const [, field = '', value = ''] = comparison.exec(term) ?? []
    if (!(field in row)) return undefined
    isMatch ||= String(row[field]).toLowerCase() === value.replaceAll("''", "'").toLowerCase()
  }
  return isMatch
}
