import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { Store } from '../../../src/store/store.ts'
import { ensureDictionaryId } from '../../../src/store/words.store.ts'
import { SeededRandom } from '../../properties/query-data.ts'
import { safe } from '../../support/safe-text.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
export const NOW = Date.UTC(2026, 6, 1)
export const START = NOW - 730 * DAY
const SOURCES = 20
const TYPES = 60
export const detectors = [
  'SECRETS',
  'PII',
  'BROKEN_LINKS',
  'DUPLICATE',
  'CONTENT_QUALITY',
  'PROMPT_INJECTION',
  'CUSTOM',
  'YARA',
  'LICENSE',
  'CODE',
]
export const categories = ['SECURITY', 'PRIVACY', 'QUALITY', 'CONTENT', 'LEGAL', 'OTHER']
export const severities = ['INFO', 'LOW', 'MEDIUM', 'HIGH', 'CRITICAL'] as const
export const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED'] as const
export const typeName = (type: number) => `TYPE_${type}`
export const sourceName = (source: number) => `Source ${source}`
export const containerName = (container: number) => `Space ${container}`
export const OWNERS = 1000
export const ownerName = (owner: number) => `Owner ${owner}`
/** Drawn from the number of the asset, so that all else is as without owners. */
const ownerOf = (asset: number) => Math.floor(OWNERS * ((asset * 0.618034) % 1) ** 2)

/** The least first: a few kinds take most of it. */
const skewed = (random: SeededRandom, count: number) => Math.floor(count * random.next() ** 2.5)

/** Two years, most of it in office hours. */
function instantOf(random: SeededRandom): number {
  const day = START + random.below(729) * DAY
  const weekend = [0, 6].includes(new Date(day).getUTCDay())
  if (weekend && random.chance(0.8)) return instantOf(random)
  return day + (random.chance(0.85) ? 8 * HOUR + random.below(10 * HOUR) : random.below(DAY))
}

export interface Filled {
  findings: number
  assets: number
  changes: number
  containers: number
  /** CSV files with the codes of every finding, and the spans in which each was open. */
  findingFile: string
  spanFile: string
}

