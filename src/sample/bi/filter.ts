const comparison = /^\s*(?:tolower\()?(\w+)\)?\s+(eq|ne)\s+'((?:[^']|'')*)'\s*$/i
const containing = /^\s*contains\(\s*(\w+)\s*,\s*'((?:[^']|'')*)'\s*\)\s*$/i

function holds(term: string, row: Record<string, unknown>): boolean | undefined {
  const [, field, operator, value] = comparison.exec(term) ?? []
  if (field !== undefined && value !== undefined) {
    if (!(field in row)) return undefined
    const equal = String(row[field]).toLowerCase() === value.replaceAll("''", "'").toLowerCase()
    return equal === (operator?.toLowerCase() === 'eq')
  }
  const [, name, part] = containing.exec(term) ?? []
  if (name === undefined || part === undefined || !(name in row)) return undefined
  return String(row[name]).toLowerCase().includes(part.replaceAll("''", "'").toLowerCase())
}

/**
 * Whether a row matches an OData filter of comparisons joined by `and` and `or`; undefined where it cannot be parsed.
 */
export function matchesFilter(filter: string, row: Record<string, unknown>): boolean | undefined {
  let any = false
  for (const alternative of filter.split(/\s+or\s+/i)) {
    let all = true
    for (const term of alternative.split(/\s+and\s+/i)) {
      const fits = holds(term.trim().replace(/^\((.*)\)$/, '$1'), row)
      if (fits === undefined) return undefined
      all &&= fits
    }
    any ||= all
  }
  return any
}
