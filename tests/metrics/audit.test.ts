import { expect, test } from 'vitest'
import { metricOperations } from '../../src/metrics/operations.ts'
import { caller, openContext } from '../support/context.ts'

async function open() {
  const context = openContext()
  const ask = caller(metricOperations, context)
  for (const unit of ['a', 'b', 'c']) await ask('update_metric', { slug: 'open-findings', unit })
  return { context, ask }
}

test('a new installation has no chained entry, and verifies', async () => {
  const verdict = await caller(metricOperations, openContext())('verify_audit')
  expect(verdict).toEqual({ intact: true, entries: 30, unchained: 30, head: '' })
})

test('the first change chains all earlier entries', async () => {
  const { ask } = await open()
  expect(await ask('verify_audit')).toMatchObject({ intact: true, entries: 33, unchained: 0 })
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
