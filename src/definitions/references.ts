import { AppError } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import { readDefinition } from '../metrics/definition.ts'
import type { MetricGraph } from '../metrics/dependencies.ts'
import { checkDefinition, type MeaningDraft } from '../metrics/lifecycle.ts'
import { type Dimension, dimensions, type MetricType, type TypedDefinition } from '../metrics/model.ts'
import { checkWatch, type WatchedQuestion } from '../watches/checks.ts'
import type { DefinitionFile, Problem } from './folder.ts'
import { type Definition, type DefinitionSet, keyOf, kindWords, type Members } from './model.ts'

type GraphMetric = MetricGraph extends ReadonlyMap<string, infer Metric> ? Metric : never

const anything: TypedDefinition = { type: 'SIMPLE', definition: { aggregation: 'COUNT', entity: 'finding' } }

/**
 * The dependency graph of the metrics in a set. A metric that cannot be parsed is replaced by a plain count, so that
 * references to it do not fail as well.
 */
export function toGraph(definitions: DefinitionSet): Map<string, GraphMetric> {
  const metrics = [...definitions.values()].filter(({ kind }) => kind === 'metric')
  return new Map(metrics.map(({ name, members }) => [name, toGraphMetric(name, members)]))
}

function toGraphMetric(slug: string, { displayName, allowedDimensions, type, definition }: Members): GraphMetric {
  const typed = readDefinition(type as MetricType, definition).typed ?? anything
  return { ...typed, slug, displayName: String(displayName), allowedDimensions: allowedDimensions as Dimension[] }
}

/** A reference from one definition to another. */
interface NamedReference {
  by: Definition
  path: string
  kind: 'term' | 'metric'
  name: string
}

function listReferences(by: Definition): NamedReference[] {
  if (by.kind === 'dashboard') {
    return (by.members.placements as Members[]).map(({ metricSlug }, index) => {
      return { by, path: `placements[${index}].metricSlug`, kind: 'metric', name: String(metricSlug) }
    })
  }
  if (by.kind !== 'metric' && by.kind !== 'watch' && by.kind !== 'sla') return []
  const { glossaryTermSlug, metricSlug } = by.members
  const term = { by, path: 'glossaryTermSlug', kind: 'term', name: String(glossaryTermSlug) } as const
  const metric = { by, path: 'metricSlug', kind: 'metric', name: String(metricSlug) } as const
  return [...(typeof glossaryTermSlug === 'string' ? [term] : []), ...(by.kind === 'watch' ? [metric] : [])]
}

/** The problems of a resulting set of definitions as a whole. */
export function checkTogether(wanted: DefinitionSet, files: readonly DefinitionFile[]): Problem[] {
  const fileOf = new Map(files.map((file) => [keyOf(file.definition), file]))
  const graph = toGraph(wanted)
  return [...wanted.values()].flatMap((definition) => {
    const at = (path: string, message: string) => toProblem(fileOf.get(keyOf(definition)), definition, path, message)
    const unknown = listReferences(definition).filter(({ kind, name }) => !wanted.has(keyOf({ kind, name })))
    return [
      ...unknown.map((naming) => at(naming.path, toUnknownMessage(naming, wanted))),
      ...(fileOf.has(keyOf(definition)) ? listOwnProblems(definition, graph, at) : []),
    ]
  })
}

function listOwnProblems(
  { kind, name, members }: Definition,
  graph: MetricGraph,
  at: (path: string, message: string) => Problem,
): Problem[] {
  if (kind === 'dashboard') return listDuplicates(members, at)
  if (kind === 'watch') {
    const metric = graph.get(String(members.metricSlug))
    const issues = metric === undefined ? [] : checkWatch(metric, graph, members as unknown as WatchedQuestion)
    return issues.map(({ path, message }) => at(path, message))
  }
  if (kind !== 'metric') return []
  try {
    checkDefinition(graph, { ...members, slug: name } as MeaningDraft)
    return []
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    return (error.facts.issues ?? []).map(({ path, message }) => at(path, message))
  }
}

function listDuplicates({ placements }: Members, at: (path: string, message: string) => Problem): Problem[] {
  const slugs = (placements as Members[]).map(({ metricSlug }) => String(metricSlug))
  return slugs.flatMap((slug, index) =>
    slugs.indexOf(slug) < index ? [at(`placements[${index}]`, `places ${slug} twice; keep one placement.`)] : [],
  )
}

function toUnknownMessage({ kind, name }: NamedReference, wanted: DefinitionSet): string {
  const known = [...wanted.values()].filter((definition) => definition.kind === kind)
  const near = closest(name, known, (definition) => definition.name, 3).map((definition) => definition.name)
  const hint = near.length === 0 ? 'add its file.' : `the closest are ${near.join(', ')}.`
  return `there is no ${kindWords[kind]} ${quote(name)}; ${hint}`
}

function toProblem(file: DefinitionFile | undefined, definition: Definition, path: string, message: string): Problem {
  if (file !== undefined) return { file: file.path, ...file.yaml.placeOf(path), path, message }
  const what = `the ${kindWords[definition.kind]} ${definition.name}`
  return { file: 'database', line: 0, column: 0, path: `${what}: ${path}`, message }
}

/** References to definitions that are not in the folder: apply expects them in the database. */
export function findOutside(files: readonly DefinitionFile[]): { problems: Problem[]; placeholders: Definition[] } {
  const held = new Set(files.map(({ definition }) => keyOf(definition)))
  const outside = files.flatMap((file) =>
    [...listReferences(file.definition), ...listInputs(file.definition)]
      .filter(({ kind, name }) => !held.has(keyOf({ kind, name })))
      .map((naming) => ({ file, naming })),
  )
  return {
    problems: outside.map(({ file, naming: { by, path, kind, name } }) =>
      toProblem(file, by, path, `the ${kindWords[kind]} ${name} has no file here, so it must exist in the database.`),
    ),
    placeholders: outside.map(({ naming: { kind, name } }) => ({
      kind,
      name,
      members: { slug: name, displayName: name, allowedDimensions: [...dimensions], ...anything },
    })),
  }
}

function listInputs(by: Definition): NamedReference[] {
  if (by.kind !== 'metric') return []
  const { references } = readDefinition(by.members.type as MetricType, by.members.definition)
  return references.map(({ slug, path }) => ({ by, path, kind: 'metric', name: slug }))
}
