import { describe, expect, it } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { errorOf, openCaller } from '../support/context.ts'

const counted = { aggregation: 'COUNT', entity: 'finding' }
const metric = { slug: 'named', displayName: 'Named', type: 'SIMPLE', definition: counted }

/** What may hold a filter, and the call that stores one. */
const holders = {
  metrics: (filters: object) => ['create_metric', { ...metric, definition: { ...counted, filters } }],
  dashboards: (filters: object) => [
    'set_placement',
    { dashboard: 'discovery', slug: 'total-findings', pinnedFilters: filters },
  ],
  watches: (filters: object) => [
    'create_watch',
    {
      slug: 'named',
      displayName: 'Named',
      metricSlug: 'open-findings',
      filters,
      condition: { kind: 'above', value: 1 },
    },
  ],
  suppressions: (filters: object) => [
    'create_suppression',
    { filters, status: 'IGNORED', reason: 'known since the review' },
  ],
} as const satisfies Record<string, (filters: object) => readonly [string, object]>
const names = { metrics: 'named', dashboards: 'discovery', watches: 'named', suppressions: '1' }
type Holder = keyof typeof holders
const each = Object.keys(holders) as Holder[]

// A credential in a message is masked only where its letters have their case.
it.each(each)('an unknown term in filters of %s is quoted as it was written', async (holder) => {
  const { ask } = openCaller(operations)
  const [name, input] = holders[holder]({ terms: ['Critical-Findings'], exclude: { terms: ['Not-A-Term'] } })
  const { message, facts } = await errorOf(ask(name, input))
  expect(JSON.stringify([message, facts])).toContain('Not-A-Term')
})

describe.each(each)('a term that is named in filters of %s', (holder) => {
  const filters = { terms: ['Critical-Findings'], detectorTypes: ['PII'] }

  it('cannot be deleted', async () => {
    const { ask } = openCaller(operations)
    const [name, input] = holders[holder](filters)
    await ask(name, input)
    const error = await errorOf(ask('delete_glossary_term', { slug: 'critical-findings', detach: true }))
    expect(error).toMatchObject({ code: 'conflict', facts: { reason: 'in_use', facts: { [holder]: [names[holder]] } } })
  })

  it('cannot be deleted while it is named under exclude', async () => {
    const { ask } = openCaller(operations)
    const [name, input] = holders[holder]({ exclude: { terms: ['critical-findings'] } })
    await ask(name, input)
    expect(await errorOf(ask('delete_glossary_term', { slug: 'critical-findings' }))).toMatchObject({
      code: 'conflict',
    })
  })

  it('must exist and be active', async () => {
    const { ask } = openCaller(operations)
    await ask('update_glossary_term', { slug: 'critical-findings', isActive: false })
    const [name, input] = holders[holder](filters)
    expect(await errorOf(ask(name, input))).toMatchObject({ code: 'conflict', facts: { reason: 'inactive_term' } })
    const [, unknown] = holders[holder]({ terms: ['critical-finding'] })
    expect(await errorOf(ask(name, unknown))).toMatchObject({
      code: 'not_found',
      facts: { reason: 'unknown_term', suggestions: [{ value: 'critical-findings', kind: 'term' }] },
    })
  })
})

it('a certified metric drifts when the mapping of a term that its filters name is changed', async () => {
  const { ask } = openCaller(operations)
  await ask('create_metric', {
    ...metric,
    definition: { ...counted, filters: { exclude: { terms: ['Critical-Findings'] } } },
  })
  await ask('certify_metric', { slug: 'named', certifiedBy: 'Ada' })
  const tierOf = async () => (await ask('query_metric', { metricSlug: 'named' })).trust.tier
  expect(await tierOf()).toBe('certified')
  await ask('update_glossary_term', { slug: 'critical-findings', filterMapping: { severities: ['HIGH'] } })
  expect(await tierOf()).toBe('drifted')
})

it('a term that became inactive is a conflict for each query that names it', async () => {
  const { ask } = openCaller(operations)
  await ask('create_metric', { ...metric, definition: { ...counted, filters: { terms: ['critical-findings'] } } })
  await ask('update_glossary_term', { slug: 'critical-findings', isActive: false })
  const questions = [
    ['query_metric', { metricSlug: 'named' }],
    ['query_metric_timeseries', { metricSlug: 'named', granularity: 'day' }],
    ['query_metric', { metricSlug: 'total-findings', filters: { exclude: { terms: ['critical-findings'] } } }],
    ['search_findings', { terms: ['critical-findings'] }],
    ['list_assets', { terms: ['critical-findings'] }],
  ] as const
  for (const [name, input] of questions) {
    expect([name, await errorOf(ask(name, input))]).toMatchObject([
      name,
      { code: 'conflict', facts: { reason: 'inactive_term' } },
    ])
  }
})
