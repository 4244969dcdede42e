import { createRandom } from '../kernel/random.ts'
import type { GeneratedFinding } from './findings.ts'

const DAY = 86_400_000
const DAYS = 365
const SEED = 21
/** On which day, counted from the first, a site of old pages was moved into the wiki, and for how long that was felt. */
const MIGRATION = { day: 148, days: 16, factor: 3.2 }

export const historySourceName = 'sample-history'

/** One finding of the history, as a line of the import format. */
export type HistoryFinding = GeneratedFinding & { excerpt: string }

type Severity = 'CRITICAL' | 'HIGH' | 'MEDIUM' | 'LOW' | 'INFO'

interface Kind {
  detectorType: string
  findingType: string
  category: string
  severity: Severity
  excerpt: string
  weight: number
}

const kind = (
  type: readonly [detectorType: string, findingType: string, category: string],
  severity: Severity,
  weight: number,
  excerpt: string,
): Kind => ({ detectorType: type[0], findingType: type[1], category: type[2], severity, weight, excerpt })

const wikiKinds: readonly Kind[] = [
  kind(['PII', 'EMAIL', 'PRIVACY'], 'LOW', 15, 'Please write to ******** for access.'),
  kind(['BROKEN_LINKS', 'PAGE_MISSING', 'LINK'], 'MEDIUM', 14, 'The linked page does not exist any more.'),
  kind(['CONTENT_QUALITY', 'STALE', 'QUALITY'], 'LOW', 12, 'The page was not changed for more than a year.'),
  kind(['PII', 'PHONE', 'PRIVACY'], 'MEDIUM', 9, 'On call: ********'),
  kind(['BROKEN_LINKS', 'ATTACHMENT_MISSING', 'LINK'], 'MEDIUM', 7, 'The linked attachment does not exist any more.'),
  kind(['CONTENT_QUALITY', 'PLACEHOLDER', 'QUALITY'], 'INFO', 7, 'To be written.'),
  kind(['SECRETS', 'PASSWORD', 'SECURITY'], 'HIGH', 6, 'password: ********'),
  kind(['DUPLICATE', 'NEAR_DUPLICATE', 'QUALITY'], 'LOW', 6, 'The page repeats most of another page.'),
  kind(['PII', 'IBAN', 'PRIVACY'], 'HIGH', 5, 'Account: ********'),
  kind(['SECRETS', 'GITHUB_TOKEN', 'SECURITY'], 'CRITICAL', 2.4, 'token = ********'),
  kind(['PII', 'CREDIT_CARD', 'PRIVACY'], 'HIGH', 2, 'Card: ********'),
  kind(['SECRETS', 'AWS_ACCESS_KEY', 'SECURITY'], 'CRITICAL', 1.8, 'key_id = ********'),
  kind(['SECRETS', 'PRIVATE_KEY', 'SECURITY'], 'CRITICAL', 0.8, '-----BEGIN ********'),
  kind(['PROMPT_INJECTION', 'HIDDEN_TEXT', 'THREAT'], 'CRITICAL', 0.6, 'A passage of the page is hidden from readers.'),
  kind(['PROMPT_INJECTION', 'INSTRUCTION_OVERRIDE', 'THREAT'], 'HIGH', 0.6, 'A passage addresses assistants.'),
]
const biKinds: readonly Kind[] = [
  kind(['CONTENT_QUALITY', 'NO_DESCRIPTION', 'QUALITY'], 'INFO', 14, 'The report has no description.'),
  kind(['PII', 'SENSITIVE_COLUMN', 'PRIVACY'], 'MEDIUM', 7, 'Column: customer_phone'),
  kind(['BROKEN_LINKS', 'DATASET_MISSING', 'LINK'], 'MEDIUM', 4, 'The dataset of the report does not exist any more.'),
  kind(['SECRETS', 'CONNECTION_STRING', 'SECURITY'], 'CRITICAL', 0.8, 'Server=********;Password=********'),
]

interface Area {
  container: string
  weight: number
  subjects: readonly string[]
}

