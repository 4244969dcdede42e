import { Name } from '../../charts/parts.tsx'
import { toDayText } from '../../charts/times.ts'
import { type TrendMark, toFirings } from '../../charts/trend.ts'
import { TrendChart } from '../../charts/trend-chart.tsx'
import { toNumber } from '../../charts/words.ts'
import type { Watch } from '../../watches/view.ts'
import { dimensionChoices, useMetricChoices, useTermChoices } from '../choices.ts'
import { client } from '../client.ts'
import { FilterField } from '../filter-field.tsx'
import { OperationForm } from '../form.tsx'
import { refresh, useAnswer, useCalm } from '../hooks.ts'
import type { ConsoleSession, WatchPage } from '../model.ts'
import { canChange, ProblemNote, Shape } from '../parts.tsx'
import { formatRoute, go } from '../route.ts'
import { type FormMembers, type FormSchema, isMembers } from '../schema.ts'

/** A condition in words, such as `above 100, twice in a row`. */
export function toConditionText({ kind, value, for: times = 1 }: Watch['condition']): string {
  const row = times === 1 ? '' : `, ${times} times in a row`
  if (kind === 'changeAbove') return `rises by more than ${toNumber(value * 100, 1)}%${row}`
  return `${kind} ${toNumber(value)}${row}`
}

export const toMeasured = (value: number | null, { kind }: Watch['condition']) =>
  value === null ? '–' : kind === 'changeAbove' ? `${toNumber(value * 100, 1)}%` : toNumber(value)

/** The members of a stored watch that a form changes. */
const toForm = (watch: WatchPage): FormMembers => {
  const { displayName, metricSlug, condition, filters, glossaryTermSlug, dimensions, last, cron, deliver } = watch
  const receivers = deliver.map(({ type, url, format, secret }) => ({ type, url, format, secret }))
  return { displayName, metricSlug, condition, filters, glossaryTermSlug, dimensions, last, cron, deliver: receivers }
}

const labels = {
  dimensions: 'For each',
  last: 'Over the last',
  cron: 'Also evaluated at',
  deliver: 'Sent to',
  metricSlug: 'Metric',
  for: 'Times in a row',
}
const kinds = [
  { value: 'above', label: 'is above' },
  { value: 'below', label: 'is below' },
  { value: 'changeAbove', label: 'rises by more than (as a fraction)' },
]

interface WatchFormProps {
  session: ConsoleSession
  watch?: WatchPage
  start?: FormMembers
  onCancel: () => void
}

/** Adds or changes a watch, beside what it would have done in the last year. */
export function WatchForm({ session, watch, start, onCancel }: WatchFormProps) {
  const metrics = useMetricChoices()
  const terms = useTermChoices()
  const isAdmin = canChange(session, 'admin')
  const leaveOut = (schema: FormSchema): FormSchema => {
    const { deliver, ...properties } = schema.properties ?? {}
    const required = [...new Set([...(schema.required ?? []), 'displayName', 'metricSlug', 'condition'])]
    return {
      ...schema,
      required,
      properties: { ...properties, ...(isAdmin && deliver !== undefined ? { deliver } : {}) },
    }
  }
  const common = {
    refine: leaveOut,
    labels,
    choices: { dimensions: dimensionChoices, metricSlug: metrics, glossaryTermSlug: terms, 'condition.kind': kinds },
    custom: { filters: FilterField },
    aside: (value: FormMembers) => <Past slug={watch?.slug ?? 'new-watch'} value={value} />,
    onSaved: ({ slug }: Watch) => {
      refresh()
      go(formatRoute({ page: 'watches', name: slug }), true)
    },
    onCancel,
  }
  return (
    <main class="page" aria-busy={false}>
      <h1>{watch === undefined ? 'Add a watch' : <Name text={watch.displayName} codes={false} />}</h1>
      {watch === undefined ? (
        <OperationForm<Watch>
          operation="create_watch"
          start={{ condition: { kind: 'above' }, ...start }}
          save="Add the watch"
          done="Watch added"
          {...common}
        />
      ) : (
        <OperationForm<Watch>
          operation="update_watch"
          at={{ slug: watch.slug }}
          start={toForm(watch)}
          readAgain={async () => toForm(await client.getWatch(watch.slug))}
          sends="members"
          save="Save"
          done="Watch saved"
          {...common}
        />
      )}
    </main>
  )
}

interface Preview {
  past?: readonly { at: string; value: number | null; met: boolean | null }[]
}

/** The value at each week of the last year, the condition as a line, and where the watch would have fired. */
function Past({ slug, value }: { slug: string; value: FormMembers }) {
  const { slug: _slug, displayName: _name, deliver: _deliver, cron: _cron, ...typed } = value
  const change = JSON.parse(useCalm(JSON.stringify(typed))) as FormMembers
  const condition = isMembers(change.condition) ? (change.condition as unknown as Watch['condition']) : undefined
  const isReady = change.metricSlug !== undefined && condition?.value !== undefined
  const { value: preview, problem } = useAnswer(`past ${slug} ${JSON.stringify(change)}`, async (signal) =>
    isReady
      ? await client.call<Preview>('POST', `/semantic/watches/${slug}/preview`, { change, weeks: 52 }, signal)
      : undefined,
  )
  const past = preview?.past
  if (problem !== undefined && problem.status > 0) return <ProblemNote problem={problem} />
  if (condition === undefined || past === undefined) {
    return isReady ? (
      <Shape height={320} />
    ) : (
      <p class="note">Choose a metric and a condition to see when the watch would have fired in the last year.</p>
    )
  }
  const marks: TrendMark[] = past.map(({ at, value: then }) => ({ time: Date.parse(at), value: then, complete: true }))
  const fired = toFirings(past, condition.for ?? 1).map((at) => Date.parse(at))
  const line = marks.map(({ time }) => ({ time, value: condition.value, complete: true }))
  return (
    <section class="card view" aria-label="The last year">
      <header>
        <h2>The last year, week by week</h2>
      </header>
      <TrendChart
        label="Value"
        marks={marks}
        previous={line}
        grain="day"
        range="value"
        before={toConditionText(condition)}
        toLabel={(then) => toMeasured(then, condition)}
        isWhole={false}
        brush={undefined}
        firstScans={[]}
        marked={fired}
      />
      <p class="foot" role="status">
        {fired.length === 0
          ? 'It would not have fired.'
          : `It would have fired ${fired.length === 1 ? 'once' : `${toNumber(fired.length)} times`}: ${fired.map(toDayText).join(', ')}.`}
      </p>
    </section>
  )
}
