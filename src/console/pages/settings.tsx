import { useState } from 'preact/hooks'
import { Name } from '../../charts/parts.tsx'
import { toDayText, toMoment } from '../../charts/times.ts'
import { toNumber, toWords } from '../../charts/words.ts'
import { useTermChoices } from '../choices.ts'
import { client, keepToken, readToken } from '../client.ts'
import { ConfirmedButton, Dialog } from '../dialog.tsx'
import { FilterField } from '../filter-field.tsx'
import { OperationForm } from '../form.tsx'
import { refresh, useAnswer } from '../hooks.ts'
import type { ConsoleSession, DuePolicy, ShownToken, Suppression } from '../model.ts'
import { canChange, Link, Mapping, ProblemNote, Shape } from '../parts.tsx'
import { changeState, formatRoute, go, type Route } from '../route.ts'
import { copy, say } from '../toast.tsx'

interface SettingsProps {
  route: Route
  session: ConsoleSession
}

/** Due dates, decisions that apply to future findings, and tokens; each with a form of its own. */
export function Settings({ route, session }: SettingsProps) {
  const isAdmin = canChange(session, 'admin')
  const { value, problem, isWaiting } = useAnswer(`settings ${isAdmin}`, async (signal) => {
    const [due, suppressions, tokens] = await Promise.all([
      client.listDuePolicies(signal),
      client.call<{ items: Suppression[] }>('GET', '/suppressions'),
      isAdmin ? client.call<{ items: ShownToken[] }>('GET', '/tokens') : undefined,
    ])
    return { policies: due.policies, suppressions: suppressions.items, tokens: tokens?.items }
  })
  const form = route.state.edit?.[0]
  const close = () => go(changeState(route, { edit: undefined }), true)
  const done = () => {
    refresh()
    close()
  }
  // A form stays while its page cannot be read, as when the session ends.
  if (form !== undefined && (value !== undefined || problem === undefined)) {
    if (value === undefined) return <main class="page narrow" aria-busy />
    return (
      <main class="page narrow" aria-busy={false}>
        {form === 'due' && canChange(session, 'author') ? (
          <DueForm policies={value.policies} onSaved={done} onCancel={close} />
        ) : form === 'suppression' && canChange(session, 'triage') ? (
          <SuppressionForm onSaved={done} onCancel={close} />
        ) : form === 'token' && isAdmin ? (
          <TokenForm isFirst={value.tokens?.length === 0} onDone={close} />
        ) : (
          <h1>Settings</h1>
        )}
      </main>
    )
  }
  const toForm = (name: string) => changeState(route, { edit: [name] })
  return (
    <main class="page" aria-busy={isWaiting}>
      <h1>Settings</h1>
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {value === undefined ? (
        problem === undefined ? (
          <Shape height={420} />
        ) : null
      ) : (
        <>
          <DueDates policies={value.policies} to={canChange(session, 'author') ? toForm('due') : undefined} />
          <Suppressions
            items={value.suppressions}
            canEdit={canChange(session, 'triage')}
            to={canChange(session, 'triage') ? toForm('suppression') : undefined}
          />
          {value.tokens === undefined ? null : <Tokens items={value.tokens} to={toForm('token')} />}
        </>
      )}
    </main>
  )
}

/** The policies by which findings are due. */
function DueDates({ policies, to }: { policies: readonly DuePolicy[]; to: string | undefined }) {
  return (
    <section class="card" aria-label="Due dates">
      <header>
        <h2>Due dates</h2>
        <Link to={formatRoute({ page: 'findings', state: { overdue: ['true'] } })} class="link">
          overdue findings
        </Link>
        {to === undefined ? null : (
          <Link to={to} class="button small end">
            Change the due dates
          </Link>
        )}
      </header>
      <dl class="pairs">
        {policies.map(({ glossaryTermSlug, days }) => (
          <>
            <dt>{glossaryTermSlug === null ? 'All findings' : glossaryTermSlug}</dt>
            <dd>
              {Object.entries(days)
                .flatMap(([severity, count]) => (count == null ? [] : [`${toWords(severity)} ${toNumber(count)} days`]))
                .join(', ')}
            </dd>
          </>
        ))}
      </dl>
      {policies.length === 0 ? <p class="foot muted">No finding is due by a date.</p> : null}
    </section>
  )
}

const toPolicies = (policies: readonly DuePolicy[]) => ({
  policies: policies.map(({ glossaryTermSlug, days }) => ({
    ...(glossaryTermSlug === null ? {} : { glossaryTermSlug }),
    days,
  })),
})

function DueForm({
  policies,
  onSaved,
  onCancel,
}: {
  policies: readonly DuePolicy[]
  onSaved: () => void
  onCancel: () => void
}) {
  return (
    <>
      <h1>Due dates</h1>
      <p class="lead">
        How many days after their first detection findings are due, for all of them or for those of a term.
      </p>
      <OperationForm
        operation="set_sla"
        start={toPolicies(policies)}
        readAgain={async () => toPolicies((await client.listDuePolicies()).policies)}
        choices={{ glossaryTermSlug: useTermChoices() }}
        save="Save the due dates"
        done="Due dates saved"
        onSaved={onSaved}
        onCancel={onCancel}
      />
    </>
  )
}

