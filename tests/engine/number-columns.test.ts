import { expect, test } from 'vitest'
import { readColumns } from '../../src/engine/number-columns.store.ts'
import { SeededRandom } from '../properties/query-data.ts'
import { openStore, plant } from '../query/estate.ts'

const columns = ['first_detected_at', 'conf_q', 'id', 'CASE WHEN conf_q > 5000 THEN 1 ELSE 0 END']
const firstKey = [-Number.MAX_SAFE_INTEGER, 0, 0]

test.each([0, 1, 999, 1000, 1001, 2000, 2345])('%i rows are read in key order, each once, in pages', (count) => {
  const store = openStore()
  const random = new SeededRandom(count)
  // Few instants and confidences, so that pages end among rows that differ only in the last column of the key.
  const findings = Array.from({ length: count }, () => ({
    asset: 'page',
    firstDetectedAt: random.pick([-5, 0, 2 ** 31, 2 ** 41 + 1]),
    confidence: random.pick([0, 0.5, 1]),
  }))
  plant(store, { findings })
  store.read((reader) => {
    const pages = [...readColumns(reader, { columns, table: 'finding' }, firstKey)]
    const rows = pages.flatMap(([times = [], ...others]) =>
      times.map((time, row) => [time, ...others.map((column) => column[row])]),
    )
    const order = 'ORDER BY first_detected_at, conf_q, id'
    expect(rows).toEqual(
      reader
        .prepare(`SELECT ${columns.join(', ')} FROM finding ${order}`)
        .raw()
        .all(),
    )
    expect(rows).toHaveLength(count)
    expect(pages.every(([times = []]) => times.length <= 1000)).toBe(true)
    const after = rows[Math.floor(count / 2)]?.slice(0, 3) ?? firstKey
    const later = [...readColumns(reader, { columns, table: 'finding' }, after as number[])]
    expect(later.flatMap(([, , ids = []]) => ids)).toEqual(rows.slice(Math.floor(count / 2) + 1).map(([, , id]) => id))
  })
})

test('a column with NULL is refused instead of giving its numbers to other rows', () => {
  const store = openStore()
  plant(store, { findings: [7, null, 7].map((resolvedAt) => ({ asset: 'page', firstDetectedAt: 1, resolvedAt })) })
  store.read((reader) => {
    const read = () => [...readColumns(reader, { columns: ['id', 'resolved_at'], table: 'finding' }, [0])]
    expect(read).toThrow('a column of finding has a NULL')
  })
})
