import { audienceCodes, presenceCodes, severityCodes, statusCodes } from '../../src/store/schema.ts'
import type { Store } from '../../src/store/store.ts'
import type { OracleAsset, OracleChange, OracleEstate, OracleFinding } from './query-terms.ts'

type NameOf = (code: number) => string
const nameOf = (codes: Readonly<Record<string, number>>) => {
  const names = new Map(Object.entries(codes).map(([name, code]) => [code, name]))
  return (code: number) => names.get(code) ?? ''
}
const codes = [severityCodes, statusCodes, presenceCodes, audienceCodes]
const [severityOf, statusOf, presenceOf, audienceOf] = codes.map(nameOf) as [NameOf, NameOf, NameOf, NameOf]

function groupById<Row extends { id: number }>(rows: readonly Row[]): Map<number, Row[]> {
  const groups = new Map<number, Row[]>()
  for (const row of rows) {
    const group = groups.get(row.id)
    if (group === undefined) groups.set(row.id, [row])
    else group.push(row)
  }
  return groups
}

type AssetRow = Omit<OracleAsset, 'labels' | 'audience'> & { set: number; audience: number }
type FindingRow = Omit<OracleFinding, 'severity' | 'status' | 'presence' | 'value' | 'changes' | 'until' | 'endsAs'> & {
  id: number
  severity: number
  status: number
  presence: number
  value: number | null
}

/** The rows of a store, for an oracle that knows what was written. */
export function readEstate(store: Store): OracleEstate {
  return store.read((reader) => {
    const all = <Row>(sql: string) => reader.prepare(sql).all() as Row[]
    const sets = groupById(
      all<{ id: number; label: string }>(
        // The set without labels has the empty word.
        'SELECT m.set_id AS id, w.text AS label FROM label_set_member m JOIN word w ON w.id = m.word_id WHERE w.id > 0',
      ),
    )
    const histories = groupById(
      all<{ id: number; at: number; was: number; now: number }>(
        `SELECT finding_id AS id, at, from_status AS was, to_status AS now FROM status_change ORDER BY finding_id, seq`,
      ),
    )
    const ends = new Map(
      all<{ id: number; until: number; status: number }>(
        'SELECT finding_id AS id, at AS until, to_status AS status FROM expiry',
      ).map(({ id, until, status }) => [id, { until, endsAs: statusOf(status) }]),
    )
    const assets = all<AssetRow>(
      `SELECT s.name AS source, a.key, k.text AS kind, a.name, c.text AS container, o.text AS owner, a.labels_id AS "set",
         d.text AS dataset, a.status, a.content_updated_at AS contentUpdatedAt, a.first_seen_at AS firstSeenAt,
         a.last_seen_at AS lastSeenAt, a.last_scanned_at AS lastScannedAt, a.deleted_at AS deletedAt, a.audience,
         a.audience_size AS audienceSize
       FROM asset a JOIN source s ON s.id = a.source_id JOIN word k ON k.id = a.kind_id
         JOIN word c ON c.id = a.container_id JOIN word o ON o.id = a.owner_id JOIN word d ON d.id = a.dataset_id`,
    )
    const findings = all<FindingRow>(
      `SELECT f.id, a.key AS asset, d.text AS detectorType, t.text AS findingType, c.text AS category,
         u.text AS customDetectorKey, k.severity, k.status, k.presence, f.value_id AS value, f.conf_q / 10000.0 AS confidence,
         f.first_detected_at AS firstDetectedAt, f.last_detected_at AS lastDetectedAt, f.resolved_at AS resolvedAt
       FROM finding f JOIN asset a ON a.id = f.asset_id JOIN combo k ON k.id = f.combo_id
         JOIN word d ON d.id = k.detector_id JOIN word t ON t.id = k.type_id JOIN word c ON c.id = k.category_id
         JOIN word u ON u.id = k.custom_key_id`,
    )
    return {
      sources: all('SELECT name, type FROM source ORDER BY id'),
      assets: assets.map(({ set, audience, ...asset }) => ({
        ...asset,
        audience: audienceOf(audience),
        owner: asset.owner || null,
        labels: (sets.get(set) ?? []).map(({ label }) => label),
      })),
      findings: findings.map(({ id, severity, status, presence, value, ...finding }) => ({
        ...finding,
        severity: severityOf(severity),
        status: statusOf(status),
        presence: presenceOf(presence),
        value: value === null ? null : `v_${value.toString(16).padStart(12, '0')}`,
        changes: (histories.get(id) ?? []).map(
          ({ at, was, now }): OracleChange => ({ at, from: statusOf(was), to: statusOf(now) }),
        ),
        ...ends.get(id),
      })),
    }
  })
}
