import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import type { WriteContext } from '../../src/operation/context.ts'
import { call } from '../../src/operation/operation.ts'
import { askQuestions } from '../../src/query/engine/verify.ts'
import type { Reader } from '../../src/store/store.ts'
import { makeEstate, NOW } from '../properties/query-data.ts'
import { type EstateSeed, openStore, plant } from '../query/estate.ts'
import { openAgain, sqliteOnly } from '../support/new-store.ts'
import { reverseUnordered } from '../support/reversed.ts'
import { makeTemplate, openEstate, type Template } from './estate.ts'
import { examples } from './examples.ts'
import { withoutIds } from './without-ids.ts'

sqliteOnly('PostgreSQL returns rows in an order of its own')

/** What `work` gives where a database returns rows in one order, and where it returns them in the reverse. */
async function inBothOrders<T>(work: () => T | Promise<T>): Promise<[T, T]> {
  const given = await work()
  const { undo } = reverseUnordered()
  try {
    return [given, await work()]
  } finally {
    undo()
  }
}

describe('the order in which a database returns rows', () => {
  let template: Template
  beforeAll(async () => {
    template = await makeTemplate()
  })
  afterAll(() => template.remove())

  /** Answers about a copy of the same database. */
  async function answer<T>(ask: (context: WriteContext) => T | Promise<T>): Promise<T> {
    const { context, close } = openEstate(template)
    try {
      return await ask(context)
    } finally {
      close()
    }
  }

  it.each(operations.map((operation) => [operation.name, operation] as const))(
    'does not change an answer of %s',
    async (name, operation) => {
      for (const input of examples[name]?.(template.ids) ?? []) {
        const [given, reversed] = await inBothOrders(() =>
          answer(async (context) => withoutIds(JSON.stringify(await call(operation, structuredClone(input), context)))),
        )
        expect(reversed).toBe(given)
      }
    },
  )

  it('does not change random questions and their answers', async () => {
    const store = openStore(() => NOW)
    plant(store, makeEstate(9, 1000) as EstateSeed)
    const [given, reversed] = await inBothOrders(() => {
      const again = openAgain(store, () => NOW)
      const asked = again.read((reader) =>
        askQuestions(reader, { questions: 200, seed: 5, now: NOW, budgetMs: Number.POSITIVE_INFINITY }),
      )
      again.close()
      return asked
    })
    expect(reversed).toEqual(given)
  })

  it.each([
    ['SELECT slug FROM metric', false],
    ['SELECT slug FROM metric ORDER BY slug', true],
    ['SELECT n, id FROM combo', false],
  ])('is seen in %s: %s', async (sql, isOrdered) => {
    const list = (reader: Reader) => reader.prepare(sql).pluck().all()
    const [given, reversed] = await inBothOrders(() => answer(({ store }) => store.read(list)))
    expect(given.length).toBeGreaterThan(1)
    expect(JSON.stringify(reversed) === JSON.stringify(given)).toBe(isOrdered)
  })
})
