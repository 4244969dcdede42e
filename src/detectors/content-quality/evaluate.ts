import type { FindingLocation, Severity } from '../detector.ts'
import type { ContentQualityConfig, QualityType } from './config.ts'
import type { TextFacts } from './text-facts.ts'

/** Data of one asset; unknown members are absent. */
export interface QualitySubject {
  kind: string
  name: string
  contentUpdatedAt?: number
  /** Absent where the platform does not report it. */
  owner?: string
  /** The facts stored by the connector. */
  facts: Readonly<Record<string, unknown>>
  text?: TextFacts
  /** Whether it or its space is archived on the platform. */
  archived: boolean
  /** Number of pages and files below it; undefined where they may not all be known. */
  below?: number
  /** Number of known pages that link to it. */
  inbound: number
}

export interface QualityMatch {
  findingType: QualityType
  severity: Severity
  confidence: number
  /** Two findings of an asset with the same identity are the same finding. */
  identity: string
  excerpt: string
  location: FindingLocation
}

export interface QualityVerdict {
  found: QualityMatch[]
  /** Finding types that cannot be judged now. */
  undecided: Set<QualityType>
}

const DAY_MS = 86_400_000
/** A stale page with more inbound links than this is more severe, because it misleads more readers. */
const MANY_REFERENCES = 10

type Check = (
  subject: QualitySubject,
  config: ContentQualityConfig,
  now: number,
) => Omit<QualityMatch, 'findingType'>[] | 'unknown'

const toDay = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const whole = (path: string): FindingLocation => ({ path })
const isPage = ({ kind }: QualitySubject) => kind === 'wiki.page'
const isBiItem = ({ kind, facts }: QualitySubject) =>
  (kind === 'bi.dataset' || kind === 'bi.report') && facts.system !== true && facts.appCopy !== true

const checks: Readonly<Record<QualityType, Check>> = {
  STALE(subject, { staleAfterDays }, now) {
    if (!isPage(subject) || subject.archived) return []
    const { contentUpdatedAt: at, inbound } = subject
    if (at === undefined) return 'unknown'
    const days = Math.floor((now - at) / DAY_MS)
    if (days <= staleAfterDays) return []
    const severity = inbound > MANY_REFERENCES ? 'MEDIUM' : 'LOW'
    return [
      { severity, confidence: 0.9, identity: '', excerpt: `Last edited on ${toDay(at)}.`, location: whole('page') },
    ]
  },

  OWNER_GONE(subject) {
    if (!isPage(subject)) return []
    const { ownerStatus } = subject.facts
    if (ownerStatus === undefined) return 'unknown'
    if (ownerStatus !== 'gone') return []
    const excerpt = 'The account of its owner is closed.'
    return [{ severity: 'LOW', confidence: 0.95, identity: '', excerpt, location: whole('page') }]
  },

  EMPTY(subject, { emptyBelowWords }) {
    if (!isPage(subject) || subject.archived) return []
    const { text, below } = subject
    if (text === undefined || below === undefined) return 'unknown'
    if (text.words >= emptyBelowWords || text.others > 0 || below > 0) return []
    const bare = text.words === 0
    const excerpt = bare ? 'No text.' : `${text.words} ${text.words === 1 ? 'word' : 'words'} and nothing else.`
    const sure = bare
      ? ({ severity: 'LOW', confidence: 0.95 } as const)
      : ({ severity: 'INFO', confidence: 0.7 } as const)
    return [{ ...sure, identity: '', excerpt, location: whole('body') }]
  },

  PLACEHOLDER(subject) {
    if (!isPage(subject)) return []
    if (subject.text === undefined) return 'unknown'
    return subject.text.placeholders.map(({ rule, shown, ...location }) => {
      const weak = rule === 'todo' || rule === 'tbd'
      const severity = weak ? 'INFO' : 'LOW'
      return { severity, confidence: weak ? 0.65 : 0.85, identity: rule, excerpt: shown, location }
    })
  },

  OUTDATED_REFERENCE(subject, { outdatedAfterYears }, now) {
    if (!isPage(subject) || subject.archived) return []
    if (subject.text === undefined) return 'unknown'
    const newest = new Date(now).getUTCFullYear() - outdatedAfterYears
    return subject.text.years
      .filter(({ year }) => year <= newest)
      .map(({ shown, year: _, ...location }) => {
        return { severity: 'LOW', confidence: 0.65, identity: shown, excerpt: shown, location }
      })
  },

  UNRESOLVED_COMMENTS(subject, { unresolvedAfterDays }, now) {
    if (subject.kind !== 'wiki.comments' || subject.archived) return []
    const { openSince } = subject.facts
    if (!Array.isArray(openSince)) return 'unknown'
    const instants = openSince.filter((at): at is number => typeof at === 'number')
    const old = instants.filter((at) => now - at > unresolvedAfterDays * DAY_MS)
    if (old.length === 0) return []
    const many = old.length === 1 ? '1 inline comment is' : `${old.length} inline comments are`
    const excerpt = `${many} open, without a reply since ${toDay(Math.min(...old))}.`
    return [{ severity: 'LOW', confidence: 0.9, identity: '', excerpt, location: whole('comments') }]
  },

  NO_DESCRIPTION(subject) {
    if (!isBiItem(subject)) return []
    const { description } = subject.facts
    if (typeof description !== 'boolean') return 'unknown'
    if (description) return []
    const what = subject.kind === 'bi.report' ? 'report' : 'dataset'
    const excerpt = `The ${what} has no description.`
    return [{ severity: 'INFO', confidence: 0.9, identity: '', excerpt, location: whole('description') }]
  },

  NO_OWNER(subject) {
    const { kind, facts } = subject
    const none = (excerpt: string): Omit<QualityMatch, 'findingType'>[] => [
      { severity: 'LOW', confidence: 0.9, identity: '', excerpt, location: whole('owner') },
    ]
    if (kind === 'bi.workspace' && facts.personal !== true) {
      if (!Array.isArray(facts.admins)) return 'unknown'
      return facts.admins.length === 0 ? none('The workspace has no administrator.') : []
    }
    if (!isBiItem(subject) || subject.owner !== undefined) return []
    return facts.ownerless === true ? none('The platform names no owner.') : 'unknown'
  },
}

/** Evaluates the enabled checks for one asset. Pure. */
export function evaluateQuality(subject: QualitySubject, config: ContentQualityConfig, now: number): QualityVerdict {
  const verdict: QualityVerdict = { found: [], undecided: new Set() }
  for (const findingType of config.types) {
    const found = checks[findingType](subject, config, now)
    if (found === 'unknown') verdict.undecided.add(findingType)
    else verdict.found.push(...found.map((match) => ({ findingType, ...match })))
  }
  return verdict
}
