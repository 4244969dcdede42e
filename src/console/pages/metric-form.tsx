import { Name } from '../../charts/parts.tsx'
import { toMarks } from '../../charts/trend.ts'
import { TrendChart } from '../../charts/trend-chart.tsx'
import { toValueText } from '../../charts/words.ts'
import type { Metric, MetricDetail } from '../../metrics/view.ts'
import { dimensionChoices, useMetricChoices, useTermChoices } from '../choices.ts'
import { client } from '../client.ts'
import { FilterField } from '../filter-field.tsx'
import { OperationForm } from '../form.tsx'
import { refresh, useAnswer, useCalm } from '../hooks.ts'
import { ChangeImpact } from '../impact.tsx'
import { ProblemNote, Shape } from '../parts.tsx'
import { formatRoute, go } from '../route.ts'
import { type FormMembers, type FormSchema, isMembers, type Json } from '../schema.ts'
import { toSentence } from '../sentence.ts'

const YEAR_MS = 365 * 86_400_000

/** Fields and times of assets; all others are those of findings. */
const ofAssets = ['ageDays', 'openFindings', 'firstSeenAt', 'lastSeenAt', 'lastScannedAt', 'contentUpdatedAt']
const numbers = ['confidence', 'resolutionHours', 'ageHours', 'ageDays', 'openFindings']

const labels = {
  type: 'Kind',
  SIMPLE: 'Count or measure',
  RATIO: 'Share or rate',
  DERIVED: 'Formula',
  TREND: 'Change over time',
  aggregation: 'What to count',
  entity: 'Of what',
  filters: 'Where',
  timeField: 'When',
  mode: 'What happened, or what is there',
  allowedDimensions: 'By what',
  p: 'Percentile',
  glossaryTermSlug: 'Always within the term',
  emptyAs: 'Sum of nothing',
  'is aggregation': 'Counted here',
  'is metricSlug': 'Another metric',
  'is between': 'In bounds',
  'is equals': 'Equal to another',
  'is sumOf': 'Sum of its groups',
  'is notNull': 'Has a value',
}
const types = (['SIMPLE', 'RATIO', 'DERIVED', 'TREND'] as const).map((value) => ({ value, label: labels[value] }))
const modes = [
  { value: 'flow', label: 'What happened in the time' },
  { value: 'stock', label: 'What was there at the end of it' },
]

const REQUIRED = ['displayName', 'type', 'definition']

/** What a definition of a type begins with. */
const toBlank = (type: Json): FormMembers => {
  const counted = { aggregation: 'COUNT', entity: 'finding' }
  return type === 'SIMPLE' ? counted : type === 'RATIO' ? { numerator: counted, denominator: counted } : {}
}

/** The schema of the definition that the chosen type has, with the choices that fit what was chosen before. */
function refine(schema: FormSchema, value: FormMembers): FormSchema {
  const shapes = schema.properties?.definition?.anyOf ?? []
  const shape = shapes.find(({ title }) => title === (value.type ?? 'SIMPLE')) ?? {}
  const required = [...new Set([...(schema.required ?? []), ...REQUIRED])]
  const { status: _, ...properties } = schema.properties ?? {}
  return { ...schema, required, properties: { ...properties, definition: narrow(shape, value.definition) } }
}

function narrow(shape: FormSchema, value: Json): FormSchema {
  const members = isMembers(value) ? value : {}
  const { aggregation, entity = 'finding' } = members
  const isOf = (each: unknown) =>
    ofAssets.includes(String(each))
      ? entity === 'asset'
      : entity === 'finding' || !/Detected|resolved|Hours/.test(String(each))
  const suits = (each: unknown) => isOf(each) && (aggregation === 'COUNT_DISTINCT') !== numbers.includes(String(each))
  const properties = Object.entries(shape.properties ?? {}).flatMap(([key, inner]): [string, FormSchema][] => {
    if (key === 'field') {
      const isCount = aggregation === undefined || aggregation === 'COUNT'
      return isCount && members.field === undefined ? [] : [[key, { ...inner, enum: inner.enum?.filter(suits) ?? [] }]]
    }
    if (key === 'p' && aggregation !== 'PERCENTILE' && members.p === undefined) return []
    if (key === 'timeField') return [[key, { ...inner, enum: inner.enum?.filter(isOf) ?? [] }]]
    if (inner.anyOf !== undefined)
      return [[key, { ...inner, anyOf: inner.anyOf.map((each) => narrow(each, members[key])) }]]
    return [[key, inner]]
  })
  return { ...shape, properties: Object.fromEntries(properties) }
}

