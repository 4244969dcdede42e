import { AppError } from '../../kernel/errors.ts'
import type { BiApi } from './api.ts'
import type { BiConfig } from './config.ts'
import { judge } from './failure.ts'
import type { Dashboard, Dataset, Report, Tile, Workspace, WorkspaceContent } from './model.ts'
import { defined, merge, toDashboard, toDataset, toReport } from './read.ts'
import type { ScanAnswer, ScannedWorkspace, Scanner } from './scanner.ts'
import type { Item } from './wire.ts'

export interface LoadedContent extends WorkspaceContent {
  scan: ScanAnswer
  /** Copies of reports in apps, by id, to the report they were made from. */
  originals: Map<string, string>
  /** Ids of the datasets that stand in this workspace. */
  local: ReadonlySet<string>
  /** True where something that was there before may be missing this time. */
  incomplete: boolean
  /** True where the lists hold items without an id: what is missing from them may be there. */
  unreadable: boolean
}

function mergeAll<T extends { id: string }>(listed: T[], scanned: readonly T[]): T[] {
  const known = new Map(scanned.map((item) => [item.id, item]))
  const unique = new Map(listed.filter(({ id }) => id !== '').map((item) => [item.id, merge(item, known.get(item.id))]))
  return [...unique.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

/** Reports published in an app are listed a second time: the copy is dropped where its original is there. */
function withoutCopies(reports: Report[]): { reports: Report[]; originals: Map<string, string> } {
  const ids = new Set(reports.map(({ id }) => id))
  const originals = new Map<string, string>()
  for (const { id, originalId } of reports) {
    if (originalId !== undefined && originalId !== id && ids.has(originalId)) originals.set(id, originalId)
  }
  return { reports: reports.filter(({ id }) => !originals.has(id)), originals }
}

function withoutDashboardCopies(dashboards: Dashboard[]): Dashboard[] {
  const names = new Set(dashboards.filter(({ appId }) => appId === undefined).map(({ name }) => name))
  return dashboards.filter(({ appId, name }) => appId === undefined || !names.has(name.replace(/^\[App\]\s*/i, '')))
}

/** A tile names a dataset without its workspace; the report that it was pinned from knows it. */
export function toPlacedTiles(tiles: readonly Tile[], reports: readonly Report[]): Tile[] {
  return tiles.map((tile) => {
    const report = reports.find(({ id }) => id === tile.reportId)
    const same = tile.dataset !== undefined && report?.dataset?.id === tile.dataset.id
    return same && tile.dataset?.workspaceId === undefined ? { ...tile, ...defined({ dataset: report.dataset }) } : tile
  })
}

/** Lists one workspace: the member lists say what is there, the metadata scan adds what they do not tell. */
export function createContentLoader(options: { api: BiApi; scanner: Scanner; config: BiConfig }) {
  const { api, scanner } = options
  const { extract_reports, extract_dashboards, extract_ownership } = options.config.optional.extraction

  async function addDataflows(workspace: Workspace, datasets: Dataset[]): Promise<boolean> {
    if (workspace.kind === 'me' || datasets.length === 0) return true
    let links: Item[]
    try {
      links = await api.upstreamDataflows(workspace)
    } catch (error) {
      return (await judge(error, api.probe)) === 'refused'
    }
    for (const link of links) {
      const dataset = datasets.find(({ id }) => id === link.id('datasetObjectId'))
      const id = link.id('dataflowObjectId')
      if (dataset === undefined || id === undefined || dataset.upstreamDataflows.some((known) => known.id === id))
        continue
      const workspaceId = link.id('workspaceObjectId')
      dataset.upstreamDataflows.push({ id, ...(workspaceId === undefined ? {} : { workspaceId }) })
    }
    return true
  }

  /** Addresses of the people who administer the workspace; undefined where the account may not see them. */
  async function readAdmins(workspace: Workspace): Promise<string[] | 'unavailable' | undefined> {
    if (!extract_ownership || workspace.kind === 'me' || !workspace.member) return undefined
    try {
      const { items } = await api.workspaceUsers(workspace)
      return items
        .filter((user) => /^admin$/i.test(user.text('groupUserAccessRight') ?? ''))
        .flatMap((user) => user.text('emailAddress') ?? user.text('identifier') ?? [])
        .sort()
    } catch (error) {
      return (await judge(error, api.probe)) === 'refused' ? undefined : 'unavailable'
    }
  }

  async function listItems(workspace: Workspace) {
    const [datasets, reports, dashboards] = await Promise.all([
      api.datasets(workspace),
      extract_reports ? api.reports(workspace) : [],
      extract_dashboards ? api.dashboards(workspace) : [],
    ])
    return {
      datasets: datasets.map((item) => toDataset(item)),
      reports: reports.map(toReport),
      dashboards: dashboards.map((item) => toDashboard(item)),
    }
  }

  return async function load(workspace: Workspace): Promise<LoadedContent> {
    const listed = workspace.member ? await listItems(workspace) : undefined
    const scan: ScanAnswer =
      workspace.kind === 'me' ? { missing: 'own_workspace', temporary: false } : await scanner.find(workspace.id)
    const scanned: ScannedWorkspace | undefined = 'workspace' in scan ? scan.workspace : undefined
    if (listed === undefined && scanned === undefined) {
      const message = 'This workspace can only be read by an administrator; give the account that right.'
      const temporary = 'temporary' in scan && scan.temporary
      throw new AppError('unavailable', message, { reason: temporary ? 'server_error' : 'forbidden' })
    }
    const items = listed ?? {
      datasets: scanned?.datasets ?? [],
      reports: extract_reports ? (scanned?.reports ?? []) : [],
      dashboards: extract_dashboards ? (scanned?.dashboards ?? []) : [],
    }
    const datasets = mergeAll(items.datasets, scanned?.datasets ?? [])
    const flowsRead = workspace.member ? await addDataflows(workspace, datasets) : true
    const admins = await readAdmins(workspace)
    const description = workspace.description ?? scanned?.description
    return {
      workspace: description === undefined ? workspace : { ...workspace, description },
      datasets,
      ...withoutCopies(mergeAll(items.reports, scanned?.reports ?? [])),
      dashboards: withoutDashboardCopies(mergeAll(items.dashboards, scanned?.dashboards ?? [])),
      ...(Array.isArray(admins) ? { admins } : {}),
      scan,
      local: new Set(datasets.map(({ id }) => id)),
      unreadable: [items.datasets, items.reports, items.dashboards].some((list) => list.some(({ id }) => id === '')),
      incomplete: !flowsRead || admins === 'unavailable' || ('temporary' in scan && scan.temporary),
    }
  }
}

export type ContentLoader = ReturnType<typeof createContentLoader>
