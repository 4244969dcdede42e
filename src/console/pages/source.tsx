import { useState } from 'preact/hooks'
import { Name } from '../../charts/parts.tsx'
import { toAge, toMoment } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import type { ScanItem } from '../../scans/model.ts'
import type { Source } from '../../sources/model.ts'
import { client } from '../client.ts'
import { ConfirmedButton } from '../dialog.tsx'
import { flatten, toPathText } from '../flatten.ts'
import { refresh, useAnswer } from '../hooks.ts'
import type { ConsoleSession, SourceTestStep } from '../model.ts'
import { canChange, Link, Names, ProblemNote, WaitingPage } from '../parts.tsx'
import { changeState, formatRoute, go, type Route } from '../route.ts'
import { isRunning, ScanBadge, ScanCard, toLength, useScan } from '../scan.tsx'
import { complain } from '../toast.tsx'
import { EditSource } from './source-form.tsx'

const MASK = '********'

/** One source: its scans as they go, its settings without secrets, and a test of its access. */
export function SourcePage({ route, name, session }: { route: Route; name: string; session: ConsoleSession }) {
  const { value, problem, isWaiting } = useAnswer(`source ${name}`, async (signal) => {
    const [source, { items: scans }] = await Promise.all([
      client.getSource(name, signal),
      client.listScans(name, signal),
    ])
    const first = route.state.scan?.[0] ?? scans[0]?.id
    // The rest of the page is below the scan, so it waits for it; a scan that does not exist is left out.
    const shown = first === undefined ? undefined : await client.getScan(first, 0, signal).catch(() => undefined)
    return { source, scans, shown }
  })
  const [steps, setSteps] = useState<readonly SourceTestStep[] | 'testing'>()
  const newest = value?.scans[0]
  const chosen = route.state.scan?.[0] ?? newest?.id
  const followed = useScan(chosen, refresh)
  if (value === undefined) {
    const title = <Name text={name} codes={false} />
    return <WaitingPage title={title} height={320} problem={problem} isWaiting={isWaiting} />
  }
  const { source, scans } = value
  const scan = followed ?? value.shown
  const isAdmin = canChange(session, 'admin')
  const canEdit = isAdmin && source.type !== 'IMPORT'
  const running = scan !== undefined && isRunning(scan) ? scan : newest && isRunning(newest) ? newest : undefined
  const failed = (error: Error) => complain(error.message)
  const test = () => {
    setSteps('testing')
    client.testSource(source.name).then(
      (answer) => setSteps(answer.steps),
      (error: Error) => {
        setSteps(undefined)
        failed(error)
      },
    )
  }
  if (route.state.edit !== undefined && canEdit) {
    const close = () => go(changeState(route, { edit: undefined }), true)
    return (
      <main class="page narrow" aria-busy={false}>
        <h1>
          Settings of <Name text={source.name} codes={false} />
        </h1>
        <EditSource
          source={source}
          onCancel={close}
          onSaved={({ name: renamed }) => {
            refresh()
            go(formatRoute({ page: 'sources', name: renamed }), true)
          }}
        />
      </main>
    )
  }
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>
          <Name text={source.name} codes={false} />
        </h1>
        <span class="badge">{toWords(source.type)}</span>
        {isAdmin ? (
          <div class="tools">
            <ConfirmedButton
              label="Delete"
              about={`The source, its ${toNumber(source.counts.assets)} assets and ${toNumber(source.counts.findings)} findings, and its scans are removed. This cannot be undone.`}
              act={() => client.call('DELETE', `/sources/${encodeURIComponent(source.id)}`)}
              done={() => go(formatRoute({ page: 'sources' }))}
            />
          </div>
        ) : null}
        {canEdit ? (
          <div class="row">
            <Link to={changeState(route, { edit: ['1'] })} class="button">
              Edit
            </Link>
            <button type="button" class="button" onClick={test} disabled={steps === 'testing'}>
              Test the connection
            </button>
            {running === undefined ? (
              <button
                type="button"
                class="button primary"
                onClick={() => client.startScan(source.name).then(refresh, failed)}
              >
                Scan now
              </button>
            ) : (
              <button type="button" class="button" onClick={() => client.cancelScan(running.id).then(refresh, failed)}>
                Stop the scan
              </button>
            )}
          </div>
        ) : null}
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <p class="chips">
        <span>
          {toNumber(source.counts.openFindings)} open findings in {toNumber(source.counts.assets)} assets
        </span>
        <Link to={formatRoute({ page: 'findings', state: { source: [source.name] } })} class="strong">
          See the findings →
        </Link>
        <Link to={formatRoute({ page: 'explore', state: { source: [source.name] } })} class="strong">
          Explore →
        </Link>
      </p>
      {steps === undefined ? null : <TestSteps steps={steps} />}
      {scan === undefined ? (
        scans.length === 0 && source.type !== 'IMPORT' ? (
          <p class="note">Nothing has been looked at yet: this source was never scanned.</p>
        ) : null
      ) : (
        <ScanCard scan={scan} />
      )}
      <div class="halves">
        <Settings source={source} />
        <ScanList scans={scans} route={route} shown={chosen} />
      </div>
    </main>
  )
}

