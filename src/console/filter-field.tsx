import { useState } from 'preact/hooks'
import { dimensions, toDimensionValues } from '../charts/dimensions.ts'
import { Name } from '../charts/parts.tsx'
import { toNumber, toWords } from '../charts/words.ts'
import type { MetricAnswer } from '../query/model.ts'
import { client } from './client.ts'
import type { CustomField } from './fields.tsx'
import { Fields } from './fields.tsx'
import { useAnswer } from './hooks.ts'
import type { Filters } from './model.ts'
import { Names, ProblemNote } from './parts.tsx'
import { formatRoute } from './route.ts'
import { type FormMembers, type FormSchema, isMembers, write } from './schema.ts'

/** The metric whose number is that of all findings. */
const ALL = 'total-findings'
const MOST = 100

type FilterFieldProps = Parameters<CustomField>[0] & {
  /** What is counted beside it, such as open findings only. */
  only?: Filters
}

/** Filters without those of a key, so that its other values have counts, too. */
function withoutKey(filters: FormMembers, key: string): FormMembers {
  const { [key]: _, exclude, ...others } = filters
  const { [key]: _excluded, ...kept } = isMembers(exclude) ? exclude : {}
  return Object.keys(kept).length === 0 ? others : { ...others, exclude: kept }
}

const listOf = (value: unknown): string[] => (Array.isArray(value) ? value.map(String) : [])

/** Which findings are meant: values with their present counts, to be included or left out, and the number of them all. */
export function FilterField({ value, schema, path, context, onChange, only = {} }: FilterFieldProps) {
  const filters: FormMembers = isMembers(value) ? value : {}
  const excluded: FormMembers = isMembers(filters.exclude) ? filters.exclude : {}
  const offered = dimensions.filter(({ filterKey }) => schema.properties?.[filterKey] !== undefined)
  const [open, setOpen] = useState<string>()
  const asked = { ...only, ...filters } as Filters
  const { value: total, problem } = useAnswer(`count ${JSON.stringify(asked)}`, (signal) =>
    client.queryMetric({ metricSlug: ALL, filters: asked }, signal),
  )
  const opened = offered.find(({ name }) => name === open)
  const others = opened === undefined ? asked : (withoutKey(asked, opened.filterKey) as Filters)
  const { value: board } = useAnswer(`values ${open} ${JSON.stringify(others)}`, async (signal) =>
    open === undefined
      ? undefined
      : {
          dimension: open,
          ...(await client.queryMetric({ metricSlug: ALL, filters: others, dimensions: [open], limit: MOST }, signal)),
        },
  )
  const set = (at: string, values: readonly string[]) => {
    const next = write(filters, at, values.length === 0 ? undefined : values) as FormMembers
    const { exclude, ...rest } = next
    onChange(isMembers(exclude) && Object.keys(exclude).length === 0 ? rest : next)
  }
  const more: FormSchema = {
    properties: Object.fromEntries(
      Object.entries(schema.properties ?? {}).filter(
        ([key]) => key !== 'exclude' && !dimensions.some(({ filterKey }) => filterKey === key),
      ),
    ),
  }
  return (
    <>
      <p role="status" class="row">
        <b class="total">{total === undefined ? '–' : toNumber(total.value ?? 0)}</b>
        <span class="muted">findings match now</span>
        {toDimensionValues(Object.entries(asked)) === undefined ? null : (
          <a
            class="link"
            target="_blank"
            rel="noopener"
            href={formatRoute({
              page: 'findings',
              state: { status: ['all'], ...toDimensionValues(Object.entries(asked)) },
            })}
          >
            see them
          </a>
        )}
      </p>
      {problem === undefined || problem.status === 0 ? null : <ProblemNote problem={problem} />}
      <ul class="conditions">
        {offered.map(({ name, label, filterKey }) => {
          const [included, left] = [listOf(filters[filterKey]), listOf(excluded[filterKey])]
          return (
            <li key={name}>
              <button
                type="button"
                class="condition"
                aria-expanded={open === name}
                onClick={() => setOpen(open === name ? undefined : name)}
              >
                <span>{label}</span>
                <span class="muted">
                  {included.length + left.length === 0 ? 'any' : null}
                  {included.length === 0 ? null : <Names texts={included} />}
                  {left.length === 0 ? null : (
                    <>
                      {' '}
                      not <Names texts={left} />
                    </>
                  )}
                </span>
              </button>
              {open === name ? (
                <Values
                  label={label}
                  counts={board?.dimension === name ? board.breakdown : undefined}
                  included={included}
                  excluded={left}
                  canExclude={schema.properties?.exclude !== undefined}
                  onInclude={(values) => set(filterKey, values)}
                  onExclude={(values) => set(`exclude.${filterKey}`, values)}
                />
              ) : null}
            </li>
          )
        })}
      </ul>
      <details class="fields">
        <summary>Other conditions</summary>
        <Fields schema={more} path={path} value={filters} context={{ ...context, custom: {} }} />
      </details>
    </>
  )
}

const toggled = (list: readonly string[], value: string) =>
  list.includes(value) ? list.filter((each) => each !== value) : [...list, value]

function Values({
  label,
  counts: found,
  included,
  excluded,
  canExclude,
  onInclude,
  onExclude,
}: {
  label: string
  counts: MetricAnswer['breakdown'] | undefined
  included: readonly string[]
  excluded: readonly string[]
  canExclude: boolean
  onInclude: (values: string[]) => void
  onExclude: (values: string[]) => void
}) {
  const [typed, setTyped] = useState('')
  const counts = new Map((found ?? []).map(({ dimensionValue, value }) => [String(dimensionValue), value]))
  const known = [...new Set([...counts.keys(), ...included, ...excluded])].filter((each) => each !== '(none)')
  const add = () => {
    if (typed.trim() !== '' && !included.includes(typed.trim())) onInclude([...included, typed.trim()])
    setTyped('')
  }
  return (
    <div class="values">
      <ul aria-label={`Values of ${label.toLowerCase()}`}>
        {known.map((each) => (
          <li key={each} class="row">
            <label class="row">
              <input
                type="checkbox"
                checked={included.includes(each)}
                onChange={() => onInclude(toggled(included, each))}
              />
              <Name text={each} />
            </label>
            <span class="muted end">{counts.has(each) ? toNumber(counts.get(each) ?? 0) : '–'}</span>
            {canExclude ? (
              <button
                type="button"
                class="button small"
                aria-pressed={excluded.includes(each)}
                onClick={() => onExclude(toggled(excluded, each))}
              >
                not<span class="hidden"> {toWords(each)}</span>
              </button>
            ) : null}
          </li>
        ))}
        {found !== undefined && known.length === 0 ? <li class="muted">nothing found yet</li> : null}
      </ul>
      <p class="row">
        <input
          aria-label={`Another ${label.toLowerCase()}`}
          placeholder="another value"
          value={typed}
          onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
        />
        <button type="button" class="button small" onClick={add}>
          Add
        </button>
      </p>
    </div>
  )
}
