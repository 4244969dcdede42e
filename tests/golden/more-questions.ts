import {
  type Answer,
  any,
  both,
  count,
  countBy,
  coverage,
  critical,
  distinctAssets,
  explore,
  type GoldenQuestion,
  groups,
  hours,
  hoursOf,
  isOpen,
  mean,
  metric,
  of,
  personal,
  rounded,
  security,
  series,
  share,
  sumOfSeries,
  toComparable,
} from './asking.ts'
import type { GoldenEstate, ListedFinding } from './estate.ts'

type Test = (finding: ListedFinding) => boolean

const within =
  (container: string): Test =>
  ({ asset }) =>
    asset.container === container
const severe: Test = ({ severity }) => severity === 'HIGH' || severity === 'CRITICAL'
const isWiki: Test = ({ asset }) => asset.kind.startsWith('wiki.')
const inComments: Test = ({ asset }) => asset.kind === 'wiki.comments'
const resolved: Test = ({ status }) => status === 'RESOLVED'
const not =
  (test: Test): Test =>
  (finding) =>
    !test(finding)

/** A value of each group, computed over the findings in it. */
const each =
  (group: (finding: ListedFinding) => string, value: (estate: GoldenEstate) => unknown, test: Test = any) =>
  (estate: GoldenEstate) => {
    const findings = estate.findings.filter(test)
    const names = [...new Set(findings.map(group))]
    return Object.fromEntries(
      names.map((name) => [name, value({ ...estate, findings: findings.filter((each) => group(each) === name) })]),
    )
  }

const parts = ({ numerator, denominator }: Answer) => [numerator, denominator]
const roundedGroups = (answer: Answer) =>
  Object.fromEntries(
    Object.entries(groups(answer)).map(([name, value]) => [name, Math.round(Number(value) * 1e6) / 1e6]),
  )
const byDetector = ({ detectorType }: ListedFinding) => detectorType

function medianHours({ findings }: GoldenEstate): string {
  const sorted = findings
    .filter(resolved)
    .map(hours)
    .sort((a, b) => a - b)
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)], sorted[Math.ceil((sorted.length - 1) / 2)]]
  return toComparable(((low ?? 0) + (high ?? 0)) / 2)
}

/** Contributions of the groups of a dimension to a change, the five largest. */
const contributions =
  (dimension: string) =>
  ({ drivers }: Answer) =>
    drivers
      .filter((driver: Answer) => driver.dimension === dimension)
      .map((driver: Answer) => driver.contribution)
      .sort((a: number, b: number) => b - a)
const largest = (counts: (estate: GoldenEstate) => Record<string, number>, most: number) => (estate: GoldenEstate) =>
  Object.values(counts(estate))
    .sort((a, b) => b - a)
    .slice(0, most)
const change = { metricSlug: 'new-findings', from: '2024-01-01', compare: 'previous_period', explain: true }

