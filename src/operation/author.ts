import type { Author } from '../store/audit.store.ts'
import type { WriteContext } from './context.ts'

/** The caller, as histories and the audit trail keep who changed something. */
export function authorOf(context: WriteContext): Author {
  const { name, id, via, token, scopes } = context.caller
  const assistant = via === 'mcp' || (token === true && !scopes.has('certify'))
  return { name, id, via, at: context.now(), ...(assistant ? { assistant } : {}) }
}
