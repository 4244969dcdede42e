import { expect, test } from 'vitest'
import { impactOperations } from '../../src/query/impact-operations.ts'
import { createMetricTestKeeper } from '../../src/query/metric-test-keeper.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { now, openAsked, secretsAndPersonalData } from '../query/ask.ts'
import { caller } from '../support/context.ts'

const open = () => {
  const asked = openAsked(secretsAndPersonalData, { now })
  return { ...asked, test: caller(impactOperations, asked.context) }
}

const kinds = [
  [{ kind: 'notNull' }, true, 'the value 18 is present.'],
  [{ kind: 'between', min: 18, max: 18 }, true, 'the value 18 is within the bounds.'],
  [{ kind: 'between', max: 17 }, false, 'the value 18 is greater than 17.'],
  [{ kind: 'between', min: 19 }, false, 'the value 18 is less than 19.'],
  [
    { kind: 'between', min: 10, max: 10, filters: { severities: ['CRITICAL'] } },
    true,
    'the value 10 is within the bounds.',
  ],
  [{ kind: 'between', max: 0, range: { last: '1h' } }, true, 'the value 0 is within the bounds.'],
  [{ kind: 'between', max: 0, range: { to: '2020-01' } }, true, 'the value 0 is within the bounds.'],
  [{ kind: 'equals', metricSlug: 'others' }, false, 'the value 18 is compared with 4 of others.'],
  [{ kind: 'equals', metricSlug: 'others', tolerance: 14 }, true, 'the value 18 is compared with 4 of others.'],
  [{ kind: 'equals', formula: 'others + 14' }, true, 'the value 18 is compared with 18 of the formula.'],
  [{ kind: 'equals', formula: 'others / 0' }, false, 'the formula has no value.'],
  [{ kind: 'sumOf', dimension: 'severity' }, true, 'the value 18 is compared with 18 over all of severity.'],
] as const

test.each(kinds)('%j', async (given, passed, message) => {
  const { simple, test: run } = open()
  await simple('others', { filters: { detectorTypes: ['PII'] } })
  await simple('all', {}, { tests: [given] })
  const { items } = await run('test_metrics', { metrics: ['all'] })
  expect(items).toMatchObject([{ slug: 'all', passed, tests: [{ passed, message }] }])
})

test('a metric with a failing test says so in its trust and answers until the test holds', async () => {
  const { ask, simple } = open()
  await simple('all', {}, { tests: [{ kind: 'between', max: 5 }, { kind: 'notNull' }] })
  await ask('certify_metric', { slug: 'all', certifiedBy: 'ada' })
  const answer = await ask('query_metric', { metricSlug: 'all' })
  expect(answer.trust.tier).toBe('failing')
  expect(answer.trust.label).toMatch(/^Failing: a test fails: between: the value 18 is greater than 5\. Certified by/)
  expect(answer.warnings).toMatchObject([{ code: 'failing' }])
  const changed = await ask('update_metric', { slug: 'all', tests: [{ kind: 'between', max: 50 }] })
  expect(changed.trust.tier).toBe('certified')
  expect((await ask('update_metric', { slug: 'all', tests: [] })).tests).toBeUndefined()
})

test.each([
  [{ kind: 'between' }, 'tests[0]', /min, max or both/],
  [{ kind: 'between', min: 2, max: 1 }, 'tests[0].min', /greater than max/],
  [{ kind: 'equals' }, 'tests[0]', /either metricSlug or formula/],
  [{ kind: 'equals', metricSlug: 'nothing' }, 'tests[0].metricSlug', /no metric/],
  [{ kind: 'equals', formula: 'nothing + 1' }, 'tests[0].formula', /no metric .nothing./],
  [{ kind: 'equals', formula: '1 +' }, 'tests[0].formula', /./],
  [{ kind: 'sumOf', dimension: 'owner' }, 'tests[0].dimension', /not among the allowed dimensions/],
  [{ kind: 'notNull', range: { last: '7d', from: '2026-01' } }, 'tests[0].range', /either last/],
])('%j is refused', async (given, path, message) => {
  const { simple } = open()
  const error = await simple('all', {}, { tests: [given] }).catch((caught: unknown) => caught)
  expect(error).toMatchObject({
    code: 'invalid_input',
    facts: { issues: [{ path, message: expect.stringMatching(message) }] },
  })
})

test('the tests of all metrics run after each scan and import', async () => {
  const { context, ask, simple } = open()
  await simple('all', {}, { tests: [{ kind: 'between', max: 18 }] })
  const { store, signal } = context
  const keeper = createMetricTestKeeper({ store, log: silentLog, now: context.now, signal, answer: () => undefined })
  const trust = async () => {
    keeper.tick()
    await keeper.settled()
    return (await ask('get_metric', { slug: 'all' })).trust.tier
  }
  store.write((writer) => writer.prepare('UPDATE metric SET tests = \'[{"kind":"between","max":1}]\'').run())
  expect(await trust()).toBe('draft')
  store.write((writer) => writer.prepare('UPDATE watch_signal SET scans = scans + 1').run())
  expect(await trust()).toBe('failing')
})
