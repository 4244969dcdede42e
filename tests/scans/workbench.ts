import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises'
import { runTick } from '../../src/background/loop.ts'
import { brokenLinksCheck } from '../../src/cross-asset-checks/links.ts'
import { applyStagedImport } from '../../src/imports/apply/apply-import.ts'
import { type Caller, type ScanRunner, scopes, type WriteContext } from '../../src/operation/context.ts'
import { call, type Operation } from '../../src/operation/operation.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { type CrawlOptions, runScan } from '../../src/scans/crawl.ts'
import type { CrossAssetCheck, Detect } from '../../src/scans/cross-asset-check.ts'
import type { ScanLease } from '../../src/scans/lease.ts'
import type { Scan } from '../../src/scans/model.ts'
import { scanOperations } from '../../src/scans/operations.ts'
import { createOwner } from '../../src/scans/owner.ts'
import type { Plugins } from '../../src/sources/plugins.ts'
import { createSourceOperations } from '../../src/sources/source-operations.ts'
import { openVault } from '../../src/store/keys/vault-file.ts'
import { Store } from '../../src/store/store.ts'
import { contextOf } from '../support/context.ts'
import { openAgain, openNewFile, openNewStore } from '../support/new-store.ts'
import { detectWords, type FakeTenant, fakeConfig, pluginsFor } from './fake-tenant.ts'

interface ScanQueue extends ScanRunner {
  /** Releases a scan after its next batch, so that it resumes later. */
  yield(scanUid: string): void
  /** Resolves when a scan started here has ended or has moved to another process. */
  settled(scanUid: string): Promise<void>
  /** Interrupts the scans running here, leaving them resumable. */
  close(): Promise<void>
}

/** Runs scans as the scan threads do, but here. */
function createScanQueue(options: Omit<CrawlOptions, 'owner' | 'onLease' | 'applyImport' | 'signal'>): ScanQueue {
  const owner = createOwner()
  const closing = new AbortController()
  const { signal } = closing
  const running = new Map<string, Promise<void>>()
  const leases = new Map<string, ScanLease>()

  const run = async (scanUid: string) => {
    // The caller's transaction is committed first.
    await nextTurn()
    if (signal.aborted) return
    const onLease = (lease: ScanLease) => void leases.set(scanUid, lease)
    await runScan(scanUid, { ...options, applyImport: applyStagedImport, owner, signal, onLease }).catch(() => {})
    running.delete(scanUid)
    leases.delete(scanUid)
  }

  return {
    start: (scanUid) => {
      if (!signal.aborted && !running.has(scanUid)) running.set(scanUid, run(scanUid))
    },
    cancel: (scanUid) => leases.get(scanUid)?.cancel('cancelled'),
    yield: (scanUid) => {
      const lease = leases.get(scanUid)
      if (lease !== undefined) lease.isToYield = true
    },
    settled: async (scanUid) => running.get(scanUid),
    close: async () => {
      closing.abort()
      await Promise.all(running.values())
      owner.release()
    },
  }
}

/** A data folder with a fake tenant, driven through the operations. */
export interface Workbench {
  home: string
  store: Store
  queue: ScanQueue
  clock: { now: number }
  context: WriteContext
  run<T = unknown>(operation: string, input?: Record<string, unknown>): Promise<T>
  /** Starts a scan and waits for its end. */
  scan(source?: string): Promise<Scan>
  /** One turn of the background loop. */
  turn(): void
  /** Everything that a scan is to keep, without ids and times. */
  snapshot(): unknown[]
  close(): Promise<void>
}

export function openWorkbench(
  tenant: FakeTenant,
  options: {
    home?: string
    /** A workbench whose data folder and database this one has open, too, as another process does. */
    beside?: Workbench
    extra?: readonly Operation[]
    detect?: Detect
    plugins?: Plugins
    estate?: readonly CrossAssetCheck[]
    completeDetectors?: CrawlOptions['completeDetectors']
  } = {},
): Workbench {
  const { beside } = options
  const home = beside?.home ?? options.home ?? mkdtempSync(join(tmpdir(), 'assay-scan-'))
  const clock = { now: Date.UTC(2026, 0, 5, 12) }
  const now = () => clock.now
  const file = join(home, 'assay.db')
  const store =
    beside !== undefined
      ? openAgain(beside.store, now)
      : options.home === undefined
        ? openNewStore(file, now)
        : existsSync(file)
          ? Store.open(file, { now })
          : openNewFile(file, now)
  const vault = openVault({ store, home, env: {}, now })
  const { plugins = pluginsFor(tenant), estate = [brokenLinksCheck] } = options
  const queue = createScanQueue({
    store,
    vault,
    plugins,
    detect: options.detect ?? detectWords,
    crossAssetChecks: estate,
    ...(options.completeDetectors === undefined ? {} : { completeDetectors: options.completeDetectors }),
    log: silentLog,
    now,
    heartbeatMs: 20,
  })
  const operations = [...createSourceOperations(plugins), ...scanOperations, ...(options.extra ?? [])]
  const caller: Caller = { name: 'ada', via: 'cli', scopes: new Set(scopes) }
  const context = contextOf({ store, now, caller, vault, scans: queue })
  const run = async <T>(name: string, input: Record<string, unknown> = {}): Promise<T> => {
    const operation = operations.find((candidate) => candidate.name === name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    return (await call(operation, input, context)) as T
  }
  return {
    home,
    store,
    queue,
    clock,
    context,
    run,
    scan: async (source = 'fake') => {
      const { id } = await run<Scan>('start_scan', { id: source })
      await queue.settled(id)
      return run<Scan>('get_scan', { id })
    },
    turn: () => runTick({ store, scans: queue, log: silentLog, now, signal: new AbortController().signal }),
    snapshot: () => snapshotOf(store),
    close: async () => {
      await queue.close()
      store.close()
      if (options.home === undefined && beside === undefined) rmSync(home, { recursive: true, force: true })
    },
  }
}

export function snapshotOf(store: Store): unknown[] {
  return store.read((reader) =>
    reader
      .prepare(
        `SELECT a.key, a.status AS asset_status, f.fp, c.severity, c.status, f.conf_q, f.excerpt,
           (SELECT count(*) FROM status_change s WHERE s.finding_id = f.id) AS changes
         FROM asset a LEFT JOIN finding f ON f.asset_id = a.id LEFT JOIN combo c ON c.id = f.combo_id
         ORDER BY a.key, f.fp`,
      )
      .all(),
  )
}

export const createFake = (bench: Workbench, more: Record<string, unknown> = {}) =>
  bench.run('create_source', { name: 'fake', config: fakeConfig(more) })

/** Waits for a scan that others have left. */
export async function takeUp(bench: Workbench, id: string): Promise<Scan> {
  for (;;) {
    const scan = await bench.run<Scan>('get_scan', { id })
    if (scan.finishedAt !== undefined) return scan
    bench.clock.now += 10_000
    bench.turn()
    await Promise.race([bench.queue.settled(id), sleep(50)])
  }
}
