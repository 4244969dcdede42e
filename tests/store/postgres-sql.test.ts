import { expect, it } from 'vitest'
import { toPostgresSql } from '../../src/store/postgres/sql.ts'

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

it('an empty list contains nothing, as in SQLite', () => {
  expect(toPostgresSql(`SELECT 1 FROM t WHERE x IN () OR "y" not in () OR z = 'IN ()'`).text).toBe(
    `SELECT 1 FROM t WHERE x = ANY ('{}') OR "y" <> ALL ('{}') OR z = 'IN ()'`,
  )
})
