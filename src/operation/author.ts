import type { Author } from '../audit/audit.store.ts'
import { breakMarkdownIn } from '../kernel/plain-text.ts'
import type { WriteContext } from './context.ts'

/** The caller, as histories and the audit trail record who changed something. */
export function authorOf(context: Pick<WriteContext, 'caller' | 'now'>): Author {
  const { name, id, via, client, token, scopes, proposal } = context.caller
  const assistant = via === 'mcp' || (token === true && !scopes.has('certify'))
  return { name, id, via, client, at: context.now(), proposal, ...(assistant ? { assistant } : {}) }
}

/** The name for a history, which has no more than that. */
export const describeAuthor = ({ name, proposal }: Pick<Author, 'name' | 'proposal'>): string =>
  proposal === undefined ? name : `${name}, proposed by ${proposal.name}`

/** Breaks links in the texts at `keys` that an assistant may have written, because other assistants will read them. */
export function defuseAssistantText<Change extends object>(
  { assistant, proposal }: Author,
  change: Change,
  keys: readonly string[],
): Change {
  return assistant === true || proposal !== undefined ? breakMarkdownIn(change, keys) : change
}
