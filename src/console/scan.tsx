import { useEffect, useRef, useState } from 'preact/hooks'
import { Name } from '../charts/parts.tsx'
import { toMoment, toTook } from '../charts/times.ts'
import { toNumber, toWords } from '../charts/words.ts'
import type { Scan, ScanItem } from '../scans/model.ts'
import { client, ServerProblem } from './client.ts'
import { refresh } from './hooks.ts'
import { setOutage } from './outage.tsx'
import { Link } from './parts.tsx'
import { formatRoute } from './route.ts'

const WAIT_SECONDS = 25
const PAUSE_MS = 700
const RETRY_MS = 3000

export const isRunning = ({ status }: Pick<ScanItem, 'status'>): boolean => status === 'RUNNING' || status === 'QUEUED'

const tones: Readonly<Record<string, string>> = {
  COMPLETED: 'good',
  COMPLETE: 'good',
  PARTIAL: 'warn',
  FAILED: 'bad',
  RUNNING: 'live',
  QUEUED: 'live',
}

export function ScanBadge({ status }: { status: string }) {
  return <span class={`badge ${tones[status] ?? ''}`}>{toWords(status)}</span>
}

/** A scan, asked again when it changes until it is over; `onEnd` is called only when it ended while it was followed. */
export function useScan(id: string | undefined, onEnd: () => void): Scan | undefined {
  const [scan, setScan] = useState<Scan>()
  const ended = useRef(onEnd)
  ended.current = onEnd
  useEffect(() => {
    if (id === undefined) return undefined
    const aborter = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    let arrivedAt = 0
    const ask = (waitSeconds: number) => {
      client.getScan(id, waitSeconds, aborter.signal).then(
        (next) => {
          if (aborter.signal.aborted) return
          arrivedAt = Date.now()
          setScan(next)
          setOutage(ended, undefined)
          if (isRunning(next)) timer = setTimeout(() => ask(WAIT_SECONDS), PAUSE_MS)
          else if (waitSeconds > 0) ended.current()
        },
        (error: unknown) => {
          if (aborter.signal.aborted) return
          setOutage(ended, error instanceof ServerProblem && error.status === 0 ? arrivedAt : undefined)
          timer = setTimeout(() => ask(0), RETRY_MS)
        },
      )
    }
    ask(0)
    return () => {
      aborter.abort()
      clearTimeout(timer)
      setOutage(ended, undefined)
    }
  }, [id])
  return scan?.id === id ? scan : undefined
}

/** Of sources without a completed scan, the scans that are running; without such sources nothing is asked. */
export async function listFirstScans(unscanned: readonly string[], signal: AbortSignal): Promise<readonly ScanItem[]> {
  if (unscanned.length === 0) return []
  const scans = await client.listActiveScans(signal)
  return scans.filter(({ source }) => unscanned.includes(source.name))
}

/** Asks the questions on the page again as the first scan of a source goes on; the names of these sources. */
export function useFirstScans(scans: readonly ScanItem[] = []): readonly string[] {
  const found = useScan(scans[0]?.id, refresh)?.progress.findings.new
  const before = useRef(found)
  useEffect(() => {
    if (before.current !== undefined && found !== undefined) refresh()
    before.current = found
  }, [found])
  return scans.map(({ source }) => source.name)
}

/** Says whose first scan is running beside numbers that are not complete yet. */
export function StillScanning({ names }: { names: readonly string[] }) {
  const [name] = names
  if (name === undefined) return null
  return (
    <Link class="badge live" to={formatRoute(names.length === 1 ? { page: 'sources', name } : { page: 'sources' })}>
      Still scanning {names.length === 1 ? <Name text={name} codes={false} /> : `${toNumber(names.length)} sources`}
    </Link>
  )
}

const toDone = ({ scanned, unchanged }: { scanned: number; unchanged: number }) => scanned + unchanged

