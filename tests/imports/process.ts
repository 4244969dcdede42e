import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { operations } from '../../src/catalogue.ts'
import { buildEngine } from '../../src/engine/load.store.ts'
import { importFindings } from '../../src/imports/imports.ts'
import type { ImportContext } from '../../src/imports/request.ts'
import { type Caller, scopes } from '../../src/operation/context.ts'
import { call } from '../../src/operation/operation.ts'
import { attachEngine, findEngine } from '../../src/query/engine/executor.ts'
import { Store } from '../../src/store/store.ts'
import type { SeededRandom } from '../properties/query-data.ts'
import { contextOf } from '../support/context.ts'
import { isLong } from '../support/long.ts'
import { openNewFile } from '../support/new-store.ts'

export const NOW = Date.UTC(2026, 0, 5, 12)
const HOUR = 3_600_000
const now = () => NOW
const caller: Caller = { name: 'ada', via: 'http', scopes: new Set(scopes) }
const toText = (at: number) => new Date(at).toISOString()

export type Line = Record<string, unknown> & { fingerprint: string }

/** A line about one of some findings: who draws twice gets two versions of it. */
export function drawLine(random: SeededRandom, finding: number): Line {
  const first = NOW - (finding + 2) * HOUR
  const status = random.pick(['OPEN', 'OPEN', 'RESOLVED', 'IGNORED'])
  return {
    asset: {
      key: `k${finding % 37}`,
      name: `Asset ${finding % 37} ${random.pick(['', 'renamed'])}`,
      ...(random.chance(0.3) ? { container: random.pick(['Engineering', 'People']) } : {}),
      ...(random.chance(0.3) ? { kind: random.pick(['repository.file', 'image']) } : {}),
    },
    detectorType: random.pick(['SECRETS', 'PII']),
    findingType: random.pick(['TOKEN', 'EMAIL']),
    severity: random.pick(['LOW', 'HIGH', 'CRITICAL']),
    confidence: random.pick([0.5, 0.75, 1]),
    firstDetectedAt: toText(first),
    lastDetectedAt: toText(first + random.below(60) * 60_000),
    ...(status === 'OPEN' ? {} : { status }),
    ...(status === 'RESOLVED' ? { resolvedAt: toText(first + HOUR + random.below(2) * 60_000) } : {}),
    ...(random.chance(0.2) ? { excerpt: `around ${finding} ${random.pick(['once', 'twice'])}` } : {}),
    fingerprint: `f${finding}`,
  }
}

async function* streamOf(lines: readonly Line[]) {
  yield Buffer.from(lines.map((line) => JSON.stringify(line)).join('\n'))
}

const questions: readonly (readonly [operation: string, input: Record<string, unknown>])[] = [
  ['search_findings', { limit: 20 }],
  ['search_findings', { limit: 20, statuses: ['RESOLVED'], severities: ['HIGH'] }],
  ['search_findings', { limit: 20, search: 'renamed' }],
  ['list_assets', { limit: 20 }],
  ['list_assets', { limit: 20, severities: ['CRITICAL'] }],
  ['get_stats', {}],
  ['list_sources', {}],
  ['preview_triage', { filters: { statuses: ['OPEN'] } }],
  ['preview_glossary_term', { slug: 'security-threats' }],
  ['query_metric', { metricSlug: 'total-findings', dimensions: ['source', 'severity'] }],
  ['query_metric', { metricSlug: 'total-findings', dimensions: ['container'] }],
  ['query_metric', { metricSlug: 'open-findings' }],
  ['query_metric', { metricSlug: 'open-findings', dimensions: ['assetKind'], to: toText(NOW - 50 * HOUR) }],
  ['query_metric', { metricSlug: 'affected-assets', dimensions: ['detectorType'] }],
  ['query_metric', { metricSlug: 'average-confidence', dimensions: ['findingType'] }],
  ['query_metric', { metricSlug: 'mean-time-to-resolve' }],
  ['query_metric', { metricSlug: 'scan-coverage' }],
  ['explore_metric', { metricSlug: 'total-findings', glossaryTermSlug: 'pii-exposure' }],
  ['explore_by_glossary_term', { glossaryTermSlug: 'security-threats' }],
  ['query_dashboard', { dashboard: 'discovery' }],
  ...(['open-findings', 'new-findings'] as const).map((metricSlug) => {
    const range = { from: toText(NOW - 9 * 24 * HOUR), to: toText(NOW) }
    return ['query_metric_timeseries', { metricSlug, granularity: 'day', ...range }] as const
  }),
]

