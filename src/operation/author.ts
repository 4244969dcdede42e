import type { Author } from '../audit/audit.store.ts'
import { breakMarkdownIn } from '../kernel/plain-text.ts'
import type { WriteContext } from './context.ts'

/** The caller, as histories and the audit trail record who changed something. */
export function authorOf(context: Pick<WriteContext, 'caller' | 'now'>): Author {
  const { name, id, via, client, token, scopes } = context.caller
  const assistant = via === 'mcp' || (token === true && !scopes.has('certify'))
  return { name, id, via, client, at: context.now(), ...(assistant ? { assistant } : {}) }
}

/** Breaks links in the texts at `keys` when an assistant wrote them, because other assistants will read them. */
export function defuseAssistantText<Change extends object>(
  { assistant }: Author,
  change: Change,
  keys: readonly string[],
): Change {
  return assistant === true ? breakMarkdownIn(change, keys) : change
}