/** Fills an empty store with so many findings, the same for the same number, and writes them out for others. */
export function fillStore(store: Store, count: number, folder: string): Filled {
  const random = new SeededRandom(count)
  const assetCount = Math.ceil(count / 5)
  const containers = Math.min(5000, Math.max(50, Math.ceil(count / 2000)))
  const files = { findingFile: join(folder, 'findings.csv'), spanFile: join(folder, 'spans.csv') }
  const out = { findings: openLines(files.findingFile), spans: openLines(files.spanFile) }
  const typeFacts = Array.from({ length: TYPES }, () => ({
    detector: skewed(random, detectors.length),
    category: random.below(categories.length),
    severity: 1 + random.below(5),
  }))
  let [findings, changes] = [0, 0]
  store.write((writer) => {
    writer.prepare('DROP INDEX finding_by_time').run()
    writer.prepare('DROP INDEX status_change_by_time').run()
    const source = writer
      .prepare(
        `INSERT INTO source (uid, name, type, config, last_completed_scan_at, created_at, updated_at) VALUES (?, ?, ?, '{}', ?, 0, 0) RETURNING id`,
      )
      .pluck()
    const sourceIds = Array.from({ length: SOURCES }, (_, index) =>
      Number(
        source.write(safe(crypto.randomUUID()), safe(sourceName(index)), index % 2 === 0 ? 'WIKI' : 'BI_PLATFORM', NOW),
      ),
    )
    const words = (names: readonly string[]) => names.map((name) => ensureDictionaryId(writer, safe(name)))
    const detectorIds = words(detectors)
    const categoryIds = words(categories)
    const typeIds = words(Array.from({ length: TYPES }, (_, type) => typeName(type)))
    const containerIds = words(Array.from({ length: containers }, (_, container) => containerName(container)))
    const ownerIds = words(Array.from({ length: OWNERS }, (_, owner) => ownerName(owner)))
    const [page = 0] = words(['wiki.page'])
    const asset = writer
      .prepare(
        `INSERT INTO asset (uid, source_id, key, kind_id, container_id, owner_id, name, status, first_seen_at, last_seen_at, last_scanned_at)
       VALUES (?, ?, ?, ?, ?, ?, '', 'ACTIVE', ?, ?, ?) RETURNING id`,
      )
      .pluck()
    const addCombo = writer
      .prepare(
        `INSERT INTO combo (source_id, detector_id, type_id, category_id, custom_key_id, severity, status) VALUES (?, ?, ?, ?, 0, ?, ?) RETURNING id`,
      )
      .pluck()
    const combos = new Map<number, { id: number; n: number }>()
    const finding = writer.prepare(
      `INSERT INTO finding (asset_id, fp, id, combo_id, first_detected_at, conf_q, resolved_at) VALUES (?, ?, ?, ?, ?, ?, ?)`,
    )
    const change = writer.prepare(
      `INSERT INTO status_change (finding_id, seq, at, from_status, to_status, actor) VALUES (?, ?, ?, ?, ?, 'bench')`,
    )
    for (let index = 0; index < assetCount; index++) {
      const [sourceNumber, container] = [skewed(random, SOURCES), skewed(random, containers)]
      const assetId = Number(
        asset.write(
          safe(`asset-${index}`),
          sourceIds[sourceNumber],
          safe(`a${index}`),
          page,
          containerIds[container],
          ownerIds[ownerOf(index)],
          START,
          NOW,
          NOW,
        ),
      )
      const left = count - findings
      const own = index === assetCount - 1 ? left : Math.min(left, Math.floor(5 * random.next() * random.next() * 4))
      for (let number = 0; number < own; number++) {
        const type = skewed(random, TYPES)
        const { detector = 0, category = 0, severity: usual = 1 } = typeFacts[type] ?? {}
        const severity = random.chance(0.7) ? usual : 1 + random.below(5)
        const at = instantOf(random)
        const draw = random.next()
        const status = draw < 0.6 ? 0 : draw < 0.85 ? 1 : draw < 0.93 ? 2 : 3
        const confidence = Math.round(10_000 * (1 - random.next() ** 2 * 0.8))
        const key = (((sourceNumber * TYPES + type) * 8 + severity) * 4) | status
        const combo = combos.get(key) ?? {
          n: 0,
          id: Number(
            addCombo.write(
              sourceIds[sourceNumber],
              detectorIds[detector],
              typeIds[type],
              categoryIds[category],
              severity,
              status,
            ),
          ),
        }
        combos.set(key, combo)
        combo.n++
        findings++
        const changedAt = Math.min(NOW - 1, at + 1 + Math.floor(random.next() ** 2 * 90 * DAY))
        finding.run(assetId, number, findings, combo.id, at, confidence, status === 1 ? changedAt : null)
        if (status !== 0) {
          changes++
          change.run(findings, 1, changedAt, 0, status)
          out.spans.add(`${at},${changedAt}`)
        } else if (random.chance(0.05) && changedAt < NOW - DAY) {
          changes += 2
          change.run(findings, 1, changedAt, 0, 1)
          change.run(findings, 2, changedAt + HOUR, 1, 0)
          out.spans.add(`${at},${changedAt}`)
          out.spans.add(`${changedAt + HOUR},`)
        } else {
          out.spans.add(`${at},`)
        }
        out.findings.add(
          `${at},${confidence},${index},${sourceNumber},${detector},${type},${category},${severity},${status},${container},${ownerOf(index)}`,
        )
      }
    }
    const counted = writer.prepare('UPDATE combo SET n = ? WHERE id = ?')
    for (const { id, n } of combos.values()) counted.run(n, id)
    writer.prepare(`INSERT INTO install (name, value) VALUES ('last_finding_id', ?)`).run(safe(String(findings)))
  })
  out.findings.close()
  out.spans.close()
  store.write((writer) => {
    writer.prepare('CREATE INDEX finding_by_time ON finding (first_detected_at, combo_id, conf_q, asset_id, id)').run()
    writer.prepare('CREATE INDEX status_change_by_time ON status_change (at, finding_id)').run()
    writer.prepare('ANALYZE').run()
  })
  return { findings, assets: assetCount, changes, containers, ...files }
}

function openLines(file: string) {
  const handle = openSync(file, 'w')
  let lines: string[] = []
  const flush = () => {
    if (lines.length > 0) writeSync(handle, `${lines.join('\n')}\n`)
    lines = []
  }
  return {
    add: (line: string) => {
      lines.push(line)
      if (lines.length === 50_000) flush()
    },
    close: () => {
      flush()
      closeSync(handle)
    },
  }
}
