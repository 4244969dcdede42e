import type { Author } from '../audit/audit.store.ts'
import {
  createCustomDetector,
  deleteCustomDetector,
  getCustomDetector,
  updateCustomDetector,
} from '../custom-detectors/lifecycle.ts'
import type { CreateCustomDetector } from '../custom-detectors/model.ts'
import { findDashboard, insertDashboard } from '../dashboards/dashboards.store.ts'
import type { PlacementChange } from '../dashboards/placements.ts'
import { removePlacement, setPlacement } from '../dashboards/placements.ts'
import { getTerm } from '../glossary/names.ts'
import { createTerm, deleteTerm, type NewTerm, updateTerm } from '../glossary/terms.ts'
import { listDirectDependents } from '../metrics/dependencies.ts'
import { createMetric, deleteMetric, getStored, type NewMetric, updateMetric } from '../metrics/lifecycle.ts'
import { loadMetrics } from '../metrics/metrics.store.ts'
import type { Writer } from '../store/store.ts'
import type { DefinitionChange } from './changes.ts'
import type { Definition, DefinitionSet, Kind, Members } from './model.ts'
import { toGraph } from './references.ts'

/**
 * Applies changes through the same functions as over HTTP: with versions, audit entries and loss of certification. The
 * changes are known to be consistent as a whole; the order of files has no meaning.
 */
export function performChanges(
  writer: Writer,
  changes: readonly DefinitionChange[],
  wanted: DefinitionSet,
  author: Author,
): void {
  const of = (kind: Kind) => changes.filter((change) => change.kind === kind)
  for (const change of of('custom_detector')) writeDetector(writer, change, author)
  for (const change of of('term')) writeTerm(writer, change, author)
  const graph = toGraph(wanted)
  for (const { after, before } of of('metric')) {
    if (after === undefined) continue
    const metric = after.members as unknown as NewMetric
    if (before === undefined) createMetric(writer, metric, author, graph)
    else updateMetric(writer, getStored(writer, metric.slug), toChange(after), author, graph)
  }
  for (const change of of('dashboard')) writeDashboard(writer, change, author)
  deleteMetrics(writer, of('metric'), author)
  for (const { action, name } of of('term')) {
    if (action === 'delete') deleteTerm(writer, getTerm(writer, name), author)
  }
}

/** All members except the slug. */
function toChange({ members }: Definition): Members {
  const { slug, ...change } = members
  return change
}

function writeDetector(writer: Writer, { action, name, after }: DefinitionChange, author: Author): void {
  if (after === undefined) deleteCustomDetector(writer, getCustomDetector(writer, name), author)
  else if (action === 'create') createCustomDetector(writer, after.members as unknown as CreateCustomDetector, author)
  else {
    const { key, ...change } = after.members
    updateCustomDetector(writer, getCustomDetector(writer, name), change, author)
  }
}

function writeTerm(writer: Writer, { action, name, after }: DefinitionChange, author: Author): void {
  if (after === undefined) return
  if (action === 'create') createTerm(writer, after.members as unknown as NewTerm, author)
  else updateTerm(writer, getTerm(writer, name), toChange(after), author)
}

function writeDashboard(writer: Writer, { name, before, after }: DefinitionChange, author: Author): void {
  const placed = toPlacements(before)
  const wanted = toPlacements(after)
  // Dashboard names that differ only in case are distinct here.
  if (after !== undefined && findDashboard(writer, name)?.name !== name) insertDashboard(writer, name, author.at)
  for (const { metricSlug, pinnedFilters, position, size, chartType } of wanted) {
    const placement = { pinnedFilters, position, size, chartType } as Omit<PlacementChange, 'dashboard' | 'metric'>
    setPlacement(writer, { ...placement, dashboard: name, metric: String(metricSlug) }, author)
  }
  for (const { metricSlug } of placed) {
    if (wanted.some((placement) => placement.metricSlug === metricSlug)) continue
    removePlacement(writer, { dashboard: name, metric: String(metricSlug) }, author)
  }
}

const toPlacements = (definition: Definition | undefined): Members[] =>
  definition === undefined ? [] : (definition.members.placements as Members[])

/** Deletes dependents before their inputs. */
function deleteMetrics(writer: Writer, changes: readonly DefinitionChange[], author: Author): void {
  const toDelete = new Set(changes.filter(({ action }) => action === 'delete').map(({ name }) => name))
  while (toDelete.size > 0) {
    const graph = loadMetrics(writer)
    const free = [...toDelete].find((slug) => listDirectDependents(graph, slug).every((user) => !toDelete.has(user)))
    if (free === undefined) throw new TypeError('metrics that are to be deleted depend on one another in a circle')
    deleteMetric(writer, getStored(writer, free), author)
    toDelete.delete(free)
  }
}
