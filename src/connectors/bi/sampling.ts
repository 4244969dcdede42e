import { hash } from 'node:crypto'
import { byCodeUnits } from '../../kernel/by-code-units.ts'
import type { Sampling, ScanWarning } from '../connector.ts'
import { listOrderNames, type Order, toOrder } from '../order-by.ts'
import type { ContentLoader, LoadedContent } from './content.ts'
import type { Workspace } from './model.ts'

export const orderByColumns = listOrderNames(['modified', 'created', 'refreshed', 'name', 'id'])

interface Unit {
  id: string
  kind: 'dataset' | 'report' | 'dashboard'
  name: string
  modifiedAt: number | undefined
  createdAt: number | undefined
  refreshedAt: number | undefined
  datasetId: string | undefined
}

export interface SampleSelection {
  /** Ids of datasets, reports and dashboards; undefined: all. */
  ids: ReadonlySet<string> | undefined
  warnings: ScanWarning[]
}

const rankOf = (seed: number, id: string) => hash('sha256', `${seed}:${id}`)

function toUnits(content: LoadedContent, refreshes: ReadonlyMap<string, number>): Unit[] {
  const none = { modifiedAt: undefined, createdAt: undefined, refreshedAt: undefined, datasetId: undefined }
  return [
    ...content.datasets.map(({ id, name, createdAt }): Unit => {
      return { ...none, id, name, kind: 'dataset', createdAt, refreshedAt: refreshes.get(id) }
    }),
    ...content.reports.map(({ id, name, createdAt, modifiedAt, dataset }): Unit => {
      return { ...none, id, name, kind: 'report', createdAt, modifiedAt, datasetId: dataset?.id }
    }),
    ...content.dashboards.map(({ id, name }): Unit => ({ ...none, id, name, kind: 'dashboard' })),
  ]
}

function dateOf(unit: Unit, order: Order): number | undefined {
  if (order === 'refreshed') return unit.refreshedAt ?? unit.modifiedAt ?? unit.createdAt
  if (order === 'created') return unit.createdAt
  return unit.modifiedAt ?? unit.refreshedAt ?? unit.createdAt
}

/** The first `limit` units in the requested order; the same seed and units give the same choice. */
function choose(units: readonly Unit[], sampling: Sampling): { chosen: Unit[]; undated: boolean } {
  const { strategy, limit, seed } = sampling
  const order = toOrder(sampling.orderBy)
  const latest = strategy === 'LATEST'
  if (latest && (order === 'name' || order === 'id')) {
    const sorted = units.toSorted((a, b) => byCodeUnits(a[order], b[order]) || byCodeUnits(a.id, b.id))
    return { chosen: sorted.slice(0, limit), undated: false }
  }
  const dated = latest && units.some((unit) => dateOf(unit, order) !== undefined)
  const ranked = units.toSorted(
    (a, b) =>
      (dated ? (dateOf(b, order) ?? -1) - (dateOf(a, order) ?? -1) : 0) ||
      byCodeUnits(rankOf(seed, a.id), rankOf(seed, b.id)),
  )
  return { chosen: ranked.slice(0, limit), undated: latest && !dated && units.length > 0 }
}

/**
 * Selects the sample over all workspaces. The dataset of a selected report is included, so that the report's link
 * resolves.
 */
export async function select(options: {
  sampling: Sampling
  workspaces: readonly Workspace[]
  load: ContentLoader
  /** Last refresh of each dataset of a workspace; used only where the requested order needs it. */
  refreshes: (content: LoadedContent) => Promise<ReadonlyMap<string, number>>
  /** Called for a workspace that cannot be listed; the failure is reported when the workspace is crawled. */
  skipped: (workspace: Workspace, error: unknown) => void
}): Promise<SampleSelection> {
  const { sampling } = options
  if (sampling.strategy === 'ALL') return { ids: undefined, warnings: [] }
  const units: Unit[] = []
  for (const workspace of options.workspaces) {
    try {
      const content = await options.load(workspace)
      const refreshes = toOrder(sampling.orderBy) === 'refreshed' ? await options.refreshes(content) : new Map()
      for (const unit of toUnits(content, refreshes)) units.push(unit)
    } catch (error) {
      options.skipped(workspace, error)
    }
  }
  const { chosen, undated } = choose(units, sampling)
  const ids = new Set(chosen.map(({ id }) => id))
  for (const { datasetId } of chosen) if (datasetId !== undefined) ids.add(datasetId)
  const message = 'No item has a date, so a random sample was taken instead of the latest items.'
  return { ids, warnings: undated ? [{ code: 'sampling_without_dates', message }] : [] }
}
