import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startSampleBi } from '../../src/sample/bi/server.ts'
import { type BiDataset, BiTenant, type SampleDashboard, type SampleReport } from '../../src/sample/bi/tenant.ts'
import type { SampleReply } from '../../src/sample/exchange.ts'
import { onPath, type SampleFault } from '../../src/sample/fault.ts'
import { createRandom } from '../../src/sample/ids.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import type { Scan } from '../../src/scans/model.ts'
import { findingNumber, openSectionedBench } from './sectioned.ts'

const guid = (letter: string, n: number) => `${letter.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`
/** The platform's times show no edit of this tenant; after so long every item is read again whatever they say. */
const PAST_REREAD_MS = 8 * 86_400_000
const WORDS = ['a', 'b', 'c', 'd']

/** What may be seen in one scan. */
interface View {
  scan: 'ok' | 'refused' | 'failing' | 'without_tables'
  details: Record<'parameters' | 'pages' | 'tiles' | 'datasources', 'ok' | 'refused' | 'failing'>
  /** The workspace whose reports may not be listed, by its number. */
  closed: number | undefined
  hidden: number | undefined
  schema: boolean
  reports: boolean
  dashboards: boolean
}

/** An item of the tenant: its texts by section, as words. */
interface Item {
  key: string
  workspace: number
  kind: 'workspace' | 'dataset' | 'report' | 'dashboard'
  isThere: boolean
  texts: Record<string, Set<string>>
}

interface ModelFinding {
  status: 'OPEN' | 'RESOLVED' | 'IGNORED' | 'FALSE_POSITIVE'
  history: string[]
}

/** What a tool that knows what was visible when would say: a word is there while a section that was last read has it. */
class Model {
  readonly findings = new Map<string, ModelFinding>()
  readonly known = new Map<string, Map<string, Set<string>>>()
  readonly missed = new Map<string, number>()

  /** Returns how many findings stay because of what is not read. */
  see(item: Item, isRead: (section: string) => boolean): number {
    let held = 0
    this.missed.set(item.key, 0)
    const known = this.known.get(item.key) ?? new Map<string, Set<string>>()
    this.known.set(item.key, known)
    for (const [section, words] of Object.entries(item.texts)) if (isRead(section)) known.set(section, new Set(words))
    for (const word of WORDS) {
      const isPresent = [...known.values()].some((words) => words.has(word))
      const id = `${item.key} ${word}`
      const finding = this.findings.get(id)
      if (isPresent && finding === undefined) this.findings.set(id, { status: 'OPEN', history: [] })
      else if (isPresent && finding?.status === 'RESOLVED') this.#move(finding, 'OPEN')
      else if (!isPresent && finding?.status === 'OPEN') this.#move(finding, 'RESOLVED')
      const isSeen = [...known].some(([section, words]) => isRead(section) && words.has(word))
      if (isPresent && !isSeen) held++
    }
    return held
  }

  miss(item: Item): void {
    if (!this.known.has(item.key)) return
    const missed = (this.missed.get(item.key) ?? 0) + 1
    this.missed.set(item.key, missed)
    if (missed < 2) return
    this.known.delete(item.key)
    for (const [id, finding] of this.findings) {
      if (id.startsWith(`${item.key} `) && finding.status === 'OPEN') this.#move(finding, 'RESOLVED')
    }
  }

  decide(id: string, status: 'IGNORED' | 'FALSE_POSITIVE'): void {
    const finding = this.findings.get(id)
    if (finding !== undefined) this.#move(finding, status)
  }

  #move(finding: ModelFinding, to: ModelFinding['status']): void {
    finding.status = to
    finding.history.push(to)
  }
}

