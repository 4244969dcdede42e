import type { Issue, Suggestion } from '../kernel/errors.ts'
import { quote } from '../kernel/shown.ts'
import { closest } from '../kernel/suggest.ts'
import type { Reader } from '../store/store.ts'
import { type DefinitionReference, listInline } from './definition.ts'
import { findMetricBySlug } from './metrics.store.ts'
import {
  type Dimension,
  dimensions,
  entityFacts,
  inputSlugs,
  type MetricRecord,
  type TypedDefinition,
} from './model.ts'

/** The maximum depth of metric dependencies, from a metric to its deepest input. */
const MAX_DEPTH = 8

/** Every metric by slug, reduced to what dependency checks need. */
export type MetricGraph = ReadonlyMap<
  string,
  TypedDefinition & Pick<MetricRecord, 'slug' | 'displayName' | 'allowedDimensions'>
>

export interface DependencyProblems {
  issues: Issue[]
  /** References to metrics that do not exist. */
  missing: DefinitionReference[]
  suggestions: Suggestion[]
}

/** Checks the references of a metric for missing metrics and cycles. */
export function checkReferences(
  slug: string,
  references: readonly DefinitionReference[],
  graph: MetricGraph,
): DependencyProblems {
  const problems: DependencyProblems = { issues: [], missing: [], suggestions: [] }
  for (const { slug: input, path } of references) {
    const cycle = input === slug ? [slug, slug] : findPath(graph, input, slug)?.toSpliced(0, 0, slug)
    if (cycle !== undefined) {
      const message = `creates a cycle: ${cycle.join(' → ')}; a metric cannot depend on itself.`
      problems.issues.push({ path, message })
    } else if (!graph.has(input)) {
      const near = closest(input, graph.values(), (metric) => metric.slug, 3)
      const hint =
        near.length === 0 ? 'create it first.' : `the closest are ${near.map((metric) => metric.slug).join(', ')}.`
      problems.issues.push({ path, message: `there is no metric ${quote(input)}; ${hint}` })
      problems.missing.push({ slug: input, path })
      for (const metric of near) {
        problems.suggestions.push({ value: metric.slug, kind: 'metric', label: metric.displayName })
      }
    }
  }
  return problems
}

/**
 * Checks whether a proposed definition would break the metric or any metric computed from it. The references must
 * exist.
 */
export function checkGraph(
  slug: string,
  proposed: TypedDefinition & { allowedDimensions: readonly Dimension[] },
  graph: MetricGraph,
): Issue[] {
  const issues: Issue[] = []
  const changed = new Map<string, TypedDefinition>([...graph, [slug, proposed]])
  const depth = depthOf(changed, slug) + heightOf(changed, slug)
  if (depth > MAX_DEPTH) {
    const message = `metrics would be nested ${depth} levels deep; at most ${MAX_DEPTH} are allowed.`
    issues.push({ path: 'definition', message })
  }
  const fitting = fittingDimensions(changed, proposed)
  for (const [index, dimension] of proposed.allowedDimensions.entries()) {
    if (fitting.includes(dimension)) continue
    const message = `${dimension} is not a dimension of what this metric counts; use one of ${fitting.join(', ')}.`
    issues.push({ path: `allowedDimensions[${index}]`, message })
  }
  for (const trend of [slug, ...listDependents(changed, slug)]) {
    const typed = changed.get(trend)
    if (typed?.type !== 'TREND' || !hasTrend(changed, typed.definition.baseMetricSlug)) continue
    const message =
      trend === slug
        ? `${typed.definition.baseMetricSlug} is or contains a TREND, which has its own windows; use another base.`
        : `${trend} is a TREND based on this metric, which therefore cannot be or contain a TREND.`
    issues.push({ path: trend === slug ? 'definition.baseMetricSlug' : 'definition', message })
  }
  for (const dependent of listDependents(changed, slug)) {
    const metric = graph.get(dependent)
    if (metric === undefined) continue
    const still = fittingDimensions(changed, metric)
    const lost = metric.allowedDimensions.filter((dimension) => !still.includes(dimension))
    if (lost.length === 0) continue
    const message = `${dependent}, which depends on this metric, allows ${lost.join(', ')}, which this change would make invalid.`
    issues.push({ path: 'definition', message })
  }
  return issues
}