function TestSteps({ steps }: { steps: readonly SourceTestStep[] | 'testing' }) {
  if (steps === 'testing') return <p class="note">Asking the tenant…</p>
  const tones = { ok: 'good', denied: 'bad', failed: 'bad', skipped: '' }
  return (
    <section class="card" aria-label="Test of the connection">
      <header>
        <h2>Test of the connection</h2>
      </header>
      <ul class="steps-list">
        {steps.map(({ name, status, detail, hint }) => (
          <li key={name}>
            <span class={`badge ${tones[status]}`}>{status}</span>
            <span>
              <b>{toWords(name)}</b> {detail === undefined ? null : <Name text={detail} codes={false} />}
              {hint === undefined ? null : (
                <span class="muted block">
                  <Name text={hint} codes={false} />
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

/** The types of the detectors that run. */
function listDetectors(detectors: unknown): string[] {
  if (!Array.isArray(detectors)) return ['the usual ones']
  return detectors.flatMap((each: { type?: unknown; enabled?: unknown }) =>
    each.enabled === false ? [] : [String(each.type)],
  )
}

function Settings({ source: { config, history, coverage, createdAt, nextRunAt } }: { source: Source }) {
  const unread = (coverage?.kinds ?? []).filter(({ read }) => !read).map(({ kind }) => kind)
  const refused = (coverage?.refused ?? []).map(({ what }) => what)
  const { type: _type, schedule: _schedule, detectors, ...settings } = config
  return (
    <section class="card" aria-label="Settings">
      <header>
        <h2>Settings</h2>
      </header>
      <dl class="pairs">
        {flatten(settings).map(({ path, text }) => (
          <>
            <dt>{toPathText(path)}</dt>
            <dd>
              {text === MASK ? <span class="muted">stored, never shown</span> : <Name text={text} codes={false} />}
            </dd>
          </>
        ))}
        <dt>detectors</dt>
        <dd>
          <Names texts={listDetectors(detectors)} />
        </dd>
        {history === undefined ? null : (
          <>
            <dt>earlier versions</dt>
            <dd>{history === 'vanished' ? 'of what vanished' : history}</dd>
          </>
        )}
        {coverage === undefined ? null : (
          <>
            <dt>not read</dt>
            <dd>{unread.length === 0 ? 'nothing' : <Names texts={unread} />}</dd>
            <dt>refused</dt>
            <dd>{refused.length === 0 ? 'nothing' : <Names texts={refused} />}</dd>
          </>
        )}
        <dt>next scan</dt>
        <dd>{nextRunAt === undefined ? 'only when started' : toMoment(nextRunAt)}</dd>
        <dt>added</dt>
        <dd>{toMoment(createdAt)}</dd>
      </dl>
    </section>
  )
}

function ScanList({ scans, route, shown }: { scans: readonly ScanItem[]; route: Route; shown: string | undefined }) {
  return (
    <section class="card" aria-label="Latest scans">
      <header>
        <h2>Latest scans</h2>
      </header>
      <ul class="rows">
        {scans.map((scan) => (
          <li key={scan.id} class={scan.id === shown ? 'active' : ''}>
            <Link to={changeState(route, { scan: [scan.id] })}>
              <ScanBadge status={scan.status} />
              <span class="where">
                <span>
                  {toNumber(scan.progress.findings.new)} new, {toNumber(scan.progress.findings.resolved)} resolved
                </span>
                <span class="muted">{toLength(scan, Date.now())}</span>
              </span>
              <span class="muted age" title={toMoment(scan.createdAt)}>
                {toAge(Date.parse(scan.createdAt), Date.now())}
              </span>
            </Link>
          </li>
        ))}
        {scans.length === 0 ? <li class="empty muted">none yet</li> : null}
      </ul>
    </section>
  )
}
