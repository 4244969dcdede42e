import type { UnreadSection } from '../../documents/section.ts'
import type { AssetDraft, AssetKind, Batch, CrawlRequest, ReadingUpdate, ScanWarning, Unlisted } from '../connector.ts'
import { reasonOf } from '../failure.ts'
import type { BiApi } from './api.ts'
import type { Assets } from './assets.ts'
import type { ChangeCheck } from './changes.ts'
import type { BiConfig } from './config.ts'
import { type ContentLoader, type LoadedContent, toPlacedTiles } from './content.ts'
import { judge } from './failure.ts'
import { listSourceGaps, requireMember, toScanGap, unread } from './gaps.ts'
import type { BiDashboard, BiReport, Dataset, SchemaAnswer, Workspace } from './model.ts'
import { listTileGaps, toDataSource, toParameters, toTile } from './read.ts'
import type { SampleSelection } from './sampling.ts'
import type { SchemaReader } from './schema.ts'
import type { Item } from './wire.ts'

const unreadable: ScanWarning = {
  code: 'entries_unreadable',
  message: 'The platform listed items without an id; they are skipped until the next scan.',
  incomplete: true,
}

interface Drafts {
  assets: AssetDraft[]
  warnings?: ScanWarning[]
  /** Keys of assets not read because they are unchanged. */
  unchanged?: string[]
  /** Keys of assets not read although nothing shows whether they are unchanged. */
  deferred?: string[]
  readings?: ReadingUpdate[]
}

const alone = async (draft: Promise<AssetDraft>): Promise<Drafts> => ({ assets: [await draft] })

/** Result of a request for details of an item. */
interface Detail {
  /** Undefined where the details could not be read. */
  items: Item[] | undefined
  unread: UnreadSection[]
}

const notAsked: Detail = { items: undefined, unread: [] }
const pagesNotInScan: Detail = { items: undefined, unread: unread('refused', 'not_in_scan', 'pages') }
const tilesNotInScan: Detail = { items: undefined, unread: unread('missing', 'not_in_scan_result', 'tiles') }

/** A warning that dataset schemas could not be read; affected findings are counted elsewhere. */
function toSchemaWarnings(answer: SchemaAnswer): ScanWarning[] {
  if (answer.status !== 'unavailable') return []
  const message = `The tables of some datasets could not be read: ${answer.reason}; see schemaReason of each dataset.`
  return [{ code: 'schema_unavailable', message }]
}

/** A warning that items are deferred, which also says how to have them read sooner. */
function toDeferredWarnings(count: number): ScanWarning[] {
  if (count === 0) return []
  const message = `${count} ${count === 1 ? 'item' : 'items'} without a modification time were not read by this scan: such items are read once a week; a full scan (assay scan NAME --full) reads all of them now.`
  return [{ code: 'read_weekly', message }]
}

const phases = ['datasets', 'reports', 'dashboards'] as const
const ITEMS_PER_BATCH = { datasets: 20, reports: 50, dashboards: 50 }

interface Position {
  phase: number
  /** Items up to and including this id are done. */
  after: string
}

function readCursor(cursor: string | undefined): Position {
  const [phase = '', after = ''] = (cursor ?? '').split(' ')
  const index = (phases as readonly string[]).indexOf(phase)
  return index < 0 ? { phase: 0, after: '' } : { phase: index, after }
}

const writeCursor = (phase: number, after: string) => `${phases[phase]} ${after}`