/** Which sections of an item a scan reads. */
function isSectionRead({ scan, details, schema }: View, kind: Item['kind'], section: string): boolean {
  const isScanned = scan === 'ok' || scan === 'without_tables'
  switch (`${kind} ${section}`) {
    case 'workspace description':
      return isScanned
    case 'dataset tables':
      return schema && scan === 'ok'
    case 'dataset expressions':
    case 'dataset roles':
      return schema && isScanned
    case 'dataset parameters':
      return schema && details.parameters === 'ok'
    case 'dataset sources':
      return isScanned || details.datasources === 'ok'
    case 'report pages':
      return details.pages === 'ok'
    case 'dashboard tiles':
      return isScanned || details.tiles === 'ok'
    default:
      return true
  }
}

const toText = (words: ReadonlySet<string>) => ['text', ...[...words].map((word) => `word:${word}`)].join(' ')

function toDataset({ texts }: Item, id: string): BiDataset {
  const text = (section: string) => toText(texts[section] ?? new Set())
  return {
    id,
    name: text('name'),
    description: text('description'),
    configuredBy: 'ana@shop.com',
    createdAt: 0,
    refreshedAt: 0,
    push: false,
    identityRequired: false,
    storageMode: 'Import',
    tables: [
      {
        name: 'Table',
        description: 'text',
        columns: [{ name: 'Column', dataType: 'Int64', description: 'text' }],
        measures: [{ name: 'Measure', expression: text('tables'), description: 'text' }],
        source: 'let x = 1',
      },
    ],
    expressions: [{ name: 'Key', expression: text('expressions'), description: 'text' }],
    parameters: [{ name: 'P', type: 'Text', currentValue: text('parameters'), isRequired: true }],
    dataSources: [
      { datasourceType: 'Sql', connectionDetails: { server: 'x' }, connectionString: text('sources'), name: 'source' },
    ],
    upstreamDatasets: [],
    upstreamDataflows: [],
    roles: [{ name: 'Role', table: 'Table', filter: text('roles') }],
  }
}

const toReport = ({ texts }: Item, id: string): SampleReport => ({
  id,
  name: toText(texts.name ?? new Set()),
  description: toText(texts.description ?? new Set()),
  reportType: 'PowerBIReport',
  pages: [toText(texts.pages ?? new Set())],
  createdBy: 'ana@shop.com',
  modifiedBy: 'ana@shop.com',
  createdAt: 0,
  modifiedAt: 0,
})

const toDashboard = ({ texts }: Item, id: string): SampleDashboard => ({
  id,
  displayName: toText(texts.name ?? new Set()),
  owner: 'ana@shop.com',
  tiles: [{ id: guid('c', 1), title: toText(texts.tiles ?? new Set()) }],
})

const sections: Record<Item['kind'], readonly string[]> = {
  workspace: ['name', 'description'],
  dataset: ['name', 'description', 'tables', 'expressions', 'roles', 'parameters', 'sources'],
  report: ['name', 'description', 'pages'],
  dashboard: ['name', 'tiles'],
}

const letters = { workspace: 'a', dataset: 'd', report: 'e', dashboard: 'f' } as const

const refusal = { status: 403, body: { error: { code: 'PowerBINotAuthorizedException' } } }
const answerOf = { refused: refusal, failing: { status: 501, body: {} } }

function toFaults(view: View): SampleFault[] {
  const detail = (pattern: RegExp, state: View['details']['pages']): SampleFault[] =>
    state === 'ok' ? [] : [{ match: onPath(pattern), respond: answerOf[state] }]
  const withoutTables = (reply: SampleReply): SampleReply => {
    const body = reply.body as { workspaces: { datasets: { tables?: unknown }[] }[] }
    for (const { datasets } of body.workspaces) for (const dataset of datasets) delete dataset.tables
    return reply
  }
  return [
    ...(view.scan === 'refused' || view.scan === 'failing'
      ? [{ match: onPath(/getInfo$/), respond: answerOf[view.scan] }]
      : []),
    ...(view.scan === 'without_tables' ? [{ match: onPath(/scanResult/), respond: { rewrite: withoutTables } }] : []),
    ...detail(/\/parameters$/, view.details.parameters),
    ...detail(/\/pages$/, view.details.pages),
    ...detail(/\/tiles$/, view.details.tiles),
    ...detail(/\/datasources$/, view.details.datasources),
    ...(view.closed === undefined
      ? []
      : [{ match: onPath(new RegExp(`${guid('a', view.closed)}/datasets$`)), respond: refusal }]),
  ]
}

