import { expect, test } from 'vitest'
import { toSafeText } from '../../src/detectors/safe-text.ts'
import { internalText } from '../../src/kernel/safe-text.ts'
import { openStore } from '../query/estate.ts'

const read = (): string => 'Quarterly report'

test('a prepared statement compiles only with safe text, literals of a closed list and numbers', () => {
  const store = openStore()
  const add = 'INSERT INTO install (name, value) VALUES (?, ?)'
  const state = (): 'open' | 'closed' => 'open'
  store.write((writer) => {
    const statement = writer.prepare(add)
    statement.run(toSafeText(read(), 'prose'), state())
    statement.run(internalText('id-1'), '1')
    const named = writer.prepare('INSERT INTO install (name, value) VALUES (@name, @value) RETURNING name')
    expect(named.write({ name: internalText('id-2'), value: state() })).toEqual({ name: 'id-2' })
    // @ts-expect-error a plain string is not known to be safe
    const positional = () => statement.run(read(), 1)
    // @ts-expect-error nor is one beside safe text
    const second = () => statement.run(toSafeText(read(), 'prose'), read())
    // @ts-expect-error nor one that is bound by name
    const byName = () => named.write({ name: read(), value: state() })
    // @ts-expect-error nor a value of unknown type
    const unknown = () => statement.run(JSON.parse('"x"') as unknown, 1)
    expect([positional, second, byName, unknown]).toHaveLength(4)
  })
  const names = store.read((reader) => reader.prepare("SELECT name FROM install WHERE name LIKE 'id-%'").pluck().all())
  expect(names).toEqual(['id-1', 'id-2'])
})
