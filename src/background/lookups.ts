import { anchorAudit, appendRefusal, type RefusedAccess, recordSettings } from '../access/record.ts'
import { openTokenLookup, type TokenLookup } from '../access/tokens.ts'
import { countFindings } from '../findings/counts.store.ts'
import type { Awaitable } from '../kernel/awaitable.ts'
import { codeLists } from '../operation/lockdown/codes.store.ts'
import type { Log } from '../runtime/log.ts'
import type { KeyedVault } from '../store/keys/vault-file.ts'
import type { Store } from '../store/store.ts'
import { type Estate, readEstate } from '../telemetry/estate.store.ts'
import { examineReadiness, type Readiness } from '../telemetry/readiness.ts'
import { readSignal } from '../watches/states.store.ts'
import { createScanEnding, type ScanEnding } from './scan-thread.ts'

/** What a server reads and records besides running operations; each call is short. */
export interface Lookups extends TokenLookup, ScanEnding {
  readReadiness(): Awaitable<Readiness>
  /** What the metrics for Prometheus say about sources and scans. */
  readEstate(): Awaitable<Estate>
  /** A number that changes with watches and their states. */
  readWatchRevision(): Awaitable<number>
  countFindings(): Awaitable<number>
  /** What lockdown shows as it is, and what it shows as a hash. */
  listCodes(which: 'defined' | 'stored'): Awaitable<string[]>
  /** These three log a failure instead of reporting it. */
  recordRefusal(refused: RefusedAccess): Awaitable<void>
  recordSettings(settings: object): Awaitable<void>
  anchorAudit(): Awaitable<void>
}

export interface LookupOptions {
  store: Store
  vault: Pick<KeyedVault, 'problem'>
  log: Log
  now: () => number
}

/** Lookups on the calling thread. */
export function createLookups({ store, vault, log, now }: LookupOptions) {
  return {
    ...openTokenLookup(store, now),
    readReadiness: () => examineReadiness(store, vault),
    readEstate: () => readEstate(store, vault, now()),
    readWatchRevision: () => store.read(readSignal).revision,
    countFindings: () => store.read(countFindings),
    listCodes: (which) => store.read(codeLists[which]),
    ...createScanEnding({ store, now }),
    recordRefusal: (refused) => appendRefusal({ store, log, now }, refused),
    recordSettings: (settings) => recordSettings({ store, log, now }, settings),
    anchorAudit: () => anchorAudit({ store, log }),
  } satisfies Lookups
}
