import type { ComponentChildren } from 'preact'
import { Change, Name, Severity } from '../../charts/parts.tsx'
import { isEvenlyCovered } from '../../charts/tile.tsx'
import { toAge, toAgo } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import type { ScanItem } from '../../scans/model.ts'
import type { Source } from '../../sources/model.ts'
import { client } from '../client.ts'
import type { FindingList } from '../model.ts'
import { Link } from '../parts.tsx'
import { formatRoute, type State } from '../route.ts'
import { isRunning } from '../scan.tsx'

const DAY = 86_400_000
const SHOWN = 4
/** A scheduled scan may start this much later. */
const LATE_AFTER = 3_600_000
const MOST_GROUPS = 100

interface Rise {
  container: string
  value: number
  before: number
}

export interface NeedsAnswer {
  /** The first of the last seven days. */
  since: string
  critical: FindingList
  overdue: FindingList
  hasPolicy: boolean
  rises: readonly Rise[]
  /** False where no source was scanned in both weeks; `some` where others were left out. */
  rose: boolean | 'some'
}

/** Asks what is new and critical, what is overdue, and where more is found than in the week before. */
export async function askNeeds(signal: AbortSignal): Promise<NeedsAnswer> {
  const since = new Date(Date.now() - 6 * DAY).toISOString().slice(0, 10)
  const first = { statuses: ['OPEN'], limit: SHOWN, total: true }
  const [critical, overdue, { policies }, rising] = await Promise.all([
    client.searchFindings({ ...first, severities: ['CRITICAL'], from: since }, signal),
    client.searchFindings({ ...first, overdue: true, sort: 'severity' }, signal),
    client.listDuePolicies(signal),
    askRises(since, signal),
  ])
  return { since, critical, overdue, hasPolicy: policies.length > 0, ...rising }
}

/** Sources that were first scanned within the two weeks are left out, as all of theirs would be a rise. */
async function askRises(since: string, signal: AbortSignal): Promise<Pick<NeedsAnswer, 'rises' | 'rose'>> {
  const asked = {
    metricSlug: 'new-findings',
    from: since,
    to: new Date().toISOString(),
    compare: 'previous_period' as const,
    dimensions: ['container'],
    limit: MOST_GROUPS,
  }
  const all = await client.exploreView(asked, signal)
  const isEven = isEvenlyCovered(all)
  const start = all.comparison?.from ?? ''
  const sources = all.freshness.sources.flatMap(({ name, observedFrom }) =>
    observedFrom !== null && observedFrom <= start ? name : [],
  )
  if (!isEven && sources.length === 0) return { rises: [], rose: false }
  const view = isEven ? all : await client.exploreView({ ...asked, filters: { sources } }, signal)
  const rises = (view.boards[0]?.breakdown ?? []).flatMap(({ dimensionValue, value, previous }) => {
    const [now, before] = [value ?? 0, previous ?? 0]
    return now > before ? { container: dimensionValue, value: now, before } : []
  })
  rises.sort((a, b) => b.value - b.before - (a.value - a.before))
  return { rises, rose: isEven ? true : 'some' }
}

/** What is wrong with the scans of a source; undefined if nothing is. */
export function toScanProblem(source: Source, scans: readonly ScanItem[], now: number): string | undefined {
  const { name, type, lastCompletedScanAt, nextRunAt } = source
  const last = scans.find((scan) => scan.source.name === name && !isRunning(scan))
  const ago = lastCompletedScanAt === undefined ? '' : `, complete ${toAgo(Date.parse(lastCompletedScanAt), now)}`
  if (last !== undefined && last.status !== 'COMPLETED') return `${toWords(last.status)}${ago}`
  if (nextRunAt !== undefined && now - Date.parse(nextRunAt) > LATE_AFTER) return `Scan is late${ago}`
  return lastCompletedScanAt === undefined && type !== 'IMPORT' ? 'Never scanned' : undefined
}

