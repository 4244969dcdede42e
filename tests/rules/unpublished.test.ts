import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const writes =
  /\b(?:(?:INSERT(?:\s+OR\s+\w+)?|REPLACE)\s+INTO|UPDATE|DELETE\s+FROM)\s+(?:finding|asset|status_change|combo)\b|\b(?:insertInto|updateTable|deleteFrom)\('(?:finding|asset|status_change|combo)'/

it('code that writes findings uses the tables and not the views that hide pending imports', () => {
  const files = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  expect(files.filter((file) => writes.test(readFileSync(join('src', file), 'utf8')))).toEqual([])
  expect(writes.test('UPDATE main.finding SET')).toBe(false)
  expect(writes.test('`UPDATE finding SET`')).toBe(true)
})
