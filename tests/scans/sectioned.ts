import { connectors } from '../../src/connectors/index.ts'
import type { Detector } from '../../src/detectors/detector.ts'
import { createFingerprinter } from '../../src/detectors/fingerprint.ts'
import { runDetectors } from '../../src/detectors/runner.ts'
import { toFp } from '../../src/findings/finding-record.ts'
import { findingOperations } from '../../src/findings/operations.ts'
import type { Detect } from '../../src/scans/cross-asset-check.ts'
import { createTenant, wordDetector } from './fake-tenant.ts'
import { openWorkbench, type Workbench } from './workbench.ts'

/** Finds `word:xyz` wherever it stands. */
const words: Detector = {
  ...(wordDetector as Detector),
  *detect({ parts }) {
    for (const [part, { text }] of parts.entries()) {
      for (const match of text.matchAll(/\bword:(\w+)/g)) {
        const end = match.index + match[0].length
        yield { findingType: 'WORD', severity: 'LOW', confidence: 0.9, part, start: match.index, end }
      }
    }
  },
}

const fingerprint = createFingerprinter(new Uint8Array(32).fill(7))

/** The number of the finding of a value in an asset. */
export const findingNumber = (assetKey: string, value: string) => toFp(fingerprint(`WORDS|WORD|${assetKey}|${value}`))

const detect: Detect = async (document, { asset, now }) =>
  runDetectors(document, { asset, now, fingerprint, detectors: [{ detector: words, config: {} }] })

/** A data folder whose scans go through the real connectors and the real runner of detectors. */
export const openSectionedBench = (home?: string): Workbench =>
  openWorkbench(createTenant({}), {
    plugins: { connectors, detectors: [words] },
    detect,
    estate: [],
    extra: findingOperations,
    ...(home === undefined ? {} : { home }),
  })

/** A finding as people see it: where it stands, what became of it. */
export interface KeptFinding {
  asset: string
  fp: number
  path: string
  status: string
  history: string
  excerpt: string
  /** It was found by the newest scan. */
  isFresh: boolean
}

interface KeptSqlRow {
  id: number
  asset: string
  fp: number
  path: string
  status: number
  excerpt: string
  fresh: number
}

const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED']

interface ChangeSqlRow {
  finding_id: number
  to_status: number
  reason: string | null
}

/** The changes of status of each finding, in order. */
export function listHistories<T>(bench: Workbench, describe: (change: ChangeSqlRow) => T): Map<number, T[]> {
  const select = 'SELECT finding_id, to_status, reason FROM status_change ORDER BY finding_id, seq'
  const changes = bench.store.read((reader) => reader.prepare(select).all()) as ChangeSqlRow[]
  const histories = new Map<number, T[]>()
  for (const change of changes) {
    histories.set(change.finding_id, [...(histories.get(change.finding_id) ?? []), describe(change)])
  }
  return histories
}

export function listKept(bench: Workbench): KeptFinding[] {
  const rows = bench.store.read((reader) =>
    reader
      .prepare(
        `SELECT f.id, a.key AS asset, f.fp, c.status, f.excerpt, f.location ->> '$.path' AS path,
           f.last_detected_at IS NULL AND a.seen_scan_id = (SELECT max(id) FROM scan) AS fresh
         FROM finding f JOIN asset a ON a.id = f.asset_id JOIN combo c ON c.id = f.combo_id ORDER BY a.key, f.fp`,
      )
      .all(),
  ) as KeptSqlRow[]
  const histories = listHistories(bench, ({ to_status, reason }) => `${to_status}${reason ?? ''}`)
  return rows.map(({ id, asset, fp, path, status, excerpt, fresh }) => ({
    asset,
    fp,
    path,
    status: statuses[status] ?? '',
    history: histories.get(id)?.join(' ') ?? '',
    excerpt,
    isFresh: fresh === 1,
  }))
}
