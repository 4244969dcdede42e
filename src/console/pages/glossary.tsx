import { Name } from '../../charts/parts.tsx'
import { toMoment } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import type { GlossaryTermItem } from '../../glossary/model.ts'
import { client } from '../client.ts'
import { ConfirmedButton } from '../dialog.tsx'
import { FilterField } from '../filter-field.tsx'
import { OperationForm } from '../form.tsx'
import { refresh, useAnswer } from '../hooks.ts'
import { ChangeImpact } from '../impact.tsx'
import type { ConsoleSession, TermPage } from '../model.ts'
import { canChange, Link, Mapping, Names, ProblemNote, Shape, WaitingPage } from '../parts.tsx'
import { changeState, formatRoute, go, type Route } from '../route.ts'
import type { FormMembers } from '../schema.ts'

/** The business terms, by category. */
export function Glossary({ route, session }: { route: Route; session: ConsoleSession | undefined }) {
  const { value, problem, isWaiting } = useAnswer('terms', (signal) => client.listTerms(signal))
  const canEdit = session !== undefined && canChange(session, 'author')
  if (route.state.add !== undefined && canEdit) {
    return <TermForm onCancel={() => go(changeState(route, { add: undefined }))} />
  }
  const terms = value?.items.toSorted((a, b) => a.category.localeCompare(b.category))
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>Glossary</h1>
        {value === undefined ? null : <span class="count">{toNumber(value.total)}</span>}
        {canEdit && (value !== undefined || problem !== undefined) ? (
          <div class="tools">
            <Link to={changeState(route, { add: ['1'] })} class="button primary">
              Add a term
            </Link>
          </div>
        ) : null}
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {value === undefined && problem === undefined ? <Shape height={420} /> : null}
      {value?.items.length === 0 ? (
        <p class="note">There is no term yet. A term names the findings that people mean by a word.</p>
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
export function TermPageView({
  route,
  slug,
  session,
}: {
  route: Route
  slug: string
  session: ConsoleSession | undefined
}) {
  const { value, problem, isWaiting } = useAnswer(`term ${slug}`, async (signal) => {
    const [term, covered] = await Promise.all([client.getTerm(slug, signal), client.countTerm(slug, signal)])
    return { term, count: covered.count }
  })
  if (value === undefined) {
    return <WaitingPage title="Glossary" height={260} problem={problem} isWaiting={isWaiting} />
  }
  const { term, count } = value
  const canEdit = session !== undefined && canChange(session, 'author')
  if (route.state.edit !== undefined && canEdit) {
    return <TermForm term={term} onCancel={() => go(changeState(route, { edit: undefined }), true)} />
  }
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>
          <Name text={term.displayName} codes={false} />
        </h1>
        {term.unreviewed ? <span class="badge warn">Not reviewed</span> : null}
        {term.isActive ? null : <span class="badge">Inactive</span>}
        <div class="tools">
          {canEdit ? (
            <>
              <ConfirmedButton
                label="Delete"
                about={
                  term.metrics.length === 0
                    ? 'The term is removed. This cannot be undone.'
                    : `The term is removed, and ${term.metrics.map((metric) => metric.slug).join(', ')} count without it, as drafts. This cannot be undone.`
                }
                act={() => client.call('DELETE', `/semantic/glossary/${term.slug}?detach=true`)}
                done={() => go(formatRoute({ page: 'glossary' }))}
              />
              <Link to={changeState(route, { edit: ['1'] })} class="button">
                Edit
              </Link>
            </>
          ) : null}
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

const toForm = ({
  displayName,
  filterMapping,
  description,
  category,
  color,
  icon,
  synonyms,
  isActive,
}: TermPage): FormMembers => ({
  ...{ displayName, filterMapping, description, category, color, icon, synonyms, isActive },
})

/** Adds or changes a term: the findings that it covers are counted while they are chosen. */
function TermForm({ term, onCancel }: { term?: TermPage; onCancel: () => void }) {
  const common = {
    custom: { filterMapping: FilterField },
    labels: { filterMapping: 'Covers', synonyms: 'Also called', isActive: 'Active' },
    hasJson: true,
    onSaved: ({ slug }: { slug: string }) => {
      refresh()
      go(formatRoute({ page: 'glossary', name: slug }), true)
    },
    onCancel,
  }
  return (
    <main class={term === undefined ? 'page narrow' : 'page'} aria-busy={false}>
      <h1>{term === undefined ? 'Add a term' : <Name text={term.displayName} codes={false} />}</h1>
      {term === undefined ? (
        <OperationForm
          operation="create_glossary_term"
          start={{ isActive: true }}
          save="Add the term"
          done="Term added"
          {...common}
        />
      ) : (
        <OperationForm
          operation="update_glossary_term"
          at={{ slug: term.slug }}
          start={toForm(term)}
          readAgain={async () => toForm(await client.getTerm(term.slug))}
          refine={(schema) => ({ ...schema, required: ['displayName', 'filterMapping'] })}
          sends="members"
          aside={(_, sent) => <ChangeImpact operation="get_term_impact" slug={term.slug} change={sent} />}
          save="Save"
          done="Term saved"
          note="Certified metrics that use it drift when what it covers changes."
          {...common}
        />
      )}
    </main>
  )
}
