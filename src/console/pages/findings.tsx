import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { dimensions } from '../../charts/dimensions.ts'
import { Leaderboard } from '../../charts/leaderboard.tsx'
import { showInvisible } from '../../charts/outside.ts'
import { Name, Severity } from '../../charts/parts.tsx'
import { toAge, toDayText } from '../../charts/times.ts'
import { toNumber, toValueText, toWords } from '../../charts/words.ts'
import type { FindingStatus } from '../../findings/model.ts'
import type { TimeRange } from '../../kernel/time-range.ts'
import { orders } from '../address.ts'
import { client, ServerProblem } from '../client.ts'
import { FirstSteps } from '../first-steps.tsx'
import { refresh, useAnswer, useKeys, useStable } from '../hooks.ts'
import type { ConsoleSession, FindingList } from '../model.ts'
import { AudienceBadge, Chip, canChange, Names, PresenceBadge, ProblemNote, Shape } from '../parts.tsx'
import { readTimes } from '../range.ts'
import { ReasonForm } from '../reason.tsx'
import { changeState, go, type Route, toggleValue } from '../route.ts'
import { complain, forgetUndo, say, undoLast } from '../toast.tsx'
import { decide, decisions, keepReason, type Target, undo } from '../triage.ts'
import { toFilters } from './explore.tsx'
import { FindingPanel } from './finding.tsx'

const FACETS = ['status', 'severity', 'presence', 'audience', 'detectorType', 'findingType', 'container', 'source']
const PER_PAGE = 50
const orderLabels: Readonly<Record<(typeof orders)[number], string>> = {
  severity: 'Most severe first',
  newest: 'Newest first',
  lastDetectedAt: 'Last found first',
}

const isPast = (dueAt: string | undefined) => dueAt !== undefined && Date.parse(dueAt) <= Date.now()

const toSpanText = ({ from, to }: TimeRange) =>
  [from === undefined ? '' : `from ${toDayText(from)}`, to === undefined ? '' : `to ${toDayText(to - 1)}`]
    .join(' ')
    .trim()

interface FindingsProps {
  route: Route
  session: ConsoleSession
}

