import { describe, expect, test } from 'vitest'
import { toAnswerText } from '../../src/cli/answer-text.ts'
import { renderMetric } from '../../src/query/answer/render.ts'
import { safe } from '../support/safe-text.ts'
import { codesOf, day, secretsAndPersonalData as estate, finding, now, openAsked } from './ask.ts'

describe('scopes are always combined with AND', () => {
  test('a rate within a term applies the term to numerator and denominator', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', {
      metricSlug: 'false-positive-rate',
      glossaryTermSlug: 'unresolved-issues',
    })
    expect(answer).toMatchObject({ value: 0, numerator: 0, denominator: 12 })
    expect(codesOf(answer)).toContain('contradiction')
    expect(answer.warnings.find(({ code }: { code: string }) => code === 'contradiction').message).toMatch(
      /numerator.*FALSE_POSITIVE.*OPEN/,
    )
  })

  test('a filter of the caller does not replace that of a term', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', {
      metricSlug: 'total-findings',
      glossaryTermSlug: 'security-threats',
      filters: { detectorTypes: ['PII'] },
    })
    expect([answer.value, codesOf(answer)]).toEqual([0, ['contradiction']])
  })

  test('every applied filter is listed with its origin', async () => {
    const { ask } = openAsked(estate, { now })
    const { applied } = await ask('query_metric', {
      metricSlug: 'false-positive-rate',
      glossaryTermSlug: 'Security threats',
      filters: { exclude: { severities: ['INFO'] }, minConfidence: 0.25 },
    })
    expect(applied.filters).toEqual(
      expect.arrayContaining([
        { origin: 'metric', key: 'statuses', values: ['FALSE_POSITIVE'], part: 'numerator' },
        { origin: 'term', key: 'detectorTypes', values: ['SECRETS', 'PROMPT_INJECTION'], term: 'security-threats' },
        { origin: 'caller', key: 'minConfidence', values: ['0.25'] },
        { origin: 'caller', key: 'exclude.severities', values: ['INFO'] },
      ]),
    )
    expect(applied.filters).toHaveLength(4)
  })
})

