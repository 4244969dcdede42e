import { useState } from 'preact/hooks'
import { Name } from '../../charts/parts.tsx'
import type { Placement } from '../../dashboards/model.ts'
import { useMetricChoices } from '../choices.ts'
import { client, type ServerProblem, toProblem } from '../client.ts'
import { ConfirmedButton } from '../dialog.tsx'
import { FilterField } from '../filter-field.tsx'
import { OperationForm } from '../form.tsx'
import { refresh, useAnswer } from '../hooks.ts'
import { Link, ProblemNote, Shape } from '../parts.tsx'
import { formatRoute, go } from '../route.ts'
import { complain, say } from '../toast.tsx'
import { sizes } from './tiles.tsx'

const sizeNames = [
  { value: 'sm', label: 'Small' },
  { value: 'md', label: 'Medium' },
  { value: 'lg', label: 'Large' },
  { value: 'xl', label: 'Whole width' },
]
const charts = [
  { value: 'number', label: 'Number' },
  { value: 'line', label: 'Number and line' },
]

const pathOf = (dashboard: string, slug: string) =>
  `/semantic/dashboards/${encodeURIComponent(dashboard)}/metrics/${encodeURIComponent(slug)}`
const place = (dashboard: string, slug: string, members: object) => client.call('PUT', pathOf(dashboard, slug), members)
const toPage = (name: string | undefined, edit?: string) =>
  formatRoute({ page: '', state: { ...(name === undefined ? {} : { d: [name] }), ...(edit ? { edit: [edit] } : {}) } })

/** Adds, moves, sizes and removes the tiles of a dashboard; without a name, begins a new one. */
export function DashboardEditor({ name }: { name: string | undefined }) {
  const { value, problem, isWaiting } = useAnswer(`dashboard ${name}`, async () =>
    name === undefined
      ? []
      : (await client.call<{ placements: Placement[] }>('GET', `/semantic/dashboards/${encodeURIComponent(name)}`))
          .placements,
  )
  const [order, setOrder] = useState<readonly string[]>()
  const [dragged, setDragged] = useState<string>()
  const [open, setOpen] = useState<string>()
  const stored = value ?? []
  // A tile that was added meanwhile is the last.
  const rank = ({ metricSlug }: Placement) => (order?.indexOf(metricSlug) ?? -1) >>> 0
  const tiles = stored.toSorted((a, b) => rank(a) - rank(b))
  const settle = (work: Promise<unknown>) =>
    work.then(refresh, (error: Error) => {
      complain(error.message)
      setOrder(undefined)
      refresh()
    })
  const move = (slug: string, to: number) => {
    if (name === undefined || to < 0 || to >= tiles.length) return
    const slugs = tiles.map(({ metricSlug }) => metricSlug).filter((each) => each !== slug)
    slugs.splice(to, 0, slug)
    setOrder(slugs)
    const moved = slugs.flatMap((each, index) =>
      stored.find(({ metricSlug }) => metricSlug === each)?.position === index + 1 ? [] : { each, position: index + 1 },
    )
    settle(Promise.all(moved.map(({ each, position }) => place(name, each, { position }))))
  }
  const removeTile = (dashboard: string, { metricSlug, displayName, dashboard: _, ...members }: Placement) =>
    settle(
      client.call('DELETE', pathOf(dashboard, metricSlug)).then(() => {
        const undo = () => settle(place(dashboard, metricSlug, members))
        say(`${displayName} removed`, undo)
        if (tiles.length === 1) go(toPage(undefined), true)
      }),
    )
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>{name === undefined ? 'New dashboard' : <Name text={name} codes={false} />}</h1>
        <div class="tools">
          {name === undefined ? null : (
            <>
              <Link to={toPage(undefined, 'new')} class="button">
                New dashboard
              </Link>
              <ConfirmedButton
                label="Delete the dashboard"
                about={`Its ${tiles.length} tiles are removed; the metrics stay. This cannot be undone.`}
                act={async () => {
                  for (const { metricSlug } of tiles) await client.call('DELETE', pathOf(name, metricSlug))
                }}
                done={() => go(toPage(undefined))}
              />
            </>
          )}
          <Link to={toPage(name)} class="button primary">
            Done
          </Link>
        </div>
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <AddTile dashboard={name} taken={stored.map(({ metricSlug }) => metricSlug)} />
      {value === undefined && problem === undefined ? <Shape height={320} /> : null}
      <ol class="editor">
        {tiles.map((tile, index) => {
          const { metricSlug, displayName, size, chartType, pinnedFilters } = tile
          return (
            <li
              key={metricSlug}
              class={`card place ${sizes.includes(size) ? size : 'md'} ${dragged === metricSlug ? 'waiting' : ''}`}
              draggable
              onDragStart={() => setDragged(metricSlug)}
              onDragEnd={() => setDragged(undefined)}
              onDragOver={(event) => event.preventDefault()}
              onDrop={(event) => {
                event.preventDefault()
                if (dragged !== undefined && dragged !== metricSlug) move(dragged, index)
                setDragged(undefined)
              }}
            >
              <h2>
                <span class="muted" aria-hidden="true">
                  ⠿
                </span>{' '}
                <Name text={displayName} codes={false} />
              </h2>
              <p class="row">
                <button
                  type="button"
                  class="button small"
                  disabled={index === 0}
                  onClick={() => move(metricSlug, index - 1)}
                >
                  <span aria-hidden="true">←</span> <span class="hidden">Move {displayName} </span>earlier
                </button>
                <button
                  type="button"
                  class="button small"
                  disabled={index === tiles.length - 1}
                  onClick={() => move(metricSlug, index + 1)}
                >
                  <span class="hidden">Move {displayName} </span>later <span aria-hidden="true">→</span>
                </button>
                <Choose
                  label={`Size of ${displayName}`}
                  value={size}
                  options={sizeNames}
                  onChange={(next) => settle(place(name ?? '', metricSlug, { size: next }))}
                />
                <Choose
                  label={`Chart of ${displayName}`}
                  value={chartType}
                  options={charts}
                  onChange={(next) => settle(place(name ?? '', metricSlug, { chartType: next }))}
                />
                <button
                  type="button"
                  class="button small"
                  aria-expanded={open === metricSlug}
                  onClick={() => setOpen(open === metricSlug ? undefined : metricSlug)}
                >
                  {pinnedFilters === null ? 'Filter' : 'Filtered'}
                  <span class="hidden"> {displayName}</span>
                </button>
                <button type="button" class="button small" onClick={() => removeTile(name ?? '', tile)}>
                  Remove<span class="hidden"> {displayName}</span>
                </button>
              </p>
              {open === metricSlug ? (
                <OperationForm
                  operation="set_placement"
                  at={{ dashboard: name ?? '', slug: metricSlug }}
                  start={{ pinnedFilters: pinnedFilters ?? {} }}
                  refine={({ properties }) => ({
                    properties: { pinnedFilters: properties?.pinnedFilters ?? {} },
                    required: ['pinnedFilters'],
                  })}
                  custom={{ pinnedFilters: FilterField }}
                  save="Pin the filters"
                  done="Filters pinned"
                  onSaved={() => {
                    setOpen(undefined)
                    refresh()
                  }}
                  onCancel={() => setOpen(undefined)}
                />
              ) : null}
            </li>
          )
        })}
      </ol>
    </main>
  )
}

