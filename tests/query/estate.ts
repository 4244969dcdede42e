import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openFacets } from '../../src/findings/facets.store.ts'
import { readValueId } from '../../src/findings/facets.ts'
import { audienceCodes, presenceCodes, severityCodes, statusCodes } from '../../src/store/schema.ts'
import type { Store, Writer } from '../../src/store/store.ts'
import { ensureDictionaryId } from '../../src/store/words.store.ts'
import { openNewStore } from '../support/new-store.ts'
import { safe } from '../support/safe-text.ts'

type Severity = keyof typeof severityCodes
type Status = keyof typeof statusCodes

interface SourceSeed {
  name: string
  type?: string
  lastCompletedScanAt?: number | null
  observedFrom?: number | null
}

interface AssetSeed {
  source?: string
  key: string
  kind?: string
  container?: string
  name?: string
  url?: string
  owner?: string | null
  labels?: string[]
  dataset?: string
  status?: 'ACTIVE' | 'DELETED'
  contentUpdatedAt?: number | null
  audience?: keyof typeof audienceCodes
  audienceSize?: number | null
  firstSeenAt?: number
  lastSeenAt?: number
  lastScannedAt?: number | null
  deletedAt?: number | null
}

interface ChangeSeed {
  at: number
  from: Status
  to: Status
}

export interface FindingSeed {
  asset: string
  detectorType?: string
  findingType?: string
  category?: string
  customDetectorKey?: string
  severity?: Severity
  status?: Status
  presence?: keyof typeof presenceCodes
  /** The id of its value. */
  value?: string | null
  confidence?: number
  firstDetectedAt: number
  lastDetectedAt?: number | null
  resolvedAt?: number | null
  excerpt?: string
  changes?: ChangeSeed[]
  /** When its decision ends by itself, and the status from then on. */
  until?: number
  endsAs?: 'OPEN' | 'RESOLVED'
}

export interface EstateSeed {
  sources?: SourceSeed[]
  assets?: AssetSeed[]
  findings?: FindingSeed[]
}

/** A store in a folder of its own, and how to remove both. */
export function openFolderStore(now: () => number): { store: Store; folder: string; close: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'assay-query-'))
  const store = openNewStore(join(folder, 'assay.db'), now)
  const close = () => {
    store.close()
    rmSync(folder, { recursive: true })
  }
  return { store, folder, close }
}

/** A store that is closed and removed when the test is over. */
export function openStore(now = () => 0): Store {
  const { store, close } = openFolderStore(now)
  onTestFinished(close)
  return store
}

/** Fills the tables directly. The first source is the default of assets; an asset is known by its key. */
export function plant(store: Pick<Store, 'write'>, estate: EstateSeed): void {
  store.write((writer) => {
    const sourceIds = plantSources(writer, estate.sources ?? [{ name: 'Wiki', lastCompletedScanAt: 1 }])
    const assets = plantAssets(writer, estate.assets ?? [{ key: 'page' }], sourceIds)
    plantFindings(writer, estate.findings ?? [], assets)
  })
}

function plantSources(writer: Writer, sources: SourceSeed[]): Map<string, number> {
  const insert = writer
    .prepare(
      `INSERT INTO source (uid, name, type, config, last_completed_scan_at, observed_from, created_at, updated_at)
     VALUES (?, ?, ?, '{}', ?, ?, 0, 0) RETURNING id`,
    )
    .pluck()
  return new Map(
    sources.map(({ name, type = 'WIKI', lastCompletedScanAt = 1, observedFrom = null }) => [
      name,
      Number(insert.write(safe(crypto.randomUUID()), safe(name), safe(type), lastCompletedScanAt, observedFrom)),
    ]),
  )
}

