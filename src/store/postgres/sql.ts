import type { RowStatement } from '../reader-writer.ts'

/** SQL text for PostgreSQL with `$1` for each parameter, and where the value of each comes from. */
export interface PostgresSql {
  text: string
  /** Names of the parameters in order; undefined where they have none and are given in order. */
  names: readonly string[] | undefined
}

/** String literals and quoted names, which stay as they are, or one thing that is written in another way. */
const TOKENS =
  /'(?:[^']|'')*'|"[^"]*"|\?|@(\w+)|\bCROSS JOIN ([\w.]+(?: \w+)?)\s+ON\b|([\w.]+) = (\?|@\w+) COLLATE NOCASE|\bIN \(VALUES (?=\()|\b(?:NOT |not )?(?:IN|in) \(\)|\b(?:NOT |not )?(?:IN|in) \(SELECT CAST\(value AS BIGINT\) FROM json_each\((\?|@\w+)\)\)|\bpercentile_cont\(|, (\?|@\w+)\) AS quantile\b|\bis_wanted\(\)|\bLIKE\b|\bINTEGER\b|\b[a-z]+[A-Z]\w*\b/g

/**
 * Translates SQL of the stores for PostgreSQL. Everything else that SQLite has and PostgreSQL lacks is defined in its
 * schema, under the same name.
 */
export function toPostgresSql(sql: string): PostgresSql {
  const names: string[] = []
  let unnamed = 0
  const place = (name: string | undefined) => {
    if (name === undefined) return `$${++unnamed}`
    if (!names.includes(name)) names.push(name)
    return `$${names.indexOf(name) + 1}`
  }
  const placeOf = (parameter: string) => place(parameter === '?' ? undefined : parameter.slice(1))
  const text = sql.replace(
    TOKENS,
    (token, ...[name, joined, column, compared, numbers, share]: (string | undefined)[]) => {
      if (token === '?' || name !== undefined) return place(name)
      if (token.startsWith("'") || token.startsWith('"')) return token
      // The order of joins is left to the planner.
      if (joined !== undefined) return `JOIN ${joined} ON`
      if (column !== undefined && compared !== undefined) {
        return `lower(${column}) = lower(CAST(${placeOf(compared)} AS TEXT) COLLATE "C")`
      }
      // Unlike the rows of a subquery, an array is looked up in an index in a query with many joins, too.
      if (numbers !== undefined) {
        const array = `(ARRAY(SELECT CAST(value AS BIGINT) FROM json_each(${placeOf(numbers)})))`
        return /^not/i.test(token) ? `<> ALL ${array}` : `= ANY ${array}`
      }
      // An aggregate of PostgreSQL that collects values in a state of its own copies them all for each row.
      if (token === 'percentile_cont(') return 'percentile_of(array_agg('
      if (share !== undefined) return `)::double precision[], ${placeOf(share)}) AS quantile`
      if (token.startsWith('IN (VALUES')) return 'IN ('
      // A statement is cancelled from outside.
      if (token === 'is_wanted()') return 'true'
      // An empty list, which PostgreSQL lacks, contains nothing.
      if (token.endsWith('()')) return /^not/i.test(token) ? "<> ALL ('{}')" : "= ANY ('{}')"
      // Regardless of ASCII case, as LIKE of SQLite.
      if (token === 'LIKE') return 'ILIKE'
      if (token === 'INTEGER') return 'BIGINT'
      // Names are in lower case unless they are quoted.
      return `"${token}"`
    },
  )
  if (names.length > 0 && unnamed > 0) throw new TypeError('a statement has either named parameters or others')
  return { text, names: names.length === 0 ? undefined : names }
}

const arrayTypes = { number: 'bigint', text: 'text', bytes: 'bytea' } as const

/** Translates a statement so that it runs for many rows at once: each parameter is an array of the values of all rows. */
export function toRowsSql({ sql, types }: RowStatement): string {
  const arrays = types.map((type, index) => `$${index + 1}::${arrayTypes[type]}[]`)
  const names = types.map((_, index) => `p${index + 1}`)
  const given = `unnest(${arrays.join()}) WITH ORDINALITY given(${names.join()}, place)`
  const text = toPostgresSql(sql).text.replace(/\$(\d+)/g, 'given.p$1')
  if (text.startsWith('SELECT')) return `SELECT given.place, found.* FROM ${given} CROSS JOIN LATERAL (${text}) found`
  if (text.startsWith('UPDATE')) return text.replace(/\sWHERE\s/, ` FROM ${given} WHERE `)
  const [, insert = '', rows = '', conflict = ''] = INSERT.exec(text) ?? []
  if (insert === '') throw new TypeError(`this statement cannot be run for many rows: ${sql}`)
  const values = /^VALUES \(([\s\S]*)\)$/.exec(rows)?.[1]
  return values === undefined
    ? `${insert} SELECT made.* FROM ${given} CROSS JOIN LATERAL (${rows}) made${conflict}`
    : `${insert} SELECT ${values} FROM ${given}${conflict}`
}

const INSERT = /^(INSERT INTO [\w.]+ \([^)]*\))\s+([\s\S]*?)(\s+(?:ON CONFLICT|RETURNING)[\s\S]*)?$/

/** The parameters of such a statement. */
export function toArrays({ types }: RowStatement, rows: readonly (readonly unknown[])[]): string[] {
  return types.map((type, index) => {
    const toItem = items[type]
    return `{${rows.map((row) => (row[index] === null ? 'NULL' : toItem(row[index]))).join()}}`
  })
}

/** PostgreSQL refuses NUL in a text, also in one that another is compared with. */
export const withoutNul = (text: string): string => text.replaceAll('\u0000', '\ufffd')

const items = {
  number: String,
  text: (value: unknown) => `"${withoutNul(String(value)).replace(/["\\]/g, '\\$&')}"`,
  bytes: (value: unknown) => `"\\\\x${Buffer.from(value as Uint8Array).toString('hex')}"`,
} as const
