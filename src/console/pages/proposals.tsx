import { Name } from '../../charts/parts.tsx'
import { toAgo } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import type { ProposalStatus } from '../../proposals/model.ts'
import { client } from '../client.ts'
import { useAnswer } from '../hooks.ts'
import { Link, ProblemNote, Shape } from '../parts.tsx'
import { changeState, formatRoute, type Route } from '../route.ts'

const tones: Readonly<Record<ProposalStatus, string>> = {
  open: 'warn',
  approved: 'good',
  rejected: '',
  failed: 'bad',
  expired: '',
}

export const StatusBadge = ({ status }: { status: ProposalStatus }) => (
  <span class={`badge ${tones[status]}`}>{toWords(status)}</span>
)

/** The proposals that wait for a decision, or all of them. */
export function Proposals({ route }: { route: Route }) {
  const isAll = route.state.all !== undefined
  const { value, problem, isWaiting } = useAnswer(`proposals ${isAll}`, (signal) =>
    client.listProposals(isAll ? undefined : 'open', signal),
  )
  const items = value?.items
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>Proposals</h1>
        {items === undefined ? null : <span class="count">{toNumber(items.length)}</span>}
        <div class="tools">
          <Link to={changeState(route, { all: isAll ? undefined : ['1'] })} class="button">
            {isAll ? 'Open ones' : 'Also decided ones'}
          </Link>
        </div>
      </div>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {items === undefined && problem === undefined ? <Shape height={220} /> : null}
      {items?.length === 0 ? (
        <p class="note">
          Nothing waits for a decision. What assistants may not do alone comes here: to certify, to delete, to dismiss
          what is critical, and every change with a token that may only propose.
        </p>
      ) : null}
      {items === undefined || items.length === 0 ? null : (
        <section class="card" aria-label="All proposals">
          <ul class="rows tall">
            {items.map(({ id, summary, status, proposedBy, client: program, createdAt }) => (
              <li key={id}>
                <Link to={formatRoute({ page: 'proposals', name: id })}>
                  <StatusBadge status={status} />
                  <span class="what">
                    <b>
                      <Name text={summary} codes={false} />
                    </b>
                    <span class="muted">
                      <Name text={program === undefined ? proposedBy : `${proposedBy}, ${program}`} codes={false} />
                    </span>
                  </span>
                  <span class="muted age">{toAgo(Date.parse(createdAt), Date.now())}</span>
                </Link>
              </li>
            ))}
          </ul>
        </section>
      )}
    </main>
  )
}
