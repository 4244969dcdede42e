import { setTimeout as sleep } from 'node:timers/promises'
import { AppError } from '../kernel/errors.ts'
import { openWorker, type WorkerClient, WorkerLost } from '../runtime/worker-rpc.ts'
import type { KeyedVault } from '../store/keys/vault-file.ts'
import type { Readiness } from '../telemetry/readiness.ts'
import type { LookupThreadProtocol } from './lookup.worker.ts'
import type { Lookups } from './lookups.ts'
import { isClosing } from './query-thread.ts'
import { type ThreadOptions, toThreadSettings } from './thread-options.ts'

const SCRIPT = 'background/lookup.worker'
const STOP_MS = 1_000
/** A database that has not answered for this long counts as not ready. */
const READY_MS = 2_000

export interface LookupThreadOptions extends ThreadOptions {
  vault: Pick<KeyedVault, 'problem'>
}

export interface LookupThread extends Lookups {
  close(): Promise<void>
}

/**
 * Lookups in a thread of their own, for a database whose calls block the thread: the main thread answers other requests
 * meanwhile. It starts with the first lookup.
 */
export function createLookupThread(options: LookupThreadOptions): LookupThread {
  const { log, vault, script = SCRIPT } = options
  let thread: WorkerClient<LookupThreadProtocol> | undefined
  let closed = false
  let examining: Promise<Readiness> | undefined

  const open = () => {
    const opened = openWorker<LookupThreadProtocol>({
      script,
      settings: { workerData: toThreadSettings(options), stdout: true },
      events: { log: options.writeLine },
      log,
      onExit: () => {
        thread = undefined
      },
    })
    return opened
  }

  const lookUp =
    <Name extends keyof Lookups>(name: Name) =>
    async (
      ...input: LookupThreadProtocol['calls'][Name]['input']
    ): Promise<LookupThreadProtocol['calls'][Name]['reply']> => {
      if (closed) throw isClosing()
      thread ??= open()
      try {
        return await thread.call(name, input)
      } catch (error) {
        if (!(error instanceof WorkerLost)) throw error
        throw new AppError('unavailable', 'The database could not be asked; try again in a moment.', {
          reason: 'database_unreachable',
          cause: error,
        })
      }
    }

  /** For what is recorded and not waited for. */
  const record =
    <Name extends 'recordRefusal' | 'recordSettings' | 'anchorAudit'>(name: Name) =>
    async (...input: LookupThreadProtocol['calls'][Name]['input']): Promise<void> => {
      try {
        await lookUp(name)(...input)
      } catch (error) {
        if (!closed) log.warn('the audit trail could not be written', { error })
      }
    }

  const unreachable = (): Readiness => ({
    database: 'failed',
    schema: 'failed',
    key: vault.problem() === undefined ? 'ok' : 'failed',
    disk: 'ok',
    reason: 'database_unreachable',
  })

  return {
    isTokenRequired: lookUp('isTokenRequired'),
    findTokenHolder: lookUp('findTokenHolder'),
    listTokenHolders: lookUp('listTokenHolders'),
    readReadiness: () => {
      examining ??= lookUp('readReadiness')()
        .catch(unreachable)
        .finally(() => {
          examining = undefined
        })
      return Promise.race([examining, sleep(READY_MS, undefined, { ref: false }).then(unreachable)])
    },
    readEstate: lookUp('readEstate'),
    readWatchRevision: lookUp('readWatchRevision'),
    countFindings: lookUp('countFindings'),
    listCodes: lookUp('listCodes'),
    releaseScans: lookUp('releaseScans'),
    giveUpScan: lookUp('giveUpScan'),
    recordRefusal: record('recordRefusal'),
    recordSettings: record('recordSettings'),
    anchorAudit: record('anchorAudit'),
    async close() {
      closed = true
      await thread?.stop(STOP_MS)
    },
  }
}
