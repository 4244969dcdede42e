import { describe, expect, it } from 'vitest'
import { inOptions } from '../../src/cli/answer-context.ts'
import { toDashboardText } from '../../src/cli/dashboard-text.ts'
import { importFindings, openCommandLine, wikiOptions as wiki } from './command-line.ts'

const open = () => openCommandLine({ TOKEN: 'token-of-a-test' })

describe('setup that cannot mislead', () => {
  it('names the detectors that a list leaves out, when it is made and when it is changed', async () => {
    const { run } = open()
    const added = await run(['sources', 'add', 'wiki', ...wiki, '--detectors', 'SECRETS,PII'])
    expect(added.stderr).toMatch(
      /^! The list of detectors leaves out .*BROKEN_LINKS.*, so no scan of 'wiki' runs them\.\n$/,
    )
    const changed = await run(['sources', 'edit', 'wiki', '--without-detectors', 'DUPLICATE'])
    expect(changed.stderr).toBe("! The list of detectors leaves out DUPLICATE, so no scan of 'wiki' runs it.\n")
    expect(await run(['sources', 'edit', 'wiki', '--detectors', 'all'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('says which sources do not run a custom detector', async () => {
    const { run } = open()
    await run(['sources', 'add', 'wiki', ...wiki, '--detectors', 'SECRETS'])
    await run(['sources', 'add', 'all of it', ...wiki])
    const definition = {
      severity: 'HIGH',
      rule: { any: [{ type: 'KEYWORDS', keywords: ['Blue Heron'] }] },
      examples: { match: ['a blue heron'], noMatch: ['a heron'] },
    }
    const input = JSON.stringify({ key: 'mine', displayName: 'Mine', definition })
    const made = await run(['call', 'create_custom_detector', input])
    expect(made.stderr).toBe('')
    expect(JSON.parse(made.stdout).warnings).toEqual([
      { code: 'not_run', message: 'Scans of wiki do not run it: their list of detectors leaves out CUSTOM.' },
    ])
  })

  it('recognizes SARIF and NDJSON without a format', async () => {
    const { run } = open()
    const result = {
      ruleId: 'key',
      level: 'error',
      message: { text: 'a key' },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'a.ts' } } }],
    }
    const log = {
      version: '2.1.0',
      runs: [{ tool: { driver: { name: 'scanner', rules: [{ id: 'key' }] } }, results: [result] }],
    }
    for (const text of [
      JSON.stringify(log),
      JSON.stringify(log, null, 2),
      `\ufeff${JSON.stringify(log)}`,
      JSON.stringify({ $schema: 'https://json.schemastore.org/sarif-2.1.0.json', ...log }),
    ]) {
      const { code, stdout, stderr } = await run(['import', '--source', 'sarif', '-'], text)
      expect([code, stderr + stdout]).toEqual([0, expect.stringContaining('1 line, 1 asset')])
    }
    await importFindings({ run }, [{ id: 1, severity: 'HIGH', daysAgo: 1 }])
    expect((await run(['findings', '--total'])).stdout).toContain('2 in all')
  })
})

describe('an answer on the terminal', () => {
  it('says what was counted, with the options of the command line', async () => {
    const cli = open()
    await importFindings(cli, [{ id: 1, severity: 'HIGH', daysAgo: 3 }])
    const { stdout } = await cli.run([
      'query',
      'new-findings',
      '--severities',
      'HIGH',
      '--from',
      '2026-01-01',
      '--to',
      '2100-01-01',
    ])
    expect(stdout).toMatch(/^filters: .*--severities HIGH/m)
    expect(stdout).toMatch(/^range: +from 2026-01-01 up to 2100-01-02 \(UTC\), by first detection$/m)
    expect(stdout).toMatch(/^data: +scanner, complete at \d{4}-\d\d-\d\d/m)
    expect((await cli.run(['query', 'open-findings'])).stdout).toMatch(/^as of: +\d{4}-\d\d-\d\dT/m)
    expect((await cli.run(['dashboard'])).stdout).toMatch(/^Data: scanner, complete at/m)
  })

  it('says of further metrics what differs from the first, and the range of each metric of a dashboard', async () => {
    const cli = open()
    await importFindings(cli, [{ id: 1, severity: 'HIGH', daysAgo: 3 }])
    const ask = (...more: string[]) => cli.run(['query', 'new-findings', '--severities', 'HIGH', ...more])
    const { stdout } = await ask('--from', '2026-01-01', '--also', 'open-findings,mean-time-to-resolve')
    const [first = '', open_ = '', resolved = ''] = stdout.split(/^(?=Open findings: |Mean time to resolve: )/m)
    expect(first).toMatch(/^filters: .*--severities HIGH/m)
    expect(open_).toMatch(/^filters: .*statuses OPEN \(from the metric.*--severities HIGH/m)
    expect(open_).toMatch(/^as of: +\d{4}-\d\d-\d\dT/m)
    expect(open_).toMatch(/^The same as above: data\.$/m)
    expect(resolved).toMatch(/by resolution$/m)
    expect(resolved).toContain('Nothing matches')
    expect(stdout.match(/^data: /gm)).toHaveLength(1)
    const same = (await cli.run(['query', 'open-findings', '--also', 'open-findings'])).stdout
    expect(same).toMatch(/^The same as above: filters, as of and data\.$|^The same as above: filters, as of, data\.$/m)
    const { stdout: board } = await cli.run(['dashboard', '--from', '2026-01-01', '--to', '2026-06-30'])
    expect(board).toMatch(/^Range of .*New findings.*: from 2026-01-01 up to 2026-07-01 \(UTC\), by first detection$/m)
    expect(board).toMatch(/^Range of .*Open findings.*: as of /m)
  })

  it('shows the range of a dashboard once if it is the same for all metrics', () => {
    const applied = { from: null, to: null, timeField: 'firstDetectedAt', timeZone: 'UTC' }
    const metrics = ['A', 'B'].map((displayName) => ({ displayName, value: 1, unit: '', applied, warnings: [] }))
    const answer = { dashboard: 'mine', metrics, warnings: [], freshness: { asOf: '', sources: [] } }
    const lines = toDashboardText(answer as never)
    expect(lines.slice(-3)).toEqual(['', 'Range: all time, by first detection', 'Data: no source'])
  })

  it('says on a dashboard which number leaves something out', async () => {
    const cli = open()
    await importFindings(cli, [{ id: 1, severity: 'HIGH', daysAgo: 3 }])
    const { stdout } = await cli.run(['dashboard'])
    expect(stdout).toMatch(/! Distinct secrets: 1 findings? of secrets or personal data ha/)
  })

  it('says once that a metric is a draft', async () => {
    const cli = open()
    await importFindings(cli, [{ id: 1, severity: 'HIGH', daysAgo: 3 }])
    await cli.run(['metrics', 'create', 'mine', '--severities', 'HIGH'])
    const { stdout } = await cli.run(['query', 'mine'])
    expect(stdout.match(/draft|not certified|no one has certified/gi)).toEqual(['draft', 'no one has certified'])
  })

  it('says why there is nothing, and what to do about a draft', async () => {
    const cli = open()
    await importFindings(cli, [{ id: 1, severity: 'HIGH', daysAgo: 3 }])
    await cli.run(['metrics', 'create', 'mine', '--severities', 'HIGH'])
    const { stdout } = await cli.run(['query', 'mine', '--detector-types', 'PII'])
    expect(stdout).toContain('! Nothing matches, because --detector-types requires PII (without it: 1).')
    expect(stdout).toContain('once it is reviewed: assay metrics certify mine')
    expect(stdout).not.toMatch(/say so|the caller|detectorTypes/)
  })

  it('counts in words with the right number', async () => {
    const cli = open()
    await importFindings(cli, [
      { id: 1, severity: 'HIGH', daysAgo: 3 },
      { id: 2, severity: 'LOW', daysAgo: 3 },
    ])
    const { stdout } = await cli.run(['query', 'open-findings', '--by', 'severity', '--limit', '1'])
    expect(stdout).toContain('(1 other)')
    expect(stdout).toContain('! The first 1 of 2 groups are listed; --limit lists more.')
    const rate = await cli.run(['query', 'false-positive-rate'])
    expect(rate.stdout).toMatch(/\(0 of 2\)/)
  })

  it.each([
    ['metricSlug was read as x.', '--metric-slug'],
    ['the caller requires severities HIGH, but the metric requires severities LOW', '--severities requires HIGH'],
    ["No source is called 'x'; list_sources lists them.", '`assay sources` lists them'],
  ])('rewords %s', (text, wanted) => {
    if (text.startsWith('metricSlug'))
      expect(inOptions("metricSlug was 'x'; read as 'y'.")).toBe("The metric was 'x'; read as 'y'.")
    else expect(inOptions(text)).toContain(wanted)
  })
})

it('assay watch create says what leads to the first evaluation', async () => {
  const { run } = open()
  const create = (slug: string) => run(['watch', 'create', slug, '--metric', 'open-findings', '--above', '2'])
  expect((await create('a')).stdout).toMatch(/until something is scanned; add a source: assay sources add --home \S+\n/)
  await run(['sources', 'add', 'Company wiki', ...wiki])
  expect((await create('b')).stdout).toMatch(/until something is scanned: assay scan 'Company wiki' --home \S+\n/)
  await importFindings({ run }, [{ id: 1, severity: 'HIGH', daysAgo: 3 }])
  expect((await create('c')).stdout).toMatch(/Evaluate it now: assay check c --home \S+\n/)
})
