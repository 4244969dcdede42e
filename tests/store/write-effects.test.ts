import { expect, it } from 'vitest'
import { describeNewSchema } from '../../src/store/move/sqlite-tables.ts'
import { toWritten } from '../../src/store/postgres/written.ts'
import { type WriteEffect, writeEffects } from '../../src/store/write-effects.ts'

const oneLine = (text: string) =>
  text
    .replace(/\s+/g, ' ')
    .replace(/ IS NOT (?!NULL)/g, ' IS DISTINCT FROM ')
    .replace(/\b(?:NEW|OLD)\b/g, (name) => name.toLowerCase())
    .trim()

function toTrigger({ table, on, column, when, effect }: WriteEffect): string {
  const event = column === undefined ? on : `${on} OF ${column}`
  const condition = when === undefined ? '' : `WHEN ${when}`
  if (effect === 'logged') {
    return `AFTER ${event} ON ${table} ${condition} BEGIN INSERT INTO asset_log (asset_id) VALUES (new.id); END`
  }
  return 'refusal' in effect
    ? `BEFORE ${event} ON ${table} BEGIN SELECT RAISE(ABORT, '${effect.refusal}'); END`
    : `AFTER ${event} ON ${table} ${condition}
       BEGIN UPDATE ${effect.table} SET ${effect.column} = ${effect.column} + 1; END`
}

it('the list of what else writes do is that of the triggers in SQLite, besides those of full-text indexes', () => {
  const triggers = describeNewSchema().objects.filter(
    ({ type, name }) => type === 'trigger' && !/_text_(?:insert|update|delete)$/.test(name),
  )
  // A connection to PostgreSQL shortens the log with each COMMIT.
  const shortening = / DELETE FROM asset_log WHERE seq <= \(SELECT max\(seq\) FROM asset_log\) - 20000;/
  const found = triggers.map(({ sql }) => oneLine(sql.replace(/^CREATE TRIGGER \w+\s/, '')).replace(shortening, ''))
  expect(found.sort()).toEqual(writeEffects.map((each) => oneLine(toTrigger(each))).sort())
})

const translate = (text: string) => oneLine(toWritten(text).text)

it('a statement that writes does the rest, and returns what it returned', () => {
  const counts = 'effect0 AS (UPDATE main.definition_count SET n = n + 1 WHERE EXISTS (SELECT FROM written))'
  expect(translate('update "metric" set "unit" = $1 where "id" = $2')).toBe(
    `WITH written AS (update "metric" set "unit" = $1 where "id" = $2 RETURNING 1), ${counts} SELECT 1 FROM written`,
  )
  expect(translate('insert into "term" ("slug") values ($1) returning "id"')).toBe(
    `WITH written AS (insert into "term" ("slug") values ($1) RETURNING id), ${counts} SELECT id FROM written`,
  )
  const change = toWritten('UPDATE main.asset SET status = $1 WHERE id = $2 RETURNING key')
  expect(change.logsAssets).toBe(true)
  expect(oneLine(change.text)).toContain('SELECT $3::uuid, new.id FROM written new LEFT JOIN main.asset old')
})

it('a statement that cannot have an effect stays as it is', () => {
  const statements = [
    'SELECT 1 FROM metric',
    'UPDATE main.asset SET missed = missed + 1 WHERE id = $1',
    'UPDATE scan SET heartbeat_at = $1 WHERE id = $2',
    'DELETE FROM main.asset WHERE id = $1',
    'INSERT INTO word (id, text, folded) VALUES ($1, $2, $3)',
  ]
  expect(statements.map((text) => toWritten(text))).toEqual(statements.map((text) => ({ text })))
})

it('rows of words and logs are numbered by their counters', () => {
  expect(translate('INSERT INTO facet_log (at, n, delta) VALUES ($1, 0, $2)')).toBe(
    "WITH taken AS (UPDATE main.sqlite_sequence SET seq = seq + 1 WHERE name = 'facet_log' RETURNING seq) " +
      'INSERT INTO facet_log (seq, at, n, delta) SELECT taken.seq, $1, 0, $2 FROM taken',
  )
  expect(translate('INSERT INTO label_set (words) SELECT w FROM t ON CONFLICT (words) DO NOTHING')).toMatch(
    /SELECT taken\.former \+ made\.place, made\.words FROM made, taken ON CONFLICT \(words\) DO NOTHING$/,
  )
})

it('a write that is refused, or that does not stand first, is an error', () => {
  for (const text of ['UPDATE audit SET actor = $1', 'delete from "audit_chain"', 'DELETE FROM main.audit']) {
    expect(() => toWritten(text)).toThrow('append-only')
  }
  for (const text of ['WITH a AS (SELECT 1) UPDATE audit SET at = 1', '/* */ DELETE FROM metric']) {
    expect(() => toWritten(text)).toThrow('does not begin with what it writes')
  }
})
