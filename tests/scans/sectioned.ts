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
  asset: string
  fp: number
  path: string
  status: number
  excerpt: string
  history: string | null
  fresh: number
}

const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED']

export function listKept(bench: Workbench): KeptFinding[] {
  const rows = bench.store.read((reader) =>
    reader
      .prepare(
        `SELECT a.key AS asset, f.fp, c.status, f.excerpt, f.location ->> '$.path' AS path,
           (SELECT group_concat(s.to_status || coalesce(s.reason, ''), ' ') FROM status_change s
             WHERE s.finding_id = f.id ORDER BY s.seq) AS history,
           f.last_detected_at IS NULL AND a.seen_scan_id = (SELECT max(id) FROM scan) AS fresh
         FROM finding f JOIN asset a ON a.id = f.asset_id JOIN combo c ON c.id = f.combo_id ORDER BY a.key, f.fp`,
      )
      .all(),
  ) as KeptSqlRow[]
  return rows.map(({ asset, fp, path, status, excerpt, history, fresh }) => ({
    asset,
    fp,
    path,
    status: statuses[status] ?? '',
    history: history ?? '',
    excerpt,
    isFresh: fresh === 1,
  }))
}