const wikiAreas: readonly Area[] = [
  {
    container: 'Engineering',
    weight: 10,
    subjects: ['Payments', 'Search', 'Deployments', 'Mobile app', 'Data pipeline', 'Identity', 'Builds', 'Billing'],
  },
  {
    container: 'Operations',
    weight: 8,
    subjects: ['Warehouse systems', 'Network', 'Service desk', 'Backups', 'Shift plans', 'Vendors'],
  },
  { container: 'Retail', weight: 6, subjects: ['Tills', 'Store openings', 'Gift cards', 'Returns', 'Stock counts'] },
  { container: 'People', weight: 4, subjects: ['Onboarding', 'Payroll', 'Travel', 'Benefits', 'Hiring'] },
  { container: 'Handbook 2019', weight: 1.5, subjects: ['House rules', 'Offices', 'Expenses'] },
]
const biAreas: readonly Area[] = [
  { container: 'Finance', weight: 3, subjects: ['Margins', 'Receivables', 'Budget', 'Cash flow'] },
  { container: 'Customer and Marketing', weight: 2.4, subjects: ['Campaigns', 'Loyalty', 'Churn'] },
  { container: 'Supply Chain', weight: 2, subjects: ['Deliveries', 'Suppliers', 'Routes'] },
  { container: 'Stores', weight: 1.6, subjects: ['Sales by store', 'Footfall', 'Opening hours'] },
]
const wikiTitles = [
  'runbook',
  'handover',
  'meeting notes',
  'checklist',
  'migration plan',
  'review',
  'questions',
  'setup',
]
const biTitles = ['overview', 'by month', 'by region', 'details']

/** How many of 100 are resolved in the end, and in how many days on average. */
const courses: Readonly<Record<Severity, { resolved: number; days: number }>> = {
  CRITICAL: { resolved: 96, days: 6 },
  HIGH: { resolved: 88, days: 21 },
  MEDIUM: { resolved: 76, days: 55 },
  LOW: { resolved: 62, days: 80 },
  INFO: { resolved: 45, days: 110 },
}

/**
 * A year of invented findings that ends with the day before `now` in UTC, in chronological order: fewer from month to
 * month, hardly any at weekends, and many after old pages were moved. On equal days the findings are equal.
 */
export function* inventHistory(now: number): Generator<HistoryFinding> {
  const random = createRandom(SEED)
  const end = Math.floor(now / DAY) * DAY
  let index = 0
  for (let day = 0; day < DAYS; day++) {
    const start = end - (DAYS - day) * DAY
    const isMoving = day >= MIGRATION.day && day < MIGRATION.day + MIGRATION.days
    // Days are counted from the first one, so that the counts do not depend on the weekday of `now`.
    const expected = (32 - (18 * day) / DAYS) * (day % 7 >= 5 ? 0.15 : 1) * (isMoving ? MIGRATION.factor : 1)
    const count = Math.round(expected * (0.65 + 0.7 * random()))
    const times = Array.from({ length: count }, () => start + Math.floor((7.5 + 10 * random()) * 3_600_000)).sort()
    for (const firstDetectedAt of times) yield invent(random, firstDetectedAt, end, index++)
  }
}

function invent(random: () => number, firstDetectedAt: number, end: number, index: number): HistoryFinding {
  const isWiki = random() < 0.82
  const { weight: _, ...found } = pick(random, isWiki ? wikiKinds : biKinds)
  const area = pick(random, isWiki ? wikiAreas : biAreas)
  const subject = area.subjects[Math.floor(random() * area.subjects.length)] ?? ''
  const titles = isWiki ? wikiTitles : biTitles
  const title = titles[Math.floor(random() ** 1.6 * titles.length)] ?? ''
  const name = `${subject}: ${title}`
  return {
    asset: {
      key: `history:${area.container}:${name}`,
      kind: isWiki ? 'wiki.page' : found.detectorType === 'PII' ? 'bi.dataset' : 'bi.report',
      name,
      container: area.container,
    },
    ...found,
    confidence: Math.round((0.75 + 0.24 * random()) * 100) / 100,
    ...toCourse(random, found.severity, firstDetectedAt, end),
    fingerprint: `${historySourceName}-${index}`,
  }
}

function pick<Choice extends { weight: number }>(random: () => number, choices: readonly Choice[]): Choice {
  let rest = random() * choices.reduce((sum, { weight }) => sum + weight, 0)
  const chosen = choices.find(({ weight }) => {
    rest -= weight
    return rest < 0
  })
  return chosen ?? (choices[0] as Choice)
}

/** The status and dates of a finding, as on the last day. */
function toCourse(random: () => number, severity: Severity, firstDetectedAt: number, end: number) {
  const { resolved, days } = courses[severity]
  const share = random() * 100
  const resolvedAt = firstDetectedAt + Math.ceil(-Math.log(1 - random()) * days * DAY)
  const last = (time: number) => new Date(time).toISOString()
  const first = { firstDetectedAt: last(firstDetectedAt) }
  if (share < 4) return { ...first, status: 'FALSE_POSITIVE', lastDetectedAt: last(end - 1) }
  if (share < 6) return { ...first, status: 'IGNORED', lastDetectedAt: last(end - 1) }
  if (share < 6 + resolved && resolvedAt < end) {
    return { ...first, status: 'RESOLVED', lastDetectedAt: last(resolvedAt), resolvedAt: last(resolvedAt) }
  }
  return { ...first, status: 'OPEN', lastDetectedAt: last(end - 1) }
}