function plantAssets(writer: Writer, assets: AssetSeed[], sourceIds: Map<string, number>) {
  const [firstSource] = sourceIds.keys()
  const insert = writer
    .prepare(
      `INSERT INTO asset (uid, source_id, key, kind_id, container_id, name, url, owner_id, labels_id, dataset_id, status,
       content_updated_at, first_seen_at, last_seen_at, last_scanned_at, deleted_at, audience, audience_size)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
    )
    .pluck()
  const facets = openFacets(writer)
  return new Map(
    assets.map((asset) => {
      const sourceId = sourceIds.get(asset.source ?? firstSource ?? '') ?? 0
      const id = insert.write(
        safe(crypto.randomUUID()),
        sourceId,
        safe(asset.key),
        facets.wordId(safe(asset.kind ?? 'wiki.page')),
        facets.wordId(safe(asset.container ?? '')),
        safe(asset.name ?? asset.key),
        safe(asset.url ?? `https://wiki.invalid/${asset.key}`),
        facets.wordId(safe(asset.owner ?? '')),
        facets.wordSetId((asset.labels ?? []).map((label) => safe(label))),
        facets.wordId(safe(asset.dataset ?? '')),
        asset.status ?? 'ACTIVE',
        asset.contentUpdatedAt ?? null,
        asset.firstSeenAt ?? 0,
        asset.lastSeenAt ?? 0,
        asset.lastScannedAt === undefined ? 1 : asset.lastScannedAt,
        asset.deletedAt ?? null,
        audienceCodes[asset.audience ?? 'unknown'],
        asset.audienceSize ?? null,
      )
      return [asset.key, { id: Number(id), sourceId }] as const
    }),
  )
}

function plantFindings(writer: Writer, findings: FindingSeed[], assets: Map<string, { id: number; sourceId: number }>) {
  const combo = writer.prepare(
    `INSERT INTO combo (source_id, detector_id, type_id, category_id, custom_key_id, severity, presence, status)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (source_id, detector_id, type_id, category_id, custom_key_id, severity, status, presence)
     DO UPDATE SET status = excluded.status RETURNING id`,
  )
  const insert = writer.prepare(
    `INSERT INTO finding (asset_id, fp, id, combo_id, first_detected_at, conf_q, last_detected_at, resolved_at, excerpt,
       value_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const change = writer.prepare(
    `INSERT INTO status_change (finding_id, seq, at, from_status, to_status, actor) VALUES (?, ?, ?, ?, ?, 'test')`,
  )
  const expiry = writer.prepare('INSERT INTO expiry (finding_id, at, to_status) VALUES (?, ?, ?)')
  const words = new Map<string, number>([['', 0]])
  const wordId = (text: string) => {
    const id = words.get(text) ?? ensureDictionaryId(writer, safe(text))
    words.set(text, id)
    return id
  }
  let id = (writer.prepare('SELECT coalesce(max(id), 0) FROM finding').pluck().get() as number) + 1
  for (const finding of findings) {
    const asset = assets.get(finding.asset)
    if (asset === undefined) throw new Error(`no asset ${finding.asset}`)
    const facets = [
      asset.sourceId,
      wordId(finding.detectorType ?? 'SECRETS'),
      wordId(finding.findingType ?? 'TOKEN'),
      wordId(finding.category ?? ''),
      wordId(finding.customDetectorKey ?? ''),
      severityCodes[finding.severity ?? 'HIGH'],
      presenceCodes[finding.presence ?? 'current'],
    ]
    const { id: comboId } = combo.get(...facets, statusCodes[finding.status ?? 'OPEN']) as { id: number }
    insert.run(
      asset.id,
      id,
      id,
      comboId,
      finding.firstDetectedAt,
      Math.round((finding.confidence ?? 0.9) * 10_000),
      finding.lastDetectedAt ?? null,
      finding.resolvedAt ?? null,
      safe(finding.excerpt ?? null),
      finding.value ? (readValueId(finding.value) ?? null) : null,
    )
    for (const [seq, { at, from, to }] of (finding.changes ?? []).entries()) {
      change.run(id, seq, at, statusCodes[from], statusCodes[to])
    }
    if (finding.until !== undefined) {
      const endsAs = statusCodes[finding.endsAs ?? 'OPEN']
      combo.get(...facets, endsAs)
      expiry.run(id, finding.until, endsAs)
    }
    id += 1
  }
  writer.prepare('UPDATE combo SET n = (SELECT count(*) FROM finding WHERE combo_id = combo.id)').run()
}
