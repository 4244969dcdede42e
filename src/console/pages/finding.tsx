import { showInvisible, toWebAddress } from '../../charts/outside.ts'
import { Name, Severity } from '../../charts/parts.tsx'
import { toDayText, toMoment } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import type { FindingDetail } from '../../findings/model.ts'
import { client } from '../client.ts'
import { useAnswer } from '../hooks.ts'
import { AudienceBadge, Link, PresenceBadge, ProblemNote, presenceWords, Shape } from '../parts.tsx'
import { formatRoute } from '../route.ts'
import { decisions } from '../triage.ts'

const WITHHELD = '(withheld)'

interface FindingPanelProps {
  id: string
  /** The status as just changed here. */
  status: string | undefined
  canTriage: boolean
  onDecide: (key: string) => void
  onClose: () => void
}

/** One finding: where it is, its redacted text, and how its status came about. */
export function FindingPanel({ id, status, canTriage, onDecide, onClose }: FindingPanelProps) {
  const { value: finding, problem } = useAnswer(`finding ${id} ${status}`, (signal) => client.getFinding(id, signal))
  if (problem !== undefined && finding === undefined) {
    return (
      <aside class="card panel" aria-label="Finding">
        <ProblemNote problem={problem} />
      </aside>
    )
  }
  if (finding === undefined) {
    return (
      <aside class="card panel" aria-label="Finding" aria-busy="true">
        <Shape height={320} />
      </aside>
    )
  }
  const { asset, excerpt, location, history } = finding
  const address = toWebAddress(finding.placeUrl ?? asset.url)
  const shown = finding.id === id ? (status ?? finding.status) : finding.status
  return (
    <aside class="card panel" aria-label="Finding">
      <header>
        <h2>{toWords(finding.findingType)}</h2>
        <button type="button" class="icon" aria-label="Close the finding" onClick={onClose}>
          ✕
        </button>
      </header>
      <p class="row">
        <Severity severity={finding.severity} />
        <span class={`badge ${shown === 'OPEN' ? 'warn' : ''}`}>{toWords(shown)}</span>
        <PresenceBadge presence={finding.presence} />
        <AudienceBadge {...finding} />
        <span class="muted">confidence {toNumber(finding.confidence)}</span>
      </p>
      {canTriage ? (
        <p class="row">
          {Object.entries(decisions)
            .filter(([, { status: next }]) => next !== shown)
            .map(([key, { label }]) => (
              <button type="button" class="button small" key={key} onClick={() => onDecide(key)}>
                {label} <kbd>{key}</kbd>
              </button>
            ))}
        </p>
      ) : null}
      {excerpt === undefined ? null : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text scrolls by keys
        <pre class="excerpt" dir="auto" tabIndex={0}>
          {showInvisible(excerpt)}
        </pre>
      )}
      {finding.advice === undefined ? null : (
        <section class="advice" aria-label="What to do">
          <h3>What to do</h3>
          <p>{finding.advice}</p>
        </section>
      )}
      <dl>
        <dt>In</dt>
        <dd>
          <Name text={asset.name} codes={false} />
          {address === undefined ? null : (
            <>
              <br />
              <a href={address.href} target="_blank" rel="noopener noreferrer" class="link" id="page-link">
                open {finding.placeUrl === undefined ? 'the page' : 'the place'} on {address.host} ↗
              </a>
            </>
          )}
        </dd>
        <dt>Space</dt>
        <dd>
          <Name text={asset.container} codes={false} />
        </dd>
        {location === undefined ? null : (
          <>
            <dt>Place</dt>
            <dd>
              {location.heading === undefined ? null : (
                <>
                  below “
                  <Name text={location.heading} codes={false} />”
                </>
              )}
              <span class={location.heading === undefined ? '' : 'muted'}>
                {location.heading === undefined || location.path === '' ? '' : ', '}
                {location.path === '' ? 'the whole of it' : <Name text={location.path} codes={false} />}
                {location.line === undefined ? '' : `, line ${location.line}`}
              </span>
            </dd>
          </>
        )}
        <dt>Detector</dt>
        <dd>
          <Name text={finding.detectorType} />
        </dd>
        <dt>Found</dt>
        <dd>
          {toMoment(finding.firstDetectedAt)}
          {finding.lastDetectedAt === finding.firstDetectedAt
            ? ''
            : `, last on ${toDayText(Date.parse(finding.lastDetectedAt))}`}
        </dd>
        {finding.dueAt === undefined ? null : (
          <>
            <dt>Due</dt>
            <dd class={shown === 'OPEN' && Date.parse(finding.dueAt) <= Date.now() ? 'bad-text' : ''}>
              {toMoment(finding.dueAt)}
            </dd>
          </>
        )}
      </dl>
      {finding.valuePlaces === undefined || finding.valuePlaces.findings < 2 ? null : (
        <ValuePlaces value={finding.value} places={finding.valuePlaces} />
      )}
      <h3>History</h3>
      <ol class="history">
        {history.toReversed().map(({ at, from, to, by, reason, presence }) => (
          <li key={`${at} ${from} ${to} ${presence}`}>
            <span class="muted">{toMoment(at)}</span>
            <span>
              <bdi>{by}</bdi>:{' '}
              {presence === undefined ? (
                <>
                  {toWords(from)} → <b>{toWords(to)}</b>
                </>
              ) : (
                <b>{presenceWords[presence]}</b>
              )}
              {reason === undefined || reason === '' ? null : (
                <>
                  {' '}
                  “<bdi>{showInvisible(reason)}</bdi>”
                </>
              )}
            </span>
          </li>
        ))}
        <li>
          <span class="muted">{toMoment(finding.firstDetectedAt)}</span>
          <span>found</span>
        </li>
      </ol>
    </aside>
  )
}

/** Where else the value of a finding is. */
function ValuePlaces({
  value,
  places: { items, findings, others },
}: {
  value: string | undefined
  places: NonNullable<FindingDetail['valuePlaces']>
}) {
  return (
    <section aria-label="The same value elsewhere">
      <h3>The same value</h3>
      <p>
        is in {toNumber(items)} {items === 1 ? 'item' : 'items'}.{' '}
        {value === undefined || value === WITHHELD ? null : (
          <Link to={formatRoute({ page: 'findings', state: { value: [value], status: ['all'] } })} class="link">
            Show all {toNumber(findings)} findings
          </Link>
        )}
      </p>
      <ul>
        {others.map(({ id, status, asset }) => (
          <li key={id}>
            <Link to={formatRoute({ page: 'findings', state: { id: [id], status: ['all'] } })} class="link">
              <Name text={asset.name} codes={false} />
            </Link>{' '}
            <span class="muted">
              <Name text={asset.container} codes={false} />
            </span>{' '}
            {status === 'OPEN' ? null : <span class="badge">{toWords(status)}</span>}
          </li>
        ))}
      </ul>
    </section>
  )
}
