import type { ErrorReport } from '../kernel/errors.ts'
import type { Caller, Scope } from '../operation/context.ts'
import type { Coercion } from '../operation/input/coerce.ts'
import type { LogLevel } from '../runtime/log.ts'

/** The worker data of the query thread. */
export interface QueryThreadSettings {
  home: string
  /** The environment variables for a key that is not in the data folder. */
  keys: Readonly<Record<string, string | undefined>>
  logLevel: LogLevel
  /** Below this number of findings there is no engine. */
  leastFindings: number
}

/** Messages to the query thread. */
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

/** Messages from the query thread; a refusal without an error is an internal failure whose cause is only logged. */
export type QueryThreadReply =
  | { kind: 'answer'; id: number; output: unknown }
  | { kind: 'refusal'; id: number; error: ErrorReport | undefined }
  | { kind: 'log'; line: string }
  | { kind: 'closed' }
