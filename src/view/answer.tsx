import '../charts/charts.css'
import './view.css'
import { render } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { toWebAddress } from '../charts/outside.ts'
import { connect, type HostContext, type ToolResult, type ViewHost } from './bridge.ts'
import { toConsolePath } from './console-link.ts'
import { Drawing } from './drawing.tsx'
import { type Shown, toShown, toShownCsv } from './shapes.ts'

interface State {
  shown: Shown | undefined
  /** The address of the console, where one is known. */
  console: string | undefined
  input: Record<string, unknown> | undefined
  isComplete: boolean
  cancelled: string | undefined
  context: HostContext
}

const start: State = {
  shown: undefined,
  console: undefined,
  input: undefined,
  isComplete: false,
  cancelled: undefined,
  context: {},
}

const read = (result: ToolResult) => ({ shown: toShown(result), console: result._meta?.['assay/view']?.console })

/** The host's colours and fonts, where it gives some; ours otherwise. */
function applyContext({ theme, styles }: HostContext): void {
  const root = document.documentElement
  if (theme !== undefined) root.dataset.theme = theme
  for (const [name, value] of Object.entries(styles?.variables ?? {})) {
    if (/^--(?:color|font)-[a-z0-9-]+$/.test(name) && value !== undefined) root.style.setProperty(name, value)
  }
}

const byDimension = [
  ['severity', 'Severity'],
  ['detectorType', 'Detector'],
  ['container', 'Space'],
  ['findingType', 'Finding type'],
  ['status', 'Status'],
] as const

function View() {
  const [state, setState] = useState(start)
  const [host, setHost] = useState<ViewHost>()
  const [isAsking, setAsking] = useState(false)
  const change = (next: Partial<State>) => setState((before) => ({ ...before, ...next }))
  useEffect(() => {
    connect({
      onInput: (input, isComplete) => change({ input, isComplete }),
      onResult: (result) => change({ ...read(result), cancelled: undefined }),
      onCancelled: (reason) => change({ cancelled: reason ?? 'The question was cancelled.' }),
      onContext: (context) => {
        applyContext(context)
        setState((before) => ({ ...before, context: { ...before.context, ...context } }))
      },
      onTeardown: () => render(null, document.body),
    }).then(setHost, () => {})
  }, [])
  const { shown, input, isComplete, cancelled, context } = state
  const ask = (name: string, question: Record<string, unknown>) => {
    if (host === undefined) return
    setAsking(true)
    host
      .call(name, question)
      .then(
        (result: ToolResult) => {
          change({ ...read(result), input: question })
          const text = result.content?.find(({ type }) => type === 'text')?.text
          if (text !== undefined) host.updateContext(`The user now looks at this answer of ${name}:\n${text}`)
        },
        (error: Error) => change({ shown: { kind: 'text', text: error.message, isError: true } }),
      )
      .finally(() => setAsking(false))
  }
  const isMetric = shown?.kind === 'value' || shown?.kind === 'series'
  // Without the question of the assistant, its filters are not known, and another number would be shown.
  const canAsk = host?.canCall === true && isMetric && isComplete && input !== undefined
  const { dimensions: _d, granularity: _g, ...question } = input ?? {}
  const csv = host?.canSave === true && shown !== undefined ? toShownCsv(shown) : undefined
  const path = shown === undefined ? undefined : toConsolePath(shown, isComplete ? input : undefined)
  const address = host?.canOpen === true && path !== undefined ? toWebAddress(state.console ?? '') : undefined
  const isFull = context.displayMode === 'fullscreen'
  return (
    <main aria-busy={shown === undefined || isAsking} class={isAsking ? 'waiting' : ''}>
      {shown === undefined ? (
        <p class="muted">{cancelled ?? 'Assay is counting…'}</p>
      ) : (
        <Drawing shown={shown} input={input} />
      )}
      {host === undefined || shown === undefined ? null : (
        <div class="row controls">
          {canAsk ? (
            <fieldset class="group" aria-label="Break down by">
              {byDimension.map(([dimension, label]) => (
                <button
                  type="button"
                  key={dimension}
                  onClick={() => ask('query_metric', { ...toValueQuestion(question), dimensions: [dimension] })}
                >
                  {label}
                </button>
              ))}
            </fieldset>
          ) : null}
          {address === undefined ? null : (
            <button type="button" class="button" onClick={() => host.open(`${address.href}${path}`).catch(() => {})}>
              Open in the console
            </button>
          )}
          {csv === undefined ? null : (
            <button type="button" class="button" onClick={() => host.save(csv.name, csv.text).catch(() => {})}>
              Save as CSV
            </button>
          )}
          {context.availableDisplayModes?.includes('fullscreen') ? (
            <button
              type="button"
              class="button"
              onClick={() =>
                host.show(isFull ? 'inline' : 'fullscreen').then(
                  (displayMode) => change({ context: { ...context, displayMode } }),
                  () => {},
                )
              }
            >
              {isFull ? 'Smaller' : 'Full screen'}
            </button>
          ) : null}
        </div>
      )}
    </main>
  )
}

/** The members of a question about a series that a question about a value has, too. */
function toValueQuestion(question: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const kept = ['metricSlug', 'glossaryTermSlug', 'filters', 'from', 'to', 'timeZone', 'weekStart', 'compare']
  return Object.fromEntries(Object.entries(question).filter(([key]) => kept.includes(key)))
}

document.documentElement.dataset.theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
render(<View />, document.body)
