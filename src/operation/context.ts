import type { Shown } from '../kernel/shown.ts'
import type { Log } from '../runtime/log.ts'
import type { Vault } from '../store/keys/vault.ts'
import type { Reader, Store } from '../store/store.ts'
import type { Coercion } from './input/coerce.ts'

export const scopes = ['read', 'triage', 'author', 'certify', 'admin'] as const
export type Scope = (typeof scopes)[number]

/** What a scope lets its holder do beside what it names; stated here and nowhere else. */
const included: Readonly<Record<Scope, readonly Scope[]>> = {
  read: [],
  triage: ['read'],
  author: ['read'],
  certify: ['read'],
  admin: ['read', 'triage', 'author', 'certify'],
}

/** The scopes that were granted, with those that they include. */
export function expandScopes(granted: Iterable<Scope>): Set<Scope> {
  return new Set([...granted].flatMap((scope) => [scope, ...included[scope]]))
}

/** Who asks, and through which door. */
export interface Caller {
  /** Shown in histories and audits. */
  name: string
  /**
   * Stays when the name changes, such as `token/3f9a` or `https://id.example.com#ada`; absent for the person at this
   * machine.
   */
  id?: string
  via: 'http' | 'mcp' | 'cli'
  scopes: ReadonlySet<Scope>
  /** The program that asks, by the name that it gives itself. */
  client?: string
  /** What needs the consent of a person is refused: it has not been given. */
  needsConsent?: boolean
  /** True when the scopes come from a token, and not from being the person at this machine. */
  token?: boolean
  /** When that token ends (milliseconds); absent where the database says so. */
  expiresAt?: number
  /** Answers hold counts and ids only, whatever the server allows others. */
  lockdown?: boolean
}

/** Whose a cursor, a session or a question is. */
export const principalOf = ({ id, name }: Caller): string => id ?? `local/${name}`

export interface Progress {
  done: number
  total?: number
  message: Shown
}

/** Drives scans in this process; the rows in the database say what is to be done. */
export interface ScanRunner {
  /** Wakes the runner for a scan that was queued. */
  start(scanUid: string): void
  /** Interrupts a scan that runs here; one that runs elsewhere sees the flag in its row. */
  cancel(scanUid: string): void
}

/** What is known of an operation before it runs. */
export interface OperationFacts {
  name: string
  effect: 'read' | 'write'
  cost?: 'computed'
}

/** What every operation gets beside its input. */
export interface ReadContext {
  /** Runs `work` in one snapshot, on a connection that cannot write. */
  read<T>(work: (reader: Reader) => T): T
  now: () => number
  caller: Caller
  signal: AbortSignal
  log: Log
  progress(progress: Progress): void
  /** Where the form of the input was forgiven; an answer with `warnings` tells it. */
  coerced?: readonly Coercion[]
  vault: Vault
  /** Answers hold counts and ids only, whoever asks. */
  lockdown?: boolean
  /** In lockdown codes of imports are shown as they are. */
  lockdownCodes?: boolean
  /** Told of a call that the caller's scopes did not allow. */
  onRefused?: (operation: string) => void
  /** Runs what an operation does, and may watch it or make it wait. */
  around?(operation: OperationFacts, work: () => Promise<unknown>): Promise<unknown>
  /**
   * Has a read answered in another thread; undefined, now or in the end, when it is to be answered in this one.
   * @throws AppError what the operation throws.
   */
  runOnQueryThread?(
    operation: string,
    input: object,
    context: Pick<ReadContext, 'caller' | 'coerced' | 'signal'>,
  ): Promise<{ output: unknown } | undefined> | undefined
}

export interface WriteContext extends ReadContext {
  /** Resolves when a write hardly waits for others, so that it does not hold the thread meanwhile. */
  untilFree?(): Promise<void>
  store: Store
  scans: ScanRunner
  /**
   * Has a change that may be long made in another thread; undefined when it is to be made in this one.
   * @throws AppError what the operation throws.
   */
  runOnScanThread?(
    operation: string,
    input: object,
    context: Pick<ReadContext, 'caller' | 'signal'>,
  ): Promise<unknown> | undefined
}
