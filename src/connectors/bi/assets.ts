import { hash } from 'node:crypto'
import { MAX_NAME, toSafeTextOnce } from '../../detectors/safe-text.ts'
import type { AssayDocument } from '../../documents/document.ts'
import { isWithin, type UnreadSection } from '../../documents/section.ts'
import type { AssetDraft, LinkDraft, Unlisted } from '../connector.ts'
import * as documents from './documents.ts'
import type {
  BiDashboard,
  BiReport,
  ColumnReference,
  Dataset,
  Described,
  Schema,
  SchemaAnswer,
  Table,
  Tile,
  Workspace,
  WorkspaceContent,
} from './model.ts'
import { defined } from './read.ts'

const guid = /^[\da-f-]+$/

/** An id as part of a link to an item; ids are GUIDs, and any other text in their place is masked like a key. */
const toLinkSegment = (id: string) => (guid.test(id) ? id : encodeURIComponent(toSafeTextOnce(id, 'key', MAX_NAME)))

/** Whether an item has a description; absent where the description was not read. */
function toDescriptionFact({ description }: Described, unread: readonly UnreadSection[]): { description?: boolean } {
  if (description !== undefined) return { description: true }
  return unread.some(({ section }) => /^scan|description$/.test(section)) ? {} : { description: false }
}

/** Why the schema of a dataset was not read; undefined where it was. */
export function toSchemaGap(answer: SchemaAnswer): Omit<UnreadSection, 'section'> | undefined {
  if (answer.status === 'available') return undefined
  if (answer.status === 'not_requested') return { reason: 'switched_off' }
  const { reason: detail, temporary, tried } = answer
  if (temporary) return { reason: 'failed', detail }
  if (detail.startsWith('retrieval_error')) return { reason: 'not_available', detail }
  return { reason: tried.scanner === 'not_in_scan_result' ? 'missing' : 'refused', detail: tried.scanner ?? detail }
}

function toSchemaGaps(answer: SchemaAnswer): UnreadSection[] {
  const gap = toSchemaGap(answer)
  if (gap === undefined) return []
  const sections = answer.status === 'not_requested' ? ['tables', 'expressions', 'roles', 'parameters'] : ['tables']
  return sections.map((section) => ({ section, ...gap }))
}

const isGapOfTables = ({ section }: UnreadSection) => isWithin(section, 'tables')

/** Gaps in which tables may exist as assets; tables are listed through their dataset. */
function listUnlistedTables(unread: readonly UnreadSection[], areAssets: boolean): Unlisted[] {
  return unread
    .filter((gap) => (areAssets ? gap.section === 'tables' : isGapOfTables(gap)))
    .map(({ section: _, ...gap }) => ({ kinds: ['bi.table'], ...gap }))
}

export interface AssetOptions {
  tenantId: string
  /** Base URL of the web app, used for items without a URL from the platform. */
  web: string
  workspacesAsContainers: boolean
  datasetsAsContainers: boolean
  ownership: boolean
  /** The caller's object id, part of the key of their own workspace. */
  objectId?: string
}

function canonical(value: unknown): unknown {
  if (typeof value === 'string') return value.normalize('NFC')
  if (Array.isArray(value)) return value.map(canonical)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, member]) => member !== undefined)
  return members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, canonical(member)])
}

const toChecksum = (value: unknown) => hash('sha256', JSON.stringify(canonical(value)))

const systemNames = /^(?:Report|Dashboard) Usage Metrics(?: Model| Report)?$|^Usage Metrics Report$/i

/** The workspace that holds an item, and its other items as far as links need them. */
export interface AssetContext {
  workspace: Workspace
  /** Ids of the datasets in the workspace. */
  local: ReadonlySet<string>
  /** Ids of report copies in apps, mapped to the id of the report that is kept. */
  originals: ReadonlyMap<string, string>
}