/** The dimensions that apply to every entity that a definition counts, directly or through its inputs. */
function fittingDimensions(graph: ReadonlyMap<string, TypedDefinition>, typed: TypedDefinition): readonly Dimension[] {
  const counted = [typed, ...listInputs(graph, typed).values()].flatMap(listInline).map(({ entity }) => entity)
  return dimensions.filter((dimension) =>
    counted.every((entity) => entityFacts[entity].dimensions.some((fitting) => fitting === dimension)),
  )
}

/** Every direct and indirect input of a definition, by slug. */
export function listInputs<Typed extends TypedDefinition>(
  graph: ReadonlyMap<string, Typed>,
  typed: TypedDefinition,
): Map<string, Typed> {
  const inputs = new Map<string, Typed>()
  const queue = inputSlugs(typed)
  for (let slug = queue.pop(); slug !== undefined; slug = queue.pop()) {
    const input = inputs.has(slug) ? undefined : graph.get(slug)
    if (input === undefined) continue
    inputs.set(slug, input)
    queue.push(...inputSlugs(input))
  }
  return inputs
}

/** The direct and indirect dependents of a metric. */
export function listDependents(graph: ReadonlyMap<string, TypedDefinition>, slug: string): string[] {
  const found = new Set<string>()
  const queue = [slug]
  for (let input = queue.pop(); input !== undefined; input = queue.pop()) {
    for (const [other, typed] of graph) {
      if (found.has(other) || other === slug || !inputSlugs(typed).includes(input)) continue
      found.add(other)
      queue.push(other)
    }
  }
  return [...found].sort()
}

/** The metrics whose definitions refer to a metric directly. */
export function listDirectDependents(graph: ReadonlyMap<string, TypedDefinition>, slug: string): string[] {
  return [...graph].filter(([, typed]) => inputSlugs(typed).includes(slug)).map(([other]) => other)
}

/** Every direct and indirect input of a metric, by slug, excluding the metric itself; `replaced` replaces a stored one. */
export function loadInputs(reader: Reader, metric: MetricRecord, replaced?: MetricRecord): Map<string, MetricRecord> {
  const inputs = new Map<string, MetricRecord>()
  const queue = inputSlugs(metric)
  for (let slug = queue.pop(); slug !== undefined; slug = queue.pop()) {
    if (inputs.has(slug)) continue
    const input = slug === replaced?.slug ? replaced : findMetricBySlug(reader, slug)
    if (input === undefined) continue
    inputs.set(slug, input)
    queue.push(...inputSlugs(input))
  }
  return inputs
}

function findPath(graph: MetricGraph, from: string, to: string): string[] | undefined {
  const seen = new Set<string>()
  const walk = (slug: string): string[] | undefined => {
    if (slug === to) return [slug]
    const metric = graph.get(slug)
    if (metric === undefined || seen.has(slug)) return undefined
    seen.add(slug)
    for (const input of inputSlugs(metric)) {
      const rest = walk(input)
      if (rest !== undefined) return [slug, ...rest]
    }
    return undefined
  }
  return walk(from)
}

function depthOf(graph: ReadonlyMap<string, TypedDefinition>, slug: string, known = new Map<string, number>()): number {
  const before = known.get(slug)
  if (before !== undefined) return before
  const typed = graph.get(slug)
  const depths = typed === undefined ? [] : inputSlugs(typed).map((input) => depthOf(graph, input, known) + 1)
  const depth = Math.max(0, ...depths)
  known.set(slug, depth)
  return depth
}

function heightOf(
  graph: ReadonlyMap<string, TypedDefinition>,
  slug: string,
  known = new Map<string, number>(),
): number {
  const before = known.get(slug)
  if (before !== undefined) return before
  const heights = listDirectDependents(graph, slug).map((dependent) => heightOf(graph, dependent, known) + 1)
  const height = Math.max(0, ...heights)
  known.set(slug, height)
  return height
}

function hasTrend(graph: ReadonlyMap<string, TypedDefinition>, slug: string): boolean {
  const typed = graph.get(slug)
  return typed !== undefined && [typed, ...listInputs(graph, typed).values()].some(({ type }) => type === 'TREND')
}
