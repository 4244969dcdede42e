import type { AssetDraft, Batch, CrawlRequest, ScanWarning } from '../connector.ts'
import type { BiApi } from './api.ts'
import type { Assets } from './assets.ts'
import type { BiConfig } from './config.ts'
import { type ContentLoader, type LoadedContent, toPlacedTiles } from './content.ts'
import { judge } from './failure.ts'
import type { Dashboard, Dataset, Report, Workspace } from './model.ts'
import { toDataSource, toParameters, toTile } from './read.ts'
import type { Selection } from './sampling.ts'
import type { SchemaReader } from './schema.ts'

const unreadable: ScanWarning = {
  code: 'entries_unreadable',
  message: 'The platform listed items without an id; the next scan tries again.',
  incomplete: true,
}

interface Drafts {
  assets: AssetDraft[]
  warnings: ScanWarning[]
}

const phases = ['datasets', 'reports', 'dashboards'] as const
const ITEMS_PER_BATCH = { datasets: 20, reports: 50, dashboards: 50 }

interface Position {
  phase: number
  /** Items up to this id are done. */
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
}) {
  const { api, assets } = options
  const { extraction } = options.config.optional

  /** A detail that may be refused for one item; `undefined` where it could not be had this time. */
  async function detail<T>(work: Promise<T>, whenRefused: T): Promise<T | undefined> {
    try {
      return await work
    } catch (error) {
      return (await judge(error, api.probe)) === 'refused' ? whenRefused : undefined
    }
  }

  /** What could not be read this time keeps the checksum it had: a failure of the platform is no change of the item. */
  function settle(
    asset: AssetDraft,
    incomplete: boolean,
    known: ReadonlyMap<string, string>,
    warnings: ScanWarning[],
  ): AssetDraft {
    if (!incomplete) return asset
    const message = 'Some details could not be read this time; what was known of them stands.'
    warnings.push({ code: 'details_unavailable', message, assetKey: asset.key })
    const checksum = known.get(asset.key)
    if (checksum === undefined) return { ...asset, facts: { ...asset.facts, incomplete: true } }
    const { document: _unread, ...rest } = asset
    return { ...rest, checksum }
  }

  async function datasetDrafts(dataset: Dataset, content: LoadedContent, request: CrawlRequest): Promise<Drafts> {
    const { workspace } = content
    const [dataSources, parameters, answer] = await Promise.all([
      dataset.dataSources ??
        (workspace.member
          ? detail(api.dataSources(workspace, dataset.id), []).then((items) => items?.map(toDataSource))
          : []),
      workspace.member && workspace.kind !== 'me' && extraction.extract_dataset_schema
        ? detail(api.parameters(workspace, dataset.id), []).then((items) => items && toParameters(items))
        : [],
      extraction.extract_dataset_schema
        ? options.readSchema(workspace, dataset, content.scan)
        : ({ status: 'not_requested' } as const),
    ])
    const temporary = answer.status === 'unavailable' && answer.temporary
    const incomplete = content.incomplete || temporary || dataSources === undefined || parameters === undefined
    const sorted = [...(dataSources ?? [])].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1))
    const full = { ...dataset, dataSources: sorted, parameters: parameters ?? [] }
    const drafts = assets.datasetAssets(full, answer, content)
    const known = incomplete ? request.known(drafts.map(({ key }) => key)) : new Map<string, string>()
    const warnings: ScanWarning[] = []
    if (temporary && extraction.extract_datasets_to_containers) {
      const message = 'The tables of a dataset could not be listed this time; the next scan tries again.'
      warnings.push({ code: 'listing_incomplete', message, incomplete: true })
    }
    return { assets: drafts.map((asset) => settle(asset, incomplete, known, warnings)), warnings }
  }

  async function reportDrafts(report: Report, content: LoadedContent, request: CrawlRequest): Promise<Drafts> {
    const { workspace } = content
    const paged = workspace.member && report.type !== 'PaginatedReport'
    const items = paged ? await detail(api.pages(workspace, report.id), []) : []
    const pages = [...(items ?? [])]
      .sort((a, b) => (a.number('order') ?? 0) - (b.number('order') ?? 0))
      .map((page) => page.text('displayName') ?? page.text('name') ?? '')
    const asset = assets.reportAsset(report, pages, content)
    const incomplete = items === undefined || (content.incomplete && extraction.extract_ownership)
    const warnings: ScanWarning[] = []
    const known = incomplete ? request.known([asset.key]) : new Map<string, string>()
    return { assets: [settle(asset, incomplete, known, warnings)], warnings }
  }

  async function dashboardDrafts(dashboard: Dashboard, content: LoadedContent, request: CrawlRequest): Promise<Drafts> {
    const { workspace } = content
    const tiles =
      dashboard.tiles ??
      (workspace.member ? await detail(api.tiles(workspace, dashboard.id), []).then((items) => items?.map(toTile)) : [])
    const sorted = [...(tiles ?? [])].sort((a, b) => (a.id < b.id ? -1 : 1))
    const placed = { ...dashboard, tiles: toPlacedTiles(sorted, content.reports) }
    const asset = assets.dashboardAsset(placed, content)
    const incomplete = tiles === undefined || (content.incomplete && extraction.extract_ownership)
    const warnings: ScanWarning[] = []
    const known = incomplete ? request.known([asset.key]) : new Map<string, string>()
    return { assets: [settle(asset, incomplete, known, warnings)], warnings }
  }

  function workspaceDrafts(content: LoadedContent, chosen: (id: string) => boolean, request: CrawlRequest): Drafts {
    const none = { assets: [], warnings: [] }
    if (!extraction.extract_workspaces_to_containers) return none
    const keys = [
      ...content.datasets.filter(({ id }) => chosen(id)).map(({ id }) => assets.keyOf.dataset(id)),
      ...content.reports.filter(({ id }) => chosen(id)).map(({ id }) => assets.keyOf.report(id)),
      ...content.dashboards.filter(({ id }) => chosen(id)).map(({ id }) => assets.keyOf.dashboard(id)),
    ]
    const asset = assets.workspaceAsset(content, keys)
    const incomplete = content.incomplete && extraction.extract_ownership
    const warnings: ScanWarning[] = []
    const known = incomplete ? request.known([asset.key]) : new Map<string, string>()
    return { assets: [settle(asset, incomplete, known, warnings)], warnings }
  }

  return async function* crawl(
    workspace: Workspace,
    selection: Selection,
    request: CrawlRequest,
  ): AsyncGenerator<Batch, void> {
    const content = await options.load(workspace)
    const chosen = (id: string) => selection.ids === undefined || selection.ids.has(id)
    const start = readCursor(request.cursor)
    const work = {
      datasets: content.datasets.map((item) => ({ id: item.id, draft: () => datasetDrafts(item, content, request) })),
      reports: content.reports.map((item) => ({ id: item.id, draft: () => reportDrafts(item, content, request) })),
      dashboards: content.dashboards.map((item) => ({
        id: item.id,
        draft: () => dashboardDrafts(item, content, request),
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
    const container = request.cursor === undefined ? [workspaceDrafts(content, chosen, request)] : []
    if (batches.length === 0) batches.push({ cursor: '', items: [] })

    for (const [index, batch] of batches.entries()) {
      const drafts = [
        ...(index === 0 ? container : []),
        ...(await Promise.all(batch.items.map(({ draft }) => draft()))),
      ]
      yield {
        assets: drafts.flatMap((draft) => draft.assets),
        warnings: [
          ...(index === 0 && request.cursor === undefined ? selection.warnings : []),
          ...(index === 0 && content.unreadable ? [unreadable] : []),
          ...drafts.flatMap((draft) => draft.warnings),
        ],
        cursor: index === batches.length - 1 ? null : batch.cursor,
      }
    }
  }
}