/** Questions of a review of the whole estate; the first call is right. */
export const moreQuestions: GoldenQuestion[] = [
  metric(
    'How bad is what we found in Engineering?',
    { metricSlug: 'total-findings', dimensions: ['severity'], filters: { containers: ['Engineering'] } },
    countBy(within('Engineering'), ({ severity }) => severity),
    groups,
  ),
  metric(
    'How many severe findings are in the reports?',
    { metricSlug: 'total-findings', filters: { severities: ['HIGH', 'CRITICAL'], sourceTypes: ['BI_PLATFORM'] } },
    count(both(severe, not(isWiki))),
  ),
  metric(
    'What is left when we leave out what is resolved?',
    { metricSlug: 'total-findings', filters: { exclude: { statuses: ['RESOLVED'] } } },
    count(not(resolved)),
  ),
  metric(
    'What is open on each platform?',
    { metricSlug: 'open-findings', dimensions: ['sourceType'] },
    countBy(isOpen, (finding) => (isWiki(finding) ? 'WIKI' : 'BI_PLATFORM')),
    groups,
  ),
  metric(
    'How many pages are affected in each space?',
    { metricSlug: 'affected-assets', dimensions: ['container'] },
    each(({ asset }) => asset.container, distinctAssets(any), isOpen),
    groups,
  ),
  metric(
    'How many pages hold personal data?',
    { metricSlug: 'affected-assets', glossaryTermSlug: 'pii-exposure' },
    distinctAssets(both(isOpen, personal)),
  ),
  metric(
    'How much of each kind of content has been scanned?',
    { metricSlug: 'scan-coverage', dimensions: ['assetKind'] },
    (estate) =>
      Object.fromEntries(
        [...new Set(estate.assets.filter(({ status }) => status === 'ACTIVE').map(({ kind }) => kind))].map((kind) => [
          kind,
          coverage((asset) => asset.kind === kind)(estate),
        ]),
      ),
    groups,
  ),
  metric(
    'How much of the wiki has been scanned?',
    { metricSlug: 'scan-coverage', filters: { sourceTypes: ['WIKI'] } },
    coverage(({ kind }) => kind.startsWith('wiki.')),
  ),
  metric(
    'What share did we resolve of what each detector found?',
    { metricSlug: 'resolution-rate', dimensions: ['detectorType'] },
    each(byDetector, share(resolved)),
    groups,
  ),
  metric(
    'How sure is each detector on average?',
    { metricSlug: 'average-confidence', dimensions: ['detectorType'] },
    each(byDetector, mean(any)),
    roundedGroups,
  ),
  metric(
    'How sure are we of severe findings?',
    { metricSlug: 'average-confidence', filters: { severities: ['HIGH', 'CRITICAL'] } },
    mean(severe),
    rounded,
  ),
  metric(
    'How many more than a year before?',
    { metricSlug: 'new-findings', from: '2025-01-01', compare: 'previous_year' },
    (estate) => count(any)(estate),
    ({ comparison }: Answer) => comparison.delta,
  ),
  metric(
    'What is open in each space, by severity?',
    { metricSlug: 'open-findings', dimensions: ['container', 'severity'], limit: 200 },
    countBy(isOpen, ({ asset, severity }) => `${asset.container} / ${severity}`),
    groups,
  ),
  metric(
    'Which categories do open findings have?',
    { metricSlug: 'open-findings', dimensions: ['category'] },
    countBy(isOpen, ({ category }) => category),
    groups,
  ),
  metric(
    'How much personal data in the wiki are we sure of?',
    {
      metricSlug: 'total-findings',
      glossaryTermSlug: 'pii-exposure',
      filters: { minConfidence: 0.9, sourceTypes: ['WIKI'] },
    },
    count(
      both(
        personal,
        both(isWiki, ({ confidence }) => confidence >= 0.9),
      ),
    ),
  ),
  metric(
    'Where are critical findings open?',
    { metricSlug: 'critical-open-findings', dimensions: ['container'] },
    countBy(both(isOpen, critical), ({ asset }) => asset.container),
    groups,
  ),
  metric(
    'How many findings are in comments?',
    { metricSlug: 'total-findings', filters: { assetKinds: ['wiki.comments'] } },
    count(inComments),
  ),
  metric(
    'And in comments and attachments, by kind?',
    {
      metricSlug: 'total-findings',
      dimensions: ['assetKind'],
      filters: { assetKinds: ['wiki.comments', 'wiki.attachment'] },
    },
    countBy(
      ({ asset }) => asset.kind === 'wiki.comments' || asset.kind === 'wiki.attachment',
      ({ asset }) => asset.kind,
    ),
    groups,
  ),
  metric(
    'How many secrets of each kind are open?',
    { metricSlug: 'open-findings', dimensions: ['findingType'], filters: { detectorTypes: ['SECRETS'] } },
    countBy(both(isOpen, of('SECRETS')), ({ findingType }) => findingType),
    groups,
  ),
  metric(
    'Of all personal data, how much turned out to be a false alarm?',
    { metricSlug: 'false-positive-rate', filters: { detectorTypes: ['PII'] } },
    (estate) => [count(both(personal, ({ status }) => status === 'FALSE_POSITIVE'))(estate), count(personal)(estate)],
    parts,
  ),
  metric(
    'How many findings did someone decide about?',
    { metricSlug: 'total-findings', filters: { statuses: ['FALSE_POSITIVE', 'IGNORED', 'RESOLVED'] } },
    count(not(isOpen)),
  ),
  metric(
    'How many duplicates and quality problems do the spaces have?',
    { metricSlug: 'total-findings', dimensions: ['container'], glossaryTermSlug: 'data-quality', limit: 100 },
    countBy(of('DUPLICATE', 'CONTENT_QUALITY'), ({ asset }) => asset.container),
    groups,
  ),
  metric(
    'How many links are broken in each source?',
    { metricSlug: 'total-findings', dimensions: ['sourceType'], filters: { detectorTypes: ['BROKEN_LINKS'] } },
    countBy(of('BROKEN_LINKS'), (finding) => (isWiki(finding) ? 'WIKI' : 'BI_PLATFORM')),
    groups,
  ),
  metric(
    'What is open outside of the wiki?',
    { metricSlug: 'open-findings', filters: { exclude: { sourceTypes: ['WIKI'] } } },
    count(both(isOpen, not(isWiki))),
  ),
  metric(
    'How many findings of low severity are still open?',
    { metricSlug: 'open-findings', filters: { severities: ['LOW', 'INFO'] } },
    count(both(isOpen, ({ severity }) => severity === 'LOW' || severity === 'INFO')),
  ),
  series(
    'How many new findings of each detector, over the weeks?',
    { metricSlug: 'new-findings', granularity: 'week', dimension: 'detectorType' },
    ({ findings }) => new Set(findings.map(byDetector)).size,
    ({ series: lines }: Answer) => lines.length,
  ),
  series(
    'New secrets per day since the beginning of last year?',
    {
      metricSlug: 'new-findings',
      granularity: 'month',
      from: '2025-01-01',
      filters: { detectorTypes: ['SECRETS'] },
    },
    count(of('SECRETS')),
    sumOfSeries,
  ),
  explore(
    'Show me security threats in the comments.',
    { glossaryTermSlug: 'security-threats', filters: { assetKinds: ['wiki.comments'] } },
    count(both(security, inComments)),
  ),
  explore(
    'How many broken links are open?',
    { glossaryTermSlug: 'broken-content' },
    count(both(of('BROKEN_LINKS'), isOpen)),
    ({ open }: Answer) => open,
  ),
  metric(
    'How long does resolving a finding typically take?',
    { metricSlug: 'median-time-to-resolve' },
    medianHours,
    hoursOf,
  ),
  metric(
    'And a leaked secret?',
    { metricSlug: 'median-time-to-resolve', filters: { detectorTypes: ['SECRETS'] } },
    (estate) => medianHours({ ...estate, findings: estate.findings.filter(of('SECRETS')) }),
    hoursOf,
  ),
  metric(
    'Which severities made the number of findings grow?',
    { ...change, dimensions: ['severity'] },
    largest(
      countBy(any, ({ severity }) => severity),
      5,
    ),
    contributions('severity'),
  ),
  metric(
    'Which spaces did?',
    { ...change, dimensions: ['container'] },
    largest(
      countBy(any, ({ asset }) => asset.container),
      5,
    ),
    contributions('container'),
  ),
  metric(
    'Which detectors made security threats grow?',
    { ...change, dimensions: ['detectorType'], glossaryTermSlug: 'security-threats' },
    largest(countBy(security, byDetector), 5),
    contributions('detectorType'),
  ),
  metric(
    'How many new findings in each space, and before?',
    {
      metricSlug: 'new-findings',
      from: '2024-01-01',
      compare: 'previous_period',
      dimensions: ['container'],
      limit: 100,
    },
    (estate) => [count(any)(estate), 0],
    ({ breakdown }: Answer) => [
      breakdown.reduce((sum: number, { delta }: Answer) => sum + delta, 0),
      breakdown.reduce((sum: number, { previous }: Answer) => sum + previous, 0),
    ],
  ),
  explore('What about unresolved issues?', { glossaryTermSlug: 'unresolved-issues' }, count(isOpen)),
]
