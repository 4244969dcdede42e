import {
  type Answer,
  any,
  both,
  count,
  countBy,
  critical,
  distinctAssets,
  explore,
  firstGroup,
  type GoldenQuestion,
  groups,
  hours,
  hoursOf,
  isOpen,
  large,
  lastOfSeries,
  metric,
  of,
  personal,
  security,
  series,
  share,
  toComparable,
  wrongly,
} from './asking.ts'
import type { ListedFinding } from './estate.ts'

const ask = (
  tool: string,
  words: string,
  input: Record<string, unknown>,
  expected: GoldenQuestion['expected'],
  pick: (answer: Answer) => unknown,
): GoldenQuestion => ({ words, tool, input, expected, pick })

const slugs = ({ items }: Answer) => items.map(({ slug }: Answer) => slug).sort()
const quality = of('DUPLICATE', 'CONTENT_QUALITY')
const resolved = ({ status }: ListedFinding) => status === 'RESOLVED'
const falsePositive = ({ status }: ListedFinding) => status === 'FALSE_POSITIVE'
const inWiki = ({ asset }: ListedFinding) => asset.kind.startsWith('wiki.')
const dashboardValue =
  (slug: string) =>
  ({ metrics }: Answer) =>
    metrics.find(({ metricSlug }: Answer) => metricSlug === slug).value

