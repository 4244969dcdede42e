import type { Proposer } from '../audit/audit.store.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import type { PrintableText } from '../kernel/shown.ts'
import type { Log } from '../runtime/log.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Reader, Store } from '../store/store.ts'
import type { Coercion } from './input/coerce.ts'

export const scopes = ['read', 'propose', 'triage', 'author', 'certify', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** The scopes that each scope includes; the only definition of this. */
const included: Readonly<Record<Scope, readonly Scope[]>> = {
  read: [],
  propose: ['read'],
  triage: ['read'],
  author: ['read'],
  certify: ['read'],
  admin: ['read', 'propose', 'triage', 'author', 'certify'],
}

/** The granted scopes and those that they include. */
export function expandScopes(granted: Iterable<Scope>): Set<Scope> {
  return new Set([...granted].flatMap((scope) => [scope, ...included[scope]]))
}

/** Who makes a call, and through which interface. */
export interface Caller {
  /** Shown in histories and in the audit trail. */
  name: string
  /**
   * Stays the same when the name changes, such as `token/3f9a` or `https://id.example.com#ada`; absent for the user of
   * this machine.
   */
  id?: string
  via: 'http' | 'mcp' | 'cli'
  scopes: ReadonlySet<Scope>
  /** The client program, by the name it gives itself. */
  client?: string
  /** No person has agreed to this call, so operations that need consent are refused. */
  needsConsent?: boolean
  /** True when the scopes come from a token, false for the user of this machine. */
  token?: boolean
  /** When that token expires (milliseconds); absent for tokens in the database, which stores their expiry. */
  expiresAt?: number
  /** Answers contain only counts and ids, regardless of the setting of the server. */
  lockdown?: boolean
  /** Who has proposed what this caller approves. */
  proposal?: Proposer
}

/** Whether who last changed a metric may not certify it: in any case, where tokens exist, or never. */
export type FourEyes = 'always' | 'withTokens' | 'never'

/** Identifies the owner of a cursor, a session or a query. */
export const principalOf = ({ id, name }: Caller): string => id ?? `local/${name}`

export interface Progress {
  done: number
  total?: number
  message: PrintableText
}

/** Runs scans in this process; the rows of scans in the database state what is to be done. */
export interface ScanRunner {
  /** Wakes the runner for a scan that was queued. */
  start(scanUid: string): void
  /** Interrupts a scan that runs in this process; one that runs elsewhere reads the flag in its row. */
  cancel(scanUid: string): void
}

/** What is known of an operation before it runs. */
export interface OperationFacts {
  name: string
  effect: 'read' | 'write'
  cost?: 'computed'
}

/** Passed to every operation in addition to its input. */
export interface ReadContext {
  /** Runs `work` in one snapshot on a read-only connection. */
  read<T>(work: (reader: Reader) => T): T
  now: () => number
  caller: Caller
  signal: AbortSignal
  log: Log
  progress(progress: Progress): void
  /** Corrections made to the form of the input; answers with `warnings` report them. */
  coerced?: readonly Coercion[] | undefined
  vault: Vault
  /** Answers contain only counts and ids, for all callers. */
  lockdown?: boolean
  /** Codes from imports are shown unchanged even in lockdown. */
  lockdownCodes?: boolean
  /** Codes of custom detectors, or of all stored rows; present where the calling thread must not wait for the database. */
  listCodes?(which: 'defined' | 'stored'): Awaitable<string[]>
  /** Only operations that change nothing are offered. */
  readOnly?: boolean
  /** Called when the caller's scopes do not allow a call. */
  onRefused?: (operation: string) => void
  /** Wraps the work of every operation, to measure or to delay it. */
  around?(operation: OperationFacts, work: () => Promise<unknown>): Promise<unknown>
  /**
   * Answers a read on the query thread; returns undefined, or a promise of it, when it must be answered on this thread.
   * @throws AppError any error of the operation.
   */
  runOnQueryThread?(
    operation: string,
    input: object,
    context: Pick<ReadContext, 'caller' | 'coerced' | 'signal'>,
  ): Promise<{ output: unknown } | undefined> | undefined
  /**
   * Runs an operation on a thread that may wait for the database; absent where the calling thread runs it.
   * @throws AppError any error of the operation.
   */
  runOnOperationThread?(operation: string, input: object, context: AskedContext): Promise<unknown>
  /** Writes the answer to raw input as a file there; absent where the calling thread does. */
  writeOnOperationThread?(operation: string, format: string, raw: unknown): AsyncGenerator<string>
}

/** What of a context belongs to one call. */
export type AskedContext = Pick<ReadContext, 'caller' | 'coerced' | 'signal' | 'progress'>

export interface WriteContext extends ReadContext {
  /**
   * Resolves when the write lock is free, so that a write does not block the thread while it waits.
   * @throws AppError `unavailable` if that takes too long
   */
  waitForWriteLock?(): Promise<void>
  store: Store
  scans: ScanRunner
  /** Hosts to which webhooks may be sent although they are not public. */
  webhookHosts?: readonly string[]
  /** Default: `withTokens`. */
  fourEyes?: FourEyes
  /**
   * Runs an operation that may take long on the scan thread; undefined when it must run on this thread.
   * @throws AppError any error of the operation.
   */
  runOnScanThread?(operation: OperationFacts, input: object, context: AskedContext): Promise<unknown> | undefined
}