/** How much of what was listed has been read. */
export function ProgressBar({
  label,
  progress,
}: {
  label: string
  progress: { discovered: number; scanned: number; unchanged: number }
}) {
  const done = toDone(progress)
  return (
    <span class="progress">
      <progress aria-label={label} max={Math.max(progress.discovered, done, 1)} value={done} />
      <span class="muted">
        {toNumber(done)} of {toNumber(progress.discovered)}
      </span>
    </span>
  )
}

/** How long a scan took, or has taken so far. */
export const toLength = ({ startedAt, finishedAt }: ScanItem, now: number): string =>
  startedAt === undefined
    ? '–'
    : toTook((finishedAt === undefined ? now : Date.parse(finishedAt)) - Date.parse(startedAt))

const MAX_NOTES = 20

/** One scan: its counts, the state of each space or workspace, and what could not be read. */
export function ScanCard({ scan }: { scan: Scan }) {
  const { status, trigger, requestedBy, createdAt, reason, retryAt, progress, scopes, failures, warnings } = scan
  return (
    <section class="card" aria-label="Scan">
      <header>
        <h2>{isRunning(scan) ? 'Scan in progress' : 'Scan'}</h2>
        <ScanBadge status={status} />
        <span class="muted end">
          {toMoment(createdAt)}, {toWords(trigger).toLowerCase()} by <bdi>{requestedBy}</bdi>,{' '}
          {toLength(scan, Date.now())}
        </span>
      </header>
      <div class="body">
        {reason === undefined ? null : (
          <p class="note">
            {toWords(reason)}
            {retryAt === undefined ? '' : `; it goes on by itself at ${toMoment(retryAt)}`}
          </p>
        )}
        <dl class="numbers">
          {(
            [
              ['Listed', progress.discovered],
              ['Read', progress.scanned],
              ['Unchanged', progress.unchanged],
              ['New findings', progress.findings.new],
              ['Found again', progress.findings.again],
              ['Resolved', progress.findings.resolved],
            ] as const
          ).map(([label, count]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{toNumber(count)}</dd>
            </div>
          ))}
        </dl>
        {isRunning(scan) ? <ProgressBar label="Items read" progress={progress} /> : null}
      </div>
      {scopes.length === 0 ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
        <section class="scroll inset" aria-label="Spaces and workspaces" tabIndex={0}>
          <table>
            <thead>
              <tr>
                <th scope="col">Space or workspace</th>
                <th scope="col">State</th>
                <th scope="col">Read</th>
              </tr>
            </thead>
            <tbody>
              {scopes.map((scope) => (
                <tr key={scope.key}>
                  <th scope="row">
                    <Name text={scope.name} codes={false} />
                  </th>
                  <td>
                    <ScanBadge status={scope.state} />{' '}
                    {scope.reason === undefined ? null : <span class="muted">{toWords(scope.reason)}</span>}
                  </td>
                  <td>
                    {scope.state === 'RUNNING' ? (
                      <ProgressBar label={`Items read of ${scope.name}`} progress={scope} />
                    ) : (
                      <span class="muted">
                        {toNumber(toDone(scope))} of {toNumber(scope.discovered)}
                      </span>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      )}
      <Notes label="Could not be read" notes={failures} />
      <Notes label="Warnings" notes={warnings} />
    </section>
  )
}

function Notes({ label, notes }: { label: string; notes: Scan['failures'] }) {
  if (notes.length === 0) return null
  return (
    <details class="body">
      <summary class="link">
        {label} ({toNumber(notes.length)})
      </summary>
      <ul class="notes">
        {notes.slice(0, MAX_NOTES).map(({ code, message, scope, assetKey }) => (
          <li key={`${code} ${message} ${assetKey}`}>
            <Name text={message} codes={false} /> <span class="muted">{[code, scope].filter(Boolean).join(', ')}</span>
          </li>
        ))}
        {notes.length > MAX_NOTES ? <li class="muted">and {toNumber(notes.length - MAX_NOTES)} more</li> : null}
      </ul>
    </details>
  )
}
