import { useMemo } from 'preact/hooks'
import { dimensions } from '../charts/dimensions.ts'
import { Name, Severity } from '../charts/parts.tsx'
import { TrendChart } from '../charts/trend-chart.tsx'
import { toNumber, toValueText } from '../charts/words.ts'
import type { TestResult } from '../metrics/tests.ts'
import type { Impact } from '../query/impact-model.ts'
import { client } from './client.ts'
import { useAnswer, useCalm } from './hooks.ts'
import { Link, ProblemNote, Shape } from './parts.tsx'
import { formatRoute } from './route.ts'
import type { FormMembers } from './schema.ts'

/** Asks by an operation what a change would do. */
export function AskedImpact({ operation, input }: { operation: string; input: FormMembers }) {
  const { value, problem } = useAnswer(`${operation} ${JSON.stringify(input)}`, (signal) =>
    client.getImpact(operation, input, signal),
  )
  if (problem !== undefined) return <ProblemNote problem={problem} />
  return value === undefined ? <Shape height={420} /> : <ImpactView impact={value} />
}

interface ImpactViewProps {
  impact: Impact
  /** The proposal that is looked at, which is not among those that use it. */
  proposal?: string
}

/** What a change of a metric or a term would do to numbers, to findings and to what uses it. */
export function ImpactView({ impact, proposal }: ImpactViewProps) {
  const { value, gained, lost, usedBy, metrics, tests } = impact
  const changed = metrics.filter(({ before, after }) => before !== after)
  return (
    <div class="impact">
      <p class="figure" role="status">
        <b>{value.formattedAfter}</b> <span class="muted">{describeBefore(impact)} in the last 12 months</span>
      </p>
      <Months impact={impact} />
      <Groups impact={impact} />
      <Members title="Gained" members={gained} />
      <Members title="Lost" members={lost} />
      <dl class="pairs">
        <dt>Used by</dt>
        <dd>
          <Users usedBy={usedBy} proposal={proposal} />
        </dd>
        {changed.map(({ slug, formattedBefore, formattedAfter }) => (
          <>
            <dt>
              <Link to={formatRoute({ page: 'metrics', name: slug })} class="link">
                {slug}
              </Link>
            </dt>
            <dd>
              {formattedBefore} → <b>{formattedAfter}</b>
            </dd>
          </>
        ))}
      </dl>
      {tests.length === 0 ? null : <TestList tests={tests} />}
    </div>
  )
}

function describeBefore({ isNew, value: { before, after, formattedBefore } }: Impact): string {
  if (isNew === true) return 'newly counted,'
  return before === after ? 'as before,' : `instead of ${formattedBefore}`
}

/** What the change of a form would do, once it changes anything. */
export function ChangeImpact({ operation, slug, change }: { operation: string; slug: string; change: FormMembers }) {
  const sent = useCalm(JSON.stringify(change))
  const input = useMemo(() => ({ ...JSON.parse(sent), slug }), [sent, slug])
  if (sent === '{}') return null
  return (
    <section class="card" aria-label="Impact">
      <header>
        <h2>What the change does</h2>
      </header>
      <AskedImpact operation={operation} input={input} />
    </section>
  )
}

function Months({ impact: { series, isNew, format, unit } }: { impact: Impact }) {
  const [marks, previous] = useMemo(() => {
    const toSide = (side: 'before' | 'after') =>
      series.map((point) => ({ time: Date.parse(point.timestamp), value: point[side], complete: true }))
    return [toSide('after'), isNew === true ? [] : toSide('before')]
  }, [series, isNew])
  return (
    <TrendChart
      label="With the change"
      marks={marks}
      previous={previous}
      grain="month"
      range="with the change, month by month"
      before="as it is now"
      toLabel={(each) => toValueText(each, format, unit)}
      isWhole={false}
      brush={undefined}
      firstScans={[]}
    />
  )
}

function Groups({ impact: { dimension, groups, totalGroups, format, unit } }: { impact: Impact }) {
  const moved = groups.filter(({ before, after }) => before !== after)
  if (moved.length === 0 || dimension === null) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys
    <section class="scroll inset" aria-label="Groups that change" tabIndex={0}>
      <table>
        <thead>
          <tr>
            <th scope="col">{dimensions.find(({ name }) => name === dimension)?.label ?? dimension}</th>
            <th scope="col" class="number">
              Now
            </th>
            <th scope="col" class="number">
              With the change
            </th>
          </tr>
        </thead>
        <tbody>
          {moved.map(({ dimensionValue, before, after }) => (
            <tr key={dimensionValue}>
              <th scope="row">
                <Name text={dimensionValue} />
              </th>
              <td class="number">{toValueText(before, format, unit)}</td>
              <td class="number">{toValueText(after, format, unit)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {totalGroups > groups.length ? (
        <p class="muted">
          {groups.length} of {toNumber(totalGroups)} groups are compared.
        </p>
      ) : null}
    </section>
  )
}

/** How many findings or assets are counted on one side only, with the newest of them. */
function Members({ title, members }: { title: string; members: Impact['gained'] }) {
  const { entity, count, findings, assets } = members
  const label = `${title}: ${toNumber(count)} ${count === 1 ? entity : `${entity}s`}`
  return (
    <div>
      <h3>{label}</h3>
      {count === 0 ? null : (
        <ul class="rows" aria-label={label}>
          {findings.map(({ id, findingType, severity, asset }) => (
            <li key={id}>
              <Link to={formatRoute({ page: 'findings', state: { id: [id], status: ['all'] } })}>
                <b>
                  <Name text={findingType} />
                </b>
                <Severity severity={severity} />
                <span class="where muted">
                  <Name text={asset.name} codes={false} />
                </span>
              </Link>
            </li>
          ))}
          {assets.map(({ key, name }) => (
            <li key={key}>
              <Link to={formatRoute({ page: 'findings', state: { asset: [key], status: ['all'] } })}>
                <Name text={name} codes={false} />
              </Link>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Users({ usedBy, proposal }: { usedBy: Impact['usedBy']; proposal: string | undefined }) {
  const { metrics, dashboards, watches, proposals } = usedBy
  const users = [
    ...metrics.map((name) => ({ kind: 'metric', name, to: formatRoute({ page: 'metrics', name }) })),
    ...dashboards.map((name) => ({ kind: 'dashboard', name, to: formatRoute({ page: '', state: { d: [name] } }) })),
    ...watches.map((name) => ({ kind: 'watch', name, to: formatRoute({ page: 'watches', name }) })),
    ...proposals
      .filter((id) => id !== proposal)
      .map((name) => ({ kind: 'proposal', name, to: formatRoute({ page: 'proposals', name }) })),
  ]
  if (users.length === 0) return <span class="muted">nothing yet</span>
  return (
    <ul aria-label="Used by">
      {users.map(({ kind, name, to }) => (
        <li key={`${kind} ${name}`}>
          <span class="muted">{kind}</span>{' '}
          <Link to={to} class="link">
            <Name text={name} codes={false} />
          </Link>
        </li>
      ))}
    </ul>
  )
}

/** Tests of a metric with their results. */
export function TestList({ tests }: { tests: readonly TestResult[] }) {
  return (
    <ul class="rows" aria-label="Results of the tests">
      {tests.map(({ kind, passed, message }, index) => (
        <li key={String(index)}>
          <span class={`badge ${passed ? 'good' : 'bad'}`}>{passed ? '✓ passes' : 'fails'}</span>
          <code>{kind}</code>
          <span>{message}</span>
        </li>
      ))}
    </ul>
  )
}
