import { toLabels } from '../../charts/dimensions.ts'
import { Name } from '../../charts/parts.tsx'
import { toAgo, toMoment } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import { client } from '../client.ts'
import { ConfirmedButton } from '../dialog.tsx'
import { refresh, useAnswer } from '../hooks.ts'
import type { ConsoleSession, WatchPage } from '../model.ts'
import { canChange, Link, Mapping, ProblemNote, Shape, WaitingPage } from '../parts.tsx'
import { changeState, formatRoute, go, type Route } from '../route.ts'
import { complain, say } from '../toast.tsx'
import { toConditionText, toMeasured, WatchForm } from './watch-form.tsx'

const tones: Readonly<Record<string, string>> = { FIRING: 'bad', OK: 'good', UNKNOWN: 'warn' }

function StateBadge({ state }: { state: string }) {
  return <span class={`badge ${tones[state] ?? ''}`}>{state === 'OK' ? 'OK' : toWords(state)}</span>
}

const check = (watches?: readonly string[]) =>
  client.checkWatches(watches).then(
    ({ items }) => {
      say(items.length === 1 ? 'Checked' : `${toNumber(items.length)} watches checked`)
      refresh()
    },
    (error: Error) => complain(error.message),
  )

/** The watches, those that fire first. */
export function Watches({ route, session }: { route: Route; session: ConsoleSession }) {
  const { value, problem, isWaiting } = useAnswer('watches', (signal) => client.listWatches(signal))
  const canEdit = canChange(session, 'author')
  if (route.state.add !== undefined && canEdit) {
    return (
      <WatchForm session={session} start={{ metricSlug: route.state.metric?.[0] }} onCancel={() => history.back()} />
    )
  }
  const order = ['FIRING', 'UNKNOWN', 'OK']
  const items = value?.items.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state))
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>Watches</h1>
        {items === undefined ? null : <span class="count">{toNumber(items.length)}</span>}
        {canEdit && items !== undefined ? (
          <div class="tools">
            {items.length === 0 ? null : (
              <button type="button" class="button" onClick={() => check()}>
                Check now
              </button>
            )}
            <Link to={changeState(route, { add: ['1'] })} class="button primary">
              Add a watch
            </Link>
          </div>
        ) : null}
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {items === undefined && problem === undefined ? <Shape height={220} /> : null}
      {items?.length === 0 ? (
        <p class="note">
          No metric is watched. A watch is evaluated after each scan and import, and fires when its condition holds.
        </p>
      ) : null}
      {items === undefined || items.length === 0 ? null : (
        <section class="card" aria-label="All watches">
          <ul class="rows tall">
            {items.map((watch) => (
              <li key={watch.slug}>
                <Link to={formatRoute({ page: 'watches', name: watch.slug })}>
                  <StateBadge state={watch.state} />
                  <span class="what">
                    <b>
                      <Name text={watch.displayName} codes={false} />
                    </b>
                    <span class="muted">
                      {watch.metricSlug} {toConditionText(watch.condition)}
                    </span>
                  </span>
                  <span class="muted kind">
                    {watch.dimensions.length > 0
                      ? `${toNumber(watch.groups.filter(({ state }) => state === 'FIRING').length)} of ${toNumber(watch.totalGroups)} groups`
                      : toMeasured(watch.value, watch.condition)}
                  </span>
                  <span class="muted age">
                    {watch.since === undefined ? '' : toAgo(Date.parse(watch.since), Date.now())}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  )
}

interface WatchPageProps {
  route: Route
  slug: string
  session: ConsoleSession
}

/** One watch: its state, that of each group, and what changed when. */
export function WatchPageView({ route, slug, session }: WatchPageProps) {
  const { value: watch, problem, isWaiting } = useAnswer(`watch ${slug}`, (signal) => client.getWatch(slug, signal))
  if (watch === undefined) {
    return <WaitingPage title="Watches" height={220} problem={problem} isWaiting={isWaiting} />
  }
  const canEdit = canChange(session, 'author')
  if (route.state.edit !== undefined && canEdit) {
    return (
      <WatchForm session={session} watch={watch} onCancel={() => go(changeState(route, { edit: undefined }), true)} />
    )
  }
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>
          <Name text={watch.displayName} codes={false} />
        </h1>
        <StateBadge state={watch.state} />
        <div class="tools">
          {canEdit ? (
            <>
              <ConfirmedButton
                label="Delete"
                about="The watch, its states and its history are removed. This cannot be undone."
                act={() => client.call('DELETE', `/semantic/watches/${watch.slug}`)}
                done={() => go(formatRoute({ page: 'watches' }))}
              />
              <Link to={changeState(route, { edit: ['1'] })} class="button">
                Edit
              </Link>
              <button type="button" class="button" onClick={() => check([watch.slug])}>
                Check now
              </button>
            </>
          ) : null}
          <Link to={formatRoute({ page: 'explore', state: { metric: [watch.metricSlug] } })} class="button primary">
            Explore
          </Link>
        </div>
      </div>
      {watch.message === undefined ? null : (
        <p class="note">
          <Name text={watch.message} codes={false} />
        </p>
      )}
      <div class="halves">
        <About watch={watch} />
        <History watch={watch} />
      </div>
      {watch.groups.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
        <section class="card scroll tall" aria-label="Groups" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Group</th>
                <th scope="col">State</th>
                <th scope="col" class="number">
                  Value
                </th>
                <th scope="col">Since</th>
              </tr>
            </thead>
            <tbody>
              {watch.groups.map(({ group, state, since, value, reason }) => (
                <tr key={Object.values(group).join(' ')}>
                  <th scope="row">
                    <GroupName group={group} />
                  </th>
                  <td>
                    <StateBadge state={state} />{' '}
                    {reason === undefined ? null : <span class="muted">{toWords(reason)}</span>}
                  </td>
                  <td class="number">{toMeasured(value, watch.condition)}</td>
                  <td class="moment">{toMoment(since)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
    </main>
  )
}

const GroupName = ({ group }: { group: Readonly<Record<string, string>> }) => (
  <>
    {Object.entries(group).map(([dimension, value], index) => (
      <>
        {index === 0 ? null : ' · '}
        <Name key={dimension} text={value} />
      </>
    ))}
  </>
)

function About({ watch }: { watch: WatchPage }) {
  const { metricSlug, condition, value, since, evaluatedAt, nextRunAt, reason, deliver, glossaryTermSlug } = watch
  return (
    <section class="card" aria-label="About">
      <header>
        <h2>About</h2>
      </header>
      <dl class="pairs">
        <dt>Metric</dt>
        <dd>
          <Link to={formatRoute({ page: 'metrics', name: metricSlug })} class="link">
            {metricSlug}
          </Link>
          {watch.last === null ? '' : ` of the last ${watch.last}`}
        </dd>
        <dt>Fires</dt>
        <dd>{toConditionText(condition)}</dd>
        {watch.dimensions.length > 0 ? (
          <>
            <dt>For each</dt>
            <dd>{toLabels(watch.dimensions)}</dd>
          </>
        ) : (
          <>
            <dt>Value</dt>
            <dd>
              {toMeasured(value, condition)}
              {since === undefined ? '' : `, ${toWords(watch.state).toLowerCase()} since ${toMoment(since)}`}
            </dd>
          </>
        )}
        {glossaryTermSlug === null ? null : (
          <>
            <dt>Term</dt>
            <dd>{glossaryTermSlug}</dd>
          </>
        )}
        {reason === undefined ? null : (
          <>
            <dt>Unknown</dt>
            <dd>{toWords(reason.toUpperCase())}</dd>
          </>
        )}
        <dt>Evaluated</dt>
        <dd>
          {evaluatedAt === null ? 'not yet' : toMoment(evaluatedAt)}
          {nextRunAt === undefined ? '' : `, next at ${toMoment(nextRunAt)}`}
        </dd>
        {deliver.map(({ url, format, pending, lastFailure }) => (
          <>
            <dt>Sent to</dt>
            <dd>
              <Name text={url} codes={false} /> <span class="muted">{format}</span>
              {pending === 0 ? null : <span class="warn-text"> {toNumber(pending)} to be sent</span>}
              {lastFailure === undefined ? null : <span class="bad-text"> {lastFailure}</span>}
            </dd>
          </>
        ))}
      </dl>
      {watch.filters === null ? null : <Mapping mapping={watch.filters} />}
    </section>
  )
}

function History({ watch }: { watch: WatchPage }) {
  return (
    <section class="card" aria-label="Changes">
      <header>
        <h2>Changes</h2>
      </header>
      <ol class="history">
        {watch.history.slice(0, 20).map(({ id, at, previousState, state, value, group }) => (
          <li key={id}>
            <span class="muted">{toMoment(at)}</span>
            <span>
              {group === undefined ? null : (
                <>
                  <GroupName group={group} />:{' '}
                </>
              )}
              {toWords(previousState)} → <b>{toWords(state)}</b> at {toMeasured(value, watch.condition)}
            </span>
          </li>
        ))}
        {watch.history.length === 0 ? <li class="muted">none yet</li> : null}
      </ol>
    </section>
  )
}
