import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** A statement that is prepared where it stands: its SQL, and what is done to the form of its rows. */
const prepared = /\.prepare\(\s*(?:'([^']*)'|`([^`]*)`),?\s*\)\s*(?:\.(pluck|raw)\(\))?/g

it('the form of rows of a statement is the same wherever its SQL is prepared, because a connection keeps one for all', () => {
  const forms = new Map<string, Set<string>>()
  for (const file of readdirSync('src', { recursive: true, encoding: 'utf8' }).filter((each) => each.endsWith('.ts'))) {
    for (const [, quoted, template, form = 'rows'] of readFileSync(join('src', file), 'utf8').matchAll(prepared)) {
      const sql = quoted ?? template ?? ''
      forms.set(sql, (forms.get(sql) ?? new Set()).add(form))
    }
  }
  expect(forms.size).toBeGreaterThan(100)
  expect([...forms].filter(([, found]) => found.size > 1).map(([sql]) => sql)).toEqual([])
})
