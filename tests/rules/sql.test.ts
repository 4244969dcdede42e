import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const source = new URL('../../src/', import.meta.url).pathname

/** Files about the database file itself or about one database. */
const ABOUT_THE_FILE = [
  /^store\/(?:backup|connection|migrate|schema-check|snapshot-views|store)\.ts$/,
  /^store\/move\/(?:sqlite-(?:origin|tables|target)|target-checks)\.ts$/,
  /^store\/(?:digests|version)\.store\.ts$/,
  /^store\/postgres\//,
]

/** What only SQLite knows, with what all SQL databases understand. */
const SQLITE_ONLY: readonly (readonly [RegExp, string])[] = [
  [/\b(?:INSERT|UPDATE) OR (?:IGNORE|REPLACE|ABORT|FAIL|ROLLBACK)\b/, 'ON CONFLICT'],
  [/\blast_?insert_?rowid\b/i, 'RETURNING id'],
  [/\bsqlite_(?!sequence\b)\w+|\bPRAGMA\b|\bpragma_\w+/, 'a column or a table of the schema'],
  [/\bjson_(?:group_array|group_object|array|object|insert|set|patch|extract)\(/, 'JSON.stringify, or a column'],
  [/\bifnull\(/, 'coalesce'],
  [/\biif\(/, 'CASE'],
  [/\btotal\((?!\))/, 'coalesce(sum(...), 0)'],
  [/\bchar\(0\)/, 'a join in TypeScript: texts of other databases cannot hold NUL'],
  [/\bIS (?:NOT )?(?:[@?]|\(SELECT)/, 'IS [NOT] DISTINCT FROM'],
  [/CAST\([^)]* AS INTEGER\)/, 'CAST(... AS BIGINT), which has 64 bits in all databases'],
  [/\bON CONFLICT DO UPDATE\b/, 'ON CONFLICT (columns)'],
  [/\b(?:strftime|julianday|unixepoch)\(/, 'milliseconds'],
  [/\bINDEXED BY\b/, 'a unary plus'],
]

it('writes SQL that other databases understand', () => {
  const found: string[] = []
  let files = 0
  for (const file of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
    if (!/^store\/.*\.ts$|\.store\.ts$/.test(file) || ABOUT_THE_FILE.some((pattern) => pattern.test(file))) continue
    files++
    readFileSync(join(source, file), 'utf8')
      .split('\n')
      .forEach((line, index) => {
        for (const [pattern, instead] of SQLITE_ONLY) {
          if (pattern.test(line)) found.push(`${file}:${index + 1} ${line.trim()} (use ${instead})`)
        }
      })
  }
  expect(files).toBeGreaterThan(50)
  expect(found).toEqual([])
})

/** What only PostgreSQL itself has, and not every server that speaks its protocol. */
const POSTGRES_ONLY = [
  /\b(?:LISTEN|NOTIFY) \w/,
  /\bSKIP LOCKED\b/,
  /\bpg_(?:try_)?advisory_\w+/,
  /\bCREATE TEMP\b|\bpg_temp\b/,
  /\bCREATE (?:CONSTRAINT )?TRIGGER\b/,
  /\bDEFERRABLE\b|\bINITIALLY DEFERRED\b|\bSET CONSTRAINTS\b/,
  /\bpg_(?:xact_status|current_xact_id|snapshot)\b|\btxid_\w+/,
]

it('sends nothing to PostgreSQL that only PostgreSQL itself has', () => {
  const forServers = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) =>
      file.endsWith('.ts') &&
      (file.startsWith('store/postgres/') || !ABOUT_THE_FILE.some((pattern) => pattern.test(file))),
  )
  const migrations = new URL('../../migrations/postgres/', import.meta.url).pathname
  const files = [
    ...forServers.map((file) => join(source, file)),
    ...readdirSync(migrations).map((file) => join(migrations, file)),
  ]
  expect(files.length).toBeGreaterThan(300)
  const found = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8')
    return POSTGRES_ONLY.flatMap((pattern) => (pattern.test(text) ? `${file}: ${pattern}` : []))
  })
  expect(found).toEqual([])
})
