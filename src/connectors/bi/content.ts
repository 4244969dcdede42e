import type { UnreadSection } from '../../documents/section.ts'
import { AppError } from '../../kernel/errors.ts'
import type { AssetKind, Unlisted } from '../connector.ts'
import type { BiApi } from './api.ts'
import type { BiConfig } from './config.ts'
import { judge } from './failure.ts'
import { toScanGap } from './gaps.ts'
import type {
  BiDashboard,
  BiReport,
  Dataset,
  Described,
  ScanAnswer,
  ScannedWorkspace,
  Tile,
  Workspace,
  WorkspaceContent,
} from './model.ts'
import { defined, merge, toDashboard, toDataset, toReport } from './read.ts'
import type { Scanner } from './scanner.ts'
import type { Item } from './wire.ts'

export interface LoadedContent extends WorkspaceContent {
  scan: ScanAnswer
  /** Ids of report copies in apps, mapped to the id of the original report. */
  originals: Map<string, string>
  /** Ids of the datasets in this workspace. */
  local: ReadonlySet<string>
  /** Kinds of items that only the metadata scan lists, where it did not list them. */
  unlisted: Unlisted[]
  /** Sections of the workspace itself that were not read. */
  unread: UnreadSection[]
  /** Sections that the metadata scan omitted for data sources. */
  sourceGaps: UnreadSection[]
  /** True where the lists contain items without an id, so that assets missing from the lists may still exist. */
  unreadable: boolean
}

interface Source<T> {
  /** Items from the member lists; undefined where only an administrator sees the workspace. */
  listed: readonly T[] | undefined
  scanned: readonly T[]
  /** Why the metadata scan has no data on an item. */
  scanGap: Omit<UnreadSection, 'section'> | undefined
  /** Sections that only the metadata scan provides. */
  scanSections: readonly string[]
}

