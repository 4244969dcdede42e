import { Name, Trust } from '../../charts/parts.tsx'
import { toNumber, toWords } from '../../charts/words.ts'
import { client } from '../client.ts'
import { useAnswer } from '../hooks.ts'
import type { ConsoleSession } from '../model.ts'
import { canChange, Link, ProblemNote, Shape } from '../parts.tsx'
import { changeState, formatRoute, go, type Route } from '../route.ts'
import { MetricForm } from './metric-form.tsx'

/** The governed metrics with their trust. */
export function Metrics({ route, session }: { route: Route; session: ConsoleSession | undefined }) {
  const { value, problem, isWaiting } = useAnswer('metrics', (signal) => client.listMetrics(signal))
  const canEdit = session !== undefined && canChange(session, 'author')
  if (route.state.add !== undefined && canEdit) {
    return <MetricForm onCancel={() => go(changeState(route, { add: undefined }))} />
  }
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>Metrics</h1>
        {value === undefined ? null : <span class="count">{toNumber(value.total)}</span>}
        {canEdit && (value !== undefined || problem !== undefined) ? (
          <div class="tools">
            <Link to={changeState(route, { add: ['1'] })} class="button primary">
              Add a metric
            </Link>
          </div>
        ) : null}
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {value === undefined && problem === undefined ? <Shape height={520} /> : null}
      {value === undefined ? null : (
        <section class="card" aria-label="All metrics">
          <ul class="rows tall">
            {value.items.map(({ slug, displayName, description, type, trust, version }) => (
              <li key={slug}>
                <Link to={formatRoute({ page: 'metrics', name: slug })}>
                  <span class="what">
                    <b>
                      <Name text={displayName} codes={false} />
                    </b>
                    <span class="muted">
                      <Name text={description} codes={false} />
                    </span>
                  </span>
                  <span class="muted kind">{toWords(type)}</span>
                  <Trust tier={trust.tier} label={trust.label} version={version} />
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  )
}
