/** What has a meaning within double quotes in sh, cmd.exe or PowerShell, which also takes typographic quotes for its own. */
const special = /\\(["\\])|["'`$%!\u2018-\u201f]/g

/**
 * JSON as one argument that sh, cmd.exe and PowerShell pass on alike: in double quotes, with single quotes in place of
 * those of JSON.
 */
export const quoteJson = (value: unknown): string => {
  const inner = JSON.stringify(value).replace(special, (found, escaped?: string) =>
    found === '"' ? "'" : `\\u${(escaped ?? found).charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return `"${inner}"`
}

/** The JSON of an argument: one without any double quote has single quotes in their place. */
export const unquoteJson = (text: string): string => (text.includes('"') ? text : text.replaceAll("'", '"'))