/** Comparisons, histories, lists and dashboards: questions whose first call is right. */
export const furtherQuestions: GoldenQuestion[] = [
  metric(
    'How many more findings than in the years before?',
    { metricSlug: 'new-findings', from: '2024-01-01', compare: 'previous_period' },
    (estate) => [count(any)(estate), 0, count(any)(estate), null],
    ({ value, comparison }: Answer) => [value, comparison.value, comparison.delta, comparison.pctChange],
  ),
  metric('How many were open at the end of 2019?', { metricSlug: 'open-findings', to: '2019-12-31' }, () => 0),
  metric(
    'How many new findings did the last seven days bring?',
    { metricSlug: 'weekly-finding-trend' },
    (estate) => [count(any)(estate), 0],
    ({ current, previous }: Answer) => [current, previous],
  ),
  metric(
    'How long does it take us to resolve something?',
    { metricSlug: 'mean-time-to-resolve' },
    ({ findings }) => {
      const done = findings.filter(resolved)
      return toComparable(done.reduce((sum, finding) => sum + hours(finding), 0) / done.length)
    },
    hoursOf,
  ),
  metric(
    'Of how many secrets have we resolved how many?',
    { metricSlug: 'resolution-rate', filters: { detectorTypes: ['SECRETS'] } },
    (estate) => [count(both(of('SECRETS'), resolved))(estate), count(of('SECRETS'))(estate)],
    ({ numerator, denominator }: Answer) => [numerator, denominator],
  ),
  metric(
    'What share of the open findings are false positives?',
    { metricSlug: 'false-positive-rate', glossaryTermSlug: 'unresolved-issues' },
    () => [0, true],
    ({ value, warnings }: Answer) => [value, warnings.some(({ code }: Answer) => code === 'contradiction')],
  ),
  metric(
    'How many findings by severity and status?',
    { metricSlug: 'total-findings', dimensions: ['severity', 'status'] },
    countBy(any, ({ severity, status }) => `${severity} / ${status}`),
    groups,
  ),
  metric(
    'Findings by source, detector and severity?',
    { metricSlug: 'total-findings', dimensions: ['sourceType', 'detectorType', 'severity'], limit: 1000 },
    countBy(
      any,
      (finding) => `${inWiki(finding) ? 'WIKI' : 'BI_PLATFORM'} / ${finding.detectorType} / ${finding.severity}`,
    ),
    groups,
  ),
  metric(
    'The two largest spaces, and all others together?',
    { metricSlug: 'total-findings', dimensions: ['container'], limit: 2 },
    count(any),
    ({ breakdown, other }: Answer) => breakdown[0].value + breakdown[1].value + other.value,
  ),
  metric(
    'Findings outside of the old handbook?',
    { metricSlug: 'total-findings', filters: { exclude: { containers: ['Handbook 2019'] } } },
    count(({ asset }) => asset.container !== 'Handbook 2019'),
  ),
  metric(
    'How many assets of each kind are affected?',
    { metricSlug: 'affected-assets', dimensions: ['assetKind'] },
    ({ findings }) => {
      const kinds = [...new Set(findings.filter(isOpen).map(({ asset }) => asset.kind))]
      const affected = (kind: string) =>
        new Set(findings.filter(both(isOpen, ({ asset }) => asset.kind === kind)).map(({ assetId }) => assetId)).size
      return Object.fromEntries(kinds.map((kind) => [kind, affected(kind)]))
    },
    groups,
  ),
  metric(
    'How many critical findings about secrets in the wiki are open?',
    { metricSlug: 'critical-open-findings', filters: { detectorTypes: ['SECRETS'], sources: ['sample-wiki'] } },
    count(both(both(isOpen, critical), both(of('SECRETS'), inWiki))),
  ),
  metric(
    'What is unresolved, in the words of the glossary?',
    { metricSlug: 'total-findings', glossaryTermSlug: 'backlog' },
    count(isOpen),
  ),
  series(
    'How many secrets were open at the end of each month?',
    {
      metricSlug: 'open-findings',
      granularity: 'month',
      filters: { detectorTypes: ['SECRETS'] },
      timeZone: 'Asia/Tokyo',
    },
    count(both(isOpen, of('SECRETS'))),
    lastOfSeries,
  ),
  explore('What do we know about critical findings?', { glossaryTermSlug: 'critical-findings' }, count(critical)),
  explore(
    'Which kinds of quality problems are there?',
    { glossaryTermSlug: 'content quality', dimensions: ['findingType'] },
    countBy(quality, ({ findingType }) => findingType),
    ({ breakdowns }: Answer) =>
      Object.fromEntries(breakdowns[0].entries.map(({ dimensionValue, value }: Answer) => [dimensionValue, value])),
  ),
  ask(
    'query_dashboard',
    'What does the dashboard say is open?',
    { dashboard: 'discovery' },
    count(isOpen),
    dashboardValue('open-findings'),
  ),
  ask(
    'query_dashboard',
    'And of the share of false positives?',
    { dashboard: 'discovery' },
    share(falsePositive),
    dashboardValue('false-positive-rate'),
  ),
  ask(
    'list_metrics',
    'Which ratios can I see by space?',
    { search: 'container', type: 'RATIO' },
    () => ['false-positive-rate', 'resolution-rate', 'scan-coverage', 'sla-compliance'],
    slugs,
  ),
  ask(
    'list_glossary_terms',
    'What do we call personal data?',
    { search: 'personal data' },
    () => ['pii-exposure'],
    slugs,
  ),
  ask(
    'get_glossary_term',
    'What counts as a leaked secret?',
    { slug: 'leaked secrets' },
    () => ['SECRETS', 'PROMPT_INJECTION'],
    ({ filterMapping }: Answer) => filterMapping.detectorTypes,
  ),
  ask(
    'search_findings',
    'Show me the private keys.',
    { findingTypes: ['PRIVATE_KEY'], limit: 500 },
    count(({ findingType }) => findingType === 'PRIVATE_KEY'),
    ({ items }: Answer) => items.length,
  ),
]

