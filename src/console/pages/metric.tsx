import { toLabels } from '../../charts/dimensions.ts'
import { Name, Trust } from '../../charts/parts.tsx'
import { toDayText, toMoment } from '../../charts/times.ts'
import { toWords } from '../../charts/words.ts'
import type { MetricDetail } from '../../metrics/view.ts'
import { useMetricChoices } from '../choices.ts'
import { client } from '../client.ts'
import { Compared } from '../compared.tsx'
import { ConfirmedButton } from '../dialog.tsx'
import { flatten, toPathText } from '../flatten.ts'
import { OperationForm } from '../form.tsx'
import { refresh, useAnswer } from '../hooks.ts'
import { AskedImpact, TestList } from '../impact.tsx'
import { listInputs } from '../lineage.ts'
import type { ConsoleSession, MetricVersionItem } from '../model.ts'
import { canChange, Link, Names, WaitingPage } from '../parts.tsx'
import { changeState, formatRoute, go, type Route } from '../route.ts'
import type { FormMembers } from '../schema.ts'
import { toSentence } from '../sentence.ts'
import { say } from '../toast.tsx'
import { MetricForm } from './metric-form.tsx'

interface MetricPageProps {
  route: Route
  slug: string
  session: ConsoleSession
}

/** One metric: what it counts, what it is made from and used by, and its versions beside each other. */
export function MetricPageView({ route, slug, session }: MetricPageProps) {
  const { value, problem, isWaiting } = useAnswer(`metric ${slug}`, async (signal) => {
    const [metric, versions] = await Promise.all([client.getMetric(slug, signal), client.listVersions(slug, signal)])
    const tested = metric.tests === undefined ? undefined : await client.previewTests(slug, signal)
    return { metric, versions: versions.items, tests: tested?.items[0]?.tests ?? [] }
  })
  if (value === undefined) {
    return <WaitingPage title="Metrics" height={320} problem={problem} isWaiting={isWaiting} />
  }
  const { metric, versions, tests } = value
  const canEdit = canChange(session, 'author')
  const close = () => go(changeState(route, { edit: undefined }), true)
  const change = canEdit ? route.state.edit?.[0] : undefined
  if (change === 'deprecate') return <Deprecation metric={metric} onClose={close} />
  if (change !== undefined) return <MetricForm metric={metric} onCancel={close} />
  const canCertify = canChange(session, 'certify') && ['draft', 'drifted', 'failing'].includes(metric.trust.tier)
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>
          <Name text={metric.displayName} codes={false} />
        </h1>
        <Trust tier={metric.trust.tier} label={metric.trust.label} version={metric.version} />
        {metric.trust.unreviewed ? <span class="badge warn">Not reviewed</span> : null}
        <div class="tools">
          {canEdit ? (
            <>
              <ConfirmedButton
                label="Delete"
                about={`${metric.slug}, its versions and its certification are removed. This cannot be undone.`}
                act={() => client.call('DELETE', `/semantic/metrics/${metric.slug}`)}
                done={() => go(formatRoute({ page: 'metrics' }))}
              />
              {metric.status === 'DEPRECATED' ? null : (
                <Link to={changeState(route, { edit: ['deprecate'] })} class="button">
                  Deprecate
                </Link>
              )}
              <Link to={changeState(route, { edit: ['1'] })} class="button">
                Edit
              </Link>
              <Link to={formatRoute({ page: 'watches', state: { add: ['1'], metric: [metric.slug] } })} class="button">
                Watch
              </Link>
            </>
          ) : null}
          {canCertify ? (
            <ConfirmedButton
              label={`Certify version ${metric.version}`}
              about={
                <>
                  <p>
                    From now on answers say that you vouch for what it counts:{' '}
                    {toSentence(metric as unknown as FormMembers)}
                  </p>
                  <AskedImpact operation="get_metric_impact" input={{ slug: metric.slug }} />
                </>
              }
              act={() => client.certifyMetric(metric.slug)}
              done={() => {
                say(`Version ${metric.version} certified`)
                refresh()
              }}
            />
          ) : null}
          <Link to={formatRoute({ page: 'explore', state: { metric: [metric.slug] } })} class="button primary">
            Explore
          </Link>
        </div>
      </div>
      <p class="lead" dir="auto">
        {metric.description}
      </p>
      {metric.status === 'DEPRECATED' ? (
        <p class="note">
          Deprecated{metric.deprecationReason === null ? '' : `: ${metric.deprecationReason}`}.{' '}
          {metric.replacedBy === null ? null : (
            <Link to={formatRoute({ page: 'metrics', name: metric.replacedBy })} class="strong">
              Its successor is {metric.replacedBy}
            </Link>
          )}
        </p>
      ) : null}
      <Lineage metric={metric} />
      <div class="halves">
        <section class="card" aria-label="Definition">
          <header>
            <h2>Definition</h2>
            <span class="muted">{toWords(metric.type)}</span>
          </header>
          <dl class="pairs">
            {flatten(metric.definition).map(({ path, text }) => (
              <>
                <dt>{toPathText(path)}</dt>
                <dd>{path === 'formula' ? <code>{text}</code> : <Names texts={text.split(', ')} />}</dd>
              </>
            ))}
          </dl>
        </section>
        <section class="card" aria-label="Governance">
          <header>
            <h2>Governance</h2>
          </header>
          <dl class="pairs">
            <dt>Trust</dt>
            <dd>{metric.trust.label}</dd>
            <dt>Owner</dt>
            <dd>{metric.owner === null ? '–' : <Name text={metric.owner} codes={false} />}</dd>
            <dt>Slug</dt>
            <dd>
              <code>{metric.slug}</code>
            </dd>
            <dt>Unit</dt>
            <dd>{metric.unit === '' ? toWords(metric.format.toUpperCase()) : metric.unit}</dd>
            <dt>Better</dt>
            <dd>{metric.better ?? 'neither direction'}</dd>
            {metric.synonyms.length === 0 ? null : (
              <>
                <dt>Also called</dt>
                <dd>
                  <Names texts={metric.synonyms} codes={false} />
                </dd>
              </>
            )}
            <dt>By</dt>
            <dd>{toLabels(metric.allowedDimensions) || '–'}</dd>
          </dl>
        </section>
      </div>
      {tests.length === 0 ? null : (
        <section class="card" aria-label="Tests">
          <header>
            <h2>Tests</h2>
            <span class="muted">with the findings of now</span>
          </header>
          <TestList tests={tests} />
        </section>
      )}
      <Versions route={route} versions={versions} current={metric.version} certified={metric.certifiedVersion} />
    </main>
  )
}