export function createAssets(options: AssetOptions) {
  const prefix = `bi:${options.tenantId}`
  const keyOf = {
    workspace: ({ id, kind }: Workspace) =>
      `${prefix}:workspace:${kind === 'me' ? `me:${options.objectId ?? 'caller'}` : id}`,
    dataset: (id: string) => `${prefix}:dataset:${id}`,
    table: (datasetId: string, name: string) => `${prefix}:dataset:${datasetId}:table:${name.normalize('NFC')}`,
    report: (id: string) => `${prefix}:report:${id}`,
    dashboard: (id: string) => `${prefix}:dashboard:${id}`,
    dataflow: (id: string) => `${prefix}:dataflow:${id}`,
  }
  const place = (workspaceId: string) => `${options.web}/groups/${toLinkSegment(workspaceId)}`

  const inWorkspace = <Member extends string>(member: Member, { name }: Workspace) =>
    (options.workspacesAsContainers ? { [member]: name } : {}) as Partial<Record<Member, string>>

  /** The checksum covers what readers and detectors see, and nothing volatile: no URLs, dates or `passing` facts. */
  function draft(
    asset: Omit<AssetDraft, 'checksum' | 'document' | 'links'>,
    document: AssayDocument,
    links: readonly LinkDraft[],
    workspace: Workspace,
    passing: Record<string, unknown> = {},
  ): AssetDraft {
    const written = document.links.map(
      ({ url, path, label, section }): LinkDraft => ({
        type: 'links_to',
        url,
        path,
        ...defined({ label, section }),
      }),
    )
    const all = [...links, ...written]
    const checksum = toChecksum({
      kind: asset.kind,
      name: asset.name,
      owner: asset.owner,
      facts: asset.facts,
      workspace: keyOf.workspace(workspace),
      parts: document.parts.map(({ kind, path, label, section, text }) => [kind, path, label, section, text]),
      links: all.map(({ type, targetKey, url, path }) => [type, targetKey ?? url, path].join(' ')).sort(),
    })
    const facts = { ...asset.facts, ...passing }
    return { ...asset, facts, checksum, links: all, document: async () => document }
  }

  /**
   * Where the platform does not report a dataset's workspace, the link names one only for a dataset of this workspace.
   */
  const toDatasetLink = (
    type: LinkDraft['type'],
    to: ColumnReference,
    { workspace, local }: AssetContext,
  ): LinkDraft => {
    const space = to.workspaceId ?? (local.has(to.id) ? workspace.id : undefined)
    const url = `${place(space ?? workspace.id)}/datasets/${toLinkSegment(to.id)}`
    return { type, targetKey: keyOf.dataset(to.id), url, reference: { id: to.id, ...defined({ space }) } }
  }

  function workspaceAsset(
    content: WorkspaceContent & { unread: readonly UnreadSection[] },
    childKeys: readonly string[],
  ): AssetDraft {
    const { workspace, admins = [], unread } = content
    const links = childKeys.toSorted().map((targetKey): LinkDraft => ({ type: 'contains', targetKey }))
    const [owner] = options.ownership ? admins.toSorted() : []
    return draft(
      {
        key: keyOf.workspace(workspace),
        kind: 'bi.workspace',
        name: workspace.name,
        url: place(workspace.id),
        container: workspace.name,
        ...defined({ owner }),
        unread,
        facts: {
          workspaceId: workspace.id,
          ...(workspace.description === undefined ? {} : { description: true }),
          personal: workspace.kind !== 'workspace',
          ...(options.ownership && content.admins !== undefined ? { admins: admins.slice(0, 20) } : {}),
        },
      },
      documents.toWorkspaceDocument(workspace),
      links,
      workspace,
    )
  }

  function tableAsset(dataset: Dataset, table: Table, schema: Schema, workspace: Workspace): AssetDraft {
    return draft(
      {
        key: keyOf.table(dataset.id, table.name),
        kind: 'bi.table',
        name: table.name,
        url: dataset.url ?? `${place(workspace.id)}/datasets/${toLinkSegment(dataset.id)}`,
        container: dataset.name,
        dataset: dataset.name,
        ...inWorkspace('parentContainer', workspace),
        unread: schema.unread,
        partOf: keyOf.dataset(dataset.id),
        facts: {
          workspaceId: workspace.id,
          datasetId: dataset.id,
          description: table.description !== undefined,
          columns: table.columns.length,
          measures: table.measures.length,
          ...(table.hidden === true ? { hidden: true } : {}),
        },
      },
      documents.toTableDocument(table),
      [],
      workspace,
    )
  }

  function datasetAssets(dataset: Dataset, answer: SchemaAnswer, context: AssetContext): AssetDraft[] {
    const { workspace } = context
    const schema = answer.status === 'available' ? answer.schema : undefined
    const tables = options.datasetsAsContainers
      ? (schema?.tables ?? []).map((table) => tableAsset(dataset, table, schema as Schema, workspace))
      : []
    const links: LinkDraft[] = [
      ...tables.map(({ key }): LinkDraft => ({ type: 'contains', targetKey: key, section: 'tables/assets' })),
      ...(dataset.upstreamDatasets ?? []).map((upstream) => ({
        ...toDatasetLink('upstream_dataset', upstream, context),
        section: 'lineage',
      })),
      ...(dataset.upstreamDataflows ?? []).map(
        ({ id }): LinkDraft => ({
          type: 'upstream_dataflow',
          targetKey: keyOf.dataflow(id),
          section: 'dataflows',
          reference: { id },
        }),
      ),
      ...(dataset.dataSources ?? []).map((source, index): LinkDraft => {
        const url = documents.toSourceLabel(source)
        return { type: 'reads_from', url, label: source.type, path: `data source ${index + 1}`, section: 'sources' }
      }),
    ]
    const owner = options.ownership ? dataset.configuredBy : undefined
    const unread = [
      ...dataset.unread,
      ...(dataset.upstreamDatasets === undefined ? [{ section: 'lineage', reason: 'missing' as const }] : []),
      ...toSchemaGaps(answer),
      ...(schema?.unread ?? []).filter(({ section }) => section === 'tables' || !options.datasetsAsContainers),
    ]
    // Existing table assets are kept until the texts in which they have findings are read as part of this dataset.
    const gap = options.datasetsAsContainers ? undefined : unread.find(isGapOfTables)
    if (gap !== undefined) unread.push({ ...gap, section: 'tables/assets' })
    const asset = draft(
      {
        key: keyOf.dataset(dataset.id),
        kind: 'bi.dataset',
        name: dataset.name,
        url: dataset.url ?? `${place(workspace.id)}/datasets/${toLinkSegment(dataset.id)}`,
        ...inWorkspace('container', workspace),
        ...(options.datasetsAsContainers ? { dataset: dataset.name } : {}),
        ...defined({ owner, contentCreatedAt: dataset.createdAt }),
        unread,
        unlisted: listUnlistedTables(unread, options.datasetsAsContainers),
        ...(options.datasetsAsContainers || unread.some(({ section }) => section === 'tables')
          ? {}
          : { absorbs: ['bi.table' as const] }),
        facts: {
          workspaceId: workspace.id,
          ...toDescriptionFact(dataset, unread),
          schemaStatus: answer.status,
          ...(answer.status === 'unavailable' ? { schemaReason: answer.reason } : {}),
          ...(schema === undefined ? {} : { schemaWay: schema.way, tables: schema.tables.length }),
          ...defined({ storageMode: dataset.storageMode, contentProvider: dataset.contentProvider }),
          ...(options.ownership && owner === undefined && dataset.ownerless === true ? { ownerless: true } : {}),
          ...(systemNames.test(dataset.name) ? { system: true } : {}),
        },
      },
      documents.toDatasetDocument(dataset, schema, !options.datasetsAsContainers),
      links,
      workspace,
      {
        ...(schema?.stale === true ? { schemaMayBeOld: true } : {}),
        ...(answer.status === 'unavailable' ? { schemaTried: answer.tried } : {}),
      },
    )
    return [asset, ...tables]
  }

  /** `pages` is undefined where the pages were not read. */
  function reportAsset(report: BiReport, pages: readonly string[] | undefined, context: AssetContext): AssetDraft {
    const { workspace } = context
    const owner = options.ownership ? (report.createdBy ?? report.modifiedBy) : undefined
    return draft(
      {
        key: keyOf.report(report.id),
        kind: 'bi.report',
        name: report.name,
        url: report.url ?? `${place(workspace.id)}/reports/${toLinkSegment(report.id)}`,
        ...inWorkspace('container', workspace),
        ...defined({ owner, contentCreatedAt: report.createdAt, contentUpdatedAt: report.modifiedAt }),
        unread: report.unread,
        facts: {
          workspaceId: workspace.id,
          ...toDescriptionFact(report, report.unread),
          ...defined({ pages: pages?.length }),
          ...defined({ reportType: report.type, datasetId: report.dataset?.id }),
          ...(report.appId === undefined ? {} : { appCopy: true }),
          ...(systemNames.test(report.name) ? { system: true } : {}),
        },
      },
      documents.toReportDocument(report, pages ?? []),
      report.dataset === undefined
        ? []
        : [toDatasetLink('uses_dataset', { workspaceId: workspace.id, ...report.dataset }, context)],
      workspace,
    )
  }

  function tileLinks(tile: Tile, index: number, context: AssetContext): LinkDraft[] {
    const { workspace, originals } = context
    const path = `tile ${index + 1}`
    const label = defined({ label: tile.title })
    const reportId = tile.reportId === undefined ? undefined : (originals.get(tile.reportId) ?? tile.reportId)
    const links: LinkDraft[] = []
    if (reportId !== undefined) {
      const url = `${place(workspace.id)}/reports/${toLinkSegment(reportId)}`
      const reference = { id: reportId, space: workspace.id }
      const target = { targetKey: keyOf.report(reportId), url, reference, path, section: 'tiles' }
      links.push({ type: 'tile_from_report', ...target, ...label })
    }
    if (tile.dataset !== undefined) {
      links.push({ ...toDatasetLink('tile_from_dataset', tile.dataset, context), path, section: 'tiles', ...label })
    }
    return links
  }

  function dashboardAsset(dashboard: BiDashboard, context: AssetContext): AssetDraft {
    const { workspace } = context
    const tiles = dashboard.tiles ?? []
    const owner = options.ownership ? dashboard.owner : undefined
    return draft(
      {
        key: keyOf.dashboard(dashboard.id),
        kind: 'bi.dashboard',
        name: dashboard.name,
        url: dashboard.url ?? `${place(workspace.id)}/dashboards/${toLinkSegment(dashboard.id)}`,
        ...inWorkspace('container', workspace),
        ...defined({ owner }),
        unread: dashboard.unread,
        facts: {
          workspaceId: workspace.id,
          ...(dashboard.tiles === undefined
            ? {}
            : {
                tiles: tiles.length,
                unlinkedTiles: tiles.filter(({ reportId, dataset }) => reportId === undefined && dataset === undefined)
                  .length,
              }),
          ...(dashboard.appId === undefined ? {} : { appCopy: true }),
        },
      },
      documents.toDashboardDocument(dashboard),
      tiles.flatMap((tile, index) => tileLinks(tile, index, context)),
      workspace,
    )
  }

  return { keyOf, workspaceAsset, datasetAssets, reportAsset, dashboardAsset }
}

export type Assets = ReturnType<typeof createAssets>
