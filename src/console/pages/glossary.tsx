import { Name } from '../../charts/parts.tsx'
import { toMoment } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import type { GlossaryTermItem } from '../../glossary/model.ts'
import { client } from '../client.ts'
import { useAnswer } from '../hooks.ts'
import { Link, Mapping, Names, ProblemNote, Shape, WaitingPage } from '../parts.tsx'
import { formatRoute } from '../route.ts'

/** The business terms, by category. */
export function Glossary() {
  const { value, problem, isWaiting } = useAnswer('terms', (signal) => client.listTerms(signal))
  const terms = value?.items.toSorted((a, b) => a.category.localeCompare(b.category))
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>Glossary</h1>
        {value === undefined ? null : <span class="count">{toNumber(value.total)}</span>}
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {value === undefined && problem === undefined ? <Shape height={420} /> : null}
      {value?.items.length === 0 ? (
        <p class="note">
          There is no term yet. <code>assay terms create</code> asks what it covers, and adds it.
        </p>
      ) : null}
      <ul class="cards">
        {terms?.map((term) => (
          <TermCard key={term.slug} term={term} />
        ))}
      </ul>
    </main>
  )
}

function TermCard({ term }: { term: GlossaryTermItem }) {
  const { slug, displayName, description, category, filterMapping, isActive, unreviewed } = term
  return (
    <li class="card entry-card">
      <h2>
        <Link to={formatRoute({ page: 'glossary', name: slug })}>
          <Name text={displayName} codes={false} />
        </Link>
        {category === '' ? null : <span class="muted end">{toWords(category)}</span>}
        {isActive ? null : <span class="badge">Inactive</span>}
        {unreviewed ? <span class="badge warn">Not reviewed</span> : null}
      </h2>
      <p class="clamp" dir="auto">
        {description}
      </p>
      <Mapping mapping={filterMapping} />
    </li>
  )
}

/** One term: what it means, which findings it covers, and its metrics. */
export function TermPageView({ slug }: { slug: string }) {
  const { value, problem, isWaiting } = useAnswer(`term ${slug}`, async (signal) => {
    const [term, covered] = await Promise.all([client.getTerm(slug, signal), client.countTerm(slug, signal)])
    return { term, count: covered.count }
  })
  if (value === undefined) {
    return <WaitingPage title="Glossary" height={260} problem={problem} isWaiting={isWaiting} />
  }
  const { term, count } = value
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>
          <Name text={term.displayName} codes={false} />
        </h1>
        {term.unreviewed ? <span class="badge warn">Not reviewed</span> : null}
        {term.isActive ? null : <span class="badge">Inactive</span>}
        <div class="tools">
          <Link to={formatRoute({ page: 'explore', state: { term: [term.slug] } })} class="button primary">
            Explore
          </Link>
        </div>
      </div>
      <p class="lead" dir="auto">
        {term.description}
      </p>
      <div class="halves">
        <section class="card" aria-label="Covers">
          <header>
            <h2>Covers</h2>
            <span class="muted">{toNumber(count)} findings of every status</span>
          </header>
          <Mapping mapping={term.filterMapping} />
        </section>
        <section class="card" aria-label="About">
          <header>
            <h2>About</h2>
          </header>
          <dl class="pairs">
            <dt>Slug</dt>
            <dd>
              <code>{term.slug}</code>
            </dd>
            {term.category === '' ? null : (
              <>
                <dt>Category</dt>
                <dd>{toWords(term.category)}</dd>
              </>
            )}
            {term.synonyms.length === 0 ? null : (
              <>
                <dt>Also called</dt>
                <dd>
                  <Names texts={term.synonyms} codes={false} />
                </dd>
              </>
            )}
            <dt>Changed</dt>
            <dd>{toMoment(term.updatedAt)}</dd>
          </dl>
        </section>
      </div>
      <section class="card" aria-label="Metrics of the term">
        <header>
          <h2>Metrics that it always filters</h2>
        </header>
        <ul class="rows">
          {term.metrics.map(({ slug: metric, displayName, type, status }) => (
            <li key={metric}>
              <Link to={formatRoute({ page: 'metrics', name: metric })}>
                <b>{displayName}</b>
                <span class="where muted">{toWords(type)}</span>
                <span class="badge">{toWords(status)}</span>
              </Link>
            </li>
          ))}
          {term.metrics.length === 0 ? <li class="empty muted">None; any metric can be narrowed by it.</li> : null}
        </ul>
      </section>
    </main>
  )
}
