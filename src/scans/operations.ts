import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import { forgetReadings } from '../findings/readings.store.ts'
import { count } from '../kernel/count.ts'
import { conflict } from '../kernel/errors.ts'
import { line, quote } from '../kernel/shown.ts'
import type { ReadContext } from '../operation/context.ts'
import { decodeCursor, encodeCursor } from '../operation/cursor.ts'
import { ownText } from '../operation/lockdown/disclosure.ts'
import { type Operation, operation } from '../operation/operation.ts'
import { Source, SourceRef } from '../sources/model.ts'
import { auditSource, getShownSource } from '../sources/source-operations.ts'
import { getSource, markDeleted } from '../sources/sources.store.ts'
import type { Reader } from '../store/store.ts'
import { isOrphaned } from './lease.ts'
import { Scan, ScanItem, type ScanStatus, scanStatuses, toScan, toScanItem } from './model.ts'
import { abandonScans, findActiveScan, findScan, finishScan, getScan, listScans, requestCancel } from './scans.store.ts'
import { listScopes } from './scopes.store.ts'
import { isLeaseAlive } from './silence.ts'
import { deleteRemaining } from './source-deletion.ts'
import { queueScan } from './start.ts'
import { getStats } from './stats-operation.ts'

const ScanId = z.string().min(1).max(100).describe('Id of the scan.')
/** Polling interval while a caller waits for the end of a scan. */
const POLL_MS = 200

function showScan(reader: Reader, uid: string): Scan {
  const scan = getScan(reader, uid)
  return toScan(scan, listScopes(reader, scan.id))
}

const waits = ['end', 'progress'] as const
type WaitFor = (typeof waits)[number]

const over = new Set<ScanStatus>(['COMPLETED', 'PARTIAL', 'FAILED', 'CANCELLED'])

/** Waits until a scan is over, or with `waitFor` `progress` until it changed, at most `waitMs`; reports progress. */
async function waitForScan(id: string, waitMs: number, waitFor: WaitFor, context: ReadContext): Promise<Scan> {
  const deadline = performance.now() + waitMs
  let first: string | undefined
  for (let reported = -1; ; ) {
    const scan = context.read((reader) => showScan(reader, id))
    const shown = JSON.stringify(scan)
    first ??= shown
    if (waitFor === 'progress' && shown !== first) return scan
    const leftMs = deadline - performance.now()
    if (over.has(scan.status) || leftMs <= 0 || context.signal.aborted) return scan
    const { discovered, scanned, unchanged } = scan.progress
    const done = scanned + unchanged
    if (done > reported) context.progress({ done, message: line`${done} of ${discovered} listed assets read` })
    reported = Math.max(reported, done)
    await sleep(Math.min(POLL_MS, leftMs), undefined, { signal: context.signal }).catch(() => undefined)
  }
}

