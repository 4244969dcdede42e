import { setTimeout as sleep } from 'node:timers/promises'
import { type SeenAsset, saveAsset } from '../../src/findings/assets.store.ts'
import { applyDetection } from '../../src/findings/detected.ts'
import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { AppError } from '../../src/kernel/errors.ts'
import { LeaseStopped, ScanLease } from '../../src/scans/lease.ts'
import { createOwner } from '../../src/scans/owner.ts'
import { addProgress, findScan, finishScan } from '../../src/scans/scans.store.ts'
import type { PostgresStore } from '../../src/store/postgres/store.ts'
import type { Writer } from '../../src/store/store.ts'
import { openPostgresStore } from '../support/postgres.ts'
import { safe } from '../support/safe-text.ts'
import { type Estate, foundIn, NEW_ASSETS, type WriterOrder } from './writers-model.ts'

/** Scans one source batch by batch, as the scan that it is given; begins where the process before it has stopped. */
const { url, scanUid, estate, pauseMs } = JSON.parse(process.argv[2] ?? '') as WriterOrder
let opened: PostgresStore | undefined

async function work(): Promise<void> {
  while (!(await run())) await sleep(50)
  opened?.close()
}

void work()

/** Returns whether the scan is over. */
async function run(): Promise<boolean> {
  const owner = createOwner()
  try {
    opened ??= openPostgresStore(url, Date.now)
    const store = opened
    const signal = new AbortController().signal
    const lease = ScanLease.claim(scanUid, { store, owner, now: Date.now, signal, heartbeatMs: 1_000 })
    if (lease === undefined) return store.read((reader) => findScan(reader, scanUid))?.status === 'COMPLETED'
    try {
      return await scan(store, lease)
    } finally {
      lease.close()
    }
  } catch (error) {
    if (error instanceof LeaseStopped || (error instanceof AppError && error.code === 'unavailable')) return false
    throw error
  } finally {
    owner.release()
  }
}

async function scan(store: PostgresStore, lease: ScanLease): Promise<boolean> {
  const stored = () => store.read((reader) => findScan(reader, scanUid))?.progress.discovered ?? 0
  for (let batch = stored(); batch < estate.batches; batch++) {
    const startedAt = performance.now()
    lease.write((writer) => storeBatch(writer, lease, estate, batch))
    process.stdout.write(`${batch} ${Math.round(performance.now() - startedAt)}\n`)
    await sleep(pauseMs)
  }
  return lease.end((writer) => finishScan(writer, lease.scan.id, { status: 'COMPLETED' }, Date.now()))
}

function storeBatch(writer: Writer, { scan: { id: scanId, sourceId } }: ScanLease, estate: Estate, batch: number) {
  const at = Date.now()
  const counts = { new: 0, again: 0, resolved: 0 }
  FindingLedger.keep(writer, at, (ledger) => {
    const save = (key: string, name: string) => {
      const draft = { kind: 'wiki.page', key, name, url: '', checksum: String(batch), container: name, links: [] }
      return saveAsset(writer, ledger.facets, {
        ...safe({ sourceId, scopeKey: 'S', scanId, at, detectorsHash: 'h', scanned: true }),
        draft: safe(draft) as SeenAsset['draft'],
      })
    }
    const keys = Array.from({ length: estate.assets }, (_, asset) => `${batch % estate.groups}:${asset}`)
    const find = writer.prepare('SELECT id FROM asset WHERE source_id = ? AND key = ?').pluck()
    const ids = keys.map((key) => (batch < estate.groups ? save(key, 'page') : (find.get(sourceId, key) as number)))
    // Assets without findings that are new in each batch, and words that are in some.
    for (let number = 0; number < NEW_ASSETS; number++)
      save(`new ${batch} ${number}`, batch % 10 === 0 ? `word ${sourceId} ${batch}` : 'page')
    ledger.readAhead(ids)
    for (const [asset, id] of ids.entries()) {
      const result = applyDetection(ledger, {
        asset: { id, sourceId, lastScannedAt: null },
        found: foundIn(estate, batch, asset).map((number) => ({
          detectorType: 'PII',
          // A word that several sources insert at the same time.
          findingType: `TYPE_${number}_${batch % 50}`,
          category: 'contact',
          severity: 'HIGH',
          confidence: 0.9,
          location: { path: 'Body' },
          excerpt: 'x',
          fingerprint: ((batch % estate.groups) * 10_000 + asset * 10 + number + 1).toString(16).padStart(12, '0'),
        })),
        examinedTypes: new Set(['PII']),
        complete: new Set(['PII']),
        scanId,
        at,
      })
      counts.new += result.new
      counts.again += result.again
      counts.resolved += result.resolved
    }
  })
  addProgress(writer, scanId, { discovered: 1, scanned: 1, unchanged: 0, findings: counts })
}
