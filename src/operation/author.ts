import type { Author } from '../store/audit.store.ts'
import type { WriteContext } from './context.ts'

/** The caller, as histories and the audit trail keep who changed something. */
export function authorOf(context: WriteContext): Author {
  return { name: context.caller.name, via: context.caller.via, at: context.now() }
}