/** What a finding is, whatever its numbers. */
const selectFindings = `SELECT a.key, a.name, kind.text AS kind, container.text AS container, f.fp, d.text AS detector,
    t.text AS type, c.severity, c.status, f.conf_q, f.first_detected_at, f.last_detected_at, f.resolved_at, f.excerpt
  FROM finding f JOIN asset a ON a.id = f.asset_id JOIN combo c ON c.id = f.combo_id
    JOIN word kind ON kind.id = a.kind_id JOIN word container ON container.id = a.container_id
    JOIN word d ON d.id = c.detector_id JOIN word t ON t.id = c.type_id
  ORDER BY a.source_id, a.key, f.fp`
const selectHistory = `SELECT a.key, f.fp, s.seq, s.at, s.from_status, s.to_status, s.actor
  FROM status_change s JOIN finding f ON f.id = s.finding_id JOIN asset a ON a.id = f.asset_id
  ORDER BY a.source_id, a.key, f.fp, s.seq`

const selectOpen = `SELECT uid FROM scan WHERE status IN ('QUEUED', 'RUNNING')`

/** One of several processes on a data folder. */
export class Process {
  readonly store: Store
  readonly home: string
  readonly #hasEngine: boolean
  /** How often an engine was built. */
  built = 0

  constructor(home: string, { engine = false } = {}) {
    this.home = home
    this.store = Store.open(join(home, 'assay.db'), { now })
    this.#hasEngine = engine
  }

  run<T = unknown>(name: string, input: Record<string, unknown> = {}): Promise<T> {
    const operation = operations.find((one) => one.name === name)
    if (operation === undefined) throw new Error(`no operation ${name}`)
    return call(operation, input, contextOf({ store: this.store, now, caller })) as Promise<T>
  }

  /** All answers of this process at this moment, as one text. */
  async look(): Promise<string> {
    const answers: unknown[] = []
    for (const [name, input] of isLong ? questions : questions.filter((_, at) => at % 2 === 0)) {
      if (this.#hasEngine) this.#tend()
      answers.push([name, input, withoutScans(await this.run(name, input))])
    }
    answers.push(this.facts())
    return JSON.stringify(answers, null, 1)
  }

  /** Leaves everything in the one file. */
  settle(): void {
    this.store.files?.emptyLog()
  }

  isImporting(): boolean {
    return this.store.read((reader) => reader.prepare(selectOpen).get()) !== undefined
  }

  /** Findings and their histories. */
  facts() {
    return this.store.read((reader) => ({
      findings: reader.prepare(selectFindings).all(),
      history: reader.prepare(selectHistory).all(),
      words: reader.prepare('SELECT DISTINCT text FROM combo JOIN word ON word.id = type_id ORDER BY text').all(),
    }))
  }

  /** Counts agree with rows, and nothing is left of imports. */
  leftovers(): { kept: number; miscounted: number } {
    const tables = ['import_file', 'import_asset', 'import_facets', 'import_finding']
    const sum = tables.map((table) => `(SELECT count(*) FROM ${table})`)
    return this.store.read((reader) =>
      reader
        .prepare(
          `SELECT ${sum.join(' + ')} AS kept, (SELECT count(*) FROM combo WHERE n <>
             (SELECT count(*) FROM finding WHERE combo_id = combo.id)) AS miscounted`,
        )
        .get(),
    ) as { kept: number; miscounted: number }
  }

  #tend(): void {
    this.store.read((reader) => {
      if (findEngine(reader) !== undefined) return
      this.built += 1
      attachEngine(reader, buildEngine(reader))
    })
  }

  close(): void {
    this.store.close()
  }
}

/** An import is listed as a scan while it goes on. */
function withoutScans(answer: unknown): unknown {
  return JSON.parse(JSON.stringify(answer), (key, value) =>
    /^(?:lastScans?|nextCursor)$/.test(key) ? undefined : value,
  )
}

/** Imports some lines as one file. */
export async function importLines(home: string, lines: readonly Line[], source = 'scanner'): Promise<void> {
  const process = new Process(home)
  const context = contextOf({ store: process.store, now, caller })
  const vault = { ...context.vault, fingerprintKey: () => Buffer.alloc(32, 7) }
  try {
    await importFindings(streamOf(lines), { source, format: 'ndjson' }, { ...context, vault } as ImportContext)
  } finally {
    process.close()
  }
}

const makeFolder = () => mkdtempSync(join(tmpdir(), 'assay-imports-'))

export function newHome(): string {
  const home = makeFolder()
  openNewFile(join(home, 'assay.db'), now).close()
  return home
}

/** A copy of a data folder that nobody has open. */
export function copyHome(home: string): string {
  const copy = makeFolder()
  copyFileSync(join(home, 'assay.db'), join(copy, 'assay.db'))
  return copy
}

export const removeHome = (home: string) => rmSync(home, { recursive: true, force: true })
