import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { markLogReset } from '../../src/findings/log.store.ts'
import { statusCodes } from '../../src/store/schema.ts'
import type { Store, Writer } from '../../src/store/store.ts'
import { ensureDictionaryId } from '../../src/store/words.store.ts'
import { NOW, type SeededRandom } from '../properties/query-data.ts'
import { safe } from '../support/safe-text.ts'

const DAY = 24 * 3_600_000
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const
const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const
const detectors = ['SECRETS', 'PII', 'CUSTOM', 'NEW_SCANNER']
const types = ['EMAIL', 'TOKEN', 'RULE_A', 'RULE_Z']
const containers = ['', 'Engineering', 'People', 'A new space']

const anyId = (writer: Writer, table: 'asset' | 'finding', random: SeededRandom): number => {
  const most = (writer.prepare(`SELECT max(id) AS id FROM ${table}`).get() as { id: number }).id
  const row = writer.prepare(`SELECT id FROM ${table} WHERE id >= ? ORDER BY id LIMIT 1`).get(1 + random.below(most))
  return (row as { id: number }).id
}

function addAsset(writer: Writer, random: SeededRandom): void {
  const source = (
    writer.prepare('SELECT id FROM source ORDER BY id LIMIT 1 OFFSET ?').get(random.below(4)) as { id: number }
  ).id
  const [kind, container] = [
    ensureDictionaryId(writer, safe('wiki.page')),
    ensureDictionaryId(writer, safe(random.pick(containers))),
  ]
  const newest = writer.prepare('SELECT max(id) FROM asset').pluck().get() as number
  writer
    .prepare(
      `INSERT INTO asset (uid, source_id, key, kind_id, container_id, name, status, first_seen_at, last_seen_at)
       VALUES (?, ?, ?, ?, ?, 'new', 'ACTIVE', ?, ?)`,
    )
    .run(safe(crypto.randomUUID()), source, safe(`new-${newest + 1}`), kind, container, NOW - DAY, NOW)
}

function insertFinding(ledger: FindingLedger, writer: Writer, random: SeededRandom): void {
  const asset = writer
    .prepare('SELECT id, source_id AS sourceId FROM asset WHERE id = ?')
    .get(anyId(writer, 'asset', random))
  const { id, sourceId } = asset as { id: number; sourceId: number }
  ledger.insert({
    assetId: id,
    fp: random.below(2 ** 40),
    facets: {
      sourceId,
      detectorType: safe(random.pick(detectors)),
      findingType: safe(random.pick(types)),
      category: safe(random.pick(['', 'SECURITY', 'NEW'])),
      customDetectorKey: safe(random.pick(['', 'ticket-ids'])),
      severity: random.pick(severities),
      status: random.pick(statuses),
      presence: random.pick(['current', 'history', 'trash'] as const),
    },
    firstDetectedAt: random.chance(0.4) ? NOW - random.below(400 * DAY) : NOW - random.below(1000),
    confidence: random.below(10_001),
    lastDetectedAt: random.chance(0.5) ? null : NOW - random.below(30 * DAY),
    resolvedAt: null,
    location: null,
    excerpt: null,
    valueId: random.pick([null, 7, 2 ** 47 - 1]),
  })
}

function changeFinding(ledger: FindingLedger, writer: Writer, random: SeededRandom): void {
  const record = ledger.findById(anyId(writer, 'finding', random))
  if (record === undefined) return
  const kind = random.pick(['status', 'status', 'severity', 'confidence', 'value', 'detection'])
  if (kind === 'status') {
    const at = random.chance(0.8) ? NOW - random.below(60 * DAY) : NOW + random.below(5)
    const to = random.pick(statuses.filter((status) => status !== record.facets.status))
    const byImport = to === 'RESOLVED' && random.chance(0.5)
    const ends = (to === 'FALSE_POSITIVE' || to === 'IGNORED') && random.chance(0.3)
    const by = byImport ? { actor: 'import', scanId: 1 } : { actor: 'test' }
    // A decision is not earlier than the change before it, which may be in the future, and ends after it was made.
    const since = Math.max(NOW, ledger.lastDecision(record.id)?.at ?? NOW)
    ledger.changeStatus(
      record,
      safe({ at, to, ...by, ...(ends ? { until: since + 10 + random.below(60 * DAY) } : {}) }),
    )
  } else if (kind === 'severity') {
    ledger.update(record, { facets: { ...record.facets, severity: random.pick(severities) } })
  } else if (kind === 'value') {
    ledger.update(record, { valueId: random.pick([null, 8, 2 ** 47 - 1]) })
  } else if (kind === 'detection') {
    ledger.update(record, { lastDetectedAt: random.chance(0.3) ? null : NOW - random.below(30 * DAY) })
  } else {
    ledger.update(record, { confidence: random.below(10_001) })
  }
}

