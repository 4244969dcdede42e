import type { ComponentChildren } from 'preact'
import { dimensions } from '../charts/dimensions.ts'
import { Name } from '../charts/parts.tsx'
import { toNumber } from '../charts/words.ts'
import type { AudienceName } from '../connectors/audience.ts'
import type { Finding, Presence } from '../findings/model.ts'
import { forgetToken, readToken, type ServerProblem } from './client.ts'
import { type Correction, listCorrections } from './correction.ts'
import { flatten, toPathText } from './flatten.ts'
import { refresh } from './hooks.ts'
import type { ConsoleSession } from './model.ts'
import { go, type State } from './route.ts'

export const presenceWords: Readonly<Record<Presence, string>> = {
  current: 'In the present version',
  archived: 'In an archived item',
  history: 'Only in earlier versions',
  trash: 'In the trash',
  unknown: 'Not known where it can be read',
}

const audienceWords: Readonly<Record<AudienceName, string>> = {
  anonymous: 'Anyone can read it',
  everyone: 'Everyone here can read it',
  group: 'Groups can read it',
  people: 'Named people can read it',
  unknown: 'Not known who can read it',
}

export const AudienceBadge = ({ audience, audienceSize }: Pick<Finding, 'audience' | 'audienceSize'>) => (
  <span class={`badge ${audience === 'anonymous' ? 'bad' : audience === 'everyone' ? 'warn' : ''}`}>
    {audienceWords[audience]}
    {audienceSize === undefined ? '' : ` (${toNumber(audienceSize)})`}
  </span>
)

export const PresenceBadge = ({ presence }: { presence: Presence }) => (
  <span class={`badge ${presence === 'current' ? '' : 'warn'}`}>{presenceWords[presence]}</span>
)

/** A condition that a click removes. */
export function Chip({
  label,
  values,
  codes = true,
  remove,
}: {
  label?: string
  values: readonly string[]
  codes?: boolean
  remove: () => void
}) {
  return (
    <button type="button" class="chip" onClick={remove}>
      {label === undefined ? null : <span>{label}:</span>}
      <b>
        <Names texts={values} codes={codes} />
      </b>
      <span aria-hidden="true">✕</span>
      <span class="hidden">remove</span>
    </button>
  )
}

/** Names with commas between them, each isolated from the others. */
export function Names({ texts, codes = true }: { texts: readonly string[]; codes?: boolean }) {
  return (
    <>
      {texts.map((text, index) => (
        <>
          {index === 0 ? null : ', '}
          <Name text={text} codes={codes} />
        </>
      ))}
    </>
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

export function Corrections({ corrections }: { corrections: readonly Correction[] }) {
  if (corrections.length === 0) return null
  return (
    <p class="row">
      {corrections.map(({ label, to }) => (
        <Link class="button small" key={to} to={to}>
          <Name text={label} codes={false} />
        </Link>
      ))}
    </p>
  )
}

/** What went wrong, in the server's sentence, with links to what may have been meant in the state `asked`. */
export function ProblemNote({ problem, asked }: { problem: ServerProblem; asked?: State }) {
  return (
    <div class="note bad" role="alert">
      <p>{problem.message}</p>
      <Corrections corrections={listCorrections(problem, asked)} />
      {problem.status === 403 && readToken() !== null ? (
        <p class="row">
          <button
            type="button"
            class="button small"
            onClick={() => {
              forgetToken()
              refresh()
            }}
          >
            Use another token
          </button>
        </p>
      ) : null}
    </div>
  )
}

/** The shape of what will be there; it appears only when the answer takes a moment. */
export function Shape({ height }: { height: number }) {
  return <div class="shape" style={{ height: `${height}px` }} aria-hidden="true" />
}

/** A page of one thing while its answer is awaited, or could not be had. */
export function WaitingPage({
  title,
  height,
  problem,
  isWaiting,
}: {
  title: ComponentChildren
  height: number
  problem: ServerProblem | undefined
  isWaiting: boolean
}) {
  return (
    <main class="page" aria-busy={isWaiting}>
      <h1>{title}</h1>
      {problem === undefined ? <Shape height={height} /> : <ProblemNote problem={problem} />}
    </main>
  )
}

/** Whether the session may change what needs a scope; what it may not is not shown. */
export const canChange = ({ scopes, readOnly }: ConsoleSession, scope: string): boolean =>
  scopes.includes(scope) && !readOnly

/** The findings that a mapping covers, a line for each of its keys. */
export function Mapping({ mapping }: { mapping: object }) {
  const labelOf = (key: string) => dimensions.find(({ filterKey }) => filterKey === key)?.label ?? toPathText(key)
  const lines = Object.entries(mapping).flatMap(([key, value]) =>
    key === 'exclude'
      ? Object.entries(value).map(([inner, each]) => [`not ${labelOf(inner)}`, each])
      : [[labelOf(key), value]],
  )
  return (
    <dl class="pairs">
      {lines.map(([label, value]) => (
        <>
          <dt>{label}</dt>
          <dd>
            {Array.isArray(value) ? (
              <Names texts={value.map(String)} />
            ) : (
              flatten(value)
                .map(({ path, text }) => `${toPathText(path)} ${text}`)
                .join(', ')
            )}
          </dd>
        </>
      ))}
    </dl>
  )
}
