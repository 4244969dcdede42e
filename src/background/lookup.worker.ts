import { workerData } from 'node:worker_threads'
import { openEvents, serveCalls } from '../runtime/worker-rpc.ts'
import { openVault } from '../store/keys/vault-file.ts'
import { createLookups, type Lookups } from './lookups.ts'
import { openThread } from './open-thread.ts'
import type { ThreadSettings } from './thread-options.ts'

export type LookupThreadProtocol = {
  calls: {
    [Name in keyof Lookups]: { input: Parameters<Lookups[Name]>; reply: Awaited<ReturnType<Lookups[Name]>> }
  }
  notices: Record<never, never>
  events: { log: string }
}

const settings = workerData as ThreadSettings
const emit = openEvents<LookupThreadProtocol>()

async function main(): Promise<void> {
  const { now, log, store } = await openThread(settings, (line) => emit('log', line))
  const vault = openVault({ store, home: settings.home, env: settings.keys, now })
  const lookups = createLookups({ store, vault, log, now })

  serveCalls<LookupThreadProtocol>({
    calls: {
      isTokenRequired: () => lookups.isTokenRequired(),
      findTokenHolder: (input) => lookups.findTokenHolder(...input),
      listTokenHolders: () => lookups.listTokenHolders(),
      readReadiness: () => lookups.readReadiness(),
      readEstate: () => lookups.readEstate(),
      readWatchRevision: () => lookups.readWatchRevision(),
      countFindings: () => lookups.countFindings(),
      listCodes: (input) => lookups.listCodes(...input),
      releaseScans: (input) => lookups.releaseScans(...input),
      giveUpScan: (input) => lookups.giveUpScan(...input),
      recordRefusal: (input) => lookups.recordRefusal(...input),
      recordSettings: (input) => lookups.recordSettings(...input),
      anchorAudit: () => lookups.anchorAudit(),
    },
    logFault: (error, { name }) => log.error('a lookup in the database failed', { kind: name, error }),
    stop: () => store.close(),
  })
}

void main()
