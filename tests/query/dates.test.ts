import { describe, expect, test } from 'vitest'
import { codesOf, day, finding, now, openAsked } from './ask.ts'

const estate = {
  findings: [
    finding({ firstDetectedAt: Date.parse('2026-04-30T12:00:00Z') }),
    finding({ firstDetectedAt: Date.parse('2026-05-01T12:00:00Z') }),
    finding({ firstDetectedAt: Date.parse('2026-05-31T12:00:00Z') }),
    finding({ firstDetectedAt: day(1) }),
  ],
}
const open = () => openAsked(estate, { now }).ask
const lengths = (answer: { warnings: { code: string; message: string }[] }) =>
  answer.warnings.filter(({ code }) => code === 'length_differs').map(({ message }) => message)

describe('the ends of ranges', () => {
  test('a month includes its last day, in a question and in what it is compared with', async () => {
    const answer = await open()('query_metric', {
      metricSlug: 'new-findings',
      from: '2026-05',
      to: '2026-05',
      compare: { from: '2026-04', to: '2026-04' },
    })
    expect(answer).toMatchObject({ value: 2, comparison: { value: 1, to: '2026-05-01T00:00:00.000Z' } })
    expect(lengths(answer)).toEqual([
      'The two ranges differ in length (31 days, compared with 30 days), so part of the change may be that.',
    ])
  })

  test('a comparison over the same length is not warned about, across a change of clocks either', async () => {
    const ask = open()
    for (const more of [{ compare: 'previous_period' }, { compare: { from: '2026-03-01', to: '2026-03-31' } }]) {
      const question = { metricSlug: 'new-findings', from: '2026-05-01', to: '2026-05-31', timeZone: 'Europe/Berlin' }
      expect(lengths(await ask('query_metric', { ...question, ...more }))).toEqual([])
    }
  })

  test('a range with a start is not as long as one without', async () => {
    const question = { metricSlug: 'new-findings', compare: { from: '2026-05', to: '2026-05' } }
    expect(lengths(await open()('query_metric', question))[0]).toContain('no start, compared with 31 days')
  })

  test('a stock says that it does not use the start of what it is compared with', async () => {
    const answer = await open()('query_metric', {
      metricSlug: 'open-findings',
      compare: { from: '2026-04', to: '2026-05' },
    })
    expect(codesOf(answer)).toContain('coerced')
    expect(answer.warnings.at(-1).message).toContain('compare.from is not used')
    expect(lengths(answer)).toEqual([])
  })

  test('null and an empty text are absent', async () => {
    const answer = await open()('query_metric', {
      metricSlug: 'new-findings',
      from: '',
      to: null,
      filters: { owners: '' },
    })
    expect(answer).toMatchObject({ value: 4, applied: { from: null, filters: [] } })
  })
})