export function createCrawler(options: {
  api: BiApi
  assets: Assets
  config: BiConfig
  load: ContentLoader
  readSchema: SchemaReader
  changes: ChangeCheck
}) {
  const { api, assets } = options
  const { extraction } = options.config.optional

  /** Requests details of an item; on failure, returns the reason as an unread section. */
  async function detail(work: Promise<Item[]>, section: string): Promise<Detail> {
    try {
      return { items: await work, unread: [] }
    } catch (error) {
      const reason = (await judge(error, api.probe)) === 'refused' ? 'refused' : 'failed'
      return { items: undefined, unread: unread(reason, reasonOf(error), section) }
    }
  }

  async function readSources(dataset: Dataset, { workspace, scan, sourceGaps }: LoadedContent) {
    if (dataset.dataSources !== undefined) return { sources: dataset.dataSources, unread: sourceGaps }
    if (!workspace.member) {
      const gap = toScanGap(scan)
      return { sources: undefined, unread: gap === undefined ? [] : unread(gap.reason, gap.detail, 'sources') }
    }
    const read = await detail(api.dataSources(workspace, dataset.id), 'sources')
    if (read.items === undefined) return { sources: undefined, unread: read.unread }
    return { sources: read.items.map(toDataSource), unread: listSourceGaps(read.items) }
  }

  async function readParameters(dataset: Dataset, { workspace }: LoadedContent) {
    if (!extraction.extract_dataset_schema || !workspace.member || workspace.kind === 'me') {
      return { parameters: [], unread: [] }
    }
    const read = await detail(api.parameters(workspace, dataset.id), 'parameters')
    if (read.items === undefined) return { parameters: [], unread: read.unread }
    return { parameters: toParameters(read.items), unread: requireMember(read.items, 'name', 'parameters') }
  }

  async function datasetDrafts(dataset: Dataset, content: LoadedContent): Promise<Drafts> {
    const { workspace } = content
    const [read, parameters, answer] = await Promise.all([
      readSources(dataset, content),
      readParameters(dataset, content),
      extraction.extract_dataset_schema
        ? options.readSchema(workspace, dataset, content.scan)
        : ({ status: 'not_requested' } as const),
    ])
    const sorted = [...(read.sources ?? [])].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    const drafts = assets.datasetAssets(
      {
        ...dataset,
        dataSources: sorted,
        parameters: parameters.parameters,
        unread: [...dataset.unread, ...read.unread, ...parameters.unread],
      },
      answer,
      content,
    )
    return { assets: drafts, warnings: toSchemaWarnings(answer) }
  }

  async function reportDraft(report: BiReport, content: LoadedContent): Promise<AssetDraft> {
    const { workspace } = content
    if (report.type === 'PaginatedReport') return assets.reportAsset(report, [], content)
    const read = workspace.member ? await detail(api.pages(workspace, report.id), 'pages') : pagesNotInScan
    const { items } = read
    const pages = [...(items ?? [])]
      .sort((a, b) => (a.number('order') ?? 0) - (b.number('order') ?? 0))
      .map((page) => page.text('displayName') ?? page.text('name') ?? '')
    const gaps = [...read.unread, ...requireMember(items ?? [], 'displayName', 'pages')]
    const asked = { ...report, unread: [...report.unread, ...gaps] }
    return assets.reportAsset(asked, items === undefined ? undefined : pages, content)
  }

  const readTiles = async ({ id }: BiDashboard, workspace: Workspace) =>
    workspace.member ? await detail(api.tiles(workspace, id), 'tiles') : tilesNotInScan

  async function dashboardDraft(dashboard: BiDashboard, content: LoadedContent): Promise<AssetDraft> {
    const { workspace } = content
    const { tiles: listed } = dashboard
    const read = listed === undefined ? await readTiles(dashboard, workspace) : notAsked
    const { items } = read
    const tiles = listed ?? items?.map(toTile)
    const sorted = [...(tiles ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1))
    const { tiles: _, ...rest } = dashboard
    const placed = tiles === undefined ? rest : { ...rest, tiles: toPlacedTiles(sorted, content.reports) }
    const gaps = [...read.unread, ...listTileGaps(items ?? [])]
    return assets.dashboardAsset({ ...placed, unread: [...dashboard.unread, ...gaps] }, content)
  }

  function workspaceDrafts(content: LoadedContent, chosen: (id: string) => boolean): AssetDraft[] {
    if (!extraction.extract_workspaces_to_containers) return []
    const keys = [
      ...content.datasets.filter(({ id }) => chosen(id)).map(({ id }) => assets.keyOf.dataset(id)),
      ...content.reports.filter(({ id }) => chosen(id)).map(({ id }) => assets.keyOf.report(id)),
      ...content.dashboards.filter(({ id }) => chosen(id)).map(({ id }) => assets.keyOf.dashboard(id)),
    ]
    return [assets.workspaceAsset(content, keys)]
  }

  /** Kinds of items that the source's options exclude. */
  const leftOut: readonly AssetKind[] = [
    ...(extraction.extract_reports ? [] : ['bi.report' as const]),
    ...(extraction.extract_dashboards ? [] : ['bi.dashboard' as const]),
    ...(extraction.extract_workspaces_to_containers ? [] : ['bi.workspace' as const]),
  ]

  return async function* crawl(
    workspace: Workspace,
    selection: SampleSelection,
    request: CrawlRequest,
  ): AsyncGenerator<Batch, void> {
    const isWhole = selection.ids === undefined
    const skipped = isWhole ? await options.changes.skip(workspace, request) : undefined
    if (skipped !== undefined) return yield skipped
    api.dropLists()
    const content = await options.load(workspace)
    const { readings: _, ...sampled } = request
    const revisit = options.changes.revisit(workspace, content, isWhole ? request : sampled)
    const chosen = (id: string) => selection.ids === undefined || selection.ids.has(id)
    const start = readCursor(request.cursor)
    type Work = { id: string; draft: () => Promise<Drafts> }[]
    const work: Record<(typeof phases)[number], Work> = {
      datasets: content.datasets.map((item) => ({
        id: item.id,
        draft: () => revisit.read(item, assets.keyOf.dataset(item.id), () => datasetDrafts(item, content)),
      })),
      reports: content.reports.map((item) => ({
        id: item.id,
        draft: () => revisit.read(item, assets.keyOf.report(item.id), () => alone(reportDraft(item, content))),
      })),
      dashboards: content.dashboards.map((item) => ({
        id: item.id,
        draft: () => revisit.read(item, assets.keyOf.dashboard(item.id), () => alone(dashboardDraft(item, content))),
      })),
    }
    const batches = phases.flatMap((phase, index) => {
      const items = work[phase].filter(
        ({ id }) => chosen(id) && (index > start.phase || (index === start.phase && id > start.after)),
      )
      if (index < start.phase) return []
      const size = ITEMS_PER_BATCH[phase]
      return Array.from({ length: Math.ceil(items.length / size) }, (_, at) => {
        const slice = items.slice(at * size, (at + 1) * size)
        return { cursor: writeCursor(index, slice.at(-1)?.id ?? ''), items: slice }
      })
    })
    const isFirst = request.cursor === undefined
    const container = isFirst ? [{ assets: workspaceDrafts(content, chosen) }] : []
    const unlisted: Unlisted[] = [{ kinds: leftOut, reason: 'switched_off' }, ...content.unlisted]
    if (batches.length === 0) batches.push({ cursor: '', items: [] })

    for (const [index, batch] of batches.entries()) {
      api.dropLists()
      const drafts: Drafts[] = [
        ...(index === 0 ? container : []),
        ...(await Promise.all(batch.items.map(({ draft }) => draft()))),
      ]
      yield {
        assets: drafts.flatMap((draft) => draft.assets),
        warnings: [
          ...(index === 0 && isFirst ? selection.warnings : []),
          ...(index === 0 && content.unreadable ? [unreadable] : []),
          ...drafts.flatMap(({ warnings = [] }) => warnings),
          ...(index === batches.length - 1 ? toDeferredWarnings(revisit.deferred()) : []),
        ],
        deferred: drafts.flatMap(({ deferred = [] }) => deferred),
        unchanged: drafts.flatMap(({ unchanged = [] }) => unchanged),
        readings: [
          ...drafts.flatMap(({ readings = [] }) => readings),
          ...(isWhole && index === batches.length - 1 ? revisit.conclude() : []),
        ],
        cursor: index === batches.length - 1 ? null : batch.cursor,
        ...(index === 0 && isFirst ? { unlisted } : {}),
      }
    }
  }
}
