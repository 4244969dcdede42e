import { useRef, useState } from 'preact/hooks'
import { toWebAddress } from '../../charts/outside.ts'
import { Name } from '../../charts/parts.tsx'
import { toNumber, toWords } from '../../charts/words.ts'
import { client, ServerProblem } from '../client.ts'
import type { ConsoleSession, FoundPlaces } from '../model.ts'
import { canChange, Link, ProblemNote } from '../parts.tsx'
import { formatRoute } from '../route.ts'

/** Where personal data of someone is. What is typed is sent in a body, and neither stored nor put into the address. */
export function FindPerson({ session }: { session: ConsoleSession }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [found, setFound] = useState<FoundPlaces>()
  const [problem, setProblem] = useState<ServerProblem>()
  const [isWaiting, setWaiting] = useState(false)
  const find = async () => {
    const lines = (field.current?.value ?? '').split('\n').map((each) => each.trim())
    const identifiers = lines.filter((each) => each !== '')
    if (identifiers.length === 0) return
    setWaiting(true)
    setProblem(undefined)
    try {
      setFound(await client.findValue(identifiers))
    } catch (error) {
      setFound(undefined)
      setProblem(error instanceof ServerProblem ? error : new ServerProblem(-1, {}))
    }
    setWaiting(false)
  }
  return (
    <main class="page" aria-busy={isWaiting}>
      <h1>Find a person</h1>
      {canChange(session, 'triage') ? (
        <form
          class="form"
          onSubmit={(event) => {
            event.preventDefault()
            find()
          }}
        >
          <label>
            Email addresses, phone numbers, cards, IBANs, national ids or names, one on each line
            <textarea ref={field} rows={5} autocomplete="off" spellcheck={false} required />
          </label>
          <p class="muted">
            Nothing of it is stored or logged. The audit trail says that you asked, and how many findings there are.
          </p>
          <p class="row">
            <button type="submit" class="button primary" disabled={isWaiting}>
              Find
            </button>
            <button
              type="reset"
              class="button"
              onClick={() => {
                setFound(undefined)
                setProblem(undefined)
              }}
            >
              Clear
            </button>
          </p>
        </form>
      ) : (
        <p class="note">This needs a token with the scope triage.</p>
      )}
      {problem === undefined ? null : <ProblemNote problem={problem} />}
      {found === undefined ? null : <Places found={found} />}
    </main>
  )
}

function Places({ found: { identifiers, findings, items, truncated, places } }: { found: FoundPlaces }) {
  return (
    <section aria-label="Where it is" role="status">
      <h2>
        {toNumber(findings)} {findings === 1 ? 'finding' : 'findings'} in {toNumber(items)}{' '}
        {items === 1 ? 'item' : 'items'}
      </h2>
      <ul>
        {identifiers.map(({ position, readAs, findings: own, note }) => (
          <li key={position}>
            Line {position}, read as {readAs}: {toNumber(own)}
            {note === undefined ? null : <span class="muted"> {note}</span>}
          </li>
        ))}
      </ul>
      {truncated ? <p class="note">Only the first findings are listed.</p> : null}
      {places.map(({ asset, findings: own }) => {
        const address = toWebAddress(asset.url)
        return (
          <div class="card" key={asset.key}>
            <h3>
              <Name text={asset.name} codes={false} />
            </h3>
            <p class="muted">
              <Name text={asset.container} codes={false} />{' '}
              {address === undefined ? null : (
                <a href={address.href} target="_blank" rel="noopener noreferrer" class="link">
                  open on {address.host} ↗
                </a>
              )}
            </p>
            <ul>
              {own.map(({ id, findingType, status }) => (
                <li key={id}>
                  <Link to={formatRoute({ page: 'findings', state: { id: [id], status: ['all'] } })} class="link">
                    {toWords(findingType)}
                  </Link>{' '}
                  {status === 'OPEN' ? null : <span class="badge">{toWords(status)}</span>}
                </li>
              ))}
            </ul>
          </div>
        )
      })}
    </section>
  )
}