function Suppressions({
  items,
  canEdit,
  to,
}: {
  items: readonly Suppression[]
  canEdit: boolean
  to: string | undefined
}) {
  return (
    <section class="card" aria-label="Suppressions">
      <header>
        <h2>Suppressions</h2>
        <span class="muted">decisions that apply to present and future findings</span>
        {to === undefined ? null : (
          <Link to={to} class="button small end">
            Add a suppression
          </Link>
        )}
      </header>
      <ul class="entries">
        {items.map(({ id, filters, patterns, status, reason, createdBy, createdAt, until, valueFingerprint }) => (
          <li key={id}>
            <div class="row">
              <span class="badge">{toWords(status)}</span>
              <b>
                <Name text={reason} codes={false} />
              </b>
              <span class="muted">
                <bdi>{createdBy}</bdi>, {toMoment(createdAt)}
                {until === undefined ? '' : `, until ${toMoment(until)}`}
              </span>
              {canEdit ? (
                <ConfirmedButton
                  label="Delete"
                  what={`the suppression “${reason}”`}
                  about="Findings that it changed are open again, or resolved if they are gone."
                  act={() => client.call('DELETE', `/suppressions/${id}`)}
                  done={refresh}
                />
              ) : null}
            </div>
            <Mapping
              mapping={{
                ...filters,
                ...(valueFingerprint === undefined ? {} : { value: ['that of a finding'] }),
                ...Object.fromEntries(patterns.map(({ field, pattern }) => [`${field} like`, [pattern]])),
              }}
            />
          </li>
        ))}
        {items.length === 0 ? <li class="muted">none yet</li> : null}
      </ul>
    </section>
  )
}

function SuppressionForm({ onSaved, onCancel }: { onSaved: () => void; onCancel: () => void }) {
  return (
    <>
      <h1>Add a suppression</h1>
      <p class="lead">Open findings that match get the status now, and new ones as they are found.</p>
      <OperationForm<Suppression & { changed: number }>
        operation="create_suppression"
        start={{ status: 'IGNORED' }}
        refine={(schema) => ({ ...schema, required: [...(schema.required ?? []), 'filters'] })}
        custom={{ filters: (props) => <FilterField {...props} only={{ statuses: ['OPEN'] }} /> }}
        labels={{ filters: 'Findings', findingId: 'Value of the finding', until: 'Until' }}
        save="Suppress"
        onSaved={({ id, changed }) => {
          onSaved()
          say(`${toNumber(changed)} findings suppressed`, () => {
            client.call('DELETE', `/suppressions/${id}`).then(refresh)
          })
        }}
        onCancel={onCancel}
      />
    </>
  )
}

function Tokens({ items, to }: { items: readonly ShownToken[]; to: string }) {
  const tones = { active: 'good', expired: '', revoked: 'bad' }
  return (
    <section class="card" aria-label="Tokens">
      <header>
        <h2>Tokens</h2>
        <span class="muted">{items.length === 0 ? 'HTTP on this machine needs none' : 'HTTP needs one'}</span>
        <Link to={to} class="button small end">
          Create a token
        </Link>
      </header>
      <ul class="entries">
        {items.map(({ id, name, scopes, lockdown, status, expiresAt, lastUsedAt }) => (
          <li key={id} class="row">
            <span class={`badge ${tones[status]}`}>{status}</span>
            <b>
              <Name text={name} codes={false} />
            </b>
            <span>
              {scopes.join(', ')}
              {lockdown ? ' (lockdown)' : ''}
            </span>
            <span class="muted">
              until {toDayText(Date.parse(expiresAt))},{' '}
              {lastUsedAt === null ? 'never used' : `last used ${toMoment(lastUsedAt)}`}
            </span>
            {status === 'active' ? (
              <ConfirmedButton
                label="Revoke"
                what={`the token “${name}”`}
                about="Whoever uses it is refused from now on, in every process."
                act={() => client.call('DELETE', `/tokens/${id}`)}
                done={refresh}
              />
            ) : null}
          </li>
        ))}
        {items.length === 0 ? <li class="muted">none yet</li> : null}
      </ul>
    </section>
  )
}

/** Creates a token and shows it once; from the first one on this page needs one as well. */
function TokenForm({ isFirst, onDone }: { isFirst: boolean; onDone: () => void }) {
  const [made, setMade] = useState<ShownToken & { token: string }>()
  const close = () => {
    if (made !== undefined && readToken() === null) keepToken(made.token)
    refresh()
    onDone()
  }
  return (
    <>
      <h1>Create a token</h1>
      {isFirst ? (
        <p class="note">
          This is the first token: from now on every client needs one, this page too, which goes on with the new one.
          Give it the scope admin to manage tokens here.
        </p>
      ) : null}
      <OperationForm<ShownToken & { token: string }>
        operation="create_token"
        start={isFirst ? { scopes: ['admin'] } : {}}
        save="Create the token"
        onSaved={setMade}
        onCancel={onDone}
      />
      {made === undefined ? null : (
        <Dialog label="The new token" onClose={close}>
          <div class="form">
            <h2>The new token</h2>
            <p>Copy it now. It is not stored, and never shown again.</p>
            <code class="secret">{made.token}</code>
            <p class="row">
              <button type="button" class="button primary" onClick={() => copy(made.token, 'Token')}>
                Copy
              </button>
              <button type="button" class="button" onClick={close}>
                I have it
              </button>
            </p>
          </div>
        </Dialog>
      )}
    </>
  )
}