describe('information that comes with a number', () => {
  test('a certified metric is labelled as certified', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', { metricSlug: 'total-findings' })
    expect(answer.trust).toEqual({ tier: 'certified', label: expect.stringContaining('Built in (version 1)') })
    expect(answer.warnings).toEqual([])
    expect(answer.metric).toMatchObject({ slug: 'total-findings', type: 'SIMPLE', status: 'ACTIVE', version: 1 })
  })

  test('a draft, a deprecated and a drifted metric answer with a warning', async () => {
    const { ask, simple } = openAsked(estate, { now })
    const metricSlug = await simple('m', {}, { glossaryTermSlug: 'pii-exposure' })
    expect((await ask('query_metric', { metricSlug })).warnings.map(({ code }: { code: string }) => code)).toEqual([
      'draft',
    ])
    await ask('certify_metric', { slug: metricSlug, certifiedBy: 'ada' })
    await ask('update_glossary_term', { slug: 'pii-exposure', filterMapping: { detectorTypes: ['PII', 'SECRETS'] } })
    const drifted = await ask('query_metric', { metricSlug })
    expect([drifted.value, drifted.trust.tier, codesOf(drifted)]).toEqual([18, 'drifted', ['drifted']])
    await ask('deprecate_metric', { slug: metricSlug, deprecatedBy: 'ada', replacedBy: 'total-findings' })
    const deprecated = await ask('query_metric', { metricSlug })
    expect([deprecated.value, codesOf(deprecated)]).toEqual([18, ['deprecated']])
    expect(deprecated.warnings[0].message).toContain('use total-findings instead, which is 18 findings')
  })

  test('an answer names the sources in scope, with their last scan', async () => {
    const sources = [
      { name: 'Fresh', lastCompletedScanAt: day(1) },
      { name: 'Old', lastCompletedScanAt: day(30) },
      { name: 'Never', lastCompletedScanAt: null },
    ]
    const { ask } = openAsked({ sources, findings: [] }, { now })
    const { freshness, warnings } = await ask('query_metric', { metricSlug: 'total-findings' })
    expect(freshness).toEqual({
      asOf: '2026-06-15T12:00:00.000Z',
      sources: [
        { name: 'Fresh', lastCompletedScanAt: '2026-06-14T12:00:00.000Z', observedFrom: null, stale: false },
        { name: 'Never', lastCompletedScanAt: null, observedFrom: null, stale: false },
        { name: 'Old', lastCompletedScanAt: '2026-05-16T12:00:00.000Z', observedFrom: null, stale: true },
      ],
    })
    expect(warnings).toEqual([])
    const never = await ask('query_metric', { metricSlug: 'total-findings', filters: { sources: ['never'] } })
    expect([never.value, codesOf(never)]).toEqual([0, ['not_scanned']])
    expect(never.freshness.sources.map(({ name }: { name: string }) => name)).toEqual(['Never'])
  })

  test('an empty result names the filter that excludes everything, and the time of any matches', async () => {
    const { ask } = openAsked(estate, { now })
    const { diagnosis } = await ask('query_metric', {
      metricSlug: 'total-findings',
      filters: { severities: ['CRITICAL'], statuses: ['RESOLVED'] },
      from: '2026-06-10',
    })
    expect(diagnosis.withoutFilter).toMatchObject([
      { key: 'severities', count: 2 },
      { key: 'statuses', count: 10 },
    ])
    expect(diagnosis.withoutRange).toBe(0)
    expect(diagnosis.summary).toContain('without it: 10')
    const early = await ask('query_metric', { metricSlug: 'total-findings', to: '2026-01-01' })
    expect(early.diagnosis).toMatchObject({
      withoutRange: 18,
      firstAt: '2026-06-14T12:00:00.000Z',
      lastAt: '2026-06-14T12:00:00.000Z',
    })
    expect((await ask('query_metric', { metricSlug: 'total-findings' })).diagnosis).toBeUndefined()
  })

  test('coerced input is reported in warnings', async () => {
    const { ask } = openAsked(estate, { now })
    const answer = await ask('query_metric', {
      metricSlug: 'Total Findings',
      dimensions: '["Severity"]',
      filters: { statuses: 'open' },
      limit: '2',
    })
    expect(answer.breakdown).toHaveLength(2)
    const forgiven = answer.warnings.map(({ message }: { message: string }) => message.split(' ')[0])
    expect(forgiven).toEqual(['dimensions', 'filters.statuses', 'filters.statuses[0]', 'limit', 'dimensions[0]'])
  })

  test('an answer is small unless a higher limit is given', async () => {
    const assets = Array.from({ length: 300 }, (_, index) => ({
      key: `k${index}`,
      container: `${'A long name of a space '.repeat(8)}${index}`,
    }))
    const findings = assets.map(({ key }) => finding({ asset: key }))
    const { ask } = openAsked({ assets, findings }, { now })
    const question = { metricSlug: 'total-findings', dimensions: ['container'] }
    const answer = await ask('query_metric', question)
    expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(16_000)
    expect(answer.breakdown.length + answer.other.groups).toBe(300)
    expect(answer.other.value).toBe(answer.other.groups)
    expect((await ask('query_metric', { ...question, limit: 300 })).breakdown).toHaveLength(300)
  })

  test('explore gives the same answer as evaluate', async () => {
    const { ask } = openAsked(estate, { now })
    const question = { metricSlug: 'total-findings', dimensions: ['severity'], glossaryTermSlug: 'security-threats' }
    expect(await ask('explore_metric', question)).toEqual(await ask('query_metric', question))
  })
})

test('sources that scan the same spaces of one tenant are named before a number that counts them twice', async () => {
  const names = ['wiki', 'same wiki', 'other spaces', 'other tenant']
  const { ask, context } = openAsked({
    sources: names.map((name) => ({ name, type: 'WIKI' })),
    assets: [{ key: 'page', source: 'wiki' }],
    findings: [finding({ asset: 'page' })],
  })
  context.store.write((writer) => {
    const tenant = writer.prepare('UPDATE source SET tenant_id = ? WHERE name = ?')
    for (const name of names) tenant.run(safe(name === 'other tenant' ? 't2' : 't1'), safe(name))
    writer
      .prepare(
        `INSERT INTO scan (uid, source_id, status, trigger, requested_by, config_hash, detectors_hash, created_at)
         SELECT 'scan-' || name, id, 'COMPLETED', 'MANUAL', 'ann', '', '', 1 FROM source`,
      )
      .run()
    writer
      .prepare(
        `INSERT INTO scan_scope (scan_id, key, name, state)
         SELECT id, CASE uid WHEN 'scan-other spaces' THEN 'OPS' ELSE 'ENG' END, 'Space', 'COMPLETE' FROM scan`,
      )
      .run()
  })
  const doubles = async (filters: object) => {
    const { warnings } = await ask('query_metric', { metricSlug: 'total-findings', filters })
    return warnings.filter(({ code }: { code: string }) => code === 'counted_twice')
  }
  expect(await doubles({})).toEqual([
    {
      code: 'counted_twice',
      message: expect.stringMatching(/^wiki and same wiki scan the same spaces .* counts twice;/),
    },
  ])
  expect(await doubles({ sources: ['wiki', 'other spaces', 'other tenant'] })).toEqual([])
})

