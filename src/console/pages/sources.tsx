import { Name } from '../../charts/parts.tsx'
import { toAgo, toMoment } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import type { ScanItem } from '../../scans/model.ts'
import type { Source } from '../../sources/model.ts'
import { client } from '../client.ts'
import { FirstSteps } from '../first-steps.tsx'
import { refresh, useAnswer } from '../hooks.ts'
import { ImportButton } from '../import.tsx'
import type { ConsoleSession } from '../model.ts'
import { canChange, Link, ProblemNote, Shape } from '../parts.tsx'
import { changeState, formatRoute, go, type Route } from '../route.ts'
import { ProgressBar, ScanBadge, useScan } from '../scan.tsx'
import { complain } from '../toast.tsx'
import { NewSource } from './source-form.tsx'

/** Each followed scan holds one of the few connections that a browser keeps to a server. */
const MAX_FOLLOWED = 2

/** The sources with their counts, what is being scanned, and a form for another one. */
export function Sources({ route, session }: { route: Route; session: ConsoleSession }) {
  const { value, problem, isWaiting } = useAnswer('sources', async (signal) => {
    const [sources, scans] = await Promise.all([client.listSources(signal), client.listActiveScans(signal)])
    return { sources: sources.items, scans }
  })
  const canEdit = canChange(session, 'admin')
  const close = () => go(changeState(route, { add: undefined }))
  if (route.state.add !== undefined && canEdit) {
    return (
      <main class="page narrow" aria-busy={false}>
        <h1>Add a source</h1>
        <NewSource
          type={route.state.add[0] === 'bi' ? 'BI_PLATFORM' : 'WIKI'}
          onCancel={close}
          onSaved={({ name }) => {
            refresh()
            go(formatRoute({ page: 'sources', name }), true)
          }}
        />
      </main>
    )
  }
  const start = (name: string) =>
    client.startScan(name).then(refresh, (error: Error) => {
      complain(error.message)
    })
  const followed = new Set(value?.scans.slice(0, MAX_FOLLOWED).map(({ id }) => id))
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>Sources</h1>
        {value === undefined ? null : <span class="count">{toNumber(value.sources.length)}</span>}
        {canEdit && (value !== undefined || problem !== undefined) ? (
          <div class="tools">
            <ImportButton />
            <Link to={changeState(route, { add: ['1'] })} class="button primary">
              Add a source
            </Link>
          </div>
        ) : null}
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {value === undefined && problem === undefined ? <Shape height={220} /> : null}
      {value?.sources.length === 0 ? <FirstSteps session={session} /> : null}
      {value === undefined || value.sources.length === 0 ? null : (
        <ul class="sources-list">
          {value.sources.map((source) => (
            <SourceRow
              key={source.id}
              source={source}
              scan={value.scans.find((scan) => scan.source.id === source.id)}
              isFollowed={value.scans.some((scan) => scan.source.id === source.id && followed.has(scan.id))}
              onScan={canEdit && source.type !== 'IMPORT' ? () => start(source.name) : undefined}
            />
          ))}
        </ul>
      )}
    </main>
  )
}

function SourceRow({
  source: { name, type, counts, lastCompletedScanAt, nextRunAt },
  scan,
  isFollowed,
  onScan,
}: {
  source: Source
  scan: ScanItem | undefined
  isFollowed: boolean
  onScan: (() => void) | undefined
}) {
  const followed = useScan(isFollowed ? scan?.id : undefined, refresh)
  const shown = followed ?? scan
  return (
    <li class="card source">
      <div>
        <h2>
          <Link to={formatRoute({ page: 'sources', name })}>
            <Name text={name} codes={false} />
          </Link>
        </h2>
        <span class="muted">{toWords(type)}</span>
      </div>
      <dl class="numbers">
        <div>
          <dt>Open findings</dt>
          <dd>{lastCompletedScanAt === undefined && counts.findings === 0 ? '–' : toNumber(counts.openFindings)}</dd>
        </div>
        <div>
          <dt>Assets</dt>
          <dd>{toNumber(counts.assets)}</dd>
        </div>
        <div>
          <dt>{type === 'IMPORT' ? 'Last import' : 'Last complete scan'}</dt>
          <dd>
            {lastCompletedScanAt === undefined ? (
              <span class="warn-text">not scanned</span>
            ) : (
              <span title={toMoment(lastCompletedScanAt)}>{toAgo(Date.parse(lastCompletedScanAt), Date.now())}</span>
            )}
          </dd>
        </div>
        <div>
          <dt>Next scan</dt>
          <dd>{nextRunAt === undefined ? '–' : toMoment(nextRunAt)}</dd>
        </div>
      </dl>
      <div class="action">
        {shown !== undefined ? (
          <>
            <ScanBadge status={shown.status} />
            <ProgressBar label={`Items read of ${name}`} progress={shown.progress} />
          </>
        ) : onScan === undefined ? null : (
          <button type="button" class="button" onClick={onScan}>
            Scan now
          </button>
        )}
      </div>
    </li>
  )
}