/** Marks a metric as no longer to be used, with its successor. */
function Deprecation({ metric, onClose }: { metric: MetricDetail; onClose: () => void }) {
  return (
    <main class="page narrow" aria-busy={false}>
      <h1>
        Deprecate <Name text={metric.displayName} codes={false} />
      </h1>
      <p class="lead">It keeps its numbers; whoever asks for it is pointed to what to use instead.</p>
      <OperationForm
        operation="deprecate_metric"
        at={{ slug: metric.slug }}
        choices={{ replacedBy: useMetricChoices().filter(({ value }) => value !== metric.slug) }}
        refine={({ properties: { deprecatedBy: _, ...properties } = {} }) => ({ properties })}
        save="Deprecate"
        onSaved={() => {
          say('Deprecated', () => {
            client.call('PUT', `/semantic/metrics/${metric.slug}`, { status: 'DRAFT' }).then(refresh)
          })
          refresh()
          onClose()
        }}
        onCancel={onClose}
      />
    </main>
  )
}

interface Node {
  kind: string
  label: string
  to?: string
}

/** What a metric is made from, and what uses it. */
function Lineage({ metric }: { metric: MetricDetail }) {
  const { metrics, entities } = listInputs(metric)
  const toMetric = (slug: string): Node => ({
    kind: 'metric',
    label: slug,
    to: formatRoute({ page: 'metrics', name: slug }),
  })
  const term = metric.glossaryTermSlug
  const from: Node[] = [
    ...entities.map((label) => ({ kind: 'rows', label })),
    ...metrics.map(toMetric),
    ...(term === null ? [] : [{ kind: 'term', label: term, to: formatRoute({ page: 'glossary', name: term }) }]),
  ]
  const into: Node[] = [
    ...metric.usedBy.metrics.map(toMetric),
    ...metric.usedBy.dashboards.map((name) => ({
      kind: 'dashboard',
      label: name,
      to: formatRoute({ page: '', state: { d: [name] } }),
    })),
    ...(metric.usedBy.watches ?? []).map((name) => ({
      kind: 'watch',
      label: name,
      to: formatRoute({ page: 'watches', name }),
    })),
  ]
  return (
    <section class="card" aria-label="Lineage">
      <header>
        <h2>Lineage</h2>
      </header>
      <div class="lineage">
        <NodeList label="Made from" nodes={from} />
        <span class="arrow-right" aria-hidden="true">
          →
        </span>
        <ul aria-label="This metric">
          <li class="self">
            <span class="muted">metric</span> <Name text={metric.displayName} codes={false} />
          </li>
        </ul>
        <span class="arrow-right" aria-hidden="true">
          →
        </span>
        <NodeList label="Used by" nodes={into} />
      </div>
    </section>
  )
}

