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
import type { SlaDays } from '../findings/due-conditions.ts'
import { getTerm } from '../glossary/names.ts'
import { createTerm, deleteTerm, type NewTerm, updateTerm } from '../glossary/terms.ts'
import { AppError } from '../kernel/errors.ts'
import { listDirectDependents } from '../metrics/dependencies.ts'
import { createMetric, deleteMetric, getStored, type NewMetric, updateMetric } from '../metrics/lifecycle.ts'
import { loadMetrics } from '../metrics/metrics.store.ts'
import { setPolicy } from '../metrics/sla.ts'
import type { Writer } from '../store/store.ts'
import { createWatch, deleteWatch, getWatch, updateWatch } from '../watches/lifecycle.ts'
import type { CreateWatch, ReceiverInput } from '../watches/model.ts'
import type { ReceiverTools } from '../watches/receivers.ts'
import type { DefinitionChange } from './changes.ts'
import { type DefinitionFile, requireValidFiles } from './folder.ts'
import type { Definition, DefinitionSet, Kind, Members } from './model.ts'
import { toGraph } from './references.ts'

export interface ChangeTools {
  author: Author
  receivers: ReceiverTools
  files: readonly DefinitionFile[]
}

/**
 * Applies changes through the same functions as over HTTP: with versions, audit entries and loss of certification. The
 * changes are known to be consistent as a whole; the order of files has no meaning.
 */
export function performChanges(
  writer: Writer,
  changes: readonly DefinitionChange[],
  wanted: DefinitionSet,
  { author, receivers, files }: ChangeTools,
): void {
  const of = (kind: Kind) => changes.filter((change) => change.kind === kind)
  for (const change of of('custom_detector')) writeDetector(writer, change, author)
  for (const change of of('term')) writeTerm(writer, change, author)
  const graph = toGraph(wanted)
  for (const { after, before } of of('metric')) {
    if (after === undefined) continue
    const metric = after.members as unknown as NewMetric
    if (before === undefined) createMetric(writer, metric, author, graph)
    else
      updateMetric(
        writer,
        getStored(writer, metric.slug),
        { ...toChange(after), better: metric.better ?? null, tests: metric.tests ?? [] },
        author,
        graph,
      )
  }
  for (const change of of('dashboard')) writeDashboard(writer, change, author)
  for (const change of of('watch')) {
    const file = files.find(({ path }) => path === change.file)
    atFile(file, () => writeWatch(writer, change, file?.stated.deliver as ReceiverInput[], author, receivers))
  }
  for (const { name, after, file: path } of of('sla')) {
    const days = after?.members.days as SlaDays | undefined
    atFile(
      files.find((file) => file.path === path),
      () => setPolicy(writer, name, days, author),
    )
  }
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

function writeWatch(
  writer: Writer,
  { action, name, after }: DefinitionChange,
  deliver: ReceiverInput[] | undefined,
  author: Author,
  receivers: ReceiverTools,
): void {
  if (after === undefined) {
    deleteWatch(writer, getWatch(writer, name), author)
    return
  }
  // The definition holds addresses as they are shown.
  const stated = { ...after.members, deliver: deliver ?? [] } as unknown as CreateWatch
  if (action === 'create') {
    createWatch(writer, stated, author, receivers)
    return
  }
  const { slug, ...change } = stated
  updateWatch(writer, getWatch(writer, slug), change, author, receivers)
}

/** Adds the lines of the file to the problems of a definition in it. */
function atFile(file: DefinitionFile | undefined, work: () => void): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof AppError) || file === undefined) throw error
    const { issues = [{ path: '', message: error.message }] } = error.facts
    requireValidFiles(issues.map((issue) => ({ file: file.path, ...file.yaml.placeOf(issue.path), ...issue })))
  }
}

/** Deletes dependents before their inputs. */
function deleteMetrics(writer: Writer, changes: readonly DefinitionChange[], author: Author): void {
  const toDelete = new Set(changes.filter(({ action }) => action === 'delete').map(({ name }) => name))
  while (toDelete.size > 0) {
    const graph = loadMetrics(writer)
    const free = [...toDelete].find((slug) => listDirectDependents(graph, slug).every((user) => !toDelete.has(user)))
    if (free === undefined) throw new TypeError('the metrics to delete depend on each other in a cycle')
    deleteMetric(writer, getStored(writer, free), author)
    toDelete.delete(free)
  }
}