export const scanOperations: readonly Operation[] = [
  operation({
    name: 'start_scan',
    title: 'Start scan',
    summary: 'Scan a source now. Returns the scan at once; get_scan shows its progress.',
    effect: 'write',
    consent: 'none',
    scope: 'admin',
    route: 'POST /sources/{id}/scans',
    status: 201,
    location: (scan) => `/scans/${scan.id}`,
    toolset: 'admin',
    openWorld: true,
    input: z.strictObject({
      id: SourceRef,
      full: z.boolean().default(false).describe('Also read assets that seem unchanged.'),
    }),
    output: Scan,
    run: async ({ id, full }, context) => {
      const isDriven = await isLeaseAlive(
        () => context.store.read((reader) => findActiveScan(reader, getSource(reader, id).id)),
        context,
      )
      const scan = context.store.write(
        (writer) => {
          const source = getSource(writer, id)
          if (full) forgetReadings(writer, source.id)
          const uid = queueScan(writer, source, {
            trigger: 'MANUAL',
            requestedBy: context.caller.name,
            at: context.now(),
            isDriven,
          })
          return showScan(writer, uid)
        },
        { durable: true },
      )
      context.scans.start(scan.id)
      return scan
    },
  }),

  operation({
    name: 'get_scan',
    title: 'Get scan',
    summary: 'Show a scan: progress, counts, scopes, failures, warnings. Can wait for its end.',
    effect: 'read',
    scope: 'read',
    route: 'GET /scans/{id}',
    toolset: 'admin',
    reportsProgress: true,
    untrusted: true,
    input: z.strictObject({
      id: ScanId,
      waitSeconds: z.int().min(0).max(60).describe('Maximum time to wait.').optional(),
      waitFor: z.enum(waits).describe('Wait for the end (default) or for any change.').optional(),
    }),
    output: Scan,
    run: ({ id, waitSeconds = 0, waitFor = 'end' }, context) => waitForScan(id, waitSeconds * 1000, waitFor, context),
  }),

  operation({
    name: 'list_scans',
    title: 'List scans',
    summary: 'List scans, newest first.',
    effect: 'read',
    scope: 'read',
    route: 'GET /scans',
    toolset: 'admin',
    input: z.strictObject({
      source: SourceRef.optional(),
      status: z.enum(scanStatuses).describe('Only scans in this state.').optional(),
      limit: z.int().min(1).max(500).default(50).describe('Maximum number of items.'),
      cursor: z.string().max(500).describe('nextCursor of the previous page.').optional(),
    }),
    output: z.object({
      items: z.array(ScanItem).describe('Scans, newest first.'),
      nextCursor: ownText().describe('Where the next page begins.').optional(),
    }),
    run: ({ source, status, limit, cursor }, context) =>
      context.read((reader) => {
        const [before] = cursor === undefined ? [] : decodeCursor(reader, context, 'scans', cursor, 1)
        const sourceId = source === undefined ? undefined : getSource(reader, source).id
        const scans = listScans(reader, { sourceId, status, limit: limit + 1, before })
        const last = scans.length > limit ? scans[limit - 1] : undefined
        return {
          items: scans.slice(0, limit).map(toScanItem),
          ...(last === undefined ? {} : { nextCursor: encodeCursor(reader, context, 'scans', [last.id]) }),
        }
      }),
  }),

  operation({
    name: 'cancel_scan',
    title: 'Cancel scan',
    summary: 'Stop a scan. What it has stored is kept; it resolves no findings.',
    effect: 'write',
    consent: 'none',
    scope: 'admin',
    route: 'POST /scans/{id}/cancel',
    toolset: 'admin',
    idempotent: true,
    untrusted: true,
    input: z.strictObject({ id: ScanId }),
    output: Scan,
    run: async ({ id }, context) => {
      const isDriven = await isLeaseAlive(() => context.store.read((reader) => findScan(reader, id)), context)
      const now = context.now()
      context.store.write((writer) => {
        const scan = getScan(writer, id)
        if (scan.status === 'CANCELLED') return
        if (scan.status !== 'QUEUED' && scan.status !== 'RUNNING') {
          throw conflict(`The scan is over (${scan.status}); there is nothing to cancel.`, { reason: 'scan_finished' })
        }
        if (!isDriven && isOrphaned(scan, now)) finishScan(writer, scan.id, { status: 'CANCELLED' }, now)
        else requestCancel(writer, scan.id)
      })
      context.scans.cancel(id)
      return context.read((reader) => showScan(reader, id))
    },
  }),

  operation({
    name: 'delete_source',
    title: 'Delete source',
    summary: 'Remove a source with all its assets, findings and scans. This cannot be undone.',
    effect: 'write',
    consent: 'always',
    scope: 'admin',
    route: 'DELETE /sources/{id}',
    toolset: 'admin',
    destructive: true,
    texts: 'own',
    input: z.strictObject({ id: SourceRef }),
    output: Source,
    affected: ({ id }, context) =>
      context.read((reader) => {
        const { name, type, counts } = getShownSource(reader, id)
        return [
          `${quote(name)}, a ${type} source with ${count(counts.assets, 'asset')} and ${count(counts.findings, 'finding')}`,
        ]
      }),
    run: async ({ id }, context) => {
      const { row, shown } = context.store.write(
        (writer) => {
          const source = getSource(writer, id)
          const before = getShownSource(writer, source.uid)
          for (const scan of abandonScans(writer, source.id, context.now())) context.scans.cancel(scan)
          auditSource(writer, context, 'delete', source, undefined)
          // After a crash, what remains of the source is no longer visible, and the background loop removes it.
          markDeleted(writer, source, context.now())
          return { row: source.id, shown: before }
        },
        { durable: true },
      )
      await deleteRemaining(context, row)
      return shown
    },
  }),

  getStats,
]
