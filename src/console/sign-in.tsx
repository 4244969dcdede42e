import { useState } from 'preact/hooks'
import { forgetToken, keepToken, readToken, type ServerProblem } from './client.ts'

/** Asks for a token, which is kept for this tab only; the address stays as it is. */
export function SignIn({ problem, onToken }: { problem: ServerProblem | undefined; onToken: () => void }) {
  const [token, setToken] = useState('')
  const wasRefused = readToken() !== null
  const submit = (event: Event) => {
    event.preventDefault()
    if (token.trim() === '') forgetToken()
    else keepToken(token.trim())
    onToken()
  }
  return (
    <main class="page narrow">
      <h1>Sign in</h1>
      <form class="card form" onSubmit={submit}>
        <p>This server asks for a token. It stays in this tab, and goes nowhere else.</p>
        <label>
          Token
          <input
            type="password"
            autocomplete="off"
            spellcheck={false}
            placeholder="assay_…"
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </label>
        {wasRefused && problem !== undefined ? <p class="bad-text">{problem.message}</p> : null}
        <button type="submit" class="button primary">
          Sign in
        </button>
        <p class="muted">
          Create one with <code>assay token create --scope triage</code>.
        </p>
      </form>
    </main>
  )
}
