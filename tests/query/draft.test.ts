import { describe, expect, it } from 'vitest'
import { errorOf, NOON } from '../support/context.ts'
import { DAY, openWatching } from '../watches/watching.ts'

const filters = { severities: ['HIGH'] }
const drafts = {
  SIMPLE: { aggregation: 'COUNT', entity: 'finding', filters },
  RATIO: {
    numerator: { aggregation: 'COUNT', entity: 'finding', filters },
    denominator: { metricSlug: 'total-findings' },
  },
  DERIVED: { formula: 'open_findings * 2', inputs: ['open-findings'] },
  TREND: { baseMetricSlug: 'new-findings', currentWindow: '7d', compareWindow: '7d' },
}
const range = { from: new Date(NOON - 20 * DAY).toISOString(), to: new Date(NOON).toISOString() }

async function open() {
  const watching = openWatching()
  await watching.bring(
    [1, 2, 3, 4, 5].map((id) => ({ id, severity: id % 2 === 0 ? 'HIGH' : 'LOW', first: NOON - id * 3 * DAY })),
  )
  return watching
}

describe('a metric that is not stored', () => {
  it.each(Object.entries(drafts))(
    'of type %s has the numbers that it has once it is stored',
    async (type, definition) => {
      const { ask } = await open()
      const members = { type, definition, allowedDimensions: type === 'TREND' ? [] : ['severity'], unit: 'things' }
      const asked = { metricSlug: 'mine', ...range, granularity: 'day', compare: 'previous_period' }
      const question = type === 'TREND' ? asked : { ...asked, dimensions: ['severity'] }
      const draft = await ask('explore_view', { ...question, draft: members })
      expect((await errorOf(ask('get_metric', { slug: 'mine' }))).code).toBe('not_found')
      await ask('create_metric', { slug: 'mine', displayName: 'mine', ...members })
      const { warnings, ...stored } = await ask('explore_view', question)
      expect(draft).toMatchObject(stored)
    },
  )

  it('changes members of a stored one, which stays', async () => {
    const { ask } = await open()
    const question = { metricSlug: 'total-findings', ...range }
    const before = await ask('explore_view', question)
    const draft = { definition: { aggregation: 'COUNT', entity: 'finding', filters } }
    expect((await ask('explore_view', { ...question, draft })).value).toBe(2)
    expect(await ask('explore_view', question)).toEqual(before)
    expect(before.value).toBe(5)
  })

  it('is refused with the paths of what is wrong in it', async () => {
    const { ask } = await open()
    const draft = { type: 'SIMPLE', definition: { aggregation: 'SUM', entity: 'finding' } }
    const { facts } = await errorOf(ask('explore_view', { metricSlug: 'mine', ...range, draft }))
    expect(facts.issues?.map(({ path }) => path)).toEqual(['definition.field'])
  })
})