/** One random history of a tenant against the model; the differences, if there are any. */
export async function runHistory(seed: number, steps: number): Promise<string[]> {
  const random = createRandom(`history ${seed}`)
  const chance = (p: number) => random() < p
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T
  const tenant = new BiTenant({ now: () => 0 })
  const server = await startSampleBi({ tenant, adminApi: true, queries: false, scanPolls: 0 })
  const home = mkdtempSync(join(tmpdir(), 'assay-history-'))
  const prefix = `bi:${server.credentials.tenantId}`
  const items: Item[] = [1, 2].flatMap((workspace) =>
    (['workspace', 'dataset', 'report', 'dashboard'] as const).map((kind) => ({
      key: `${prefix}:${kind}:${guid(letters[kind], workspace)}`,
      workspace,
      kind,
      isThere: true,
      texts: Object.fromEntries(sections[kind].map((section) => [section, new Set<string>()])),
    })),
  )
  const model = new Model()
  let bench = openSectionedBench(home)
  const problems: string[] = []
  const randomWords = () => new Set(WORDS.filter(() => chance(0.3)))

  function fillTenant(): void {
    for (const workspace of [1, 2]) {
      const own = items.filter((item) => item.workspace === workspace && item.isThere)
      const place = own.find(({ kind }) => kind === 'workspace')
      const of = (kind: Item['kind']) => own.filter((item) => item.kind === kind)
      tenant.addWorkspace({
        id: guid('a', workspace),
        name: toText(place?.texts.name ?? new Set()),
        description: toText(place?.texts.description ?? new Set()),
        open: view.hidden !== workspace,
        datasets: of('dataset').map((item) => toDataset(item, guid('d', workspace))),
        reports: of('report').map((item) => toReport(item, guid('e', workspace))),
        dashboards: of('dashboard').map((item) => toDashboard(item, guid('f', workspace))),
      })
    }
  }

  /** Says what the findings come to, and returns how many stay because of what is not read. */
  function foretell(): number {
    let held = 0
    for (const item of items) {
      if (item.workspace === view.closed || item.workspace === view.hidden) continue
      const isLeftOut = (item.kind === 'report' && !view.reports) || (item.kind === 'dashboard' && !view.dashboards)
      if (isLeftOut) continue
      if (item.isThere) held += model.see(item, (section) => isSectionRead(view, item.kind, section))
      else model.miss(item)
    }
    return held
  }

  function compare(step: number): void {
    const rows = bench.store.read((reader) =>
      reader
        .prepare(
          `SELECT a.key, f.fp, c.status, (SELECT group_concat(s.to_status, ' ') FROM status_change s
             WHERE s.finding_id = f.id ORDER BY s.seq) AS history
           FROM finding f JOIN asset a ON a.id = f.asset_id JOIN combo c ON c.id = f.combo_id`,
        )
        .all(),
    ) as { key: string; fp: number; status: number; history: string | null }[]
    const statuses = ['OPEN', 'RESOLVED', 'FALSE_POSITIVE', 'IGNORED']
    const stored = new Map(
      rows.map(({ key, fp, status, history }) => {
        const moves = history === null ? [] : history.split(' ').map((code) => statuses[Number(code)])
        return [`${key} ${fp}`, `${statuses[status]} ${moves.join(',')}`]
      }),
    )
    const told = new Map(
      [...model.findings].map(([id, { status, history }]) => {
        const [key = '', word = ''] = id.split(' ')
        return [`${key} ${findingNumber(key, `word:${word}`)}`, `${status} ${history.join(',')}`]
      }),
    )
    for (const id of new Set([...stored.keys(), ...told.keys()])) {
      if (stored.get(id) !== told.get(id)) {
        problems.push(
          `seed ${seed} step ${step}: ${id}: ${stored.get(id)} in place of ${told.get(id)}; ${JSON.stringify(view)}`,
        )
      }
    }
  }

  async function decideOne(): Promise<void> {
    const open = [...model.findings].filter(([, { status }]) => status === 'OPEN')
    if (open.length === 0) return
    const [id] = pick(open)
    const status = pick(['IGNORED', 'FALSE_POSITIVE'] as const)
    const [key = '', word = ''] = id.split(' ')
    const row = bench.store.read((reader) =>
      reader
        .prepare('SELECT f.id FROM finding f JOIN asset a ON a.id = f.asset_id WHERE a.key = ? AND f.fp = ?')
        .get(key, findingNumber(key, `word:${word}`)),
    ) as { id: number } | undefined
    if (row === undefined) return
    await bench.run('update_finding', { id: String(row.id), status, reason: 'as decided' })
    model.decide(id, status)
  }

  /** A scan that is broken off after some time, and goes on in another process. */
  async function scanWithStop(afterMs: number): Promise<Scan> {
    const { now } = bench.clock
    const { id } = await bench.run<Scan>('start_scan', { id: 'fake' })
    await sleep(afterMs)
    await bench.close()
    bench = openSectionedBench(home)
    bench.clock.now = now
    for (;;) {
      const scan = await bench.run<Scan>('get_scan', { id })
      if (scan.finishedAt !== undefined) return scan
      bench.clock.now += 10_000
      bench.turn()
      await Promise.race([bench.queue.settled(id), sleep(50)])
    }
  }

  const states = ['ok', 'ok', 'refused', 'failing'] as const
  let view: View = {
    scan: 'ok',
    details: { parameters: 'ok', pages: 'ok', tiles: 'ok', datasources: 'ok' },
    closed: undefined,
    hidden: undefined,
    schema: true,
    reports: true,
    dashboards: true,
  }
  const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.authorityUrl }
  const { config } = sampleSourceConfigs(urls).bi
  const required = { ...(config.required as object), tenant_id: server.credentials.tenantId }
  try {
    await bench.run('create_source', { name: 'fake', config: { ...config, required, detectors: [{ type: 'WORDS' }] } })
    for (let step = 0; step < steps && problems.length === 0; step++) {
      for (const item of items) {
        if (item.kind !== 'workspace' && chance(0.08)) item.isThere = !item.isThere
        for (const section of sections[item.kind]) if (chance(0.25)) item.texts[section] = randomWords()
      }
      if (chance(0.7)) {
        view = {
          scan: pick(['ok', 'ok', 'refused', 'failing', 'without_tables'] as const),
          details: {
            parameters: pick(states),
            pages: pick(states),
            tiles: pick(states),
            datasources: pick(states),
          },
          closed: chance(0.15) ? pick([1, 2]) : undefined,
          hidden: chance(0.15) ? pick([1, 2]) : undefined,
          schema: chance(0.8),
          reports: chance(0.85),
          dashboards: chance(0.85),
        }
        const { schema, reports, dashboards } = view
        const extraction = { extract_dataset_schema: schema, extract_reports: reports, extract_dashboards: dashboards }
        await bench.run('update_source', { id: 'fake', config: { optional: { extraction } } })
      }
      fillTenant()
      server.faults.splice(0, server.faults.length, ...toFaults(view))
      bench.clock.now += PAST_REREAD_MS
      const scan = chance(0.3) ? await scanWithStop(random() * 60) : await bench.scan()
      const held = foretell()
      compare(step)
      const isSaid = scan.status !== 'COMPLETED' || scan.warnings.length > 0
      if (held > 0 && !isSaid) problems.push(`seed ${seed} step ${step}: ${held} findings stay, and nothing is said`)
      if (chance(0.4)) await decideOne()
    }
    return problems
  } finally {
    await bench.close()
    await server.close()
    rmSync(home, { recursive: true, force: true })
  }
}
