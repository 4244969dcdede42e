import { Name, Trust } from '../../charts/parts.tsx'
import { toNumber, toWords } from '../../charts/words.ts'
import { client } from '../client.ts'
import { useAnswer } from '../hooks.ts'
import { Link, ProblemNote, Shape } from '../parts.tsx'
import { formatRoute } from '../route.ts'

/** The governed metrics with their trust. */
export function Metrics() {
  const { value, problem, isWaiting } = useAnswer('metrics', (signal) => client.listMetrics(signal))
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>Metrics</h1>
        {value === undefined ? null : <span class="count">{toNumber(value.total)}</span>}
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
