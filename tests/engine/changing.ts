import { FindingLedger } from '../../src/findings/ledger.store.ts'
import { markLogReset } from '../../src/findings/log.store.ts'
import { statusCodes } from '../../src/store/schema.ts'
import type { Store, Writer } from '../../src/store/store.ts'
import { ensureDictionaryId } from '../../src/store/words.store.ts'
import { type Dice, NOW } from '../properties/query-data.ts'
import { safe } from '../support/safe-text.ts'

const DAY = 24 * 3_600_000
const severities = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'INFO'] as const
const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const
const detectors = ['SECRETS', 'PII', 'CUSTOM', 'NEW_SCANNER']
const types = ['EMAIL', 'TOKEN', 'RULE_A', 'RULE_Z']
const containers = ['', 'Engineering', 'People', 'A new space']

const anyId = (writer: Writer, table: 'asset' | 'finding', dice: Dice): number => {
  const most = (writer.prepare(`SELECT max(id) AS id FROM ${table}`).get() as { id: number }).id
  const row = writer.prepare(`SELECT id FROM ${table} WHERE id >= ? ORDER BY id LIMIT 1`).get(1 + dice.below(most))
  return (row as { id: number }).id
}

function addAsset(writer: Writer, dice: Dice): void {
  const source = (
    writer.prepare('SELECT id FROM source ORDER BY id LIMIT 1 OFFSET ?').get(dice.below(4)) as { id: number }
  ).id
  const [kind, container] = [
    ensureDictionaryId(writer, safe('wiki.page')),
    ensureDictionaryId(writer, safe(dice.pick(containers))),
  ]
  writer
    .prepare(
      `INSERT INTO asset (uid, source_id, key, kind_id, container_id, name, status, first_seen_at, last_seen_at)
       VALUES (?, ?, ?, ?, ?, 'new', 'ACTIVE', ?, ?)`,
    )
    .run(safe(crypto.randomUUID()), source, safe(crypto.randomUUID()), kind, container, NOW - DAY, NOW)
}

function insertFinding(ledger: FindingLedger, writer: Writer, dice: Dice): void {
  const asset = writer
    .prepare('SELECT id, source_id AS sourceId FROM asset WHERE id = ?')
    .get(anyId(writer, 'asset', dice))
  const { id, sourceId } = asset as { id: number; sourceId: number }
  ledger.insert({
    assetId: id,
    fp: dice.below(2 ** 40),
    facets: {
      sourceId,
      detectorType: safe(dice.pick(detectors)),
      findingType: safe(dice.pick(types)),
      category: safe(dice.pick(['', 'SECURITY', 'NEW'])),
      customDetectorKey: safe(dice.pick(['', 'ticket-ids'])),
      severity: dice.pick(severities),
      status: dice.pick(statuses),
    },
    firstDetectedAt: dice.chance(0.4) ? NOW - dice.below(400 * DAY) : NOW - dice.below(1000),
    confidence: dice.below(10_001),
    lastDetectedAt: null,
    resolvedAt: null,
    location: null,
    excerpt: null,
  })
}

function changeFinding(ledger: FindingLedger, writer: Writer, dice: Dice): void {
  const record = ledger.findById(anyId(writer, 'finding', dice))
  if (record === undefined) return
  const kind = dice.pick(['status', 'status', 'severity', 'confidence'])
  if (kind === 'status') {
    const at = dice.chance(0.8) ? NOW - dice.below(60 * DAY) : NOW + dice.below(5)
    const to = dice.pick(statuses.filter((status) => status !== record.facets.status))
    const byImport = to === 'RESOLVED' && dice.chance(0.5)
    ledger.changeStatus(record, safe({ at, to, ...(byImport ? { actor: 'import', scanId: 1 } : { actor: 'test' }) }))
  } else if (kind === 'severity') {
    ledger.update(record, { facets: { ...record.facets, severity: dice.pick(severities) } })
  } else {
    ledger.update(record, { confidence: dice.below(10_001) })
  }
}

/** As an import does: what one has resolved gets another time. */
function correctResolution(ledger: FindingLedger, writer: Writer, dice: Dice): void {
  const resolved = writer.prepare(
    `SELECT s.finding_id AS id FROM status_change s WHERE s.finding_id >= ? AND s.scan_id IS NOT NULL
       AND s.to_status = ${statusCodes.RESOLVED}
       AND s.seq = (SELECT max(seq) FROM status_change o WHERE o.finding_id = s.finding_id)
     ORDER BY s.finding_id LIMIT 1`,
  )
  const row = resolved.get(dice.chance(0.5) ? anyId(writer, 'finding', dice) : 0) as { id: number } | undefined
  const record = row && ledger.findById(row.id)
  if (record !== undefined) ledger.correctResolution(record, NOW - dice.below(60 * DAY))
}

interface Changing {
  /** Findings that are added or changed. */
  most?: number
  /** The chance that the change log tells to start over, that it is emptied, and that the past is rewritten. */
  startsOver?: number
}

/** One transaction of random changes, of every kind that an engine has to follow. */
export function changeSomething(store: Store, dice: Dice, { most = 12, startsOver = 0.04 }: Changing = {}): void {
  store.write((writer) => {
    if (dice.chance(0.2)) addAsset(writer, dice)
    FindingLedger.keep(writer, NOW, (ledger) => {
      for (let left = 1 + dice.below(most); left > 0; left--) {
        if (dice.chance(0.4)) insertFinding(ledger, writer, dice)
        else changeFinding(ledger, writer, dice)
      }
      if (dice.chance(startsOver)) correctResolution(ledger, writer, dice)
    })
    if (dice.chance(0.2)) {
      const container = ensureDictionaryId(writer, safe(dice.pick(containers)))
      writer.prepare('UPDATE asset SET container_id = ? WHERE id = ?').run(container, anyId(writer, 'asset', dice))
    }
    if (dice.chance(0.1)) {
      const scannedAt = dice.chance(0.5) ? NOW : null
      const state = dice.pick(['ACTIVE', 'DELETED'])
      const id = anyId(writer, 'asset', dice)
      writer.prepare('UPDATE asset SET status = ?, last_scanned_at = ? WHERE id = ?').run(safe(state), scannedAt, id)
    }
    if (dice.chance(0.05)) {
      const named = [dice.pick(['Team wiki', 'TEAM Wiki']), dice.pick(['WIKI', 'BI_PLATFORM'])]
      writer.prepare('UPDATE source SET name = ?, type = ? WHERE id = 1').run(...safe(named))
    }
    if (dice.chance(startsOver)) {
      writer.prepare('DELETE FROM finding WHERE id = ?').run(anyId(writer, 'finding', dice))
      markLogReset(writer, NOW)
    }
    if (dice.chance(startsOver)) writer.prepare('DELETE FROM facet_log').run()
  })
}