function NodeList({ label, nodes }: { label: string; nodes: readonly Node[] }) {
  return (
    <ul aria-label={label}>
      {nodes.map(({ kind, label: name, to }) => (
        <li key={`${kind} ${name}`}>
          <span class="muted">{kind}</span>{' '}
          {to === undefined ? (
            name
          ) : (
            <Link to={to} class="link">
              <Name text={name} codes={false} />
            </Link>
          )}
        </li>
      ))}
      {nodes.length === 0 ? <li class="muted">nothing yet</li> : null}
    </ul>
  )
}

function Versions({
  route,
  versions,
  current,
  certified,
}: {
  route: Route
  versions: readonly MetricVersionItem[]
  current: number
  certified: number | null
}) {
  const [first, second] = (route.state.v?.[0] ?? '').split('..').map(Number)
  const before = versions.find(({ version }) => version === first)
  const after = versions.find(({ version }) => version === second)
  const showPair = (version: number) =>
    changeState(route, { v: version > 1 ? [`${version - 1}..${version}`] : undefined })
  return (
    <section class="card" aria-label="Versions">
      <header>
        <h2>Versions</h2>
      </header>
      <ul class="rows">
        {versions.map(({ version, createdAt, createdBy, createdVia }) => (
          <li key={version} class={version === second || version === first ? 'active' : ''}>
            <Link to={showPair(version)}>
              <b>v{version}</b>
              <span class="where muted">
                <span>
                  {toMoment(createdAt)} by <bdi>{createdBy}</bdi> ({createdVia})
                </span>
              </span>
              {version === current ? <span class="badge">current</span> : null}
              {version === certified ? <span class="badge good">✓ certified</span> : null}
              {version > 1 ? <span class="link">compare</span> : null}
            </Link>
          </li>
        ))}
      </ul>
      {before === undefined || after === undefined ? null : <Comparison before={before} after={after} />}
    </section>
  )
}

/** Two versions beside each other. */
function Comparison({ before, after }: { before: MetricVersionItem; after: MetricVersionItem }) {
  const meaning = ({ version: _v, createdAt: _a, createdBy: _b, createdVia: _c, ...rest }: MetricVersionItem) => rest
  const toTitle = ({ version, createdAt }: MetricVersionItem) => `v${version}, ${toDayText(Date.parse(createdAt))}`
  return (
    <Compared
      label={`Versions ${before.version} and ${after.version}`}
      before={meaning(before)}
      after={meaning(after)}
      titles={[toTitle(before), toTitle(after)]}
    />
  )
}
