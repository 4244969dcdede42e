import { createRandom } from '../kernel/random.ts'
import { readYaml } from './company/read.ts'
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

interface Platform {
  kinds: readonly [
    detectorType: string,
    findingType: string,
    category: string,
    severity: Severity,
    weight: number,
    excerpt: string,
  ][]
  areas: readonly { container: string; weight: number; subjects: readonly string[] }[]
  titles: readonly string[]
}

interface Invention {
  wiki: Platform
  bi: Platform
  courses: Readonly<Record<Severity, { resolved: number; days: number }>>
}

/**
 * A year of invented findings that ends with the day before `now` in UTC, in chronological order: fewer from month to
 * month, hardly any at weekends, and many after old pages were moved. On equal days the findings are equal.
 */
export function* inventHistory(now: number): Generator<HistoryFinding> {
  const invention = readYaml('history') as Invention
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
    for (const firstDetectedAt of times) yield invent(invention, random, firstDetectedAt, end, index++)
  }
}

function invent(
  { wiki, bi, courses }: Invention,
  random: () => number,
  firstDetectedAt: number,
  end: number,
  index: number,
): HistoryFinding {
  const isWiki = random() < 0.82
  const { kinds, areas, titles } = isWiki ? wiki : bi
  const [detectorType, findingType, category, severity, , excerpt] = pick(random, kinds, ([, , , , weight]) => weight)
  const area = pick(random, areas, ({ weight }) => weight)
  const subject = area.subjects[Math.floor(random() * area.subjects.length)] ?? ''
  const title = titles[Math.floor(random() ** 1.6 * titles.length)] ?? ''
  const name = `${subject}: ${title}`
  return {
    asset: {
      key: `history:${area.container}:${name}`,
      kind: isWiki ? 'wiki.page' : detectorType === 'PII' ? 'bi.dataset' : 'bi.report',
      name,
      container: area.container,
    },
    detectorType,
    findingType,
    category,
    severity,
    excerpt,
    confidence: Math.round((0.75 + 0.24 * random()) * 100) / 100,
    ...toCourse(random, courses[severity], firstDetectedAt, end),
    fingerprint: `${historySourceName}-${index}`,
  }
}

function pick<Choice>(random: () => number, choices: readonly Choice[], weigh: (choice: Choice) => number): Choice {
  let rest = random() * choices.reduce((sum, choice) => sum + weigh(choice), 0)
  const chosen = choices.find((choice) => {
    rest -= weigh(choice)
    return rest < 0
  })
  return chosen ?? (choices[0] as Choice)
}

/** The status and dates of a finding, as on the last day. */
function toCourse(
  random: () => number,
  { resolved, days }: { resolved: number; days: number },
  firstDetectedAt: number,
  end: number,
) {
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
