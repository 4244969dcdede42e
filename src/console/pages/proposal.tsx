import { useState } from 'preact/hooks'
import { showInvisible } from '../../charts/outside.ts'
import { Name } from '../../charts/parts.tsx'
import { toMoment } from '../../charts/times.ts'
import { toWords } from '../../charts/words.ts'
import type { Proposal } from '../../proposals/model.ts'
import type { Impact } from '../../query/impact-model.ts'
import { client, ServerProblem } from '../client.ts'
import { Compared } from '../compared.tsx'
import { refresh, useAnswer } from '../hooks.ts'
import { ImpactView } from '../impact.tsx'
import type { ConsoleSession } from '../model.ts'
import { canChange, ProblemNote, WaitingPage } from '../parts.tsx'
import { say } from '../toast.tsx'
import { StatusBadge } from './proposals.tsx'

/** One proposal: who made it, everything that it changes, and its decision. */
export function ProposalPage({ id, session }: { id: string; session: ConsoleSession }) {
  const {
    value: shown,
    problem,
    isWaiting,
  } = useAnswer(`proposal ${id}`, async (signal) => {
    const proposal = await client.getProposal(id, signal)
    return { proposal, impact: await readImpact(proposal, signal) }
  })
  if (shown === undefined) {
    return <WaitingPage title="Proposals" height={320} problem={problem} isWaiting={isWaiting} />
  }
  const { proposal: value, impact } = shown
  return (
    <main class="page" aria-busy={isWaiting}>
      <div class="title">
        <h1>
          <Name text={value.summary} codes={false} />
        </h1>
        <StatusBadge status={value.status} />
      </div>
      {value.details.map((detail) => (
        <p class="lead" key={detail}>
          <bdi>{showInvisible(detail)}</bdi>
        </p>
      ))}
      <About proposal={value} />
      {value.changes.map(({ action, kind, name, before, after }) => (
        <section class="card" key={`${kind} ${name}`} aria-label={`${kind} ${name}`}>
          <header>
            <h2>
              {toWords(action)} {toWords(kind).toLowerCase()} <Name text={name} />
            </h2>
          </header>
          <Compared
            label={`Before and after of ${name}`}
            before={before}
            after={after}
            titles={[before === null ? 'Not there' : 'Before', after === null ? 'Deleted' : 'After']}
          />
        </section>
      ))}
      {impact === undefined ? null : (
        <section class="card" aria-label="Impact">
          <header>
            <h2>Impact</h2>
          </header>
          {'message' in impact ? <ProblemNote problem={impact} /> : <ImpactView impact={impact} proposal={id} />}
        </section>
      )}
      <details class="card form">
        <summary>The call: {value.operation}</summary>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keys */}
        <pre class="scroll inset" tabIndex={0}>
          {showInvisible(JSON.stringify(value.input, null, 2))}
        </pre>
      </details>
      {value.status === 'open' ? <Decision proposal={value} session={session} /> : null}
    </main>
  )
}

/** Waited for with the proposal, so that the buttons below it do not move; not there where what it is about is gone. */
async function readImpact({ impact }: Proposal, signal: AbortSignal): Promise<Impact | ServerProblem | undefined> {
  if (impact === undefined) return undefined
  try {
    return await client.getImpact(impact.operation, impact.input, signal)
  } catch (error) {
    if (error instanceof ServerProblem && [400, 404, 409].includes(error.status)) return error
    throw error
  }
}

function About({ proposal }: { proposal: Proposal }) {
  const { proposedBy, client: program, via, createdAt, expiresAt, decidedBy, decidedAt, reason } = proposal
  return (
    <section class="card" aria-label="About">
      <dl class="pairs">
        <dt>Proposed by</dt>
        <dd>
          <Name text={proposedBy} codes={false} /> <span class="muted">({program ?? via})</span>, {toMoment(createdAt)}
        </dd>
        {proposal.status === 'open' ? (
          <>
            <dt>Until</dt>
            <dd>{toMoment(expiresAt)}</dd>
          </>
        ) : null}
        {decidedBy === undefined || decidedAt === undefined ? null : (
          <>
            <dt>Decided by</dt>
            <dd>
              <Name text={decidedBy} codes={false} />, {toMoment(decidedAt)}
            </dd>
          </>
        )}
        {reason === undefined ? null : (
          <>
            <dt>Reason</dt>
            <dd>
              <bdi>{showInvisible(reason)}</bdi>
            </dd>
          </>
        )}
      </dl>
    </section>
  )
}

/** Approves or rejects, with a reason for the history. */
function Decision({ proposal, session }: { proposal: Proposal; session: ConsoleSession }) {
  const [reason, setReason] = useState('')
  const [problem, setProblem] = useState<ServerProblem>()
  const [isBusy, setBusy] = useState(false)
  const { id, scope, proposedBy } = proposal
  const mayApprove = canChange(session, scope)
  const mayReject = mayApprove || session.name === proposedBy
  if (!mayReject) return <p class="note">Who decides this needs the scope {scope}.</p>
  const decide = (run: typeof client.approveProposal, done: string) => {
    setBusy(true)
    run(id, reason.trim() === '' ? {} : { reason: reason.trim() })
      .then(
        () => {
          say(done)
          setProblem(undefined)
        },
        (error: ServerProblem) => setProblem(error),
      )
      .finally(() => {
        setBusy(false)
        refresh()
      })
  }
  return (
    <form class="card form" onSubmit={(event) => event.preventDefault()}>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      <label>
        Reason, for the history (optional)
        <input maxLength={1000} value={reason} onInput={(event) => setReason(event.currentTarget.value)} />
      </label>
      <p class="row">
        {mayApprove ? (
          <button
            type="button"
            class="button primary"
            disabled={isBusy}
            onClick={() => decide(client.approveProposal, 'Approved')}
          >
            Approve
          </button>
        ) : null}
        <button
          type="button"
          class="button"
          disabled={isBusy}
          onClick={() => decide(client.rejectProposal, 'Rejected')}
        >
          Reject
        </button>
      </p>
    </form>
  )
}