/** The members of a stored metric that a form changes, and when it was changed, which the server compares. */
function toForm(metric: MetricDetail): FormMembers {
  const { displayName, type, definition, description, allowedDimensions, format, unit, glossaryTermSlug } = metric
  const { owner, color, synonyms, emptyAs, better, tests } = metric
  return {
    ...{ displayName, type, definition, description, allowedDimensions, format, unit, glossaryTermSlug },
    ...{ owner, color, synonyms, emptyAs, better, tests },
  }
}

/** Adds or changes a metric, beside the sentence that it means and its present value. */
export function MetricForm({ metric, onCancel }: { metric?: MetricDetail; onCancel: () => void }) {
  const metrics = useMetricChoices()
  const terms = useTermChoices()
  const slug = metric?.slug
  const common = {
    refine,
    adjust: (value: FormMembers, path: string) =>
      path === 'type' ? { ...value, definition: toBlank(value.type) } : value,
    labels,
    choices: {
      type: types,
      mode: modes,
      allowedDimensions: dimensionChoices,
      dimension: dimensionChoices,
      glossaryTermSlug: terms,
      metricSlug: metrics,
      baseMetricSlug: metrics,
      inputs: metrics,
    },
    custom: { filters: FilterField },
    hasJson: true,
    aside: (value: FormMembers, sent: FormMembers) => (
      <>
        <Draft slug={slug ?? 'new-metric'} value={value} />
        {slug === undefined ? null : <ChangeImpact operation="get_metric_impact" slug={slug} change={sent} />}
      </>
    ),
    onSaved: ({ slug: saved }: Metric) => {
      refresh()
      go(formatRoute({ page: 'metrics', name: saved }), true)
    },
    onCancel,
  }
  return (
    <main class="page" aria-busy={false}>
      <h1>{metric === undefined ? 'Add a metric' : <Name text={metric.displayName} codes={false} />}</h1>
      {metric === undefined ? (
        <OperationForm<Metric>
          operation="create_metric"
          start={{ type: 'SIMPLE', definition: toBlank('SIMPLE') }}
          save="Add the metric"
          done="Metric added as a draft"
          {...common}
        />
      ) : (
        <OperationForm<Metric>
          operation="update_metric"
          at={{ slug: metric.slug }}
          start={toForm(metric)}
          readAgain={async () => toForm(await client.getMetric(metric.slug))}
          sends="members"
          save="Save"
          done="Metric saved"
          note="A new meaning makes a new version, which is not certified."
          {...common}
        />
      )}
    </main>
  )
}

/** What the metric means, its value and its series of the last year, before anything is stored. */
function Draft({ slug, value }: { slug: string; value: FormMembers }) {
  const { slug: _slug, displayName: _name, owner: _owner, color: _color, synonyms: _synonyms, ...typed } = value
  const {
    description: _description,
    tests: _tests,
    ...draft
  } = JSON.parse(useCalm(JSON.stringify(typed))) as FormMembers
  const now = Math.floor(Date.now() / 60_000) * 60_000
  const { value: view, problem } = useAnswer(`draft ${slug} ${JSON.stringify(draft)}`, (signal) =>
    client.exploreView(
      {
        metricSlug: slug,
        draft: draft as never,
        from: new Date(now - YEAR_MS).toISOString(),
        to: new Date(now).toISOString(),
        granularity: 'week',
      },
      signal,
    ),
  )
  return (
    <section class="card view" aria-label="What it means">
      <header>
        <h2>What it means</h2>
      </header>
      <div class="body">
        <p>{toSentence(draft)}</p>
        {view === undefined ? null : (
          <p class="figure" role="status">
            <b>{toValueText(view.value, view.metric.format, view.metric.unit)}</b>
            <span class="muted">{view.metric.unit} in the last year</span>
          </p>
        )}
        {problem === undefined || problem.status === 0 ? null : <ProblemNote problem={problem} />}
      </div>
      {view === undefined ? (
        problem === undefined ? (
          <Shape height={290} />
        ) : null
      ) : (
        <TrendChart
          label="Value"
          marks={toMarks(view.series.timeSeries)}
          previous={[]}
          grain="week"
          range="the last year, week by week"
          before=""
          toLabel={(each) => toValueText(each, view.metric.format, view.metric.unit)}
          isWhole={false}
          brush={undefined}
          firstScans={[]}
        />
      )}
    </section>
  )
}
