import type { ComponentChildren } from 'preact'
import { type ChangeText, toWords } from '../charts/words.ts'
import type { ServerProblem } from './client.ts'
import { showInvisible } from './outside.ts'
import { go } from './route.ts'

/** A name from a tenant: isolated, so that its direction changes nothing around it; invisible characters are shown. */
export function Name({ text, codes = true }: { text: string; codes?: boolean }) {
  const shown = codes ? toWords(text) : text
  return (
    <bdi class="name" title={shown}>
      {shown === '' ? '–' : showInvisible(shown)}
    </bdi>
  )
}

/** A condition that a click removes. */
export function Chip({ label, value, remove }: { label?: string; value: string | undefined; remove: () => void }) {
  return (
    <button type="button" class="chip" onClick={remove}>
      {label === undefined ? null : `${label}: `}
      <b dir="auto">{value}</b> <span aria-hidden="true">✕</span>
      <span class="hidden">remove</span>
    </button>
  )
}

/** Follows a link within the console without loading a page. */
export function Link({
  to,
  children,
  ...more
}: {
  to: string
  children: ComponentChildren
  class?: string
  title?: string
  'aria-current'?: 'page' | undefined
}) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
    event.preventDefault()
    go(to)
    scrollTo(0, 0)
  }
  return (
    <a href={to} onClick={follow} {...more}>
      {children}
    </a>
  )
}

const arrows = { up: '▲', down: '▼', same: '●' }
const said = { up: 'up', down: 'down', same: 'unchanged' }

export function Change({ change }: { change: ChangeText | undefined }) {
  if (change === undefined) return null
  const { direction, text, tone } = change
  if (text === 'new') return <span class="change">new</span>
  return (
    <span class={`change ${tone}`}>
      <span aria-hidden="true" class="arrow">
        {arrows[direction]}
      </span>{' '}
      <span class="hidden">{said[direction]} </span>
      {text}
    </span>
  )
}

const tiers: Readonly<Record<string, [string, string]>> = {
  certified: ['✓ Certified', 'good'],
  draft: ['Draft', 'warn'],
  drifted: ['Drifted', 'warn'],
  deprecated: ['Deprecated', 'bad'],
}

/** How far a number can be trusted. */
export function Trust({ tier, label, version }: { tier: string; label: string; version?: number }) {
  const [text, tone] = tiers[tier] ?? [tier, 'warn']
  return (
    <span class={`badge ${tone}`} title={label}>
      {text}
      {version === undefined ? '' : ` · v${version}`}
    </span>
  )
}

/** What went wrong, in the server's sentence, with what it suggests. */
export function ProblemNote({ problem, onPick }: { problem: ServerProblem; onPick?: (value: string) => void }) {
  return (
    <div class="note bad" role="alert">
      <p>{problem.message}</p>
      {onPick !== undefined && problem.suggestions.length > 0 ? (
        <p class="row">
          {problem.suggestions.slice(0, 5).map(({ value, label }) => (
            <button type="button" class="button small" key={value} onClick={() => onPick(value)}>
              {label ?? value}
            </button>
          ))}
        </p>
      ) : null}
    </div>
  )
}

/** The shape of what will be there; it appears only when the answer takes a moment. */
export function Shape({ height }: { height: number }) {
  return <div class="shape" style={{ height: `${height}px` }} aria-hidden="true" />
}

export function Dot({ severity }: { severity: string }) {
  return <span class={`dot ${severity.toLowerCase()}`} aria-hidden="true" />
}
