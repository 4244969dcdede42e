import { useState } from 'preact/hooks'
import { toNumber } from '../charts/words.ts'
import { client } from './client.ts'
import { refresh } from './hooks.ts'
import { ImportButton } from './import.tsx'
import type { ConsoleSession } from './model.ts'
import { canChange, Link } from './parts.tsx'
import { formatRoute } from './route.ts'
import { complain, say } from './toast.tsx'

const toForm = (kind: string) => formatRoute({ page: 'sources', state: { add: [kind] } })

/** How to begin where there is no source. */
export function FirstSteps({ session }: { session: ConsoleSession | undefined }) {
  const [isLoading, setLoading] = useState(false)
  if (session === undefined || !canChange(session, 'admin')) {
    return <p class="note">There is no source yet; a user with the scope admin can add one.</p>
  }
  const load = async () => {
    setLoading(true)
    try {
      const { lines } = await client.importDemo()
      say(`${toNumber(lines)} invented findings loaded`)
      refresh()
    } catch (error) {
      complain(error instanceof Error ? error.message : String(error))
    }
    setLoading(false)
  }
  return (
    <ul class="cards steps">
      <li class="card form">
        <h2>Look around</h2>
        <p>A year of invented findings, as a source of its own that can be deleted again.</p>
        <p class="row">
          <button type="button" class="button primary" disabled={isLoading} onClick={load}>
            {isLoading ? 'Loading…' : 'Load demo data'}
          </button>
        </p>
      </li>
      <li class="card form">
        <h2>Scan a wiki</h2>
        <p>
          Confluence: its address, an account and an API token. The connection can be tested before anything is read.
        </p>
        <p class="row">
          <Link to={toForm('wiki')} class="button">
            Add a wiki
          </Link>
        </p>
      </li>
      <li class="card form">
        <h2>Scan a BI tenant</h2>
        <p>Power BI: an application that may read the tenant, or an access token.</p>
        <p class="row">
          <Link to={toForm('bi')} class="button">
            Add a BI tenant
          </Link>
        </p>
      </li>
      <li class="card form">
        <h2>Bring what others found</h2>
        <p>SARIF, the JSON of scanners, NDJSON or CSV. What it would change is shown first.</p>
        <p class="row">
          <ImportButton />
        </p>
      </li>
    </ul>
  )
}