/** The findings that match, one beside the list, and decisions on one or many by keys. */
export function Findings({ route, session }: FindingsProps) {
  const { state } = route
  const statuses = state.status ?? ['OPEN']
  const isEvery = statuses.includes('all')
  const { statuses: _, ...others } = toFilters(state) as Record<string, string[]>
  const isOverdue = state.overdue?.[0] === 'true'
  const filters = {
    ...others,
    ...(isEvery ? {} : { statuses: [...statuses] }),
    ...(isOverdue ? { overdue: true } : {}),
  } as Parameters<typeof client.searchFindings>[0]
  const q = state.q?.[0]
  const search = q === undefined ? {} : { search: q }
  const { range, asked: times } = readTimes(state)
  const isTimed = Object.keys(times).length > 0
  const sort = state.sort?.[0] ?? orders[0]
  const asked = { ...filters, ...search, ...times, sort, limit: PER_PAGE }
  const key = JSON.stringify(asked)
  const first = useAnswer(key, async (signal) => ({
    key,
    ...(await client.searchFindings({ ...asked, total: true }, signal)),
  }))
  /** How many decisions were made or undone; the counts beside the list follow them. */
  const [decided, setDecided] = useState(0)
  const [isUndoable, setUndoable] = useState(false)
  useEffect(() => forgetUndo, [])
  const facets = useAnswer(`facets ${key} ${decided}`, (signal) =>
    client.exploreView(
      {
        metricSlug: 'total-findings',
        filters,
        ...search,
        dimensions: FACETS,
        limit: 6,
        to: new Date(Date.now() + 60_000).toISOString(),
        ...times,
      },
      signal,
    ),
  )
  const [more, setMore] = useState<{ key: string; pages: FindingList[] }>({ key, pages: [] })
  const pages = more.key === key ? more.pages : []
  const page = first.value
  const [changed, setChanged] = useState<ReadonlyMap<string, FindingStatus>>(new Map())
  const items = useMemo(() => [...(page?.items ?? []), ...pages.flatMap((each) => each.items)], [page, pages])
  useEffect(() => setChanged(new Map()), [page])
  const [selected, setSelected] = useState<ReadonlySet<string>>(new Set())
  const [isAll, setAll] = useState(false)
  const [asking, setAsking] = useState<string>()
  const list = useRef<HTMLUListElement>(null)
  useEffect(() => {
    setSelected(new Set())
    setAll(false)
  }, [key])
  const id = state.id?.[0]
  const index = items.findIndex((item) => item.id === id)
  const canTriage = canChange(session, 'triage')
  const cursor = pages.length > 0 ? pages.at(-1)?.nextCursor : page?.nextCursor

  const open = (next: number, extend = false) => {
    const item = items[next]
    if (item === undefined) return
    if (extend) setSelected(new Set([...selected, item.id, ...(id === undefined ? [] : [id])]))
    go(changeState(route, { id: [item.id] }), true)
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' })
  }
  const toggle = (each: string) => {
    const next = new Set(selected)
    if (!next.delete(each)) next.add(each)
    setSelected(next)
    setAll(false)
  }
  const toggleFacet = useStable((dimension: string, value: string) =>
    dimension === 'status'
      ? change({ status: statuses.length === 1 && statuses[0] === value ? ['all'] : [value] })
      : go(toggleValue({ ...route, state: { ...state, id: [] } }, dimension, value)),
  )
  const clearFacet = useStable((dimension: string) =>
    change({ [dimension]: dimension === 'status' ? ['all'] : undefined }),
  )
  const gone = items.filter(({ id: each }) => !isEvery && !statuses.includes(changed.get(each) ?? statuses[0] ?? ''))
  const isScanned = facets.value?.freshness.sources.every((each) => each.lastCompletedScanAt === null) !== true
  const total = page?.total === undefined ? undefined : page.total - gone.length
  const target = (): Target | undefined => {
    if (isAll && total !== undefined) return { filters, ...search, expectedCount: total }
    if (selected.size > 0) return { ids: [...selected] }
    return id === undefined ? undefined : { ids: [id] }
  }
  const apply = async (decision: string, reason: string | undefined) => {
    const chosen = decisions[decision]
    const what = target()
    if (chosen === undefined || what === undefined) return
    const ids = 'ids' in what ? what.ids : items.map((item) => item.id)
    const before = changed
    setChanged(new Map([...changed, ...ids.map((each) => [each, chosen.status] as const)]))
    if (selected.size === 0 && !isAll) open(index + 1)
    setSelected(new Set())
    setAll(false)
    try {
      const done = await decide(what, chosen.status, reason)
      const text = done.changed === 1 ? `Finding ${chosen.done}` : `${toNumber(done.changed)} findings ${chosen.done}`
      say(text, () => {
        setUndoable(false)
        undo(done, chosen.status).then(
          (back) => {
            const others = done.changed - back
            say(
              others === 0
                ? `${toNumber(back)} restored`
                : `${toNumber(back)} restored; ${toNumber(others)} changed since, so nothing is undone there`,
            )
            refresh()
          },
          (error: Error) => complain(`The decision was not undone: ${error.message}`),
        )
      })
      setUndoable(done.changed > 0)
      setDecided((before) => before + 1)
      if (!('ids' in what)) refresh()
    } catch (error) {
      setChanged(before)
      complain(error instanceof ServerProblem ? error.message : 'The change was not made.')
    }
  }
  const start = (decision: string) => {
    if (!canTriage || target() === undefined) return
    if (decisions[decision]?.asks === true) setAsking(decision)
    else apply(decision, undefined)
  }
  useKeys((pressed) => {
    if (pressed === 'j' || pressed === 'k' || pressed === 'J' || pressed === 'K') {
      const step = pressed.toLowerCase() === 'j' ? 1 : -1
      open(index === -1 ? 0 : index + step, pressed === 'J' || pressed === 'K')
    } else if (pressed === 'x' && id !== undefined) toggle(id)
    else if (pressed === 'Escape' && (id !== undefined || selected.size > 0)) {
      if (selected.size > 0) setSelected(new Set())
      else go(changeState(route, { id: undefined }), true)
    } else if (pressed === 'e') document.getElementById('page-link')?.click()
    else if (decisions[pressed] !== undefined && target() !== undefined) start(pressed)
    else return false
    return true
  })
  const loadMore = async () => {
    if (cursor === undefined) return
    try {
      const next = await client.searchFindings({ ...asked, cursor })
      setMore({ key, pages: [...pages, next] })
    } catch (error) {
      complain(error instanceof ServerProblem ? error.message : 'The next page could not be read.')
    }
  }
  const change = (next: Record<string, string[] | undefined>) => go(changeState(route, { ...next, id: undefined }))
  const chosen = dimensions.filter(({ name }) => name !== 'status' && state[name] !== undefined)
  return (
    <main class={`page findings ${id === undefined ? '' : 'with-panel'}`} aria-busy={first.isWaiting}>
      <div class="title">
        <h1>Findings</h1>
        <span class="count">{total === undefined || !isScanned ? '' : toNumber(total)}</span>
        <form
          class="tools"
          onSubmit={(event) => {
            event.preventDefault()
            const text = String(new FormData(event.currentTarget).get('q') ?? '').trim()
            change({ q: text === '' ? undefined : [text] })
          }}
        >
          <input
            type="search"
            name="q"
            aria-label="Words in text, title, address or space"
            placeholder="Words in findings…"
            value={q ?? ''}
          />
          <select
            aria-label="Order"
            value={sort}
            onChange={(event) => {
              const next = event.currentTarget.value
              change({ sort: next === orders[0] ? undefined : [next] })
            }}
          >
            {orders.map((name) => (
              <option key={name} value={name}>
                {orderLabels[name]}
              </option>
            ))}
          </select>
        </form>
      </div>
      <div class="chips">
        <button type="button" class="chip" onClick={() => change({ status: isEvery ? undefined : ['all'] })}>
          <span>Status:</span>
          <b>{isEvery ? 'every' : <Names texts={statuses} />}</b>
          {isEvery ? <span class="muted">only open</span> : <span aria-hidden="true">✕</span>}
        </button>
        {chosen.map(({ name, label }) => (
          <Chip key={name} label={label} values={state[name] ?? []} remove={() => change({ [name]: undefined })} />
        ))}
        <button
          type="button"
          class="chip"
          aria-pressed={isOverdue}
          onClick={() => change({ overdue: isOverdue ? undefined : ['true'] })}
        >
          {isOverdue ? <b>Overdue</b> : 'Only overdue'}
          {isOverdue ? <span aria-hidden="true">✕</span> : null}
        </button>
        {isUndoable ? (
          <button type="button" class="chip" onClick={undoLast}>
            Undo the last decision <kbd>u</kbd>
          </button>
        ) : null}
        {isTimed ? (
          <Chip
            label="Found"
            values={[toSpanText(range) || Object.values(times).join(' ')]}
            codes={false}
            remove={() => change({ from: undefined, to: undefined })}
          />
        ) : null}
        {q === undefined ? null : (
          <Chip label="Words" values={[q]} codes={false} remove={() => change({ q: undefined })} />
        )}
      </div>
      {first.problem === undefined ? null : <ProblemNote problem={first.problem} />}
      <div class="columns">
        <details class="facets" open={innerWidth > 1000}>
          <summary>Filter</summary>
          {facets.value?.boards.map((board) => (
            <Leaderboard
              key={board.dimension}
              board={board}
              values={dimensions.find(({ name }) => name === board.dimension)?.values}
              better={null}
              selected={board.dimension === 'status' ? (isEvery ? [] : statuses) : (state[board.dimension] ?? [])}
              toLabel={toValueText}
              compares={false}
              onToggle={toggleFacet}
              onClear={clearFacet}
            />
          ))}
        </details>
        <section
          class={`card list ${first.isWaiting && page !== undefined ? 'waiting' : ''}`}
          aria-label="List of findings"
        >
          {selected.size === 0 ? null : (
            <div class="selection" role="status">
              <b>{toNumber(isAll && total !== undefined ? total : selected.size)} selected</b>
              {!isAll && !isTimed && total !== undefined && total > selected.size ? (
                <button type="button" class="link" onClick={() => setAll(true)}>
                  select all {toNumber(total)} that match
                </button>
              ) : null}
              {canTriage
                ? Object.entries(decisions).map(([letter, { label }]) => (
                    <button type="button" class="button small" key={letter} onClick={() => start(letter)}>
                      {label}
                    </button>
                  ))
                : null}
            </div>
          )}
          {page === undefined && first.problem === undefined ? <Shape height={520} /> : null}
          <ul class="rows" ref={list}>
            {items.map((item, at) => {
              const status = changed.get(item.id) ?? item.status
              return (
                <li key={item.id} class={`${item.id === id ? 'active' : ''} ${status === item.status ? '' : 'done'}`}>
                  <input
                    type="checkbox"
                    aria-label={`Select ${toWords(item.findingType)} in ${item.asset.name}`}
                    checked={selected.has(item.id)}
                    onChange={() => toggle(item.id)}
                  />
                  <button
                    type="button"
                    class="finding"
                    aria-current={item.id === id ? 'true' : undefined}
                    onClick={() => open(at)}
                  >
                    <Severity severity={item.severity} />
                    <b>
                      <Name text={item.findingType} />
                    </b>
                    <span class="where">
                      <Name text={item.asset.name} codes={false} />
                      <span class="muted">
                        <Name text={item.asset.container} codes={false} />
                      </span>
                    </span>
                    {status === 'OPEN' && isPast(item.dueAt) ? <span class="badge bad">Overdue</span> : null}
                    {status === 'OPEN' ? null : <span class="badge">{toWords(status)}</span>}
                    {item.audience === 'anonymous' || item.audience === 'everyone' ? <AudienceBadge {...item} /> : null}
                    {item.presence === 'current' ? null : <PresenceBadge presence={item.presence} />}
                    <span class="muted age">{toAge(Date.parse(item.firstDetectedAt), Date.now())}</span>
                    {item.excerpt === undefined || item.excerpt === '' ? null : (
                      <code class="excerpt" dir="auto">
                        {showInvisible(item.excerpt)}
                      </code>
                    )}
                  </button>
                </li>
              )
            })}
          </ul>
          {isScanned || (page === undefined && first.problem === undefined) ? null : (
            <div class="empty">
              <p>Nothing has been scanned yet.</p>
              <FirstSteps session={session} />
            </div>
          )}
          {page !== undefined && items.length === 0 && isScanned ? (
            <div class="empty">
              <p>Nothing matches.</p>
              <p class="row">
                {isEvery ? null : (
                  <button type="button" class="button small" onClick={() => change({ status: ['all'] })}>
                    Every status
                  </button>
                )}
                {chosen.map(({ name, label }) => (
                  <button type="button" class="button small" key={name} onClick={() => change({ [name]: undefined })}>
                    Without {label.toLowerCase()}
                  </button>
                ))}
              </p>
            </div>
          ) : null}
          {cursor === undefined ? null : (
            <button type="button" class="more" onClick={loadMore}>
              Show more
            </button>
          )}
        </section>
        {id === undefined ? null : (
          <FindingPanel
            id={id}
            status={changed.get(id)}
            canTriage={canTriage}
            onDecide={start}
            onClose={() => go(changeState(route, { id: undefined }), true)}
          />
        )}
      </div>
      {asking === undefined ? null : (
        <ReasonForm
          label={decisions[asking]?.label ?? ''}
          onCancel={() => setAsking(undefined)}
          onReason={(reason) => {
            setAsking(undefined)
            keepReason(reason)
            apply(asking, reason)
          }}
        />
      )}
    </main>
  )
}