/** What needs somebody now: each with how many there are, the first of them, and the page with all. */
export function Needs({
  answer: { since, critical, overdue, hasPolicy, rises, rose },
  failing,
}: {
  answer: NeedsAnswer
  failing: readonly { name: string; problem: string }[]
}) {
  const ofCritical = { severity: ['CRITICAL'], from: [since], sort: ['newest'] }
  return (
    <div class="needs">
      <Need
        title="New and critical"
        count={critical.total}
        to={formatRoute({ page: 'findings', state: ofCritical })}
        empty="No critical finding in seven days."
      >
        {critical.items.map((item) => (
          <FindingRow key={item.id} item={item} state={ofCritical} when={item.firstDetectedAt} />
        ))}
      </Need>
      <Need
        title="Overdue"
        count={hasPolicy ? overdue.total : undefined}
        to={formatRoute({ page: 'findings', state: { overdue: ['true'] } })}
        empty={
          hasPolicy ? (
            'Nothing is overdue.'
          ) : (
            <>
              There are no due dates.{' '}
              <Link to={formatRoute({ page: 'settings', state: { edit: ['due'] } })} class="link">
                Set them
              </Link>
            </>
          )
        }
      >
        {overdue.items.map((item) => (
          <FindingRow key={item.id} item={item} state={{ overdue: ['true'] }} when={item.dueAt} />
        ))}
      </Need>
      <Need
        title="Failing scans"
        count={failing.length}
        to={formatRoute({ page: 'sources' })}
        empty="Every source was scanned as planned."
      >
        {failing.slice(0, SHOWN).map(({ name, problem }) => (
          <li key={name}>
            <Link to={formatRoute({ page: 'sources', name })}>
              <b>
                <Name text={name} codes={false} />
              </b>
              <span class="where muted">{problem}</span>
            </Link>
          </li>
        ))}
      </Need>
      <Need
        title="Rising"
        count={rose === false ? undefined : rises.length}
        to={formatRoute({ page: 'explore', state: { metric: ['new-findings'], from: [since] } })}
        empty={rose === false ? 'No source was scanned in both weeks.' : 'Nowhere more than in the week before.'}
        note={rose === 'some' ? 'of sources scanned in both weeks' : undefined}
      >
        {rises.slice(0, SHOWN).map(({ container, value, before }) => (
          <li key={container}>
            <Link
              to={formatRoute({
                page: 'explore',
                state: { metric: ['new-findings'], from: [since], container: [container] },
              })}
            >
              <b>
                <Name text={container} codes={false} />
              </b>
              <span class="where muted">
                {toNumber(before)} → {toNumber(value)} new
              </span>
              <Change change={{ direction: 'up', text: toNumber(value - before), tone: 'bad' }} />
            </Link>
          </li>
        ))}
      </Need>
    </div>
  )
}

function Need({
  title,
  count,
  to,
  empty,
  note,
  children,
}: {
  title: string
  count: number | undefined
  to: string
  empty: ComponentChildren
  note?: string | undefined
  children: ComponentChildren[]
}) {
  return (
    <section class={`card need ${count === undefined || count === 0 ? 'calm' : ''}`} aria-label={title}>
      <header>
        <b class="big">{count === undefined ? '–' : toNumber(count)}</b>
        <h2>{title}</h2>
        <Link to={to} class="link">
          all
        </Link>
      </header>
      {note === undefined ? null : <p class="muted">{note}</p>}
      <ul class="rows">{children.length === 0 ? <li class="muted none">{empty}</li> : children}</ul>
    </section>
  )
}

function FindingRow({
  item,
  state,
  when,
}: {
  item: FindingList['items'][number]
  state: State
  when: string | undefined
}) {
  return (
    <li>
      <Link to={formatRoute({ page: 'findings', state: { ...state, id: [item.id] } })}>
        <Severity severity={item.severity} />
        <b>
          <Name text={item.findingType} />
        </b>
        <span class="where">
          <Name text={item.asset.name} codes={false} />
        </span>
        {when === undefined ? null : <span class="muted">{toAge(Date.parse(when), Date.now())}</span>}
      </Link>
    </li>
  )
}