/** More questions that begin wrong. */
export const furtherWrongQuestions: GoldenQuestion[] = [
  metric('Leaked keys. (a name that two metrics have)', { metricSlug: 'Leaked keys' }, count(of('SECRETS'))),
  metric(
    'Risks. (a name that two terms have)',
    { metricSlug: 'total-findings', glossaryTermSlug: 'risks' },
    count(critical),
  ),
  metric('The rate. (a word of two metrics)', { metricSlug: 'rate' }, share(falsePositive)),
  metric(
    'Coverage by severity. (a dimension that does not fit)',
    { metricSlug: 'scan-coverage', dimensions: ['severity'] },
    () => ['BI_PLATFORM', 'WIKI'],
    ({ breakdown }: Answer) => breakdown.map(({ dimensionValue }: Answer) => dimensionValue).sort(),
  ),
  series(
    'False positives week by week. (no series of a ratio)',
    { metricSlug: 'false-positive-rate', granularity: 'week' },
    count(any),
  ),
  series(
    'The trend, month by month. (no series of a trend)',
    { metricSlug: 'weekly-finding-trend', granularity: 'month' },
    count(any),
  ),
  series(
    'By severity, month by month. (dimensions for dimension)',
    { metricSlug: 'new-findings', granularity: 'month', dimensions: ['severity'] },
    ({ findings }) => new Set(findings.map(({ severity }) => severity)).size,
    ({ series: lines }: Answer) => lines.length,
  ),
  large(
    series(
      'Hour by hour since 2020. (too many buckets)',
      { metricSlug: 'new-findings', granularity: 'hour', from: '2020-01-01' },
      count(any),
    ),
  ),
  metric(
    'Compared with before. (words for a period)',
    { metricSlug: 'new-findings', from: '2024-01-01', compare: 'previous period' },
    count(any),
    ({ comparison }: Answer) => comparison.delta,
  ),
  metric(
    'All groups. (a limit beyond the most)',
    { metricSlug: 'total-findings', dimensions: ['severity'], limit: 5000 },
    countBy(any, ({ severity }) => severity),
    groups,
  ),
  metric('In our time. (a city for a zone)', { metricSlug: 'total-findings', timeZone: 'Berlin' }, count(any)),
  metric(
    'Until yesterday of long ago. (a date that is none)',
    { metricSlug: 'total-findings', to: '2019-02-30' },
    () => 0,
  ),
  metric(
    'Since new year. (a date as people write it)',
    { metricSlug: 'total-findings', from: '31.12.2019' },
    count(any),
  ),
  metric(
    'Security risks. (a term in the singular, as a metric)',
    { metricSlug: 'security risk' },
    count(security),
    ({ count: found }: Answer) => found,
  ),
  metric(
    'Issues. (a word that only a term has)',
    { metricSlug: 'issues' },
    count(isOpen),
    ({ count: found }: Answer) => found,
  ),
  metric(
    'In the wiki. (a part of the name of a source)',
    { metricSlug: 'total-findings', filters: { sources: ['wiki'] } },
    count(inWiki),
  ),
  metric(
    'Open ones by severity. (everything misspelt)',
    { metric: 'open-findigs', dimension: 'severities' },
    countBy(isOpen, ({ severity }) => severity),
    groups,
  ),
  metric(
    'Personal data, resolved. (a status as a metric)',
    { metricSlug: 'open', glossaryTermSlug: 'pii-exposure' },
    count(both(isOpen, personal)),
  ),
  explore('Secrets. (a detector as a term)', { glossaryTermSlug: 'secrets' }, count(security)),
  explore('Personal data. (a wrong name for the parameter)', { term: 'personal data' }, count(personal)),
  explore(
    'Threats by space. (a word for a dimension)',
    { glossaryTermSlug: 'security-threats', dimensions: ['space'] },
    count(security),
    ({ breakdowns: [{ entries, other = 0 }] }: Answer) =>
      entries.reduce((sum: number, { value }: { value: number }) => sum + value, other),
  ),
  ask(
    'query_dashboard',
    'The dashboard. (typo in its name)',
    { dashboard: 'Discovry' },
    distinctAssets(isOpen),
    dashboardValue('affected-assets'),
  ),
  ask(
    'get_glossary_term',
    'Leaked secrets. (in the singular)',
    { slug: 'leaked secret' },
    () => 'security-threats',
    ({ slug }: Answer) => slug,
  ),
  ask(
    'list_metrics',
    'Metrics of critical findings. (typo in the term)',
    { glossaryTermSlug: 'critcal-findings' },
    () => ['critical-open-findings'],
    slugs,
  ),
  ask(
    'search_findings',
    'The critical ones. (a key in the singular)',
    { severity: 'CRITICAL', limit: 500 },
    count(critical),
    ({ items }: Answer) => items.length,
  ),
  metric(
    'The largest space. (a list as a dimension)',
    { metricSlug: 'total-findings', dimensions: ['containers'], limit: 1 },
    ({ findings }) => Math.max(...Object.values(countBy(any, ({ asset }) => asset.container)({ findings } as never))),
    firstGroup,
  ),
].map(wrongly)
