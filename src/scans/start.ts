import { randomInt } from 'node:crypto'
import { conflict } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { type SamplingConfig, strategyOf } from '../sources/config.ts'
import { IMPORT_TYPE, type SourceRecord } from '../sources/model.ts'
import type { Writer } from '../store/store.ts'
import { isOrphaned } from './lease.ts'
import type { ScanRecord, Trigger } from './model.ts'
import { findActiveScan, insertScan } from './scans.store.ts'

/** A scan queued for longer than this has lost the process that was to run it. */
const QUEUE_PATIENCE_MS = 5_000

/** Whether a scan waits for any process to run it. */
export function isAbandoned(scan: ScanRecord, now: number): boolean {
  if (scan.status === 'QUEUED') return Math.abs(now - scan.createdAt) > QUEUE_PATIENCE_MS
  return isOrphaned(scan, now)
}

/**
 * Queues a scan of a source, or returns an interrupted one to be resumed, unless its lease is known to be held.
 * @throws AppError `conflict`, reason `scan_running` with the id of the scan, or `nothing_to_scan`.
 */
export function queueScan(
  writer: Writer,
  source: SourceRecord,
  asked: { trigger: Trigger; requestedBy: string; at: number; isDriven?: boolean },
): string {
  if (source.type === IMPORT_TYPE) {
    throw conflict(`${quote(source.name)} holds imported findings; import a newer file instead of scanning it.`, {
      reason: 'nothing_to_scan',
    })
  }
  const active = findActiveScan(writer, source.id)
  if (active !== undefined) {
    if (asked.isDriven !== true && isAbandoned(active, asked.at)) return active.uid
    throw conflict(
      `A scan of ${quote(source.name)} is already running (${active.uid}); wait for it or cancel it first.`,
      {
        reason: 'scan_running',
        facts: { id: active.uid, scanId: active.uid },
      },
    )
  }
  return insertScan(
    writer,
    {
      sourceId: source.id,
      trigger: asked.trigger,
      requestedBy: asked.requestedBy,
      // The process that runs the scan sets both from the configuration that it finds.
      configHash: '',
      detectorsHash: '',
      seed: randomInt(2 ** 31),
      sampled: strategyOf(source.config.sampling as Partial<SamplingConfig> | undefined) !== 'ALL',
    },
    asked.at,
  )
}
