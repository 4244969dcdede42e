import { expect, test } from 'vitest'
import { metricOperations } from '../../src/query/metric-operations.ts'
import { caller, openContext, type TestContext } from '../support/context.ts'
import { runElsewhere } from '../support/postgres.ts'

async function open() {
  const context = openContext()
  const ask = caller(metricOperations, context)
  for (const unit of ['a', 'b', 'c']) await ask('update_metric', { slug: 'open-findings', unit })
  return { context, ask }
}

/** Does what only somebody with the database in hands can do. */
function tamper({ store }: TestContext, sql: string): void {
  if (store.files === undefined) {
    runElsewhere(store, sql)
    return
  }
  store.write((writer) => {
    for (const table of ['audit', 'audit_chain']) {
      for (const kind of ['update', 'delete']) writer.prepare(`DROP TRIGGER ${table}_is_append_only_${kind}`).run()
    }
    writer.prepare(sql).run()
  })
}

test('a new installation has no chained entry, and verifies', async () => {
  const verdict = await caller(metricOperations, openContext())('verify_audit')
  expect(verdict).toEqual({ intact: true, entries: 35, unchained: 35, head: '' })
})

test('the first change chains all earlier entries', async () => {
  const { ask } = await open()
  expect(await ask('verify_audit')).toMatchObject({ intact: true, entries: 38, unchained: 0 })
})

test.each<[string, string, number]>([
  ['a changed actor', `UPDATE audit SET actor = 'nobody' WHERE seq = 5`, 5],
  ['a changed definition', `UPDATE audit SET after = '{}' WHERE seq = 32`, 32],
  ['a removed entry', 'DELETE FROM audit WHERE seq = 12', 12],
  ['an entry removed with its link', 'DELETE FROM audit_chain WHERE seq = 12', 13],
  ['an entry moved in time', 'UPDATE audit SET at = at + 1 WHERE seq = 33', 33],
  ['a changed link', `UPDATE audit_chain SET digest = 'x' WHERE seq = 20`, 20],
])('detects %s', async (_, sql, brokenAt) => {
  const { ask, context } = await open()
  tamper(context, sql)
  expect(await ask('verify_audit')).toMatchObject({ intact: false, brokenAt })
})

test.each(['audit', 'audit_chain'])('%s cannot be changed or emptied by accident', async (table) => {
  const { context } = await open()
  const run = (sql: string) => () => context.store.write((writer) => writer.prepare(sql).run())
  expect(run(`UPDATE ${table} SET seq = seq + 1`)).toThrow(/append-only/)
  expect(run(`DELETE FROM ${table}`)).toThrow(/append-only/)
})

test('a refused change adds no entry to the trail', async () => {
  const { ask, context } = await open()
  const before = await ask('verify_audit')
  expect(() =>
    context.store.write((writer) => {
      writer
        .prepare(`INSERT INTO audit (at, actor, via, action, kind, name) VALUES (1, 'a', 'cli', 'x', 'y', 'z')`)
        .run()
      throw new Error('no')
    }),
  ).toThrow('no')
  expect(await ask('verify_audit')).toEqual(before)
})
