import { type BiDataset, BiTenant, type SampleDashboard, type SampleReport } from '../../src/sample/bi/tenant.ts'
import type { SampleReply } from '../../src/sample/exchange.ts'
import { sampleSourceConfigs } from '../../src/sample/tenants.ts'
import { onPath, type SampleFault } from '../sample/fault.ts'
import { startSampleBi } from '../sample/servers.ts'
import { type Chance, type Item, toText, type World } from './history-model.ts'

const guid = (letter: string, n: number) => `${letter.repeat(8)}-0000-4000-8000-${String(n).padStart(12, '0')}`
const WORKSPACES = [1, 2]

type State = 'ok' | 'refused' | 'failing'

/** What may be seen in one scan. */
interface View {
  scan: State | 'without_tables'
  details: Record<'parameters' | 'pages' | 'tiles' | 'datasources', State>
  /** The workspace whose items may not be listed, by its number. */
  closed: number | undefined
  hidden: number | undefined
  schema: boolean
  reports: boolean
  dashboards: boolean
}

const sections = {
  workspace: ['name', 'description'],
  dataset: ['name', 'description', 'tables', 'expressions', 'roles', 'parameters', 'sources'],
  report: ['name', 'description', 'pages'],
  dashboard: ['name', 'tiles'],
} as const
const kinds = Object.keys(sections) as (keyof typeof sections)[]
const letters = { workspace: 'a', dataset: 'd', report: 'e', dashboard: 'f' } as const

/** Which sections of an item a scan reads. */
function isSectionRead({ scan, details, schema }: View, kind: string, section: string): boolean {
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

function toDataset({ texts }: Item, id: string): BiDataset {
  const text = (section: string) => toText(texts[section])
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
  name: toText(texts.name),
  description: toText(texts.description),
  reportType: 'PowerBIReport',
  pages: [toText(texts.pages)],
  createdBy: 'ana@shop.com',
  modifiedBy: 'ana@shop.com',
  createdAt: 0,
  modifiedAt: 0,
})

const toDashboard = ({ texts }: Item, id: string): SampleDashboard => ({
  id,
  displayName: toText(texts.name),
  owner: 'ana@shop.com',
  tiles: [{ id: guid('c', 1), title: toText(texts.tiles) }],
})

const refusal = { status: 403, body: { error: { code: 'PowerBINotAuthorizedException' } } }
const answerOf = { refused: refusal, failing: { status: 501, body: {} } }

function toFaults(view: View): SampleFault[] {
  const detail = (pattern: RegExp, state: State): SampleFault[] =>
    state === 'ok' ? [] : [{ match: onPath(pattern), respond: answerOf[state] }]
  const withoutTables = (reply: SampleReply): SampleReply => {
    const body = reply.body as { workspaces: { datasets: { tables?: unknown }[] }[] }
    for (const { datasets } of body.workspaces) for (const dataset of datasets) delete dataset.tables
    return reply
  }
  return [
    ...(view.scan === 'refused' || view.scan === 'failing' ? detail(/getInfo$/, view.scan) : []),
    ...(view.scan === 'without_tables' ? [{ match: onPath(/scanResult/), respond: { rewrite: withoutTables } }] : []),
    ...detail(/\/parameters$/, view.details.parameters),
    ...detail(/\/pages$/, view.details.pages),
    ...detail(/\/tiles$/, view.details.tiles),
    ...detail(/\/datasources$/, view.details.datasources),
    ...(view.closed === undefined ? [] : detail(new RegExp(`${guid('a', view.closed)}/datasets$`), 'refused')),
  ]
}

const states = ['ok', 'ok', 'refused', 'failing'] as const

export async function openBiWorld(): Promise<World> {
  const tenant = new BiTenant({ now: () => 0 })
  const server = await startSampleBi({ tenant, adminApi: true, queries: false, scanPolls: 0 })
  const prefix = `bi:${server.credentials.tenantId}`
  const items: Item[] = WORKSPACES.flatMap((place) =>
    kinds.map((kind) => ({
      key: `${prefix}:${kind}:${guid(letters[kind], place)}`,
      place,
      kind,
      isThere: true,
      texts: Object.fromEntries(sections[kind].map((section) => [section, new Set<string>()])),
    })),
  )
  const urls = { wikiUrl: server.url, biUrl: server.url, authorityUrl: server.authorityUrl }
  const { config } = sampleSourceConfigs(urls).bi
  let view: View = {
    scan: 'ok',
    details: { parameters: 'ok', pages: 'ok', tiles: 'ok', datasources: 'ok' },
    closed: undefined,
    hidden: undefined,
    schema: true,
    reports: true,
    dashboards: true,
  }
  const isOpen = (place: number) => place !== view.closed && place !== view.hidden
  const isLeftOut = (kind: string) => (kind === 'report' && !view.reports) || (kind === 'dashboard' && !view.dashboards)
  return {
    config: { ...config, required: { ...(config.required as object), tenant_id: server.credentials.tenantId } },
    items,
    requests: server.requests,
    sight: {
      isListed: ({ isThere, place, kind }) => isThere && isOpen(place) && !isLeftOut(kind),
      // An item in a workspace that cannot be listed is in the lists of administrators.
      isMissed: ({ kind, isThere }, place) => isOpen(place) && !isLeftOut(kind) && (kind === 'workspace' || !isThere),
      isRead: ({ kind }, section) => isSectionRead(view, kind, section),
    },
    changeView(chance: Chance) {
      for (const item of items) {
        if (item.kind !== 'workspace' && chance(0.1)) item.place = chance.pick(WORKSPACES)
      }
      view = {
        scan: chance.pick(['ok', 'ok', 'refused', 'failing', 'without_tables'] as const),
        details: {
          parameters: chance.pick(states),
          pages: chance.pick(states),
          tiles: chance.pick(states),
          datasources: chance.pick(states),
        },
        closed: chance(0.15) ? chance.pick(WORKSPACES) : undefined,
        hidden: chance(0.15) ? chance.pick(WORKSPACES) : undefined,
        schema: chance(0.8),
        reports: chance(0.85),
        dashboards: chance(0.85),
      }
      const { schema, reports, dashboards } = view
      return {
        extraction: {
          extract_dataset_schema: schema,
          extract_reports: reports,
          extract_dashboards: dashboards,
        },
      }
    },
    publish() {
      for (const place of WORKSPACES) {
        const own = items.filter((item) => item.place === place && item.isThere)
        const of = (kind: string) => own.filter((item) => item.kind === kind)
        const idOf = ({ key }: Item) => key.split(':').at(-1) ?? ''
        const [workspace] = of('workspace')
        tenant.addWorkspace({
          id: guid('a', place),
          name: toText(workspace?.texts.name),
          description: toText(workspace?.texts.description),
          open: view.hidden !== place,
          datasets: of('dataset').map((item) => toDataset(item, idOf(item))),
          reports: of('report').map((item) => toReport(item, idOf(item))),
          dashboards: of('dashboard').map((item) => toDashboard(item, idOf(item))),
        })
      }
      server.faults.splice(0, server.faults.length, ...toFaults(view))
    },
    close: () => server.close(),
  }
}