function Choose({
  label,
  value,
  options,
  onChange,
}: {
  label: string
  value: string
  options: readonly { value: string; label: string }[]
  onChange: (value: string) => void
}) {
  return (
    <select aria-label={label} value={value} onChange={({ currentTarget }) => onChange(currentTarget.value)}>
      {options.some((each) => each.value === value) ? null : <option value={value}>{value}</option>}
      {options.map((each) => (
        <option key={each.value} value={each.value}>
          {each.label}
        </option>
      ))}
    </select>
  )
}

/** Places a metric; the first one begins a dashboard. */
function AddTile({ dashboard, taken }: { dashboard: string | undefined; taken: readonly string[] }) {
  const metrics = useMetricChoices().filter(({ value }) => !taken.includes(value))
  const [name, setName] = useState('')
  const [slug, setSlug] = useState('')
  const [problem, setProblem] = useState<ServerProblem>()
  const add = async (event: Event) => {
    event.preventDefault()
    try {
      const on = dashboard ?? name.trim()
      await place(on, slug, {})
      setSlug('')
      setProblem(undefined)
      say(
        'Tile added',
        dashboard === undefined ? undefined : () => client.call('DELETE', pathOf(on, slug)).then(refresh),
      )
      refresh()
      if (dashboard === undefined) go(toPage(on, '1'), true)
    } catch (error) {
      setProblem(toProblem(error))
    }
  }
  return (
    <form class="row add-tile" onSubmit={add}>
      {dashboard === undefined ? (
        <input
          aria-label="Name of the dashboard"
          placeholder="Name of the dashboard"
          required
          maxLength={100}
          value={name}
          onInput={({ currentTarget }) => setName(currentTarget.value)}
        />
      ) : null}
      <select aria-label="Metric" required value={slug} onChange={({ currentTarget }) => setSlug(currentTarget.value)}>
        <option value="">Choose a metric…</option>
        {metrics.map(({ value, label }) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </select>
      <button type="submit" class="button primary">
        Add a tile
      </button>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
    </form>
  )
}