describe('an answer says', () => {
  const warned = async (tool: string, question: object) => {
    const { ask } = openAsked(estate, { now })
    const { warnings } = await ask(tool, question)
    return (code: string) => warnings.filter((each: { code: string }) => each.code === code)
  }

  test('that the start of a range has no effect on a stock, but for the length of a comparison', async () => {
    const question = { metricSlug: 'open-findings', from: '2026-05-01' }
    const of = await warned('query_metric', question)
    expect(of('coerced')).toMatchObject([{ message: expect.stringMatching(/^from is not used: .* one moment/) }])
    const compared = await warned('query_metric', { ...question, compare: 'previous_period' })
    expect(compared('coerced')).toEqual([])
    expect((await warned('query_metric', { ...question, metricSlug: 'new-findings' }))('coerced')).toEqual([])
    expect((await warned('explore_view', question))('coerced')).toEqual([])
  })

  test('that its range begins in the future, before the number', async () => {
    const question = { metricSlug: 'total-findings', from: '2027-01-01' }
    const of = await warned('query_metric', question)
    expect(of('future_range')).toMatchObject([{ message: expect.stringContaining('2027-01-01T00:00:00.000Z') }])
    const { ask } = openAsked(estate, { now })
    expect(renderMetric(await ask('query_metric', question))[0]).toContain('warning (future_range)')
  })

  test('how many findings of a rate of decisions nobody has decided on', async () => {
    const of = await warned('query_metric', { metricSlug: 'false-positive-rate' })
    expect(of('undecided')).toEqual([
      { code: 'undecided', message: '12 of the 18 findings are open, without a decision yet.' },
    ])
    expect((await warned('query_metric', { metricSlug: 'resolution-rate' }))('undecided')).toEqual([])
    const decided = { metricSlug: 'false-positive-rate', filters: { statuses: ['FALSE_POSITIVE'] } }
    expect((await warned('query_metric', decided))('undecided')).toEqual([])
  })

  test('how many findings of a term are from before its trend', async () => {
    const { ask } = openAsked({ findings: [finding(), finding({ firstDetectedAt: day(400) })] }, { now })
    const explore = async (range: object) => {
      const { warnings } = await ask('explore_by_glossary_term', { glossaryTermSlug: 'security-threats', ...range })
      return warnings.filter(({ code }: { code: string }) => code === 'short_trend')
    }
    expect(await explore({})).toMatchObject([{ message: expect.stringContaining('1 of 2 findings are earlier') }])
    expect(await explore({ from: '2025-01-01' })).toEqual([])
  })

  test('what other scanners found of the category of a term, before the number', async () => {
    const findings = [
      finding({ category: 'SECURITY' }),
      finding({ detectorType: 'GITLEAKS', category: 'SECURITY' }),
      finding({ detectorType: 'PII', category: 'SECURITY' }),
      finding({ detectorType: 'YARA' }),
    ]
    const { ask } = openAsked({ findings }, { now })
    const message = expect.stringMatching(/^The term security-threats leaves out 1 .*\(GITLEAKS\)/)
    const told = [{ code: 'outside_term', message }]
    const question = { glossaryTermSlug: 'security-threats' }
    const answer = await ask('query_metric', { metricSlug: 'total-findings', ...question })
    expect([answer.value, answer.warnings]).toEqual([1, told])
    expect(renderMetric(answer)[0]).toContain('warning (outside_term)')
    expect((await ask('explore_by_glossary_term', question)).warnings).toEqual(told)
    const pii = await ask('query_metric', { metricSlug: 'total-findings', glossaryTermSlug: 'pii-exposure' })
    expect(pii.warnings).toEqual([])
  })

  test('unknown in place of 0 in texts where nothing was scanned', async () => {
    const { ask } = openAsked({ sources: [{ name: 'Wiki', lastCompletedScanAt: null }] }, { now })
    const answer = await ask('query_metric', { metricSlug: 'total-findings' })
    expect(answer.value).toBe(0)
    expect(renderMetric(answer).join('\n')).toContain('Total findings (total-findings): unknown')
    expect(toAnswerText(answer)).toContainEqual('Total findings: unknown')
  })

  test('the closest time zone, and under which filter a suggested value is', async () => {
    const { ask } = openAsked(estate, { now })
    const zoned = await ask('query_metric', { metricSlug: 'total-findings', timeZone: 'Europe/Berln' }).catch(String)
    expect(zoned).toBe("AppError: timeZone 'Europe/Berln' is not the name of an IANA time zone.")
    const filters = { containers: ['unknown source'] }
    expect(renderMetric(await ask('query_metric', { metricSlug: 'total-findings', filters }))[0]).toContain(
      'Nothing has',
    )
  })
})
