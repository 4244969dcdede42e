import { expect, it } from 'vitest'
import { toArrays, toPostgresSql, toRowsSql } from '../../src/store/postgres/sql.ts'

it('lists of numbers are arrays, which PostgreSQL looks up in an index', () => {
  const list = 'SELECT CAST(value AS BIGINT) FROM json_each'
  expect(toPostgresSql(`SELECT 1 FROM t WHERE id in (${list}(?)) AND x NOT IN (${list}(?)) AND y = ?`).text).toBe(
    `SELECT 1 FROM t WHERE id = ANY (ARRAY(${list}($1))) AND x <> ALL (ARRAY(${list}($2))) AND y = $3`,
  )
  expect(toPostgresSql(`SELECT 1 FROM t WHERE id IN (${list}(@ids)) AND y = @y`)).toEqual({
    text: `SELECT 1 FROM t WHERE id = ANY (ARRAY(${list}($1))) AND y = $2`,
    names: ['ids', 'y'],
  })
})

it('the order of joins is left to the planner, wherever a line ends', () => {
  const joined = 'SELECT 1 FROM t CROSS JOIN main.u v\n  ON v.id = t.id CROSS JOIN w ON w.id = v.id CROSS JOIN x'
  expect(toPostgresSql(joined).text).toBe(
    'SELECT 1 FROM t JOIN main.u v ON v.id = t.id JOIN w ON w.id = v.id CROSS JOIN x',
  )
})

it('an empty list contains nothing, as in SQLite', () => {
  expect(toPostgresSql(`SELECT 1 FROM t WHERE x IN () OR "y" not in () OR z = 'IN ()'`).text).toBe(
    `SELECT 1 FROM t WHERE x = ANY ('{}') OR "y" <> ALL ('{}') OR z = 'IN ()'`,
  )
})

it('statements run for many rows at once, with an array for each parameter', () => {
  const types = ['number', 'text'] as const
  const given = 'unnest($1::bigint[],$2::text[]) WITH ORDINALITY given(p1,p2, place)'
  const translate = (sql: string) => toRowsSql({ sql, types })
  expect(translate('SELECT a FROM t WHERE b = ? AND c = ?')).toBe(
    `SELECT given.place, found.* FROM ${given} CROSS JOIN LATERAL (SELECT a FROM t WHERE b = given.p1 AND c = given.p2) found`,
  )
  expect(translate('UPDATE t SET a = a + ? WHERE b = ?')).toBe(
    `UPDATE t SET a = a + given.p1 FROM ${given} WHERE b = given.p2`,
  )
  expect(translate("INSERT INTO t (a, b, c) VALUES (?, coalesce(?, ''), 1) ON CONFLICT (a) DO NOTHING")).toBe(
    `INSERT INTO t (a, b, c) SELECT given.p1, coalesce(given.p2, ''), 1 FROM ${given} ON CONFLICT (a) DO NOTHING`,
  )
  expect(translate('INSERT INTO t (a) SELECT max(a) FROM u WHERE b = ? AND c = ?')).toBe(
    `INSERT INTO t (a) SELECT made.* FROM ${given} CROSS JOIN LATERAL (SELECT max(a) FROM u WHERE b = given.p1 AND c = given.p2) made`,
  )
  expect(() => translate('DELETE FROM t WHERE a = ? AND b = ?')).toThrow('cannot be run for many rows')
  expect(
    toArrays({ sql: '', types: [...types, 'bytes'] }, [
      [1, 'a"b\\c,{}', Uint8Array.of(1, 255)],
      [null, null, null],
    ]),
  ).toEqual(['{1,NULL}', '{"a\\"b\\\\c,{}",NULL}', '{"\\\\x01ff",NULL}'])
})

it('replaces a NUL in rows, which PostgreSQL refuses', () => {
  expect(toArrays({ sql: '', types: ['text'] }, [['a\u0000"']])).toEqual(['{"a\ufffd\\""}'])
})