/** As an import does: what one has resolved gets another time. */
function correctResolution(ledger: FindingLedger, writer: Writer, random: SeededRandom): void {
  const resolved = writer.prepare(
    `SELECT s.finding_id AS id FROM status_change s WHERE s.finding_id >= ? AND s.scan_id IS NOT NULL
       AND s.to_status = ${statusCodes.RESOLVED}
       AND s.seq = (SELECT max(seq) FROM status_change o WHERE o.finding_id = s.finding_id)
     ORDER BY s.finding_id LIMIT 1`,
  )
  const row = resolved.get(random.chance(0.5) ? anyId(writer, 'finding', random) : 0) as { id: number } | undefined
  const record = row && ledger.findById(row.id)
  if (record !== undefined) ledger.correctResolution(record, NOW - random.below(60 * DAY))
}

interface Changing {
  /** Findings that are added or changed. */
  most?: number
  /** The chance that the change log tells to start over, that it is emptied, and that the past is rewritten. */
  startsOver?: number
  /** Called when everything is written, before COMMIT. */
  meanwhile?: (writer: Writer) => void
}

/** One transaction of random changes, of every kind that an engine has to follow. */
export function changeSomething(
  store: Pick<Store, 'write'>,
  random: SeededRandom,
  { most = 12, startsOver = 0.04, meanwhile }: Changing = {},
): void {
  store.write((writer) => {
    if (random.chance(0.2)) addAsset(writer, random)
    FindingLedger.keep(writer, NOW, (ledger) => {
      for (let left = 1 + random.below(most); left > 0; left--) {
        if (random.chance(0.4)) insertFinding(ledger, writer, random)
        else changeFinding(ledger, writer, random)
      }
      if (random.chance(startsOver)) correctResolution(ledger, writer, random)
    })
    if (random.chance(0.2)) {
      const container = ensureDictionaryId(writer, safe(random.pick(containers)))
      writer.prepare('UPDATE asset SET container_id = ? WHERE id = ?').run(container, anyId(writer, 'asset', random))
    }
    if (random.chance(0.1)) {
      const scannedAt = random.chance(0.5) ? NOW : null
      const state = random.pick(['ACTIVE', 'DELETED'])
      const id = anyId(writer, 'asset', random)
      writer.prepare('UPDATE asset SET status = ?, last_scanned_at = ? WHERE id = ?').run(safe(state), scannedAt, id)
    }
    if (random.chance(0.05)) {
      const named = [random.pick(['Team wiki', 'TEAM Wiki']), random.pick(['WIKI', 'BI_PLATFORM'])]
      writer.prepare('UPDATE source SET name = ?, type = ? WHERE id = 1').run(...safe(named))
    }
    if (random.chance(startsOver)) {
      const id = anyId(writer, 'finding', random)
      // As every deletion does, so that stored counts stay those of the findings.
      writer.prepare('UPDATE combo SET n = n - 1 WHERE id = (SELECT combo_id FROM finding WHERE id = ?)').run(id)
      writer.prepare('DELETE FROM finding WHERE id = ?').run(id)
      markLogReset(writer, NOW)
    }
    if (random.chance(startsOver)) writer.prepare('DELETE FROM facet_log').run()
    meanwhile?.(writer)
  })
}
