import { describe, expect, test } from 'vitest'
import { codesOf, finding, now, openAsked } from './ask.ts'

/** A source, a detector and a container of nearly one name, with different numbers of findings. */
const estate = {
  sources: [{ name: 'sem-grep' }, { name: 'other' }],
  assets: [
    { key: 'page', source: 'sem-grep', container: 'Docs' },
    { key: 'file', source: 'other', container: 'Semgrep' },
  ],
  findings: [
    finding({ asset: 'page' }),
    finding({ asset: 'page' }),
    finding({ asset: 'page', detectorType: 'SEMGREP' }),
    finding({ asset: 'file', detectorType: 'SEMGREP' }),
  ],
}
type Warning = { code: string; message: string; suggestions?: object[] }
const others = ({ warnings }: { warnings: Warning[] }) => warnings.filter(({ code }) => code === 'other_meaning')

describe('a filter value that is also a value of another facet', () => {
  const filters = { detectorTypes: ['SEMGREP'] }
  const asked: [string, string, object][] = [
    ['a value', 'query_metric', { metricSlug: 'total-findings' }],
    ['a series', 'query_metric_timeseries', { metricSlug: 'total-findings', granularity: 'month' }],
    ['a term', 'explore_by_glossary_term', { glossaryTermSlug: 'unresolved-issues' }],
    ['a page of the console', 'explore_view', { metricSlug: 'total-findings' }],
  ]
  test.each(asked)('is told with both numbers by %s', async (_, tool, question) => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask(tool, { ...question, filters })
    expect(others(answer.answer ?? answer)).toEqual([
      {
        code: 'other_meaning',
        message: "'SEMGREP' is also a value of sources: as that it would match 3, not 2.",
        suggestions: [{ key: 'sources', value: 'sem-grep' }],
      },
      {
        code: 'other_meaning',
        message: "'SEMGREP' is also a value of containers: as that it would match 1, not 2.",
        suggestions: [{ key: 'containers', value: 'Semgrep' }],
      },
    ])
  })

  test('is not told where the numbers are the same, or nothing else has the name', async () => {
    const { ask } = openAsked(estate, { now })
    for (const values of [{ containers: ['Docs'] }, { detectorTypes: ['SEMGREP'], containers: ['Docs'] }]) {
      const answer = await ask('query_metric', { metricSlug: 'total-findings', filters: values })
      const told = others(answer).map(({ message }) => message)
      expect(told.filter((message) => message.includes('Docs'))).toEqual([])
    }
  })

  test('is suggested with its number where it is no value of the facet', async () => {
    const { ask } = openAsked(estate, { now })
    const question = { metricSlug: 'total-findings', filters: { detectorTypes: ['other'] } }
    const answer = await ask('query_metric', question)
    expect(codesOf(answer)).toContain('unknown_detector')
    expect(JSON.stringify(answer.warnings)).toContain("'OTHER' is a source (with sources instead, 1 match)")
  })
})

test('a term, and a metric, on a container that nothing has is warned about when it is written', async () => {
  const { ask, simple } = openAsked(estate, { now })
  const filterMapping = { containers: ['Docz', 'semgrep', '(none)'], exclude: { owners: ['ann'] } }
  const { warnings } = await ask('create_glossary_term', { slug: 'docs', displayName: 'Docs', filterMapping })
  expect(warnings).toEqual([
    { code: 'unknown_value', message: "Nothing has containers 'Docz'; did you mean Docs?" },
    {
      code: 'unknown_value',
      message: "Nothing has owners 'ann'; check its spelling, unless it will be added later.",
    },
  ])
  await simple('docs-findings', { filters: { containers: ['Docs'] } })
  const updated = await ask('update_metric', {
    slug: 'docs-findings',
    definition: { aggregation: 'COUNT', entity: 'finding', filters: { containers: ['Docz'] } },
  })
  expect(updated.warnings).toEqual([warnings[0]])
})