/** Merges the member lists with the metadata scan; each item gets the sections that neither provided. */
function mergeAll<T extends Described>(source: Source<T>): T[] {
  const known = new Map(source.scanned.map((item) => [item.id, item]))
  const items = (source.listed ?? source.scanned).filter(({ id }) => id !== '')
  const unique = new Map(
    items.map((item) => {
      const scanned = known.get(item.id)
      const merged = merge(item, scanned)
      const isDescribedByScan = item.description === undefined && merged.description !== undefined
      const gaps = [
        ...(merged.name === '' ? [missing('name')] : []),
        ...(scanned === undefined ? toScanGaps(source) : scanned.unread),
        ...(source.listed === undefined ? [] : item.unread),
      ]
      return [
        item.id,
        {
          ...merged,
          name: merged.name || item.id,
          unread: gaps,
          ...(isDescribedByScan || source.listed === undefined ? { isDescribedByScan } : {}),
        },
      ]
    }),
  )
  return [...unique.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

const missing = (section: string): UnreadSection => ({ section, reason: 'missing' })

function toScanGaps({ scanGap, scanSections }: Pick<Source<never>, 'scanGap' | 'scanSections'>): UnreadSection[] {
  return scanGap === undefined ? [] : scanSections.map((section) => ({ section, ...scanGap }))
}

/** Drops reports listed a second time because they are published in an app, if the original is listed too. */
function withoutCopies(reports: BiReport[]): { reports: BiReport[]; originals: Map<string, string> } {
  const ids = new Set(reports.map(({ id }) => id))
  const originals = new Map<string, string>()
  for (const { id, originalId } of reports) {
    if (originalId !== undefined && originalId !== id && ids.has(originalId)) originals.set(id, originalId)
  }
  return { reports: reports.filter(({ id }) => !originals.has(id)), originals }
}

function withoutDashboardCopies(dashboards: BiDashboard[]): BiDashboard[] {
  const names = new Set(dashboards.filter(({ appId }) => appId === undefined).map(({ name }) => name))
  return dashboards.filter(({ appId, name }) => appId === undefined || !names.has(name.replace(/^\[App\]\s*/i, '')))
}

/** Adds the missing workspace of a tile's dataset from the report that the tile was pinned from. */
export function toPlacedTiles(tiles: readonly Tile[], reports: readonly BiReport[]): Tile[] {
  return tiles.map((tile) => {
    const report = reports.find(({ id }) => id === tile.reportId)
    const same = tile.dataset !== undefined && report?.dataset?.id === tile.dataset.id
    return same && tile.dataset?.workspaceId === undefined ? { ...tile, ...defined({ dataset: report.dataset }) } : tile
  })
}

/** Loads the items of one workspace: the member lists determine which items exist, the metadata scan adds details. */
export function createContentLoader(options: { api: BiApi; scanner: Scanner; config: BiConfig }) {
  const { api, scanner } = options
  const { extract_reports, extract_dashboards, extract_ownership } = options.config.optional.extraction

  async function addDataflows(workspace: Workspace, datasets: Dataset[]): Promise<void> {
    if (workspace.kind === 'me' || datasets.length === 0) return
    let links: Item[]
    try {
      links = await api.upstreamDataflows(workspace)
    } catch (error) {
      const reason = (await judge(error, api.probe)) === 'refused' ? 'refused' : 'failed'
      for (const dataset of datasets) {
        if (reason === 'failed' || dataset.upstreamDataflows === undefined) {
          dataset.unread = [...dataset.unread, { section: 'dataflows', reason }]
        }
      }
      return
    }
    for (const link of links) {
      const dataset = datasets.find(({ id }) => id === link.id('datasetObjectId'))
      const id = link.id('dataflowObjectId')
      if (dataset === undefined || id === undefined || dataset.upstreamDataflows?.some((known) => known.id === id))
        continue
      const workspaceId = link.id('workspaceObjectId')
      const flow = { id, ...(workspaceId === undefined ? {} : { workspaceId }) }
      dataset.upstreamDataflows = [...(dataset.upstreamDataflows ?? []), flow]
    }
  }

  /**
   * Email addresses (or identifiers) of the workspace administrators; undefined where owners are not extracted or the
   * account is not a member.
   */
  async function readAdmins(workspace: Workspace): Promise<string[] | 'refused' | 'unavailable' | undefined> {
    if (!extract_ownership || workspace.kind === 'me' || !workspace.member) return undefined
    try {
      const { items } = await api.workspaceUsers(workspace)
      return items
        .filter((user) => /^admin$/i.test(user.text('groupUserAccessRight') ?? ''))
        .flatMap((user) => user.text('emailAddress') ?? user.text('identifier') ?? [])
        .sort()
    } catch (error) {
      return await judge(error, api.probe)
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
      const message = 'Only an administrator can read this workspace; grant the account that right.'
      const temporary = 'temporary' in scan && scan.temporary
      throw new AppError('unavailable', message, { reason: temporary ? 'server_error' : 'forbidden' })
    }
    const scanGap = toScanGap(scan)
    const datasets = mergeAll<Dataset>({
      listed: listed?.datasets,
      scanned: scanned?.datasets ?? [],
      scanGap,
      scanSections: [...describing, 'expressions', 'roles'],
    })
    const reports = mergeAll<BiReport>({
      listed: listed?.reports,
      scanned: (extract_reports ? scanned?.reports : undefined) ?? [],
      scanGap,
      scanSections: describing,
    })
    const dashboards = mergeAll<BiDashboard>({
      listed: listed?.dashboards,
      scanned: (extract_dashboards ? scanned?.dashboards : undefined) ?? [],
      scanGap,
      scanSections: describing,
    })
    if (workspace.member) await addDataflows(workspace, datasets)
    const admins = await readAdmins(workspace)
    const isDescribedByScan = workspace.description === undefined && scanned?.description !== undefined
    return {
      workspace: { ...workspace, ...defined({ description: scanned?.description }), ...workspace, isDescribedByScan },
      datasets,
      ...withoutCopies(reports),
      dashboards: withoutDashboardCopies(dashboards),
      ...(Array.isArray(admins) ? { admins } : {}),
      scan,
      local: new Set(datasets.map(({ id }) => id)),
      unreadable: hasNameless(listed ?? scanned),
      sourceGaps: scanned?.sourceGaps ?? [],
      unlisted: listed === undefined && scanned !== undefined ? listUnlisted(scanned) : [],
      unread: [
        ...(workspace.name === workspace.id ? [missing('name')] : []),
        ...(scanned === undefined ? toScanGaps({ scanGap, scanSections: describing }) : []),
        ...(admins === 'refused' ? [{ section: 'owner', reason: 'refused' as const }] : []),
        ...(admins === 'unavailable' ? [{ section: 'owner', reason: 'failed' as const }] : []),
      ],
    }
  }

  /** Kinds missing from the metadata scan of an admin-only workspace: their assets must not count as deleted. */
  function listUnlisted({ datasets, reports, dashboards }: ScannedWorkspace): Unlisted[] {
    const lists: [unknown, readonly AssetKind[]][] = [
      [datasets, ['bi.dataset', 'bi.table']],
      [extract_reports ? reports : [], ['bi.report']],
      [extract_dashboards ? dashboards : [], ['bi.dashboard']],
    ]
    return lists.flatMap(([list, kinds]) => (list === undefined ? [{ kinds, reason: 'missing' as const }] : []))
  }
}

const hasNameless = (lists: Pick<ScannedWorkspace, 'datasets' | 'reports' | 'dashboards'> | undefined) =>
  [lists?.datasets, lists?.reports, lists?.dashboards].some((list) => list?.some(({ id }) => id === '') === true)

/** Section for what the metadata scan adds to every item. */
const describing = ['scan']

export type ContentLoader = ReturnType<typeof createContentLoader>
