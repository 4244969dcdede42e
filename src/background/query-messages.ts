import type { ErrorReport } from '../kernel/errors.ts'
import type { Caller, Scope } from '../operation/context.ts'
import type { Coercion } from '../operation/input/coerce.ts'
import type { LogLevel } from '../runtime/log.ts'

/** What the thread is started with. */
export interface QueryThreadSettings {
  home: string
  /** Where the key is found, when it is not in the data folder. */
  keys: Readonly<Record<string, string | undefined>>
  logLevel: LogLevel
  /** With fewer there is no engine. */
  leastFindings: number
}

/** What the thread is told. */
export type QueryThreadRequest =
  | {
      kind: 'ask'
      id: number
      operation: string
      input: object
      caller: Omit<Caller, 'scopes'> & { scopes: readonly Scope[] }
      coerced?: readonly Coercion[]
    }
  | { kind: 'forget'; id: number }
  | { kind: 'close' }

/** What the thread tells; without an error a refusal is one that callers are not told the cause of. */
export type QueryThreadReply =
  | { kind: 'answer'; id: number; output: unknown }
  | { kind: 'refusal'; id: number; error: ErrorReport | undefined }
  | { kind: 'log'; line: string }
  | { kind: 'closed' }
