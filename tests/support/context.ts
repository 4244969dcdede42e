import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { AppError } from '../../src/kernel/errors.ts'
import { type Caller, scopes, type WriteContext } from '../../src/operation/context.ts'
import { call, type Operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { Vault } from '../../src/store/keys/vault.ts'
import type { Store } from '../../src/store/store.ts'
import { openNewStore } from './new-store.ts'

export const NOON = Date.UTC(2026, 5, 15, 12)

/** A clock that stands still until it is moved. */
export interface Clock {
  now: number
}

export interface TestContext extends WriteContext {
  clock: Clock
}

/** The local person with every scope. */
export const localPerson: Caller = { name: 'local', via: 'http', scopes: new Set(scopes) }

/** A new database, and how to remove it. */
export function openStore(now: () => number = () => Date.now()): { store: Store; file: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'assay-'))
  const file = join(folder, 'assay.db')
  const store = openNewStore(file, now)
  const remove = () => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  }
  return { store, file, remove }
}

/** Everything an operation gets, over a new database that goes away with the test. */
export function openContext(options: { caller?: Caller; now?: number } = {}): TestContext {
  const folder = mkdtempSync(join(tmpdir(), 'assay-'))
  const clock = { now: options.now ?? NOON }
  const store = openNewStore(join(folder, 'assay.db'), () => clock.now)
  onTestFinished(() => {
    store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { clock, ...contextOf({ store, now: () => clock.now, caller: options.caller ?? localPerson }) }
}

/** Encodes only, so that a search for a sealed text does not find it. */
export const plainVault: Vault = {
  seal: (place, plain) => Buffer.from(JSON.stringify([place, plain])).toString('hex'),
  open: (_place, sealed) => (JSON.parse(Buffer.from(sealed, 'hex').toString()) as [string, string])[1],
  fingerprintKey: () => new Uint8Array(32),
}

type ContextOptions = Pick<WriteContext, 'store' | 'now' | 'caller'> &
  Partial<Pick<WriteContext, 'vault' | 'scans' | 'webhookHosts'>>

/** Everything an operation gets, over a store; by default with a vault that seals nothing and no scans. */
export function contextOf(given: ContextOptions): WriteContext {
  return {
    read: (work) => given.store.read(work),
    signal: new AbortController().signal,
    log: silentLog,
    progress: () => {},
    vault: plainVault,
    scans: { start: () => {}, cancel: () => {} },
    ...given,
  }
}

/** Calls operations of a list by name, the way a door does. */
export function caller(operations: readonly Operation[], context: WriteContext) {
  // Answers are read by member in tests, without stating their types again.
  // biome-ignore lint/suspicious/noExplicitAny: the shape is what the test is about
  return (name: string, input: object = {}): Promise<any> => {
    const operation = operations.find((candidate) => candidate.name === name)
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    return call(operation, input, context)
  }
}

/** A new database, and operations to call on it by name. */
export function openCaller(operations: readonly Operation[]) {
  const context = openContext()
  return { context, ask: caller(operations, context) }
}

/** The error that a function throws. */
export function thrownBy(work: () => unknown): AppError {
  try {
    work()
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('an error was expected')
}

/** The error that a call ends with. */
export async function errorOf(answer: Promise<unknown>): Promise<AppError> {
  try {
    await answer
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('the call was expected to fail')
}
