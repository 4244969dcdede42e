import { showInvisible } from './outside.ts'
import { type ChangeText, toWords } from './words.ts'

/** A name from a tenant: isolated, so that its direction changes nothing around it; invisible characters are shown. */
export function Name({ text, codes = true }: { text: string; codes?: boolean }) {
  const shown = codes ? toWords(text) : text
  return (
    <bdi class="name" title={shown}>
      {shown === '' ? '–' : showInvisible(shown)}
    </bdi>
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
  failing: ['Failing', 'bad'],
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

/** A severity in a word beside its colour. */
export function Severity({ severity }: { severity: string }) {
  return (
    <span class="severity">
      <Dot severity={severity} />
      {toWords(severity)}
    </span>
  )
}

export function Dot({ severity }: { severity: string }) {
  return <span class={`dot ${severity.toLowerCase()}`} aria-hidden="true" />
}
