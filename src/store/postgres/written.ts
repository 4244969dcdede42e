import { type WriteEffect, writeEffects } from '../write-effects.ts'

/** Tables whose rows are numbered under the lock of a counter, and the columns of the numbers. */
const numbered: Readonly<Record<string, string>> = { word: 'id', label_set: 'id', facet_log: 'seq', asset_log: 'seq' }

/** A new asset is in the log from the beginning. */
const newAsset: Effect = { on: 'INSERT', when: 'old.id IS NULL', effect: 'logged' }
/** The lock of a source for those who write it. */
const insertScope = `INSERT INTO main.write_scope (name) SELECT 'source/' || new.id FROM written new ON CONFLICT DO NOTHING`

type Effect = Pick<WriteEffect, 'on' | 'effect' | 'when'>

const WRITE = /^(INSERT INTO|UPDATE|DELETE FROM) (?:"?main"?\.)?"?(\w+)"?/i
const WRITES = /\b(?:INSERT INTO|DELETE FROM|UPDATE [\w."]+ (?:AS \w+ )?SET)\b/i
const RETURNING = /\s+RETURNING\s+([\w", ]+)$/i
const INSERT = /^(INSERT INTO [\w."]+) \(([^)]*)\)\s+([\s\S]*?)(\s+(?:ON CONFLICT|RETURNING)[\s\S]*)?$/i
const ONE_ROW = /^VALUES\s*\(([\s\S]*)\)$/i
const SEVERAL_ROWS = /\),\s*\(/

/** A statement for PostgreSQL with everything that its write does. */
export interface Written {
  text: string
  /** A table that is numbered under a lock. */
  numbers?: string
  /** Whether the last parameter is the id of the transaction, under which assets are kept that COMMIT logs. */
  logsAssets?: boolean
}

/** Adds to a statement what else its write does; one that reads stays as it is. */
export function toWritten(statement: string): Written {
  const text = statement.trim()
  const [, verb = '', table = ''] = WRITE.exec(text) ?? []
  if (verb === '' && WRITES.test(text))
    throw new TypeError(`this statement does not begin with what it writes: ${text}`)
  if (verb === '') return { text: statement }
  const event = verb.slice(0, 6).toUpperCase()
  if (event === 'INSERT' && numbered[table] !== undefined) return toNumbered(text, table, numbered[table])
  const isUpsert = event === 'INSERT' && /\bDO UPDATE\b/i.test(text)
  const effects: Effect[] = writeEffects.filter(
    (each) => each.table === table && (each.on === event || (isUpsert && each.on === 'UPDATE')) && canApply(each, text),
  )
  for (const { effect } of effects) if (effect !== 'logged' && 'refusal' in effect) throw new Error(effect.refusal)
  if (event === 'INSERT' && table === 'asset') effects.push(newAsset)
  const others = event === 'INSERT' && table === 'source' ? [insertScope] : []
  return effects.length + others.length > 0 ? withEffects(text, table, effects, others) : { text }
}

/** An update that does not name any of the columns of its condition changes none of them. */
const canApply = ({ on, column, when }: WriteEffect, text: string): boolean =>
  on !== 'UPDATE' ||
  when === undefined ||
  (column === undefined ? newColumns(when) : [column]).some((each) => new RegExp(`\\b${each}\\b`).test(text))

const newColumns = (when: string): string[] => [...when.matchAll(/\bnew\.(\w+)/g)].map(([, column = '']) => column)

/**
 * All parts of a statement see the rows as they were before it, except for those that one of them returns. No other
 * transaction changes the rows meanwhile, because they are of the scope that this one has locked.
 */
function withEffects(text: string, table: string, effects: readonly Effect[], further: readonly string[]): Written {
  const [, returned] = RETURNING.exec(text) ?? []
  const wanted = returned?.split(',').map((column) => column.trim().replaceAll('"', '')) ?? []
  const conditions = effects.flatMap(({ when }) => when ?? [])
  const compared = conditions.flatMap(newColumns)
  const columns = [...new Set([...wanted, ...(conditions.length + further.length > 0 ? ['id'] : []), ...compared])]
  const write = `${text.replace(RETURNING, '')} RETURNING ${columns.join(', ') || '1'}`
  const from = `FROM written new LEFT JOIN main.${table} old ON old.id = new.id`
  const counts = effects.flatMap(({ effect, when }) =>
    effect !== 'logged' && 'column' in effect
      ? `UPDATE main.${effect.table} SET ${effect.column} = ${effect.column} + 1
         WHERE EXISTS (SELECT ${when === undefined ? 'FROM written' : `${from} WHERE ${when}`})`
      : [],
  )
  const logged = effects.flatMap((each) => (each.effect === 'logged' ? toLoggedCondition(each) : []))
  const transaction = (text.match(/\$\d+/g) ?? []).reduce((most, each) => Math.max(most, Number(each.slice(1))), 0) + 1
  const keepLogged = `INSERT INTO main.asset_change (transaction_id, asset_id)
    SELECT $${transaction}::uuid, new.id ${from} WHERE ${logged.join(' OR ')} ON CONFLICT DO NOTHING`
  const others = [...counts, ...(logged.length > 0 ? [keepLogged] : []), ...further]
  return {
    text: `WITH written AS (${write}), ${others.map((each, index) => `effect${index} AS (${each})`).join(', ')}
      SELECT ${wanted.join(', ') || '1'} FROM written`,
    logsAssets: logged.length > 0,
  }
}

/** A row that was inserted has no `old`, of which a condition of updates may be true all the same. */
const toLoggedCondition = ({ when = 'true', on }: Effect) =>
  on === 'UPDATE' ? `(old.id IS NOT NULL AND (${when}))` : `(${when})`

/** Takes the numbers of rows from the counter of their table, unless the statement names them. */
function toNumbered(text: string, table: string, key: string): Written {
  const [, insert = '', columns = '', rows = '', end = ''] = INSERT.exec(text) ?? []
  if (insert === '') throw new TypeError(`the rows of this statement cannot be numbered: ${text}`)
  const names = columns.split(',').map((name) => name.trim().replaceAll('"', ''))
  if (names.includes(key)) return { text }
  const [, values] = ONE_ROW.exec(rows) ?? []
  if (values !== undefined && SEVERAL_ROWS.test(values)) throw new TypeError(`only one row can be numbered: ${text}`)
  return { numbers: table, text: values === undefined ? numberRows() : numberOne(values) }

  function numberOne(row: string): string {
    return `WITH taken AS (UPDATE main.sqlite_sequence SET seq = seq + 1 WHERE name = '${table}' RETURNING seq)
      ${insert} (${key}, ${columns}) SELECT taken.seq, ${row} FROM taken${end}`
  }

  function numberRows(): string {
    return `WITH made AS MATERIALIZED (SELECT row_number() OVER () AS place, made.* FROM (${rows}) made(${names.join(', ')})),
      taken AS (UPDATE main.sqlite_sequence SET seq = seq + (SELECT count(*) FROM made) WHERE name = '${table}'
        RETURNING seq - (SELECT count(*) FROM made) AS former)
      ${insert} (${key}, ${columns}) SELECT taken.former + made.place, ${names.map((name) => `made.${name}`).join(', ')}
        FROM made, taken${end}`
  }
}
